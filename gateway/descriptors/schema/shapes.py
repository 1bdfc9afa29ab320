"""One message's own part of a schema: its properties, with other messages and large enums left as nodes to fill in.

A shape depends on the message, the direction and the role alone, so it is made once and used by every RPC. It never
looks into another message; how the pieces are put together is the business of `plan` and `assembly`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import orjson
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, MethodDescriptor

from gateway.descriptors.api import Api
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.schema.dialect import LIMIT_SHARED_BYTES, Direction, Part, Schema, describe
from gateway.descriptors.schema.rules.facts import FactSource, FieldFacts, Place, Role, find_map_entry, gather_facts
from gateway.descriptors.schema.rules.roles import find_part_role, find_resource, find_resource_role
from gateway.descriptors.schema.rules.validation.messages import find_required_oneofs, list_message_notes
from gateway.descriptors.schema.types.enums import make_enum_part
from gateway.descriptors.schema.types.scalars import MAP_KEYS, SCALARS
from gateway.descriptors.schema.types.special_messages import MESSAGE_NOTES, SPECIAL_MESSAGES
from gateway.descriptors.typed_fields import list_filled_in, list_taken_out

NodeType = Descriptor | EnumDescriptor
Wrap = Callable[[Schema], Schema]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A message or a large enum in one role: what may stand inline or under `$defs`. `method` only in the role ROOT."""

    type: NodeType
    role: Role = Role.PLAIN
    method: MethodDescriptor | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One property: `leaf` is its schema whole, or else `node` what its value is, inside `wrap` (a list, a map) if any.

    `required`: listed as required; `strict`: protobuf itself requires it. `comment`, `notes` and `outer_keywords`
    belong to the property, not to what it holds.
    """

    name: str
    leaf: Schema
    node: Node | None = None
    wrap: Wrap | None = None
    comment: str = ""
    notes: tuple[str, ...] = ()
    keywords: Mapping[str, Any]
    outer_keywords: Mapping[str, Any]
    required: bool = False
    strict: bool = False

    def finish(self, value: Part) -> Schema:
        """The property's schema around its value's."""
        if self.wrap is None:
            keywords = {**self.keywords, **self.outer_keywords}
            return value.finish(comment=self.comment, notes=self.notes, keywords=keywords)
        return self.enclose(value.finish(keywords=self.keywords))

    def enclose(self, value: Schema) -> Schema:
        """The same for a value that is a finished schema, in a list or a map."""
        schema = self.wrap(value) if self.wrap is not None else dict(value)
        schema.update(self.outer_keywords)
        description = self.description
        if description:
            schema["description"] = description
        return schema

    @property
    def description(self) -> str:
        """What is said of the property beside what is said of its value."""
        return describe(self.comment, self.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A node's own part. `part` is set for an enum, `properties` for a message; `size` counts bytes of JSON.

    `rules` are said of a message like its notes, and also where it is the root, which needs no further description.
    """

    node: Node
    part: Part | None = None
    properties: tuple[Property, ...] = ()
    comment: str = ""
    notes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    size: int


