"""Compares two JSON Schemas of one side, part by part: every difference is a change of a kind that the table knows.

It knows the keywords of published schemas (`descriptors.schema.dialect`); any other keyword, which only schemas of the
operator's own can have, is a limit that has changed. References are followed, so it does not matter what stands inline.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.contract.distilled import make_pointer
from gateway.contract.quoting import quote
from gateway.descriptors.changes.kinds import Change, Kind, Side
from gateway.descriptors.profiles.references import find_target

_Path = tuple[str, ...]

# The numbers that bound values, and whether a greater one lets more through.
_LOWER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_TEXTS = frozenset({"description", "title", "deprecated", "default", "examples", "$comment", "$schema", "$defs"})
# What is compared by itself.
_STRUCTURE = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "x-mcp-header"}
)
_WIDER = frozenset({("integer", "number")})
_ANYTHING = "anything"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ends:
    """The definitions of both schemas."""

    old: Mapping[str, Any]
    new: Mapping[str, Any]


def compare_schemas(tool: str, side: Side, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """What has changed from the one schema to the other, in the order of the old one."""
    comparison = _Comparison(tool, side, _Ends(old=old.get("$defs", {}), new=new.get("$defs", {})))
    return tuple(dict.fromkeys(comparison.compare(old, new, ())))


class _Comparison:
    def __init__(self, tool: str, side: Side, ends: _Ends) -> None:
        self._tool = tool
        self._side = side
        self._ends = ends
        self._seen: set[tuple[str | None, str | None]] = set()

    def compare(self, old: Any, new: Any, path: _Path) -> Iterator[Change]:
        """The changes of one part."""
        pair = (find_target(old), find_target(new))
        if pair != (None, None):
            if pair in self._seen:
                return  # the same definitions, looked at before
            self._seen.add(pair)
            old, new = self._resolve(old, self._ends.old), self._resolve(new, self._ends.new)
        if old == new and pair[0] == pair[1] and self._ends.old == self._ends.new:
            return
        old_branches, new_branches = _list_branches(old), _list_branches(new)
        if len(old_branches) == len(new_branches) == 1:
            yield from self._compare_plain(old_branches[0], new_branches[0], path)
        else:
            yield from self._compare_branches(old_branches, new_branches, path)
        if old.get("description") != new.get("description"):
            yield self._change(Kind.TEXT_CHANGED, path, "description")

    def _compare_branches(self, old: list[Any], new: list[Any], path: _Path) -> Iterator[Change]:
        left = [(self._resolve(branch, self._ends.new), branch) for branch in new]
        for branch in old:
            kind = _get_type(self._resolve(branch, self._ends.old))
            match = next((one for one in left if _get_type(one[0]) == kind), None)
            if match is None:
                yield self._change(Kind.BRANCH_GONE, path, kind)
            else:
                left.remove(match)
                yield from self.compare(branch, match[1], path)
        for resolved, _ in left:
            yield self._change(Kind.BRANCH_NEW, path, _get_type(resolved))

    def _compare_plain(self, old: Mapping[str, Any], new: Mapping[str, Any], path: _Path) -> Iterator[Change]:
        kinds = _get_type(old), _get_type(new)
        if kinds[0] != kinds[1]:
            yield self._change(_judge_types(*kinds), path, f"was {kinds[0]}, is {kinds[1]}")
            return
        yield from self._compare_values(old, new, path)
        yield from self._compare_limits(old, new, path)
        if kinds[0] == "object":
            yield from self._compare_objects(old, new, path)
        if "items" in old or "items" in new:
            yield from self.compare(old.get("items", {}), new.get("items", {}), (*path, "*"))
        if old.get("x-mcp-header") != new.get("x-mcp-header") and self._side is Side.INPUT:
            headers = (quote(one["x-mcp-header"]) if "x-mcp-header" in one else "none" for one in (old, new))
            yield self._change(Kind.HEADER_CHANGED, path, "was {}, is {}".format(*headers))

    def _compare_objects(self, old: Mapping[str, Any], new: Mapping[str, Any], path: _Path) -> Iterator[Change]:
        properties = old.get("properties", {}), new.get("properties", {})
        required = set(old.get("required", ())), set(new.get("required", ()))
        for name, member in properties[0].items():
            place = (*path, name)
            if name not in properties[1]:
                yield self._change(Kind.PROPERTY_GONE, place)
                continue
            if (name in required[0]) is not (name in required[1]):
                is_required = name in required[1]
                yield self._change(Kind.PROPERTY_REQUIRED if is_required else Kind.PROPERTY_OPTIONAL, place)
            yield from self.compare(member, properties[1][name], place)
        for name in properties[1].keys() - properties[0].keys():
            yield self._change(Kind.REQUIRED_NEW if name in required[1] else Kind.PROPERTY_NEW, (*path, name))
        yield from self._compare_others(old, new, path)

    def _compare_others(self, old: Mapping[str, Any], new: Mapping[str, Any], path: _Path) -> Iterator[Change]:
        """What members may be there that have no name in the schema."""
        others = old.get("additionalProperties", True), new.get("additionalProperties", True)
        match others:
            case (Mapping(), Mapping()):
                yield from self.compare(others[0], others[1], (*path, "*"))
            case (False, False) | (True, True):
                return
            case (_, False) | (True, Mapping()):
                yield self._change(Kind.OBJECT_CLOSED, path)
            case _:
                yield self._change(Kind.OBJECT_OPENED, path)

    def _compare_values(self, old: Mapping[str, Any], new: Mapping[str, Any], path: _Path) -> Iterator[Change]:
        if "enum" not in old and "enum" not in new:
            return
        if "enum" not in old or "enum" not in new:
            yield self._change(Kind.VALUES_CLOSED if "enum" in new else Kind.VALUES_OPENED, path)
            return
        for value in old["enum"]:
            if value not in new["enum"]:
                yield self._change(Kind.VALUE_GONE, path, quote(value))
        for value in new["enum"]:
            if value not in old["enum"]:
                yield self._change(Kind.VALUE_NEW, path, quote(value))

    def _compare_limits(self, old: Mapping[str, Any], new: Mapping[str, Any], path: _Path) -> Iterator[Change]:
        for keyword in sorted((old.keys() | new.keys()) - _STRUCTURE - _TEXTS):
            was, now = old.get(keyword), new.get(keyword)
            if was == now:
                continue
            shown = f"{keyword} was {_show(was)}, is {_show(now)}"
            yield self._change(_judge_limit(keyword, was, now), path, shown)

    def _resolve(self, schema: Any, definitions: Mapping[str, Any]) -> Mapping[str, Any]:
        target = find_target(schema)
        resolved = schema if target is None else definitions.get(target, {})
        return resolved if isinstance(resolved, Mapping) else {}

    def _change(self, kind: Kind, path: _Path, detail: str = "") -> Change:
        return Change(kind=kind, side=self._side, tool=self._tool, at=make_pointer(path), detail=detail)


def _list_branches(schema: Mapping[str, Any]) -> list[Any]:
    branches = schema.get("anyOf")
    return list(branches) if isinstance(branches, list) else [schema]


def _get_type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", _ANYTHING)
    return kind if isinstance(kind, str) else " or ".join(sorted(kind))


def _judge_types(old: str, new: str) -> Kind:
    if old == _ANYTHING or (new, old) in _WIDER:
        return Kind.TYPE_NARROWER
    if new == _ANYTHING or (old, new) in _WIDER:
        return Kind.TYPE_WIDER
    return Kind.TYPE_CHANGED


def _judge_limit(keyword: str, old: Any, new: Any) -> Kind:
    if new is None:
        return Kind.LIMIT_LOOSER
    if old is None:
        return Kind.LIMIT_TIGHTER
    if keyword in _LOWER | _UPPER:
        is_more = new > old
        return Kind.LIMIT_LOOSER if is_more is (keyword in _UPPER) else Kind.LIMIT_TIGHTER
    return Kind.LIMIT_CHANGED


def _show(value: Any) -> str:
    return "none" if value is None else quote(value)
