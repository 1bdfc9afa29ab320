"""The table of scalar types: the schema of each, in and out, and of each as a map's key.

A row says what ProtoJSON (protobuf.dev/programming-guides/json) prints for the type and the plainest spelling that a
parser takes. This module knows no message.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from google.protobuf.descriptor import FieldDescriptor

from gateway.descriptors.schema.dialect import Direction, Part, Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarRow:
    """One scalar type's schema in arguments and in results."""

    input: Part
    output: Part

    def get_part(self, direction: Direction) -> Part:
        """The schema for one direction."""
        return self.input if direction is Direction.INPUT else self.output


def _both(schema: Schema, *notes: str) -> ScalarRow:
    part = Part(schema=MappingProxyType(schema), notes=notes)
    return ScalarRow(input=part, output=part)


_INT32 = ScalarRow(
    input=Part(schema={"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}),
    output=Part(schema={"type": "integer"}),
)
_UINT32 = ScalarRow(
    input=Part(schema={"type": "integer", "minimum": 0, "maximum": 2**32 - 1}),
    output=Part(schema={"type": "integer", "minimum": 0}),
)
# Readers that hold numbers as doubles lose integers beyond 2^53, so ProtoJSON has 64 bits as strings.
_INT64 = ScalarRow(
    input=Part(schema={"type": "string", "pattern": "^-?[0-9]{1,19}$"}, notes=("64-bit integer as string",)),
    output=Part(schema={"type": "string", "pattern": "^-?[0-9]{1,19}$"}),
)
_UINT64 = ScalarRow(
    input=Part(schema={"type": "string", "pattern": "^[0-9]{1,20}$"}, notes=("unsigned 64-bit integer as string",)),
    output=Part(schema={"type": "string", "pattern": "^[0-9]{1,20}$"}),
)
# ProtoJSON prints three strings where JSON has no number; a schema without them would refuse a server's NaN.
_PRINTED_FLOAT = Part(
    schema={"anyOf": [{"type": "number"}, {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]}]}
)
_DOUBLE = ScalarRow(input=Part(schema={"type": "number"}), output=_PRINTED_FLOAT)
_FLOAT = ScalarRow(input=Part(schema={"type": "number"}, notes=("32-bit",)), output=_PRINTED_FLOAT)

BOOL = _both({"type": "boolean"})
STRING = _both({"type": "string"})
BYTES = _both({"type": "string", "contentEncoding": "base64"}, "bytes in base64")

SCALARS: Mapping[int, ScalarRow] = MappingProxyType(
    {
        FieldDescriptor.TYPE_INT32: _INT32,
        FieldDescriptor.TYPE_SINT32: _INT32,
        FieldDescriptor.TYPE_SFIXED32: _INT32,
        FieldDescriptor.TYPE_UINT32: _UINT32,
        FieldDescriptor.TYPE_FIXED32: _UINT32,
        FieldDescriptor.TYPE_INT64: _INT64,
        FieldDescriptor.TYPE_SINT64: _INT64,
        FieldDescriptor.TYPE_SFIXED64: _INT64,
        FieldDescriptor.TYPE_UINT64: _UINT64,
        FieldDescriptor.TYPE_FIXED64: _UINT64,
        FieldDescriptor.TYPE_DOUBLE: _DOUBLE,
        FieldDescriptor.TYPE_FLOAT: _FLOAT,
        FieldDescriptor.TYPE_BOOL: BOOL,
        FieldDescriptor.TYPE_STRING: STRING,
        FieldDescriptor.TYPE_BYTES: BYTES,
    }
)


def _keys(schema: Schema, note: str) -> Part:
    return Part(schema={"propertyNames": schema}, notes=(note,))


_SIGNED_32 = _keys({"pattern": "^(0|-?[1-9][0-9]{0,9})$"}, "keys are 32-bit integers")
_UNSIGNED_32 = _keys({"pattern": "^(0|[1-9][0-9]{0,9})$"}, "keys are unsigned 32-bit integers")
_SIGNED_64 = _keys({"pattern": "^(0|-?[1-9][0-9]{0,18})$"}, "keys are 64-bit integers")
_UNSIGNED_64 = _keys({"pattern": "^(0|[1-9][0-9]{0,19})$"}, "keys are unsigned 64-bit integers")

MAP_KEYS: Mapping[int, Part] = MappingProxyType(
    {
        FieldDescriptor.TYPE_STRING: Part(schema={}),
        FieldDescriptor.TYPE_BOOL: _keys({"enum": ["true", "false"]}, "keys are true and false"),
        FieldDescriptor.TYPE_INT32: _SIGNED_32,
        FieldDescriptor.TYPE_SINT32: _SIGNED_32,
        FieldDescriptor.TYPE_SFIXED32: _SIGNED_32,
        FieldDescriptor.TYPE_UINT32: _UNSIGNED_32,
        FieldDescriptor.TYPE_FIXED32: _UNSIGNED_32,
        FieldDescriptor.TYPE_INT64: _SIGNED_64,
        FieldDescriptor.TYPE_SINT64: _SIGNED_64,
        FieldDescriptor.TYPE_SFIXED64: _SIGNED_64,
        FieldDescriptor.TYPE_UINT64: _UNSIGNED_64,
        FieldDescriptor.TYPE_FIXED64: _UNSIGNED_64,
    }
)
"""Input only: results say nothing of their keys."""
