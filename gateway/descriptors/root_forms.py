"""How a whole request stands in a tool's arguments, and a whole reply in its structured content.

A tool's arguments are always a JSON object whose keys model providers restrict, but ProtoJSON writes some messages as
a string, a number, a list, or an object with the key "@type". This table says, for the schema and for the converters
alike, what stands at the root for those; everything below the root is plain ProtoJSON. It must never know a schema or
a converter.

Streams have no form in ProtoJSON: the messages of one stand in a list, each in its plain form, under one fixed name.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from google.protobuf.descriptor import Descriptor

from gateway.descriptors.typed_fields import is_nothing_else

VALUE_PROPERTY = "value"
"""The one argument of a request in the form `RootForm.VALUE`."""

MESSAGES_PROPERTY = "messages"
"""The one argument of a client's stream, and the list of a server's stream in structured content."""

TRUNCATED_PROPERTY = "truncated"
"""Beside the list of a server's stream: whether the stream was cut before its end."""


class RootForm(enum.Enum):
    """What a tool's arguments are, for one request type."""

    FIELDS = "fields"
    """One argument for each field, closed: every ordinary message, google.protobuf.Empty with none."""

    OPEN = "open"
    """The arguments are the message's JSON object itself, any keys: google.protobuf.Struct."""

    VALUE = "value"
    """One optional argument, `value`, holds the message's ProtoJSON form; without it the message is empty.

    A converter may also take an Any's own form, an object with "@type", in place of the arguments: the two cannot be
    confused.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    request: RootForm = RootForm.FIELDS
    structured: bool = True


_VALUE = _Row(request=RootForm.VALUE, structured=False)

# ProtoJSON (protobuf.dev/programming-guides/json) gives these a form of their own. HttpBody is an ordinary message, but
# as a whole reply it stands for its bytes (google/api/httpbody.proto), which are content and not structure.
_ROWS: Mapping[str, _Row] = MappingProxyType(
    {
        "google.protobuf.Struct": _Row(request=RootForm.OPEN),
        "google.protobuf.Any": _Row(request=RootForm.VALUE),
        "google.protobuf.Value": _VALUE,
        "google.protobuf.ListValue": _VALUE,
        "google.protobuf.Timestamp": _VALUE,
        "google.protobuf.Duration": _VALUE,
        "google.protobuf.FieldMask": _VALUE,
        "google.protobuf.DoubleValue": _VALUE,
        "google.protobuf.FloatValue": _VALUE,
        "google.protobuf.Int64Value": _VALUE,
        "google.protobuf.UInt64Value": _VALUE,
        "google.protobuf.Int32Value": _VALUE,
        "google.protobuf.UInt32Value": _VALUE,
        "google.protobuf.BoolValue": _VALUE,
        "google.protobuf.StringValue": _VALUE,
        "google.protobuf.BytesValue": _VALUE,
        "google.api.HttpBody": _Row(structured=False),
    }
)
_ORDINARY = _Row()


def get_root_form(descriptor: Descriptor) -> RootForm:
    """What the arguments of a tool are whose RPC takes this message."""
    return _ROWS.get(descriptor.full_name, _ORDINARY).request


def is_structured(descriptor: Descriptor) -> bool:
    """Whether a reply of this type is structured content.

    False where its JSON is not an object, for google.api.HttpBody, and where nothing is left when the fields of
    gateway.v1 are taken out (`typed_fields`): such a tool has no output schema and its result only content blocks.
    """
    return _ROWS.get(descriptor.full_name, _ORDINARY).structured and not is_nothing_else(descriptor)
