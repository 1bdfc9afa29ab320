"""How printed JSON is written as arguments: under the names that are offered, with what is required spelled out."""

from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.app.proof.messages import ANY, MessageMaker
from gateway.app.proof.offered import Offered
from gateway.app.proof.special_messages import SPECIAL_MAKERS, WRAPPERS
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.schema.rules.facts import find_map_entry

_OWN_FORMS = SPECIAL_MAKERS.keys() | WRAPPERS | {ANY}
_LONG = (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)


def spell_arguments(printed: Any, descriptor: Descriptor, offered: Offered, maker: MessageMaker) -> Any:
    """The arguments that say what was printed of a message of this type. They are new values."""
    if descriptor.full_name in _OWN_FORMS:
        return printed
    names = get_field_names(descriptor)
    by_printed = {names.printed[field.number]: name for name, field in names.published.items()}
    arguments: dict[str, Any] = {}
    for printed_name, value in printed.items():
        name = by_printed[printed_name]
        arguments[name] = _spell_field(value, names.published[name], offered.get_property(name), maker)
    for name in offered.required - arguments.keys():
        # Not printed because it is zero and has no presence; who asks for it wants to see it all the same.
        arguments[name] = _spell_zero(names.published[name], maker)
    return arguments


def _spell_field(value: Any, field: FieldDescriptor, place: Offered, maker: MessageMaker) -> Any:
    entry = find_map_entry(field)
    holder = field if entry is None else entry.fields_by_number[2]
    message = holder.message_type
    if message is None:
        return value
    if entry is not None:
        return {key: spell_arguments(one, message, place.get_values(), maker) for key, one in value.items()}
    if field.is_repeated:
        return [spell_arguments(one, message, place.get_items(), maker) for one in value]
    return spell_arguments(value, message, place, maker)


def _spell_zero(field: FieldDescriptor, maker: MessageMaker) -> Any:
    if find_map_entry(field) is not None:
        return {}
    if field.is_repeated:
        return []
    if field.enum_type is not None:
        return maker.get_json_name(field.enum_type, 0)
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_BOOL:
            return False
        case FieldDescriptor.CPPTYPE_STRING:
            return ""
        case kind:
            return "0" if kind in _LONG else 0
