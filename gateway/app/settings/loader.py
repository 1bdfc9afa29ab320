"""From `propylon.yaml` to `Settings`: expanded, checked as a whole, every fault named at once by JSON pointer."""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gateway.app.operator_error import OperatorError
from gateway.app.settings.environment import expand
from gateway.app.settings.formats import FORMATS
from gateway.app.settings.model import BackendSection, Settings
from gateway.app.settings.schema import SETTINGS_SCHEMA
from gateway.app.settings.sections import build_backend, build_settings
from gateway.app.settings.yaml_text import YamlError, parse_yaml
from gateway.contract.distilled import Problem, make_pointer
from gateway.contract.nearest_names import find_nearest_name
from gateway.contract.quoting import one_line, quote

LIMIT_FILE_BYTES = 4_194_304

# The schemes of a target that say that there is no TLS.
_PLAINTEXT_SCHEMES = frozenset({"http", "grpc"})

_Steps = tuple[str | int, ...]


# What a place may take that takes an object or an array; None: it takes anything.
_OBJECTS, _ARRAYS = ("object", None), ("array", None)

# How a text from the environment becomes what its place asks for.
_SPELLINGS: Mapping[str, tuple[re.Pattern[str], Any]] = {
    "integer": (re.compile(r"-?[0-9]{1,18}"), int),
    "number": (re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,9})?"), float),
    "boolean": (re.compile(r"true|false"), lambda text: text == "true"),
}


def default_settings() -> Settings:
    """What holds where nothing is configured: no backend, the HTTP front on 127.0.0.1:8080."""
    return build_settings(_with_defaults({}, SETTINGS_SCHEMA), Path())


def make_backend(
    *, name: str, target: str, descriptors: Sequence[Path] = (), protos: Sequence[Path] = ()
) -> BackendSection:
    """A backend of which nothing more is configured than this. The caller has checked it."""
    given = {"name": name, "target": target}
    section = build_backend(_with_defaults(given, SETTINGS_SCHEMA["properties"]["backends"]["items"]), Path())
    return dataclasses.replace(section, descriptors=tuple(descriptors), protos=tuple(protos))


def load_settings(path: Path, environ: Mapping[str, str]) -> Settings:
    """The settings in a file; relative paths in it start from its folder.

    Raises `OperatorError` where the file cannot be read, is not YAML, or has faults; all of its faults are in it.
    """
    try:
        content = path.read_bytes()[: LIMIT_FILE_BYTES + 1]
        if len(content) > LIMIT_FILE_BYTES:
            raise OperatorError(f"{path} is larger than {LIMIT_FILE_BYTES} bytes; is it the right file?")
        raw = parse_yaml(content.decode("utf-8"))
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise OperatorError(f"{path} is not UTF-8 text; is it the right file?") from None
    except YamlError as error:
        raise OperatorError(f"{path}: {error.reason}") from None
    return read_settings({} if raw is None else raw, folder=path.parent, environ=environ, source=str(path))


def read_settings(raw: Any, *, folder: Path, environ: Mapping[str, str], source: str) -> Settings:
    """The settings in a parsed file. Raises `OperatorError` with every fault; `source` names the file in it."""
    from gateway.contract.validation import SchemaValidator

    preparation = _Preparation(environ)
    prepared = preparation.prepare(raw, SETTINGS_SCHEMA)
    problems = list(preparation.problems)
    refused = {problem.at for problem in problems}
    distilled = SchemaValidator(SETTINGS_SCHEMA).validate(prepared)
    for location in distilled.errors if distilled else ():
        if location["at"] not in refused:
            texts = (preparation.without_secrets(location["at"], text) for text in location["problems"])
            problems.extend(Problem(at=location["at"], text=text) for text in texts)
    problems.extend(
        Problem(at=problem.at, text=preparation.without_secrets(problem.at, problem.text))
        for problem in _check_formats(prepared, SETTINGS_SCHEMA, folder)
        if problem.at not in refused
    )
    problems.extend(_check_whole(prepared))
    problems.extend(_check_variables(prepared, environ))
    if problems:
        raise _operator_error(source, problems)
    return build_settings(_with_defaults(prepared, SETTINGS_SCHEMA), folder)


