"""The JSON Schemas of a backend's requests and replies: the door of this room.

One neutral schema for everybody; what a particular model provider wants otherwise is a projection of it and not made
here. This module must never know a tool's name or how values are converted.
"""

import orjson
from google.protobuf.descriptor import Descriptor, MethodDescriptor

from gateway.descriptors.api import Api, Rpc
from gateway.descriptors.root_forms import (
    MESSAGES_PROPERTY,
    TRUNCATED_PROPERTY,
    VALUE_PROPERTY,
    RootForm,
    get_root_form,
    is_structured,
)
from gateway.descriptors.schema.assembly import assemble
from gateway.descriptors.schema.dialect import Direction, Schema
from gateway.descriptors.schema.plan import make_plan
from gateway.descriptors.schema.rules.annotations import make_sources
from gateway.descriptors.schema.rules.facts import FactSource, Role
from gateway.descriptors.schema.shapes import Node, ShapeMaker
from gateway.descriptors.typed_fields import is_nothing_else


class SchemaBuilder:
    """Makes the schemas of one Api. Each answer is a new value that is the caller's own, equal on every start."""

    def __init__(self, api: Api, *, keep_deprecated: bool = False, sources: tuple[FactSource, ...] = ()) -> None:
        """`keep_deprecated`: offer deprecated fields in arguments too, marked as such.

        `sources`: further rules about fields (protovalidate's, say), beside those that are read from options.
        """
        all_sources = (*make_sources(api, keep_deprecated=keep_deprecated), *sources)
        self._makers = {direction: ShapeMaker(api, direction, all_sources) for direction in Direction}

    def input_schema(self, rpc: Rpc) -> Schema:
        """The schema of the RPC's arguments: always an object without combinators or `$ref` at its root.

        `$defs` is there only where messages recur or would make the schema too large. A client's stream is one argument
        that lists its messages.
        """
        if rpc.client_streaming:
            return self._make_input_list(rpc)
        return self._make_input(rpc.request, rpc.descriptor)

    def output_schema(self, rpc: Rpc) -> Schema | None:
        """The schema of the RPC's structured result, or None where the reply has none (`is_structured`).

        It accepts everything that the printer can print, also when the backend has got more fields and enum values. A
        server's stream is structured as an object that lists its messages and says whether these are all; only one
        whose messages are content and nothing else has none.
        """
        if rpc.server_streaming and not is_nothing_else(rpc.response):
            return self._make_output_list(rpc)
        if not is_structured(rpc.response):
            return None
        return self._make_output(rpc.response, rpc.descriptor)

    def message_schema(self, descriptor: Descriptor, direction: Direction) -> Schema:
        """The schema of any message: as the arguments of an RPC would have it, or as the printer prints it."""
        return self._make_input(descriptor) if direction is Direction.INPUT else self._make_output(descriptor)

    def _make_input(self, message: Descriptor, method: MethodDescriptor | None = None) -> Schema:
        maker = self._makers[Direction.INPUT]
        match get_root_form(message):
            case RootForm.OPEN:
                schema: Schema = {"type": "object", "properties": {}, "additionalProperties": True}
            case RootForm.VALUE:
                part = maker.get_special_part(message)
                value = part.finish() if part is not None else {}
                schema = {"type": "object", "properties": {VALUE_PROPERTY: value}, "additionalProperties": False}
            case RootForm.FIELDS:
                schema = assemble(
                    make_plan(Node(type=message, role=Role.ROOT, method=method), maker.get_shape), Direction.INPUT
                )
        return _copy(schema)

    def _make_output(self, message: Descriptor, method: MethodDescriptor | None = None) -> Schema:
        maker = self._makers[Direction.OUTPUT]
        special = maker.get_special_part(message)
        if special is not None:
            return _copy(dict(special.schema))
        return _copy(
            assemble(make_plan(Node(type=message, role=Role.ROOT, method=method), maker.get_shape), Direction.OUTPUT)
        )

    def _make_input_list(self, rpc: Rpc) -> Schema:
        match get_root_form(rpc.request):
            case RootForm.VALUE:
                part = self._makers[Direction.INPUT].get_special_part(rpc.request)
                item = _copy(dict(part.finish())) if part is not None else {}
            case _:
                item = self._make_input(rpc.request, rpc.descriptor)
        listed = _list(item, "The messages of the stream, in the order in which they are sent.")
        return {
            "type": "object",
            "properties": {MESSAGES_PROPERTY: listed},
            "required": [MESSAGES_PROPERTY],
            "additionalProperties": False,
        } | _take_definitions(item)

    def _make_output_list(self, rpc: Rpc) -> Schema:
        item = self._make_output(rpc.response, rpc.descriptor)
        truncated = {"type": "boolean", "description": "Whether the stream was cut before its end."}
        return {
            "type": "object",
            "properties": {
                MESSAGES_PROPERTY: _list(item, "The messages of the stream, in the order in which they came."),
                TRUNCATED_PROPERTY: truncated,
            },
            "required": [MESSAGES_PROPERTY, TRUNCATED_PROPERTY],
        } | _take_definitions(item)


def _list(item: Schema, description: str) -> Schema:
    return {"type": "array", "items": item, "description": description}


def _take_definitions(item: Schema) -> Schema:
    """Takes the definitions out of a schema that becomes part of another: `$ref` looks for them at the root."""
    return {"$defs": item.pop("$defs")} if "$defs" in item else {}


def _copy(schema: Schema) -> Schema:
    """The schema as plain JSON values, none of them shared."""
    copy: Schema = orjson.loads(orjson.dumps(schema))
    return copy
