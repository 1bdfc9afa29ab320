"""Chooses the printer of each field and each message type, once, from descriptors."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from gateway.descriptors.field_names import get_field_names
from gateway.transcoding.converters.enums import NULL_VALUE, make_enum_names, print_null
from gateway.transcoding.converters.lists import CHUNK, make_list_printer
from gateway.transcoding.converters.maps import make_map_printer
from gateway.transcoding.converters.message_printer import (
    LIMIT_FAST,
    FastPrinters,
    FieldPrinter,
    Has,
    ListFields,
    ValuePrinter,
    make_complete_printer,
)
from gateway.transcoding.converters.numbers import is_written, print_double, print_float, print_long
from gateway.transcoding.converters.outcomes import Cause, Print
from gateway.transcoding.converters.texts import NOT_UTF8, print_bytes, print_text
from gateway.transcoding.converters.type_index import (
    TypeIndex,
    get_class,
    get_containing_type,
    get_message_type,
    is_map,
    is_utf8_checked,
)
from gateway.transcoding.converters.well_known.anys import make_any_printer
from gateway.transcoding.converters.well_known.durations import print_duration
from gateway.transcoding.converters.well_known.dynamic_values import print_list_value, print_struct, print_value
from gateway.transcoding.converters.well_known.field_masks import print_field_mask
from gateway.transcoding.converters.well_known.timestamps import make_timestamp_printer
from gateway.transcoding.converters.well_known.wrappers import WRAPPERS, make_wrapper_printer

_CALL = "{helper}({value}, room)"


def _call(printer: Print) -> ValuePrinter:
    return ValuePrinter(print=printer, template=_CALL, helper=printer)


_AS_IT_IS = ValuePrinter(print=None, template="{value}")
_LONG = ValuePrinter(print=print_long, template="str({value})")
_BYTES = _call(print_bytes)
# Only finite numbers have a difference of zero with themselves.
_DOUBLE = ValuePrinter(
    print=print_double,
    template="({value} if {value} - {value} == 0.0 else {helper}({value}, room))",
    helper=print_double,
)
_UNCHECKED_TEXT = ValuePrinter(
    print=print_text, template="({value} if type({value}) is str else {helper}({value}, room))", helper=print_text
)

_SCALARS: Mapping[int, ValuePrinter] = MappingProxyType(
    {
        FieldDescriptor.TYPE_INT32: _AS_IT_IS,
        FieldDescriptor.TYPE_SINT32: _AS_IT_IS,
        FieldDescriptor.TYPE_SFIXED32: _AS_IT_IS,
        FieldDescriptor.TYPE_UINT32: _AS_IT_IS,
        FieldDescriptor.TYPE_FIXED32: _AS_IT_IS,
        FieldDescriptor.TYPE_INT64: _LONG,
        FieldDescriptor.TYPE_SINT64: _LONG,
        FieldDescriptor.TYPE_SFIXED64: _LONG,
        FieldDescriptor.TYPE_UINT64: _LONG,
        FieldDescriptor.TYPE_FIXED64: _LONG,
        FieldDescriptor.TYPE_DOUBLE: _DOUBLE,
        FieldDescriptor.TYPE_FLOAT: _call(print_float),
        FieldDescriptor.TYPE_BOOL: _AS_IT_IS,
        FieldDescriptor.TYPE_STRING: _AS_IT_IS,
        FieldDescriptor.TYPE_BYTES: _BYTES,
    }
)
_FLOATING = frozenset({FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT})


class PrinterCompiler:
    """The printers of one backend's types; each is made once, when it is first asked for."""

    def __init__(self, types: TypeIndex, *, places_blemishes: bool) -> None:
        """`places_blemishes`: with complete printers alone, so that each BlemishError says where."""
        self._types = types
        self._places_blemishes = places_blemishes
        self._fast = FastPrinters()
        self._messages: dict[str, Print] = {}
        self._enums: dict[str, ValuePrinter] = {}
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
            return make_wrapper_printer(self._make_single(descriptor.fields_by_name["value"]).print)
        if not (self._places_blemishes or descriptor.is_extendable or len(descriptor.fields) > LIMIT_FAST):
            return self._fast.make(name, lambda: self._make_fields(descriptor))
        names = get_field_names(descriptor).printed

        def get_entry(field: FieldDescriptor) -> tuple[str, Print | None]:
            key = f"[{field.full_name}]" if field.is_extension else names[field.number]
            return key, self._make_field(field).print

        return make_complete_printer(_make_lister(descriptor), get_entry, _rescue_map)

    def _make_fields(self, descriptor: Descriptor) -> list[FieldPrinter]:
        names = get_field_names(descriptor).printed
        return [
            FieldPrinter(
                name=field.name,
                key=names[field.number],
                value=self._make_field(field),
                has=_find_presence(field),
            )
            for field in sorted(descriptor.fields, key=lambda field: field.number)
        ]

    def _make_field(self, field: FieldDescriptor) -> ValuePrinter:
        if is_map(field):
            entry = get_message_type(field).fields_by_name
            return _call(make_map_printer(entry["key"].type, self._make_single(entry["value"]).print))
        single = self._make_single(field)
        if not field.is_repeated:
            return single
        # A slice copies at the speed of C, a loop over the field itself does not.
        template = "{value}[:]"
        if single is not _AS_IT_IS:
            items = "one in {value}[:]"
            if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
                items = f"at in range(0, len({{value}}), {CHUNK}) for one in {{value}}[at : at + {CHUNK}]"
            template = f"[{single.template.format(value='one', helper='{helper}')} for {items}]"
        return ValuePrinter(print=make_list_printer(single.print), template=template, helper=single.helper)

    def _make_single(self, field: FieldDescriptor) -> ValuePrinter:
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            return _call(self.get_printer(get_message_type(field)))
        if field.enum_type is not None:
            return self._get_enum(field.enum_type)
        if field.type == FieldDescriptor.TYPE_STRING and not is_utf8_checked(field):
            return _UNCHECKED_TEXT
        return _SCALARS[field.type]

    def _get_enum(self, enum: EnumDescriptor) -> ValuePrinter:
        printer = self._enums.get(enum.full_name)
        if printer is None:
            printer = self._enums[enum.full_name] = self._make_enum(enum)
        return printer

    def _make_enum(self, enum: EnumDescriptor) -> ValuePrinter:
        if enum.full_name == NULL_VALUE:
            return ValuePrinter(print=print_null, template="None")
        names = make_enum_names(enum, self._types.find_json_name)
        return ValuePrinter(print=lambda number, _room: names[number], template="{helper}[{value}]", helper=names)


