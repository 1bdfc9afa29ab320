"""Holds messages and values to their JSON Schemas: compiled once, judged by native code, explained in words.

The native validator (`jsonschema-rs`) alone says yes or no, in under a microsecond for an ordinary message; only what
it refuses is looked at again, by `contract.distilling`. No request ever parses or compiles a schema, and no schema is
ever fetched. This module must never know what a method does with the message that it lets through.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Distilled, distil
from gateway.contract.distilling import distil_refused
from gateway.contract.envelope_faults import find_envelope_faults, is_known_by_heart
from gateway.contract.envelopes import Refusal, distilled_refusal
from gateway.contract.kept_json import encode_to_keep
from gateway.contract.lone_surrogates import replace_lone_surrogates

PER_REQUEST_REVISION = "2026-07-28"

_SUBJECT = "request"
_REVISION = re.compile(r"\d{4}-\d{2}-\d{2}")
# The folder stands beside the package in a checkout, inside it in a wheel.
_SCHEMA_FOLDERS = (Path(__file__).parents[1] / "_priv", Path(__file__).parents[2] / "priv")


def load_protocol_schema(revision: str) -> dict[str, Any]:
    """The project's own statement of a protocol revision's message shapes, as JSON Schema.

    Raises ValueError for a revision that this build does not carry; the sentence names those that it does.
    """
    if _REVISION.fullmatch(revision):
        for folder in _SCHEMA_FOLDERS:
            file = folder / f"schema-{revision}.json"
            if file.is_file():
                schema: dict[str, Any] = orjson.loads(file.read_bytes())
                return schema
    carried = sorted(
        {file.stem[len("schema-") :] for folder in _SCHEMA_FOLDERS for file in folder.glob("schema-*.json")}
    )
    raise ValueError(f"no schema for protocol revision {revision!r}; this build carries {', '.join(carried) or 'none'}")


class SchemaValidator:
    """One JSON Schema, compiled: a tool's output schema, or that of a configuration file.

    The dialect is the one that `$schema` names, JSON Schema 2020-12 where it names none; formats are annotations.
    `subject` opens every summary ("result: /total must be an integer, got 1.5"). Raises ValueError, in one line, for a
    schema that is none or that refers to anything outside itself.
    """

    __slots__ = ("_is_valid", "_schema", "_subject")

    def __init__(self, schema: Mapping[str, Any], *, subject: str = "value") -> None:
        self._schema = dict(schema)
        self._subject = subject
        try:
            self._is_valid = jsonschema_rs.validator_for(self._schema, validate_formats=False, offline=True).is_valid
        except ValueError as fault:
            raise ValueError(f"not a usable JSON Schema: {str(fault).partition(chr(10))[0]}") from fault

    def validate(self, instance: Any) -> Distilled | None:
        """None where the value fits, else why it does not. Never raises, whatever the value is made of."""
        if self.is_valid(instance):
            return None
        return distil_refused(self._schema, instance, subject=self._subject)

    def is_valid(self, instance: Any) -> bool:
        """Whether the value fits, without a word about why. Python data that is no JSON data does not.

        Halves of characters are judged as the characters that they are not: whatever takes text may refuse them.
        """
        try:
            return self._is_valid(instance)
        except UnicodeEncodeError:
            return self.is_valid(replace_lone_surrogates(instance))
        except (ValueError, TypeError):
            return False


class DeferredValidator(SchemaValidator):
    """The same for one schema of many, of which few will ever be asked: compiled to be sure, and kept as text.

    It is compiled again when it is first asked, once and for all: for schemas of a tool that is a tenth of a
    millisecond, and compiled they take some fifty times the memory of their text.
    """

    __slots__ = ("_encoded",)

    def __init__(self, schema: Mapping[str, Any], *, subject: str = "value") -> None:
        super().__init__(schema, subject=subject)
        self._encoded = encode_to_keep(self._schema)
        self._schema = {}
        self._is_valid = self._compile_and_judge

    def _compile_and_judge(self, instance: Any) -> bool:
        super().__init__(orjson.loads(self._encoded), subject=self._subject)
        return self._is_valid(instance)


class MessageValidator:
    """Every message that a client may send in one protocol revision, each held to its own shape.

    `schema` is the whole schema of the revision, as `load_protocol_schema` gives it. Which definition belongs to which
    method is read from the schema itself: the constants of `method` in the unions ClientRequest and ClientNotification.
    """

    __slots__ = ("_any_notification", "_any_request", "_notifications", "_requests", "_response")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        shapes = _Shapes(schema)
        self._any_request = shapes.compile_envelope("JSONRPCRequest", needs_id=True)
        self._any_notification = shapes.compile_envelope("JSONRPCNotification", needs_id=False)
        self._requests = {
            method: shapes.compile("JSONRPCRequest", name) for method, name in shapes.iter_methods("ClientRequest")
        }
        self._notifications = {
            method: shapes.compile("JSONRPCNotification", name)
            for method, name in shapes.iter_methods("ClientNotification")
        }
        # Where the server asks nothing of the client, no response can be expected from it.
        self._response = shapes.compile("JSONRPCResponse") if shapes.has_server_requests else None

    def validate_message(self, message: Mapping[str, Any]) -> Distilled | None:
        """None where all is well, else why the message does not have its shape.

        A message with `method` and `id` is a request, one with `method` alone a notification; it is held to JSON-RPC
        and then to the definition of its method. A method that the revision does not know is held to JSON-RPC alone: it
        is `method_not_found`'s business. A message without `method` is a response in revisions where the server sends
        requests; in the others, 2026-07-28 first of all, it is a request that lacks its method.
        """
        return self._select(message).validate(message)

    def refuse_message(self, message: Mapping[str, Any]) -> Refusal | None:
        """The same as a refusal, ready to be answered.

        It is invalid_request where the message is no JSON-RPC at all, invalid_params where only the method's own
        definition is not met (JSON-RPC 2.0 section 5.1).
        """
        distilled = self.validate_message(message)
        if distilled is None:
            return None
        envelope = self._any_request if "id" in message or "method" not in message else self._any_notification
        condition = Condition.INVALID_PARAMS if envelope.is_valid(message) else Condition.INVALID_REQUEST
        return distilled_refusal(condition, distilled, rejection=True)

    def _select(self, message: Mapping[str, Any]) -> SchemaValidator:
        method = message.get("method")
        if type(method) is str:
            if "id" in message:
                return self._requests.get(method, self._any_request)
            return self._notifications.get(method, self._any_notification)
        if "method" not in message:
            return self._response or self._any_request
        return self._any_request if "id" in message else self._any_notification


class _EnvelopeValidator(SchemaValidator):
    """JSON-RPC's own shape of a message."""

    __slots__ = ("_needs_id",)

    def __init__(self, schema: Mapping[str, Any], *, needs_id: bool) -> None:
        super().__init__(schema, subject=_SUBJECT)
        self._needs_id = needs_id

    def validate(self, instance: Any) -> Distilled | None:
        if self.is_valid(instance):
            return None
        problems = find_envelope_faults(instance, needs_id=self._needs_id) if isinstance(instance, dict) else ()
        return distil(problems, subject=_SUBJECT) if problems else super().validate(instance)