class _Preparation:
    """Fills in the environment and finds what no validator could word well, on the way through file and schema."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._hidden: dict[str, list[tuple[str, str]]] = {}
        self.problems: list[Problem] = []

    def prepare(self, value: Any, schema: Mapping[str, Any], path: _Steps = ()) -> Any:
        """The value with references filled in and unknown keys taken out; both leave their problems behind."""
        if schema.get("writeOnly") or _holds_secrets(schema):
            self._hide(path, value, "a value that is not shown")
        match value:
            case str() if schema.get("type") == "array" and "$" not in value:
                text = f"must be a list; write [{quote(value)}]"
                self.problems.append(Problem(at=make_pointer(path), text=text))
                return []
            case str():
                return self._expand(value, schema, path)
            case dict() if schema.get("type") in _OBJECTS:
                return self._prepare_members(value, schema, path)
            case list() if schema.get("type") in _ARRAYS:
                items = schema.get("items", {})
                return [self.prepare(item, items, (*path, index)) for index, item in enumerate(value)]
            case bool() if schema.get("type") == "object":
                text = "takes keys of its own and no flag; write {} to have it with its defaults, or leave it out"
                self.problems.append(Problem(at=make_pointer(path), text=text))
                return {}
            case None if schema.get("type") in ("object", "array"):
                # A key with all that stood under it commented out.
                return {} if schema["type"] == "object" else []
            case _:
                return value

    def without_secrets(self, at: str, text: str) -> str:
        """The problem without the value, where the value may be a secret or came from the environment.

        Whoever quotes a value into a problem does it by `contract.quoting.quote`, so this finds it.
        """
        for shown, label in self._hidden.get(at, ()):
            text = text.replace(shown, label)
        return text

    def _prepare_members(self, value: dict[str, Any], schema: Mapping[str, Any], path: _Steps) -> dict[str, Any]:
        known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        members = {}
        for key, member in value.items():
            if key not in known and others is False:
                self.problems.append(Problem(at=make_pointer((*path, key)), text=_unknown_key(key, known)))
            else:
                members[key] = self.prepare(member, known.get(key, others), (*path, key))
        return members

    def _expand(self, text: str, schema: Mapping[str, Any], path: _Steps) -> Any:
        expansion = expand(text, self._environ)
        if expansion.problem:
            self.problems.append(Problem(at=make_pointer(path), text=expansion.problem))
            return text
        if not expansion.names:
            return expansion.text
        spelling = _SPELLINGS.get(schema.get("type", ""))
        fits = spelling is not None and spelling[0].fullmatch(expansion.text) is not None
        value = spelling[1](expansion.text) if spelling is not None and fits else expansion.text
        self._hide(path, value, f"the value of {', '.join(expansion.names)}")
        return value

    def _hide(self, path: _Steps, value: Any, label: str) -> None:
        self._hidden.setdefault(make_pointer(path), []).append((quote(value), label))


def _holds_secrets(schema: Mapping[str, Any]) -> bool:
    """Whether it is a mapping to secrets; then what stands in its place by mistake is most likely one."""
    return bool((schema.get("additionalProperties") or {}).get("writeOnly"))


def _unknown_key(key: str, known: Mapping[str, Any]) -> str:
    nearest = find_nearest_name(key, known)
    if nearest is not None:
        return f"unknown key; did you mean {quote(nearest)}?"
    return f"unknown key; known here: {', '.join(sorted(known))}"


def _check_formats(value: Any, schema: Mapping[str, Any], folder: Path, path: _Steps = ()) -> Iterator[Problem]:
    match value:
        case dict() if schema.get("type") == "object":
            known, others = schema.get("properties", {}), schema.get("additionalProperties")
            for key, member in value.items():
                yield from _check_formats(member, known.get(key, others or {}), folder, (*path, key))
        case list() if schema.get("type") == "array":
            for index, item in enumerate(value):
                yield from _check_formats(item, schema["items"], folder, (*path, index))
        case str() if schema.get("type") == "string" and value:
            pass
        case _:
            return
    check = FORMATS.get(schema.get("format", ""))
    for below, text in check(value, folder) if check else ():
        yield Problem(at=make_pointer((*path, *below)), text=text)


def _check_whole(prepared: Any) -> Iterator[Problem]:
    """What no place could see alone: a name of a backend given twice, TLS and none, pauses that shrink."""
    if not isinstance(prepared, dict):
        return
    backends = prepared.get("backends")
    first: dict[str, int] = {}
    for index, backend in enumerate(backends if isinstance(backends, list) else []):
        name = backend.get("name") if isinstance(backend, dict) else None
        if isinstance(name, str) and first.setdefault(name, index) != index:
            yield Problem(at=f"/backends/{index}/name", text=f"{quote(name)} is taken by /backends/{first[name]}")
        if isinstance(backend, dict):
            yield from _check_backend(backend, f"/backends/{index}")
    discovery = _with_defaults(prepared.get("discovery"), SETTINGS_SCHEMA["properties"]["discovery"])
    match discovery:
        case {"retry_initial_seconds": int() | float() as initial, "retry_max_seconds": int() | float() as longest}:
            if initial > longest:
                text = f"must be at most retry_max_seconds, which is {longest:g}"
                yield Problem(at="/discovery/retry_initial_seconds", text=text)
        case _:
            pass


def _check_backend(backend: Mapping[str, Any], at: str) -> Iterator[Problem]:
    if backend.get("reflection") is False and not (backend.get("descriptors") or backend.get("protos")):
        text = "without reflection, descriptors or protos must say what the server serves"
        yield Problem(at=f"{at}/reflection", text=text)
    scheme = str(backend.get("target")).partition("://")[0].lower()
    if scheme in _PLAINTEXT_SCHEMES and isinstance(backend.get("tls"), dict):
        text = f"the target's {scheme}:// is without TLS; write {scheme}s://, or leave out tls"
        yield Problem(at=f"{at}/tls", text=text)


def _check_variables(prepared: Any, environ: Mapping[str, str]) -> Iterator[Problem]:
    """The variables that arguments come from and that are not there."""
    entries = prepared.get("rpcs") if isinstance(prepared, dict) else None
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        arguments = entry.get("arguments") if isinstance(entry, dict) else None
        for path, source in arguments.items() if isinstance(arguments, dict) else ():
            name = source.get("environment") if isinstance(source, dict) else None
            if isinstance(name, str) and name not in environ:
                at = make_pointer(("rpcs", index, "arguments", path, "environment"))
                yield Problem(at=at, text=f"the environment has no {quote(name)}; set it")


def _with_defaults(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value with each absent member that has a default, at any depth."""
    if value is None and "default" in schema:
        value = schema["default"]
    if isinstance(value, dict) and "properties" in schema:
        members = {key: _with_defaults(value.get(key), member) for key, member in schema["properties"].items()}
        return value | {key: member for key, member in members.items() if member is not None}
    if isinstance(value, list):
        return [_with_defaults(item, schema.get("items", {})) for item in value]
    return value


def _operator_error(source: str, problems: list[Problem]) -> OperatorError:
    lines = tuple(
        f"{problem.at or 'the file'}: {one_line(problem.text, 300)}"
        for problem in sorted(dict.fromkeys(problems), key=lambda problem: problem.at)
    )
    if len(lines) == 1:
        return OperatorError(f"{source}: {lines[0]}")
    return OperatorError(f"{source} has {len(lines)} faults:", lines)
