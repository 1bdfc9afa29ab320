"""What the converters ask of one backend's descriptor pool: types, extensions, classes, names of enum values.

It must never know another pool: every type it finds belongs to the one backend.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from google.protobuf.descriptor import Descriptor, EnumDescriptor, EnumValueDescriptor, FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.reflection import GeneratedProtocolMessageType

_T = TypeVar("_T")

_LENGTH_DELIMITED = 2
_NO_UTF8 = b"\xff"
_MAP_KEY_TAG, _MAP_VALUE_TAG = b"\x0a", b"\x12"


class TypeIndex:
    """The types of one pool."""

    def __init__(
        self,
        pool: DescriptorPool,
        find_json_name: Callable[[EnumValueDescriptor], str | None],
        list_offered_names: Callable[[EnumDescriptor], Sequence[str]],
    ) -> None:
        """`find_json_name` gives an enum value's own JSON name, if it has one.

        `list_offered_names` gives the names of an enum that are worth telling to whoever wrote a wrong one.
        """
        self._pool = pool
        self.find_json_name = find_json_name
        self.list_offered_names = list_offered_names

    def find_message(self, type_url: str) -> Descriptor | None:
        """The type that an Any's URL ("type.googleapis.com/pkg.Message") names, or None."""
        try:
            return self._pool.FindMessageTypeByName(type_url.rpartition("/")[2])
        except (KeyError, TypeError):  # TypeError: text with lone surrogates is no string to the pool
            return None

    def find_extension(self, descriptor: Descriptor, name: str) -> FieldDescriptor | None:
        """The extension of a message by its full name, or None."""
        try:
            extension: FieldDescriptor = self._pool.FindExtensionByName(name)
        except (KeyError, TypeError):  # TypeError: text with lone surrogates is no string to the pool
            return None
        extended = extension.containing_type
        return extension if extended is not None and extended.full_name == descriptor.full_name else None


def get_class(descriptor: Descriptor) -> type[Message]:
    """The message class of a descriptor, always the same one.

    `message_factory.GetMessageClass` makes the classes of all types below at once, by recursion, which a long chain of
    types overflows; the runtime makes each when it is needed anyway.
    """
    attributes = {"DESCRIPTOR": descriptor, "__module__": None}
    return cast("type[Message]", GeneratedProtocolMessageType(descriptor.name, (Message,), attributes))


def get_message_type(field: FieldDescriptor) -> Descriptor:
    """The message type of a field that is one: a message, a group or a map."""
    return _demand(field.message_type)


def get_containing_type(field: FieldDescriptor) -> Descriptor:
    """The message type that the field belongs to, or that the extension extends."""
    return _demand(field.containing_type)


def is_utf8_checked(field: FieldDescriptor) -> bool:
    """Whether the decoder refuses text in this string field, or in this map's entries, that is not UTF-8.

    Asked of the decoder itself: it depends on syntax, edition and features in ways that descriptors do not say.
    """
    payload = _NO_UTF8
    if is_map(field):
        entry = get_message_type(field).fields_by_name
        tag = _MAP_KEY_TAG if entry["key"].type == FieldDescriptor.TYPE_STRING else _MAP_VALUE_TAG
        payload = tag + _with_length(_NO_UTF8)
    tagged = encode_varint(field.number << 3 | _LENGTH_DELIMITED) + _with_length(payload)
    try:
        get_class(get_containing_type(field)).FromString(tagged)
    except DecodeError:
        return True
    return False


def is_map(field: FieldDescriptor) -> bool:
    """Whether the field is a map."""
    return field.is_repeated and field.message_type is not None and field.message_type.GetOptions().map_entry


def has_required(descriptor: Descriptor) -> bool:
    """Whether the message, or one that it can hold, has a required field. Extensions may always have one."""
    seen = {descriptor.full_name}
    pending = [descriptor]
    while pending:
        message = pending.pop()
        if message.is_extendable:
            return True
        for field in message.fields:
            if field.is_required:
                return True
            inner = field.message_type
            if inner is not None and inner.full_name not in seen:
                seen.add(inner.full_name)
                pending.append(inner)
    return False


def _demand(found: _T | None) -> _T:
    if found is None:
        raise TypeError("the field has another type")
    return found


def _with_length(payload: bytes) -> bytes:
    return encode_varint(len(payload)) + payload


def encode_varint(value: int) -> bytes:
    """A number that is not negative as it stands on the wire (protobuf.dev, "Encoding")."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