class ShapeMaker:
    """Makes the shapes of one direction of one Api, once each."""

    def __init__(self, api: Api, direction: Direction, sources: tuple[FactSource, ...]) -> None:
        self._api = api
        self._direction = direction
        self._is_input = direction is Direction.INPUT
        self._sources = sources
        self._shapes: dict[Node, Shape] = {}
        self._enums: dict[EnumDescriptor, tuple[Part, int]] = {}

    def get_shape(self, node: Node) -> Shape:
        """The node's shape."""
        shape = self._shapes.get(node)
        if shape is None:
            shape = self._make_shape(node)
            if node.role is not Role.ROOT:  # a root is asked for once
                self._shapes[node] = shape
        return shape

    def get_special_part(self, message: Descriptor) -> Part | None:
        """The schema of a message that ProtoJSON gives a form of its own, else None."""
        row = SPECIAL_MESSAGES.get(message.full_name)
        return None if row is None else row.get_part(self._direction)

    def _make_shape(self, node: Node) -> Shape:
        if isinstance(node.type, EnumDescriptor):
            part, size = self._get_enum(node.type)
            return Shape(node=node, part=part, size=size)
        properties = tuple(self._make_properties(node, node.type))
        note = MESSAGE_NOTES.get(node.type.full_name)
        return Shape(
            node=node,
            properties=properties,
            comment="" if note else self._api.comments.get_comment(node.type.full_name),
            notes=(note,) if note else (),
            rules=list_message_notes(self._api.rules, node.type, node.role) if self._is_input else (),
            size=sum(map(_measure_property, properties)) + _ENVELOPE_BYTES,
        )

    def _make_properties(self, node: Node, message: Descriptor) -> list[Property]:
        names = get_field_names(message)
        if self._direction is Direction.INPUT:
            named = list(names.published.items())
        else:
            named = [(names.printed[field.number], field) for field in names.published.values()]
        if node.role is Role.ROOT:
            apart = list_filled_in(message) if self._is_input else list_taken_out(message)
            named = [(name, field) for name, field in named if field not in apart]
        kept: list[tuple[str, FieldDescriptor, FieldFacts]] = []
        for name, field in named:
            place = Place(message=message, field=field, direction=self._direction, role=node.role, method=node.method)
            facts = gather_facts(place, self._sources)
            if field.is_required or facts.is_kept or not facts.dropped:
                kept.append((name, field, facts))
        oneofs = self._list_oneofs(node, message, kept)
        return [
            self._make_property(node, name, field, facts, oneofs.get(_get_oneof_name(field), _NO_ONEOF))
            for name, field, facts in kept
        ]

    def _list_oneofs(
        self, node: Node, message: Descriptor, kept: list[tuple[str, FieldDescriptor, FieldFacts]]
    ) -> dict[str, "_Oneof"]:
        """The oneofs by name; results are printed, so nothing needs saying of them."""
        members: dict[str, tuple[str, ...]] = {}
        if not self._is_input:
            return {}
        for name, field, _ in kept:
            oneof = _get_oneof_name(field)
            if oneof:
                members[oneof] = (*members.get(oneof, ()), name)
        required = find_required_oneofs(self._api.rules, message, node.role)
        return {name: _Oneof(members=names, is_required=name in required) for name, names in members.items()}

    def _make_property(
        self, node: Node, name: str, field: FieldDescriptor, facts: FieldFacts, oneof: "_Oneof"
    ) -> Property:
        notes = (*facts.notes, *oneof.notes)
        value, wrap = field, None
        entry = find_map_entry(field)
        if entry is not None:
            value = entry.fields_by_number[2]
            wrap = _wrap_in_map
            if self._is_input:
                key = MAP_KEYS[entry.fields_by_number[1].type]
                wrap = partial(_wrap_in_keyed_map, key.schema) if key.schema else _wrap_in_map
                notes = (*key.notes, *notes)
        elif field.is_repeated:
            wrap = _wrap_in_list
        part, target = self._get_value(node, field, value, facts)
        if facts.content is not None and wrap is None:
            part, target, wrap = None, Node(type=facts.content), _wrap_in_any
        prop = Property(
            name=name,
            leaf={},
            node=target,
            wrap=wrap,
            comment=self._api.comments.get_comment(field.full_name),
            notes=notes,
            keywords=facts.keywords,
            outer_keywords=facts.outer_keywords,
            required=field.is_required or (self._is_input and oneof.is_member_required(facts)),
            strict=field.is_required,
        )
        return prop if part is None else _with_leaf(prop, part)

    def _get_value(
        self, node: Node, field: FieldDescriptor, value: FieldDescriptor, facts: FieldFacts
    ) -> tuple[Part | None, Node | None]:
        """What the field's values are (`value`: of a map its entries'): a schema, or a node to fill in."""
        if facts.value is not None:
            return facts.value, None
        if value.enum_type is not None:
            part, size = self._get_enum(value.enum_type)
            # Facts that change an enum's own keywords make it this field's alone.
            if size <= LIMIT_SHARED_BYTES or facts.keywords:
                return part, None
            return None, Node(type=value.enum_type)
        message = value.message_type
        if message is None:
            return SCALARS[value.type].get_part(self._direction), None
        special = self.get_special_part(message)
        if special is not None:
            return special, None
        return None, Node(type=message, role=self._find_role(node, field, facts))

    def _find_role(self, node: Node, field: FieldDescriptor, facts: FieldFacts) -> Role:
        if node.role is Role.UNCHECKED or facts.is_unchecked:
            return Role.UNCHECKED
        if not self._is_input:
            return Role.PLAIN
        if node.method is None:
            return find_part_role(node.role, field)
        role = find_resource_role(node.method)
        if role is None or find_resource(field, node.method, self._api.options) is None:
            return Role.PLAIN
        return role

    def _get_enum(self, enum: EnumDescriptor) -> tuple[Part, int]:
        known = self._enums.get(enum)
        if known is None:
            part = make_enum_part(enum, self._direction, self._api.comments, self._api.options)
            known = self._enums[enum] = (part, len(orjson.dumps(part.finish())))
        return known


@dataclass(frozen=True, slots=True, kw_only=True)
class _Oneof:
    """A oneof as arguments see it: the names of its members that are offered, and whether one of them must be set."""

    members: tuple[str, ...] = ()
    is_required: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said of each member."""
        if len(self.members) < 2:
            return ()
        return (f"{'exactly' if self.is_required else 'at most'} one of {', '.join(self.members)}",)

    def is_member_required(self, facts: FieldFacts) -> bool:
        """Whether a member can be asked for. Not one with others: setting another one would be refused."""
        return len(self.members) < 2 and (facts.required or self.is_required)


_NO_ONEOF = _Oneof()
_ENVELOPE_BYTES = len('{"type":"object","properties":{},"required":[],"additionalProperties":false},')


def _get_oneof_name(field: FieldDescriptor) -> str:
    return "" if field.containing_oneof is None else field.containing_oneof.name


def _wrap_in_list(value: Schema) -> Schema:
    return {"type": "array", "items": value}


def _wrap_in_map(value: Schema) -> Schema:
    return {"type": "object", "additionalProperties": value}


def _wrap_in_keyed_map(keys: Mapping[str, Any], value: Schema) -> Schema:
    return {"type": "object", **keys, "additionalProperties": value}


def _wrap_in_any(value: Schema) -> Schema:
    """What an Any is expected to hold, and whatever else it may."""
    return {"anyOf": [value, {"type": "object"}]}


def _with_leaf(prop: Property, part: Part) -> Property:
    return replace(prop, leaf=prop.finish(part))


def _measure_property(prop: Property) -> int:
    schema = prop.leaf if prop.node is None else prop.enclose({})
    return len(orjson.dumps(schema)) + len(prop.name) * (2 if prop.required else 1) + 4
