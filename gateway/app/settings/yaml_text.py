"""YAML text as plain values, without what makes YAML surprising.

A scalar means what YAML 1.2 says (section 10.3, Core Schema), as editors take it: `no` is a text and no flag, `010` is
ten and not eight, `12:30` is no number and `2026-01-02` no date. Merge keys (`<<`) are read, which only YAML 1.1 has.
A key given twice is refused, as is a file that unfolds without end through its aliases. This module must never know
what the values mean.
"""

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import yaml

from gateway.contract.quoting import quote

LIMIT_NODES = 100_000
LIMIT_DEPTH = 50
_LIMIT_DIGITS = 100

_TAG = "tag:yaml.org,2002:"
_TEXT, _MERGE = f"{_TAG}str", f"{_TAG}merge"
_CONTAINERS = {yaml.MappingNode: f"{_TAG}map", yaml.SequenceNode: f"{_TAG}seq"}
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


def _read_integer(text: str) -> int:
    return int(text, 0) if text[:2] in ("0o", "0x") else int(text)


def _read_float(text: str) -> float:
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))


# How each kind of scalar is spelt, and how it is read: the first that fits a plain scalar is its kind.
_SCALARS: Mapping[str, tuple[re.Pattern[str], Callable[[str], Any]]] = MappingProxyType(
    {
        f"{_TAG}null": (re.compile(r"null|Null|NULL|~|"), lambda _: None),
        f"{_TAG}bool": (re.compile("|".join(_FLAGS)), _FLAGS.__getitem__),
        f"{_TAG}int": (re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"), _read_integer),
        f"{_TAG}float": (
            re.compile(
                r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
            ),
            _read_float,
        ),
        _MERGE: (re.compile("<<"), str),
        _TEXT: (re.compile(r".*", re.DOTALL), str),
    }
)


class YamlError(Exception):
    """The text is not YAML that can be used. `reason` is one line and names the line where it can."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason if line is None else f"line {line}: {reason}")
        self.reason = str(self)


def parse_yaml(text: str) -> Any:
    """The one document of the text as dict, list, str, int, float, bool, None; None for an empty text.

    Raises `YamlError`: broken syntax, a tag outside YAML's core (`!!python/...`), a number that is infinite or too
    long, a key that is doubled or no string, aliases that unfold beyond 100,000 nodes or 50 levels, more than one
    document.
    """
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            return None if node is None else _Unfolding().unfold(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or "is not YAML"
        if "'\\t' that cannot start any token" in problem:
            problem = "YAML is indented with spaces; there is a tab"
        raise YamlError(problem, mark.line + 1 if mark else None) from None
    except yaml.YAMLError as error:
        raise YamlError(str(error).splitlines()[0]) from None
    except RecursionError:
        raise YamlError(f"nested deeper than {LIMIT_DEPTH} levels") from None


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, of which only the nodes are taken; what a scalar means is said here."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: tuple[bool, bool]) -> str:
        """The tag of a node that states none; `implicit` is whether it may be guessed from a plain scalar."""
        if kind in _CONTAINERS:
            return _CONTAINERS[kind]
        if not implicit[0]:
            return _TEXT
        return next(tag for tag, (pattern, _) in _SCALARS.items() if pattern.fullmatch(value))


class _Unfolding:
    """Turns nodes into values, counting as it goes."""

    def __init__(self) -> None:
        self._count = 0

    def unfold(self, node: yaml.Node, depth: int = 0) -> Any:
        self._count += 1
        if self._count > LIMIT_NODES:
            raise YamlError(f"unfolds to more than {LIMIT_NODES} values", node.start_mark.line + 1)
        if depth > LIMIT_DEPTH:
            raise YamlError(f"nested deeper than {LIMIT_DEPTH} levels", node.start_mark.line + 1)
        match node:
            case yaml.MappingNode(tag="tag:yaml.org,2002:map"):
                return self._unfold_mapping(node, depth)
            case yaml.SequenceNode(tag="tag:yaml.org,2002:seq"):
                return [self.unfold(item, depth + 1) for item in node.value]
            case yaml.ScalarNode():
                return self._scalar(node)
            case _:
                raise YamlError(f"the tag {node.tag!r} is not read here", node.start_mark.line + 1)

    def _unfold_mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
        lines: dict[str, int] = {}
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.tag == _MERGE:
                merged = self._merge(value_node, depth) | merged
                continue
            key = self._scalar(key_node) if isinstance(key_node, yaml.ScalarNode) else None
            if not isinstance(key, str):
                raise YamlError("a key must be a string; put it in quotes", line)
            if key in lines:
                raise YamlError(f'the key "{key}" stands here again, first on line {lines[key]}', line)
            lines[key] = line
            own[key] = self.unfold(value_node, depth + 1)
        return merged | own

    def _merge(self, node: yaml.Node, depth: int) -> dict[str, Any]:
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        merged: dict[str, Any] = {}
        for source in sources:
            value = self.unfold(source, depth + 1)
            if not isinstance(value, dict):
                raise YamlError("<< takes a mapping or a list of mappings", source.start_mark.line + 1)
            merged = value | merged
        return merged

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        line = node.start_mark.line + 1
        if node.tag not in _SCALARS:
            raise YamlError(f"the tag {node.tag!r} is not read here", line)
        pattern, read = _SCALARS[node.tag]
        if pattern.fullmatch(node.value) is None:
            raise YamlError(f"{quote(node.value)} is not written as {node.tag.removeprefix(_TAG)}", line)
        if len(node.value) > _LIMIT_DIGITS and node.tag not in (_TEXT, _MERGE):
            raise YamlError(f"a number has at most {_LIMIT_DIGITS} digits", line)
        value = read(node.value)
        if isinstance(value, float) and not math.isfinite(value):
            raise YamlError(f"{node.value} is no finite number", line)
        return value
