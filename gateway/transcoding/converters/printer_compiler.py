"""Chooses the printer of each field and each message type, once, from descriptors."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from gateway.descriptors.field_names import get_field_names
from gateway.transcoding.converters.enums import NULL_VALUE, make_enum_printer, print_null
from gateway.transcoding.converters.lists import make_list_printer, make_simple_list_printer, print_plain_list
from gateway.transcoding.converters.maps import make_map_printer
from gateway.transcoding.converters.message_printer import (
    LIMIT_NARROW,
    FieldPrinter,
    Has,
    make_narrow_printer,
    make_wide_printer,
)
from gateway.transcoding.converters.numbers import is_written, print_double, print_float, print_long
from gateway.transcoding.converters.outcomes import Cause, Print
from gateway.transcoding.converters.texts import NOT_UTF8, print_bytes, print_text
from gateway.transcoding.converters.type_index import TypeIndex, get_class, get_message_type, is_map, is_utf8_checked
from gateway.transcoding.converters.well_known.anys import make_any_printer
from gateway.transcoding.converters.well_known.durations import print_duration
from gateway.transcoding.converters.well_known.dynamic_values import print_list_value, print_struct, print_value
from gateway.transcoding.converters.well_known.field_masks import print_field_mask
from gateway.transcoding.converters.well_known.timestamps import make_timestamp_printer
from gateway.transcoding.converters.well_known.wrappers import WRAPPERS, make_wrapper_printer

# By field type; a type that is not here is one that JSON has as it is.
_SCALARS: Mapping[int, Print] = MappingProxyType(
    {
        FieldDescriptor.TYPE_INT64: print_long,
        FieldDescriptor.TYPE_SINT64: print_long,
        FieldDescriptor.TYPE_SFIXED64: print_long,
        FieldDescriptor.TYPE_UINT64: print_long,
        FieldDescriptor.TYPE_FIXED64: print_long,
        FieldDescriptor.TYPE_DOUBLE: print_double,
        FieldDescriptor.TYPE_FLOAT: print_float,
        FieldDescriptor.TYPE_BYTES: print_bytes,
    }
)
_FLOATING = frozenset({FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT})
_TEXT = frozenset({FieldDescriptor.TYPE_STRING})


class PrinterCompiler:
    """The printers of one backend's types; each is made once, when it is first asked for."""

    def __init__(self, types: TypeIndex) -> None:
        self._types = types
        self._messages: dict[str, Print] = {}
        self._enums: dict[str, Callable[[int], str | int]] = {}
        self._extensions: dict[str, FieldPrinter] = {}
        self._well_known: dict[str, Print] = {
            "google.protobuf.Any": make_any_printer(types.find_message, self.get_printer, self.has_own_form),
            "google.protobuf.Duration": print_duration,
            "google.protobuf.FieldMask": print_field_mask,
            "google.protobuf.ListValue": print_list_value,
            "google.protobuf.Struct": print_struct,
            "google.protobuf.Timestamp": make_timestamp_printer(),
            "google.protobuf.Value": print_value,
        }

    def has_own_form(self, descriptor: Descriptor) -> bool:
        """Whether ProtoJSON writes the type in a form of its own."""
        return descriptor.full_name in self._well_known or descriptor.full_name in WRAPPERS

    def get_printer(self, descriptor: Descriptor) -> Print:
        """The printer of a message type. It raises BlemishError where JSON cannot say all of the message."""
        printer = self._messages.get(descriptor.full_name)
        if printer is None:
            printer = self._messages[descriptor.full_name] = self._make_printer(descriptor)
        return printer

    def _make_printer(self, descriptor: Descriptor) -> Print:
        name = descriptor.full_name
        if name in self._well_known:
            return self._well_known[name]
        if name in WRAPPERS:
            return make_wrapper_printer(self._make_single(descriptor.fields_by_name["value"]))

        def rescue(message: Any, field: str) -> tuple[Any, tuple[Cause, ...]]:
            return _rescue_map(message, descriptor.fields_by_name[field])

        message_class = get_class(descriptor)
        if len(descriptor.fields) > LIMIT_NARROW or descriptor.is_extendable:
            return make_wide_printer(
                message_class.ListFields, lambda: self._make_fields(descriptor), self._get_extension, rescue
            )
        return make_narrow_printer(lambda: self._make_fields(descriptor), rescue)

    def _make_fields(self, descriptor: Descriptor) -> list[FieldPrinter]:
        names = get_field_names(descriptor)
        has_field: Has = get_class(descriptor).HasField
        return [
            FieldPrinter(
                name=field.name,
                key=names.printed[field.number],
                print=self._make_field(field),
                has=has_field if field.has_presence else _find_implicit_presence(field),
            )
            for field in sorted(descriptor.fields, key=lambda field: field.number)
        ]

    def _get_extension(self, extension: FieldDescriptor) -> FieldPrinter:
        name = extension.full_name
        printer = self._extensions.get(name)
        if printer is None:
            printer = self._extensions[name] = FieldPrinter(
                name=name, key=f"[{name}]", print=self._make_field(extension), has=None
            )
        return printer

    def _make_field(self, field: FieldDescriptor) -> Print | None:
        if is_map(field):
            entry = get_message_type(field).fields_by_name
            return make_map_printer(entry["key"].type, self._make_single(entry["value"]))
        if not field.is_repeated:
            return self._make_single(field)
        enum = field.enum_type
        if enum is not None and enum.full_name != NULL_VALUE:
            return make_simple_list_printer(self._get_enum(enum))
        if _SCALARS.get(field.type) is print_long:
            return make_simple_list_printer(str)
        item = self._make_single(field)
        return print_plain_list if item is None else make_list_printer(item)

    def _make_single(self, field: FieldDescriptor) -> Print | None:
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            return self.get_printer(get_message_type(field))
        enum = field.enum_type
        if enum is not None:
            if enum.full_name == NULL_VALUE:
                return print_null
            name_of = self._get_enum(enum)
            return lambda number, _room: name_of(number)
        if field.type in _TEXT:
            return None if is_utf8_checked(field) else print_text
        return _SCALARS.get(field.type)

    def _get_enum(self, enum: EnumDescriptor) -> Callable[[int], str | int]:
        printer = self._enums.get(enum.full_name)
        if printer is None:
            printer = self._enums[enum.full_name] = make_enum_printer(enum, self._types.find_json_name)
        return printer


def _find_implicit_presence(field: FieldDescriptor) -> Has | None:
    """How to see that a field without presence is set; truth tells, but for the float -0.0."""
    if field.type in _FLOATING and not field.is_repeated:
        return lambda message, name: is_written(getattr(message, name))
    return None


def _rescue_map(message: Message, field: FieldDescriptor) -> tuple[dict[Any, Any], tuple[Cause, ...]]:
    """The entries of a map in which some text is not UTF-8, read from the message's own bytes.

    The map's Python form cannot be walked then. Keys come with replacements, values as the field's type has them.
    """
    entry_class = get_class(get_message_type(field))
    entries: dict[Any, Any] = {}
    causes: tuple[Cause, ...] = ()
    # To a message without fields all fields are unknown, and those can be read as they stand on the wire.
    unknown: Any = UnknownFieldSet(Empty.FromString(type(message).SerializePartialToString(message)))
    for part in unknown:
        if part.field_number != field.number:
            continue
        entry: Any = entry_class.FromString(part.data)
        key = entry.key
        if isinstance(key, bytes):
            key = key.decode("utf-8", "replace")
            causes = (Cause("", f"has a key that {NOT_UTF8}"),)
        entries[key] = entry.value
    return entries, causes
