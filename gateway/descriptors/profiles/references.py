"""Brings the `$ref` of a schema to what a profile takes: definitions written out, and circles cut after some rounds.

Where a circle is cut, or a schema would become too large, stands an open object: the value gate takes there what the
definition takes. A profile that has no open objects makes JSON text of it.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import orjson

from gateway.descriptors.profiles.profile import References
from gateway.descriptors.schema.dialect import Schema

LIMIT_ROUNDS = 3
"""How often a definition may stand within itself before it is cut."""

LIMIT_WRITTEN_BYTES = 64 * 1024
"""How large a schema may become by writing out its definitions."""

_REFERENCE = "#/$defs/"
# Within one another: a definition holds some dozen messages, and readers of JSON do not take any depth.
_LIMIT_DEPTH = 4
_CUT_NOTE = "an object of the same kind, nested too deep to be described again"


def find_target(schema: Any) -> str | None:
    """The definition that a schema refers to, or None where it is no reference to one."""
    reference = schema.get("$ref") if isinstance(schema, Mapping) else None
    if isinstance(reference, str) and reference.startswith(_REFERENCE):
        return reference.removeprefix(_REFERENCE)
    return None


def settle_references(schema: Mapping[str, Any], references: References, rounds: int = LIMIT_ROUNDS) -> Schema:
    """The schema with such references alone. What is not changed is shared with the schema that was given.

    `rounds`: how often a definition may stand within itself.
    """
    if "$defs" not in schema or references in (References.ANY, References.OPTIONAL_CIRCLES):
        return dict(schema)
    return _Writer(schema, references, rounds).write()


def list_circles(definitions: Mapping[str, Any]) -> frozenset[str]:
    """The definitions that can stand within themselves, by name."""
    reached = _reach_all({name: set(iterate_targets(body)) for name, body in definitions.items()})
    return frozenset(name for name in definitions if name in reached[name])


class _Writer:
    """Writes one schema anew."""

    def __init__(self, schema: Mapping[str, Any], references: References, rounds: int) -> None:
        self._rounds = rounds
        self._root = {key: value for key, value in schema.items() if key != "$defs"}
        self._definitions: Mapping[str, Any] = schema["$defs"]
        self._keeps = references is References.NO_CIRCLES
        targets = {name: set(iterate_targets(body)) for name, body in self._definitions.items()}
        reached = _reach_all(targets)
        # Within a circle: from a definition to one that leads back to it.
        self._closing = {
            (name, target) for name, found in targets.items() for target in found if name in reached.get(target, ())
        }
        self._circles = frozenset(name for name in self._definitions if name in reached[name])
        self._pending: dict[str, tuple[str, int]] = {}

    def write(self) -> Schema:
        """The whole schema."""
        if not self._keeps:
            written: Schema = self._write_out(self._root, "", self._choose_depth(), self._rounds)
            return written
        root: Schema = self._write_kept(self._root, "", self._rounds)
        kept: dict[str, Schema] = {}
        while self._pending.keys() - kept.keys():
            name = min(self._pending.keys() - kept.keys())
            target, rounds = self._pending[name]
            kept[name] = self._write_kept(self._definitions.get(target, {}), target, rounds)
        return {**root, "$defs": dict(sorted(kept.items()))} if kept else root

    def _write_out(self, part: Any, owner: str, depth: int, rounds: int) -> Any:
        """A part with every definition in the place of its reference."""
        target = find_target(part)
        if target is None:
            return _rebuild(part, lambda inner: self._write_out(inner, owner, depth, rounds))
        body = self._definitions.get(target, {})
        is_closing = (owner, target) in self._closing
        if depth == 0 or (is_closing and rounds == 0):
            return _cut(body)
        return self._write_out(body, target, depth - 1, rounds - is_closing)

    def _write_kept(self, part: Any, owner: str, rounds: int) -> Any:
        """A part whose references lead to definitions that differ by how many rounds are left."""
        target = find_target(part)
        if target is None:
            return _rebuild(part, lambda inner: self._write_kept(inner, owner, rounds))
        body = self._definitions.get(target, {})
        is_closing = (owner, target) in self._closing
        if is_closing and rounds == 0:
            return _cut(body)
        left = rounds - is_closing if target in self._circles else self._rounds
        name = target if left == self._rounds else f"{target}_{left}"
        self._pending[name] = (target, left)
        return {**part, "$ref": _REFERENCE + name}

    def _choose_depth(self) -> int:
        """How many definitions may be written out within one another, so that the whole is not too large."""
        sizes = {name: _measure(body) for name, body in self._definitions.items()} | {"": _measure(self._root)}
        uses = {name: tuple(iterate_targets(body)) for name, body in self._definitions.items()}
        uses[""] = tuple(iterate_targets(self._root))
        cut_bytes = _measure(_cut({"type": "object"}))

        @cache
        def measure(owner: str, depth: int, rounds: int) -> int:
            size = sizes[owner]
            for target in uses[owner]:
                is_closing = (owner, target) in self._closing
                if target not in sizes or depth == 0 or (is_closing and rounds == 0):
                    size += cut_bytes
                else:
                    size += measure(target, depth - 1, rounds - is_closing)
            return size

        return next(
            (depth for depth in range(_LIMIT_DEPTH, 0, -1) if measure("", depth, self._rounds) <= LIMIT_WRITTEN_BYTES),
            0,
        )


def _rebuild(part: Any, write: Any) -> Any:
    match part:
        case dict():
            return {key: write(value) for key, value in part.items()}
        case list():
            return [write(value) for value in part]
        case _:
            return part


def _cut(body: Mapping[str, Any]) -> Schema:
    """What stands for a definition that is not written out: of an enum, its type alone."""
    kind = body.get("type")
    if kind == "object":
        return {"type": "object", "additionalProperties": True, "description": _CUT_NOTE}
    return {"type": kind} if kind is not None else {}


def iterate_targets(part: Any) -> Iterator[str]:
    """Every definition that a part refers to, as often as it does."""
    target = find_target(part)
    if target is not None:
        yield target
        return
    for value in part.values() if isinstance(part, Mapping) else part if isinstance(part, list) else ():
        yield from iterate_targets(value)


def _reach_all(targets: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """All that can be reached from each definition, itself only round a circle."""
    reached: dict[str, set[str]] = {}
    for name in targets:
        found: set[str] = set()
        pending = list(targets[name])
        while pending:
            target = pending.pop()
            if target not in found:
                found.add(target)
                pending += targets.get(target, ())
        reached[name] = found
    return reached


def _measure(part: Any) -> int:
    return len(orjson.dumps(part))
