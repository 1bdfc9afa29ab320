"""google.protobuf.Struct, Value and ListValue both ways: any JSON at all (google/protobuf/struct.proto).

The message constructor of protobuf takes a dict for a Struct field and a list for a ListValue field as they are, so
that nothing has to be converted; only their depth is looked at, for each level of JSON takes two or three of messages.
"""

import math
from collections.abc import Iterable
from typing import Any

from gateway.transcoding.converters.explanations import expect, expect_structure
from gateway.transcoding.converters.lists import make_list_printer
from gateway.transcoding.converters.numbers import is_written, name_special, parse_double
from gateway.transcoding.converters.outcomes import (
    LIMIT_CAUSES,
    BlemishError,
    Cause,
    Parse,
    Print,
    RefusedError,
    gather,
    refuse,
    refuse_depth,
)
from gateway.transcoding.converters.texts import parse_string

# A Struct's member lies in a map entry, that in a Value; a ListValue's item in a Value.
_STRUCT_LEVELS, _LIST_LEVELS = 3, 2

_MEMBERS: dict[type, str] = {
    str: "string_value",
    float: "number_value",
    int: "number_value",
    bool: "bool_value",
    dict: "struct_value",
    list: "list_value",
}
_LIMIT_INTEGER = 2.0**53


def make_struct_parser(*, trusting: bool) -> Parse:
    """A parser of objects for a Struct in a field or a list: the object itself."""
    check = check_depth if trusting else check_json

    def parse_struct(value: Any, room: int) -> dict[str, Any]:
        if type(value) is not dict:
            raise refuse(expect_structure("an object", value))
        check(value, room)
        return value

    return parse_struct


def make_struct_fields_parser(*, trusting: bool) -> Parse:
    """A parser of objects for a Struct elsewhere, where the constructor wants the message's own field."""
    parse_value = make_value_parser(trusting=trusting)

    def parse_struct_fields(value: Any, room: int) -> dict[str, Any]:
        if type(value) is not dict:
            raise refuse(expect_structure("an object", value))
        inside = _descend(len(value), _STRUCT_LEVELS, room)
        return {"fields": _parse_each(value.items(), parse_value, inside + 1)}

    return parse_struct_fields


def make_value_parser(*, trusting: bool) -> Parse:
    """A parser of any JSON value for a Value; null is a value like any other."""
    check = check_depth if trusting else check_json

    def parse_value(value: Any, room: int) -> dict[str, Any]:
        if room < 1:
            raise refuse_depth()
        if value is None:
            return {"null_value": 0}
        check(value, room - 1)
        return {_MEMBERS[type(value)]: value}

    return parse_value


def make_list_value_parser(*, trusting: bool) -> Parse:
    """A parser of arrays for a ListValue."""
    parse_value = make_value_parser(trusting=trusting)

    def parse_list_value(value: Any, room: int) -> dict[str, Any]:
        if type(value) is not list:
            raise refuse(expect_structure("an array", value))
        inside = _descend(len(value), _LIST_LEVELS, room)
        return {"values": list(_parse_each(enumerate(value), parse_value, inside + 1).values())}

    return parse_list_value


def _parse_each(items: Iterable[tuple[Any, Any]], parse_value: Parse, room: int) -> dict[Any, Any]:
    parsed: dict[Any, Any] = {}
    causes: list[Cause] | None = None
    for key, item in items:
        try:
            if type(key) is str:
                parse_string(key, room)
            parsed[key] = parse_value(item, room)
        except RefusedError as refusal:
            causes = gather(causes, key, refusal.causes)
            if len(causes) >= LIMIT_CAUSES:
                break
    if causes is not None:
        raise RefusedError(*causes)
    return parsed


def _descend(size: int, levels: int, room: int) -> int:
    """The room that is left inside a container of `size` parts; refuses one that has none."""
    if room < (levels if size else 1):
        raise refuse_depth()
    return room - levels


def check_depth(value: Any, room: int) -> None:
    """Refuses containers that nest too deep as messages, and what no JSON parser gives."""
    items: Iterable[Any]
    if type(value) is dict:
        room = _descend(len(value), _STRUCT_LEVELS, room)
        items = value.values()
    elif type(value) is list:
        room = _descend(len(value), _LIST_LEVELS, room)
        items = value
    elif type(value) in _MEMBERS:
        return
    else:
        raise refuse(expect("a JSON value", value))
    for item in items:
        if type(item) is dict or type(item) is list:
            check_depth(item, room)


def check_json(value: Any, room: int) -> None:
    """Refuses all that a Struct cannot hold, with the place of each cause."""
    match value:
        case dict():
            _check_each(value.items(), _descend(len(value), _STRUCT_LEVELS, room))
        case list():
            _check_each(enumerate(value), _descend(len(value), _LIST_LEVELS, room))
        case str():
            parse_string(value, room)
        case bool() | None:
            return
        case int() | float():
            if not math.isfinite(parse_double(value, room)):
                raise refuse(expect("a finite number", value))
        case _:
            raise refuse(expect("a JSON value", value))


def _check_each(items: Iterable[tuple[Any, Any]], room: int) -> None:
    causes: list[Cause] | None = None
    for key, item in items:
        try:
            if type(key) is str:
                parse_string(key, room)
            check_json(item, room)
        except RefusedError as refusal:
            causes = gather(causes, key, refusal.causes)
            if len(causes) >= LIMIT_CAUSES:
                break
    if causes is not None:
        raise RefusedError(*causes)


def print_struct(message: Any, room: int) -> dict[str, Any]:
    """A Struct as an object, its members sorted by name as in every map."""
    printed: dict[str, Any] = {}
    causes: list[Cause] | None = None
    fields = message.fields
    for name in sorted(fields):
        try:
            printed[name] = print_value(fields[name], room)
        except BlemishError as blemish:
            causes = gather(causes, name, blemish.causes)
            printed[name] = blemish.value
    if causes is not None:
        raise BlemishError(printed, *causes)
    return printed


def make_list_value_printer() -> Print:
    """A printer of a ListValue as an array."""
    print_values = make_list_printer(print_value)

    def print_list_value(message: Any, room: int) -> list[Any]:
        printed: list[Any] = print_values(message.values, room)
        return printed

    return print_list_value


def print_value(message: Any, room: int) -> Any:
    """A Value as the JSON that it holds; one that holds nothing as null. Integral numbers are printed as integers."""
    match message.WhichOneof("kind"):
        case "string_value":
            return message.string_value
        case "number_value":
            return _print_number(message.number_value)
        case "struct_value":
            return print_struct(message.struct_value, room)
        case "bool_value":
            return message.bool_value
        case "list_value":
            return print_list_value(message.list_value, room)
        case _:
            return None


def _print_number(number: float) -> float | int:
    if number.is_integer() and -_LIMIT_INTEGER <= number <= _LIMIT_INTEGER:
        # There is no integer -0.
        return int(number) if number or not is_written(number) else number
    if math.isfinite(number):
        return number
    raise BlemishError(None, Cause(f"is {name_special(number)}, a number that JSON does not have; null is shown"))


print_list_value = make_list_value_printer()