def _make_lister(descriptor: Descriptor) -> ListFields:
    """A function that gives the fields of a message which are set, extensions too, in the order of their numbers."""
    message_class = get_class(descriptor)
    fields = sorted(descriptor.fields, key=lambda field: field.number)
    if len({field.json_name for field in fields}) == len(fields):
        list_fields: ListFields = message_class.ListFields
        return list_fields

    # Where two fields share a JSON name (proto2 lets them), upb finds the first of them under both numbers.
    questions = [(field, field.name, _find_presence(field) or _is_true) for field in fields]

    def list_by_name(message: Any) -> list[tuple[FieldDescriptor, Any]]:
        plain = [(field, getattr(message, name)) for field, name, has in questions if has(message, name)]
        return plain + [pair for pair in message_class.ListFields(message) if pair[0].is_extension]

    return list_by_name


def _find_presence(field: FieldDescriptor) -> Has | None:
    """The function that tells whether the field is set; None where the value's truth tells."""
    if field.has_presence:
        has_field: Has = get_class(get_containing_type(field)).HasField
        return has_field
    if field.type in _FLOATING and not field.is_repeated:
        # The float -0.0 is not true and yet set.
        return lambda message, name: is_written(getattr(message, name))
    return None


def _is_true(message: Any, name: str) -> bool:
    return bool(getattr(message, name))


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
            causes = (Cause(f"has a key that {NOT_UTF8}"),)
        entries[key] = entry.value
    return entries, causes
