"""Which refusals of a converter are about a value and not about its shape: those that no keyword could have told.

They are what a schema's descriptions say: ranges of 64-bit integers, floats and durations, real instants, base64,
mask paths, what an Any holds, and that members of a oneof exclude each other.
"""

from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.descriptors.field_names import get_field_names

_TYPES = frozenset(
    {
        FieldDescriptor.TYPE_INT64,
        FieldDescriptor.TYPE_SINT64,
        FieldDescriptor.TYPE_SFIXED64,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_FIXED64,
        FieldDescriptor.TYPE_FLOAT,
        FieldDescriptor.TYPE_BYTES,
    }
)
_MESSAGES = frozenset(
    f"google.protobuf.{name}"
    for name in ("Timestamp", "Duration", "FieldMask", "Int64Value", "UInt64Value", "FloatValue", "BytesValue")
)


def is_about_value(descriptor: Descriptor, instance: Any, at: str) -> bool:
    """Whether a refusal at this JSON pointer, in JSON that the message's input schema accepts, is of that kind."""
    message: Descriptor | None = descriptor
    field: FieldDescriptor | None = None
    keys: FieldDescriptor | None = None
    for segment in at.split("/")[1:]:
        if message is not None and message.full_name == "google.protobuf.Any":
            return True
        keys = None
        if isinstance(instance, list):
            instance = instance[int(segment)]
            continue
        if message is not None and message.GetOptions().map_entry:
            field = message.fields_by_number[2]
        elif message is not None:
            field = get_field_names(message).accepted[segment]
        assert field is not None
        message = field.message_type
        if message is not None and message.GetOptions().map_entry:
            keys = message.fields_by_number[1]
        instance = instance[segment]
    if keys is not None:
        return keys.type not in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BOOL)
    if message is None:
        return field is not None and field.type in _TYPES
    return (
        message.full_name in _MESSAGES or message.full_name == "google.protobuf.Any" or _breaks_oneof(message, instance)
    )


def _breaks_oneof(message: Descriptor, instance: Any) -> bool:
    if not isinstance(instance, dict):
        return False
    published = get_field_names(message).published
    oneofs = [published[name].containing_oneof for name in instance if name in published]
    given = [oneof for oneof in oneofs if oneof is not None]
    return len(given) > len(set(given))
