"""Describes a schema's objects down to some level, and of what is deeper the names of its fields alone.

What is left out is an open object, which the value gate takes like the one that was described; a profile without open
objects makes JSON text of it.
"""

from collections.abc import Mapping
from typing import Any

from gateway.descriptors.profiles.references import find_target, iterate_targets
from gateway.descriptors.profiles.wording import describe_with
from gateway.descriptors.schema.dialect import Schema

_LIMIT_NAMES = 12


def cut_levels(schema: Mapping[str, Any], levels: int) -> Schema:
    """The schema with this many objects within one another, the root counted; each definition begins anew.

    Definitions that nothing refers to any more are gone.
    """
    definitions = schema.get("$defs", {})
    root = {key: value for key, value in schema.items() if key != "$defs"}
    cut: Schema = _cut(root, 0, levels, definitions)
    kept: dict[str, Any] = {}
    pending = list(iterate_targets(cut))
    while pending:
        name = pending.pop()
        if name in definitions and name not in kept:
            kept[name] = _cut(definitions[name], 0, levels, definitions)
            pending += iterate_targets(kept[name])
    return cut | ({"$defs": {name: kept[name] for name in definitions if name in kept}} if kept else {})


def measure_levels(schema: Mapping[str, Any]) -> int:
    """How many objects stand within one another, in the root or in one of the definitions."""
    parts = (schema, *schema.get("$defs", {}).values())
    return max(_measure(part) for part in parts)


def _cut(part: Any, level: int, levels: int, definitions: Mapping[str, Any]) -> Any:
    """A part that stands within `level` objects."""
    if not isinstance(part, Mapping):
        return part
    target = find_target(part)
    body = part if target is None else definitions.get(target, {})
    if level >= levels and _is_described(body):
        return _leave_out(body, part.get("description", body.get("description", "")))
    if target is not None:
        return part
    below = level + 1 if _is_described(part) else level
    written = dict(part)
    if isinstance(part.get("properties"), Mapping):
        members = part["properties"]
        written["properties"] = {name: _cut(one, below, levels, definitions) for name, one in members.items()}
    for keyword in ("items", "additionalProperties"):
        if keyword in part:
            written[keyword] = _cut(part[keyword], below, levels, definitions)
    if isinstance(part.get("anyOf"), list):
        written["anyOf"] = [_cut(one, below, levels, definitions) for one in part["anyOf"]]
    return written


def _leave_out(body: Mapping[str, Any], description: str) -> Schema:
    names = list(body["properties"])
    shown = ", ".join(names[:_LIMIT_NAMES]) + (", ..." if len(names) > _LIMIT_NAMES else "")
    told = describe_with(description, (f"an object with {shown}",))
    return {"type": "object", "additionalProperties": True, "description": told}


def _measure(part: Any) -> int:
    if not isinstance(part, Mapping):
        return 0
    inner = [*part.get("properties", {}).values(), part.get("items"), part.get("additionalProperties")]
    return _is_described(part) + max((_measure(one) for one in (*inner, *part.get("anyOf", ()))), default=0)


def _is_described(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "object" and bool(part.get("properties"))