class _Shapes:
    """The definitions of one protocol schema, and what is compiled from them."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        # Revisions before 2025-11-25 are written in draft 7, where the place of definitions has another name.
        self._key = "$defs" if "$defs" in schema else "definitions"
        self._definitions: Mapping[str, Any] = schema[self._key]
        self._dialect = schema.get("$schema")
        self.has_server_requests = "ServerRequest" in self._definitions

    def compile(self, *names: str) -> SchemaValidator:
        """A validator for all of these definitions at once, carrying only what they can reach."""
        return SchemaValidator(self._gather(names), subject=_SUBJECT)

    def compile_envelope(self, name: str, *, needs_id: bool) -> SchemaValidator:
        """A validator for the definition of a message without regard to its method."""
        if is_known_by_heart(self._definitions[name]):
            return _EnvelopeValidator(self._gather((name,)), needs_id=needs_id)
        return self.compile(name)

    def _gather(self, names: tuple[str, ...]) -> dict[str, Any]:
        schema: dict[str, Any] = {"$schema": self._dialect} if self._dialect else {}
        schema["allOf"] = [{"$ref": f"#/{self._key}/{name}"} for name in names]
        schema[self._key] = self._reach(names)
        return schema

    def iter_methods(self, union: str) -> Iterator[tuple[str, str]]:
        """Each method that a union of definitions knows, with the definition's name."""
        definition = self._definitions.get(union, {})
        method = definition.get("properties", {}).get("method", {}).get("const")
        if method is not None:
            yield method, union
        for branch in definition.get("anyOf", ()):
            yield from self.iter_methods(_target(branch["$ref"]))

    def _reach(self, names: tuple[str, ...]) -> dict[str, Any]:
        reached: dict[str, Any] = {}
        open_names = list(names)
        while open_names:
            name = open_names.pop()
            if name not in reached:
                reached[name] = self._definitions[name]
                open_names.extend(_iter_references(reached[name]))
        return reached


def _iter_references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for keyword, value in schema.items():
            if keyword == "$ref" and isinstance(value, str):
                yield _target(value)
            else:
                yield from _iter_references(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _iter_references(item)


def _target(reference: str) -> str:
    """The definition that a local `$ref` names; protocol schemas refer to nothing else."""
    return reference.rpartition("/")[2]
