"""YAML text as plain values, without what makes YAML surprising.

Only the safe tags are read; a key given twice is refused, as is a file that unfolds without end through its aliases.
This module must never know what the values mean.
"""

import math
from collections.abc import Hashable
from typing import Any

import yaml

LIMIT_NODES = 100_000
LIMIT_DEPTH = 50


class YamlError(Exception):
    """The text is not YAML that can be used. `reason` is one line and names the line where it can."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason if line is None else f"line {line}: {reason}")
        self.reason = str(self)


def parse_yaml(text: str) -> Any:
    """The one document of the text as dict, list, str, int, float, bool, None; None for an empty text.

    Raises `YamlError`: broken syntax, a tag outside YAML's core (`!!python/...`), a date (write it in quotes), a key
    that is doubled or no string, aliases that unfold beyond 100,000 nodes or 50 levels, more than one document.
    """
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            return None if node is None else _Unfolding(loader).unfold(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(error.problem or "is not YAML", mark.line + 1 if mark else None) from None
    except yaml.YAMLError as error:
        raise YamlError(str(error).splitlines()[0]) from None
    except RecursionError:
        raise YamlError(f"nested deeper than {LIMIT_DEPTH} levels") from None


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader; it only composes nodes here and turns scalars into values."""


class _Unfolding:
    """Turns nodes into values, counting as it goes."""

    def __init__(self, loader: _Loader) -> None:
        self._loader = loader
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
            if key_node.tag == "tag:yaml.org,2002:merge":
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

    def _scalar(self, node: yaml.Node) -> Any:
        value: Hashable = self._loader.construct_object(node)
        if isinstance(value, float) and not math.isfinite(value):
            raise YamlError(f"{node.value} is no finite number", node.start_mark.line + 1)
        if value is None or isinstance(value, str | bool | int | float):
            return value
        raise YamlError(f"{node.value!r} reads as a {type(value).__name__}; put it in quotes", node.start_mark.line + 1)
