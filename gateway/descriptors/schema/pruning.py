"""Takes properties out of finished schemas, by the names that lead to them, and out of no other place.

A reference on the way is written out, since what it leads to is meant for other places, too. This module knows JSON
Schema and no protobuf.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import orjson

from gateway.descriptors.schema.dialect import Schema

Names = tuple[str, ...]
Tree = Mapping[str, Any]

_REFERENCE = "#/$defs/"
_CHOICE = re.compile(r"(?P<note>(?P<count>exactly|at most) one of (?P<names>\w+(?:, \w+)+))")
# What a note that has gone leaves behind.
_LEFTOVERS = ((" ()", ""), ("; )", ")"), ("(; ", "("), ("; ; ", "; "))


def take_out(schema: Mapping[str, Any], paths: Collection[Names], *, at: Sequence[str] = ()) -> Schema:
    """An input schema without the properties at these paths.

    `at` leads to the schema that the paths begin in ("messages", "*" for the items of the property `messages`). An
    object on the way of which nothing is left goes as well.
    """
    pruned = _copy(schema)
    definitions = pruned.get("$defs", {})
    root = pruned
    for step in at:
        key = "items" if step == "*" else step
        owner = root if step == "*" else root["properties"]
        owner[key] = _write_out(owner[key], definitions)
        root = owner[key]
    for path in sorted(paths):
        _take_one(root, path, definitions)
    return _drop_unused(pruned)


def keep_only(schema: Mapping[str, Any], tree: Tree, *, at: Sequence[str] = ()) -> Schema:
    """An output schema of which those properties alone are left that the tree names, whole where it has None.

    The names go through lists and maps.
    """
    pruned = _copy(schema)
    definitions = pruned.get("$defs", {})
    root = pruned
    for step in at:
        key = "items" if step == "*" else step
        owner = root if step == "*" else root["properties"]
        owner[key] = _write_out(owner[key], definitions)
        root = owner[key]
    _keep(root, tree, definitions)
    return _drop_unused(pruned)


def _take_one(schema: Schema, path: Names, definitions: Mapping[str, Any]) -> None:
    properties = schema.get("properties", {})
    name = path[0]
    if name not in properties:
        return
    if len(path) > 1:
        properties[name] = _write_out(properties[name], definitions)
        _take_one(properties[name], path[1:], definitions)
        if properties[name].get("properties"):
            return
    del properties[name]
    for other in properties.values():
        _reword_choice(other, name)
    required = [other for other in schema.get("required", ()) if other != name]
    schema.pop("required", None)
    if required:
        schema["required"] = required


def _reword_choice(schema: Schema, gone: str) -> None:
    """Leaves a name out of what a description says of the members of a oneof (`schema.shapes`)."""
    description = schema.get("description", "")
    found = _CHOICE.search(description)
    if found is None or gone not in found["names"].split(", "):
        return
    names = [name for name in found["names"].split(", ") if name != gone]
    said = f"{found['count']} one of {', '.join(names)}" if len(names) > 1 else ""
    reworded = description.replace(found["note"], said, 1)
    for left, mended in _LEFTOVERS:
        reworded = reworded.replace(left, mended)
    reworded = reworded.strip("; ")
    schema.pop("description")
    if reworded:
        schema["description"] = reworded


def _keep(schema: Schema, tree: Tree, definitions: Mapping[str, Any]) -> None:
    for inner in ("items", "additionalProperties"):
        if isinstance(schema.get(inner), dict):
            schema[inner] = _write_out(schema[inner], definitions)
            _keep(schema[inner], tree, definitions)
            return
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return
    kept: Schema = {}
    for name, member in properties.items():
        below = tree.get(name, False)
        if below is False:
            continue
        kept[name] = member
        if below is not None:
            kept[name] = _write_out(member, definitions)
            _keep(kept[name], below, definitions)
    schema["properties"] = kept
    required = [name for name in schema.pop("required", ()) if name in kept]
    if required:
        schema["required"] = required


def _write_out(schema: Schema, definitions: Mapping[str, Any]) -> Schema:
    """The schema, or a copy of the definition that it refers to."""
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    return _copy(definitions[reference.removeprefix(_REFERENCE)])


def _drop_unused(schema: Schema) -> Schema:
    """The schema without definitions that nothing refers to any more."""
    definitions = schema.pop("$defs", None)
    if definitions is None:
        return schema
    used: dict[str, Any] = {}
    pending = list(_iterate_references(schema))
    while pending:
        name = pending.pop()
        if name not in used:
            used[name] = definitions[name]
            pending += _iterate_references(definitions[name])
    return schema | ({"$defs": {name: body for name, body in definitions.items() if name in used}} if used else {})


def _iterate_references(part: Any) -> Iterator[str]:
    match part:
        case {"$ref": str(reference)}:
            yield reference.removeprefix(_REFERENCE)
        case Mapping():
            for value in part.values():
                yield from _iterate_references(value)
        case list():
            for value in part:
                yield from _iterate_references(value)
        case _:
            pass


def _copy(schema: Mapping[str, Any]) -> Schema:
    copy: Schema = orjson.loads(orjson.dumps(schema))
    return copy
