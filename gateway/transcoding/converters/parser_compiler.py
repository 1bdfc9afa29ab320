"""Chooses the parser of each field and each message type, once, from descriptors.

A *trusting* compiler leaves to the message constructor of protobuf what that checks itself (ranges, UTF-8) but cannot
place; one that trusts nothing judges everything, with the place of each cause. Both take and refuse the same values.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

from gateway.contract.nearest_names import NearestNames
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.typed_fields import is_filled_in
from gateway.transcoding.converters.enums import NULL_VALUE, make_enum_parser, parse_null
from gateway.transcoding.converters.lists import make_list_parser
from gateway.transcoding.converters.maps import make_map_parser
from gateway.transcoding.converters.message_parser import Entry, FieldParser, MessagePlan, make_message_parser
from gateway.transcoding.converters.numbers import INTEGER_RANGES, make_integer_parser, parse_double, parse_float
from gateway.transcoding.converters.outcomes import Parse
from gateway.transcoding.converters.texts import parse_bool, parse_bytes, parse_string
from gateway.transcoding.converters.type_index import TypeIndex, get_class, get_message_type, is_map
from gateway.transcoding.converters.well_known.anys import make_any_parser
from gateway.transcoding.converters.well_known.durations import parse_duration
from gateway.transcoding.converters.well_known.dynamic_values import (
    make_list_value_parser,
    make_struct_fields_parser,
    make_struct_parser,
    make_value_parser,
)
from gateway.transcoding.converters.well_known.field_masks import parse_field_mask
from gateway.transcoding.converters.well_known.timestamps import make_timestamp_parser
from gateway.transcoding.converters.well_known.wrappers import WRAPPERS, make_wrapper_parser

STRUCT, VALUE = "google.protobuf.Struct", "google.protobuf.Value"

Build = Callable[[Any, int], Message]

# `kind` is set only where the constructor checks the rest: it takes bool for a number, and makes a float32 infinite.
_SCALARS: Mapping[int, FieldParser] = MappingProxyType(
    {
        **{
            kind: FieldParser(kind=int, parse=make_integer_parser(low, high))
            for kind, (low, high) in INTEGER_RANGES.items()
        },
        FieldDescriptor.TYPE_DOUBLE: FieldParser(kind=float, parse=parse_double),
        FieldDescriptor.TYPE_FLOAT: FieldParser(kind=None, parse=parse_float),
        FieldDescriptor.TYPE_BOOL: FieldParser(kind=bool, parse=parse_bool),
        FieldDescriptor.TYPE_STRING: FieldParser(kind=str, parse=parse_string),
        FieldDescriptor.TYPE_BYTES: FieldParser(kind=None, parse=parse_bytes),
    }
)


class ParserCompiler:
    """The parsers of one backend's types; each is made once, when it is first asked for."""

    def __init__(self, types: TypeIndex, *, trusting: bool, ignores_unknown: bool = False) -> None:
        self._types = types
        self._trusting = trusting
        self._ignores_unknown = ignores_unknown
        self._messages: dict[str, Parse] = {}
        self._builders: dict[str, Build] = {}
        self._enums: dict[str, FieldParser] = {}
        self._struct_fields = make_struct_fields_parser(trusting=trusting)
        any_parser = make_any_parser(types.find_message, self.get_builder, self.has_own_form)
        self._well_known: dict[str, Parse] = {
            "google.protobuf.Any": any_parser,
            "google.protobuf.Duration": parse_duration,
            "google.protobuf.FieldMask": parse_field_mask,
            "google.protobuf.ListValue": make_list_value_parser(trusting=trusting),
            STRUCT: make_struct_parser(trusting=trusting),
            "google.protobuf.Timestamp": make_timestamp_parser(),
            VALUE: make_value_parser(trusting=trusting),
        }

    def has_own_form(self, descriptor: Descriptor) -> bool:
        """Whether ProtoJSON writes the type in a form of its own."""
        return descriptor.full_name in self._well_known or descriptor.full_name in WRAPPERS

    def get_builder(self, descriptor: Descriptor) -> Build:
        """The function that makes a whole message of a JSON value. Raises RefusedError, and ValueError if trusting."""
        build = self._builders.get(descriptor.full_name)
        if build is None:
            build = self._builders[descriptor.full_name] = self._make_builder(descriptor)
        return build

    def get_parser(self, descriptor: Descriptor) -> Parse:
        """The parser of a message type as the value of a field or an item of a list."""
        parse = self._messages.get(descriptor.full_name)
        if parse is None:
            parse = self._messages[descriptor.full_name] = self._make_parser(descriptor)
        return parse

    def _make_builder(self, descriptor: Descriptor) -> Build:
        message_class = get_class(descriptor)
        parse = self._get_fields_parser(descriptor)

        def build(value: Any, room: int) -> Message:
            fields = parse(value, room)
            return message_class(**fields) if type(fields) is dict else fields

        return build

    def _get_fields_parser(self, descriptor: Descriptor) -> Parse:
        """The parser whose dicts are the message's own fields; only a Struct's are otherwise its content."""
        return self._struct_fields if descriptor.full_name == STRUCT else self.get_parser(descriptor)

    def _make_parser(self, descriptor: Descriptor) -> Parse:
        name = descriptor.full_name
        if name in self._well_known:
            return self._well_known[name]
        if name in WRAPPERS:
            return make_wrapper_parser(self._get_scalar(descriptor.fields_by_name["value"]).parse)
        return make_message_parser(
            lambda: self._make_plan(descriptor),
            lambda extension: self._find_extension(descriptor, extension),
            lambda fields, extensions: _build_extended(descriptor, fields, extensions),
            ignores_unknown=self._ignores_unknown,
            explains=not self._trusting,
        )

    def _make_plan(self, descriptor: Descriptor) -> MessagePlan:
        names = get_field_names(descriptor)
        entries: dict[str, Entry] = {}
        parsers: dict[int, FieldParser] = {}
        for spelling, field in names.accepted.items():
            parser = parsers.get(field.number)
            if parser is None:
                parser = parsers[field.number] = self._make_field(field)
            entries[spelling] = (parser.kind, field.name, parser.parse, parser.takes_null)
        known = tuple(name for name, field in names.published.items() if not is_filled_in(field))
        return MessagePlan(
            entries=entries,
            known=known,
            nearest=NearestNames(known),
            required={field.name: published for published, field in names.published.items() if field.is_required},
            # A oneof of one member, as every `optional` of proto3 has it, excludes nothing.
            oneofs=tuple(
                frozenset(field.name for field in oneof.fields) for oneof in descriptor.oneofs if len(oneof.fields) > 1
            ),
        )

    def _make_field(self, field: FieldDescriptor) -> FieldParser:
        if is_map(field):
            entry = get_message_type(field).fields_by_name
            value = self._make_single(entry["value"], in_map=True)
            parse = make_map_parser(
                entry["key"].type, value.parse, value.kind, skips_unknown_enums=self._ignores_unknown
            )
            return FieldParser(kind=None, parse=parse)
        single = self._make_single(field)
        if field.is_repeated:
            parse = make_list_parser(single.parse, single.kind, skips_unknown_enums=self._ignores_unknown)
            return FieldParser(kind=None, parse=parse)
        return single

    def _make_single(self, field: FieldDescriptor, *, in_map: bool = False) -> FieldParser:
        # Groups too: their type differs, their C++ type does not.
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            descriptor = get_message_type(field)
            parse = self._get_fields_parser(descriptor) if in_map else self.get_parser(descriptor)
            return FieldParser(kind=None, parse=parse, takes_null=descriptor.full_name == VALUE)
        return self._get_scalar(field)

    def _get_scalar(self, field: FieldDescriptor) -> FieldParser:
        enum = field.enum_type
        if enum is None:
            scalar = _SCALARS[field.type]
            return scalar if self._trusting else FieldParser(kind=None, parse=scalar.parse)
        if enum.full_name == NULL_VALUE:
            return FieldParser(kind=None, parse=parse_null, takes_null=True)
        parser = self._enums.get(enum.full_name)
        if parser is None:
            parser = self._enums[enum.full_name] = self._make_enum(enum)
        return parser

    def _make_enum(self, enum: EnumDescriptor) -> FieldParser:
        find_json_name = self._types.find_json_name
        # The constructor knows the names of values, but not names that JSON alone has, and it takes none lightly.
        is_plain = self._trusting and not self._ignores_unknown and not any(map(find_json_name, enum.values))
        parse = make_enum_parser(enum, find_json_name, self._types.list_offered_names(enum))
        return FieldParser(kind=str if is_plain else None, parse=parse)

    def _find_extension(self, descriptor: Descriptor, name: str) -> tuple[FieldDescriptor, Parse] | None:
        extension = self._types.find_extension(descriptor, name)
        if extension is None:
            return None
        if extension.cpp_type != FieldDescriptor.CPPTYPE_MESSAGE:
            return extension, self._make_field(extension).parse
        build = self.get_builder(get_message_type(extension))
        return extension, make_list_parser(build, None) if extension.is_repeated else build


def _build_extended(descriptor: Descriptor, fields: dict[str, Any], extensions: dict[FieldDescriptor, Any]) -> Message:
    message = get_class(descriptor)(**fields)
    # Asked of the class: a field may bear the name of a method and hide it.
    slots = type(message).Extensions.__get__(message)
    for extension, value in extensions.items():
        if extension.is_repeated:
            slots[extension].extend(value)
        elif extension.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            type(value).CopyFrom(slots[extension], value)
        else:
            slots[extension] = value
    return message
