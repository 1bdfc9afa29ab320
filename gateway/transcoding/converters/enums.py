"""Enum values both ways: names, aliases, custom JSON names, numbers; google.protobuf.NullValue as null."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf.descriptor import EnumDescriptor, EnumValueDescriptor

from gateway.contract.nearest_names import NearestNames
from gateway.transcoding.converters.explanations import expect, explain_unknown_name
from gateway.transcoding.converters.numbers import INT32_HIGH, INT32_LOW
from gateway.transcoding.converters.outcomes import Cause, Parse, RefusedError, refuse

NULL_VALUE = "google.protobuf.NullValue"

FindJsonName = Callable[[EnumValueDescriptor], str | None]


class _NamesByNumber(dict[int, str | int]):
    def __missing__(self, number: int) -> int:
        return number


def make_enum_parser(enum: EnumDescriptor, find_json_name: FindJsonName, offered: Sequence[str]) -> Parse:
    """A parser of the enum's names, aliases and custom JSON names, and of numbers.

    An open enum takes every 32-bit number, a closed one (`is_closed`) those that it declares. `offered` are the names
    that are told where another one is refused.
    """
    numbers: dict[str, int] = {value.name: value.number for value in enum.values}
    for value in enum.values:
        custom = find_json_name(value)
        if custom is not None:
            numbers[custom] = value.number
    known = frozenset(numbers.values())
    is_closed = enum.is_closed
    nearest = NearestNames(offered)

    def parse_enum(value: Any, _room: int) -> int:
        kind = type(value)
        if kind is str:
            number = numbers.get(value)
            if number is not None:
                return number
            raise RefusedError(
                Cause(explain_unknown_name(value, offered, nearest, numbers=False)), names_unknown_enum=True
            )
        if kind is int or (kind is float and value.is_integer()):
            number = int(value)
            if number in known or (not is_closed and INT32_LOW <= number <= INT32_HIGH):
                return number
        raise refuse(explain_unknown_name(value, offered, nearest, numbers=not is_closed))

    return parse_enum


def make_enum_names(enum: EnumDescriptor, find_json_name: FindJsonName) -> Mapping[int, str | int]:
    """What is printed for each number: the name that is declared first for it, or the number where there is none."""
    return _NamesByNumber(_first_names(enum, find_json_name))


def parse_null(value: Any, _room: int) -> int:
    """google.protobuf.NullValue: null, also by its name or number."""
    if value is None or value == "NULL_VALUE" or (value == 0 and type(value) in (int, float)):
        return 0
    raise refuse(expect("null", value))


def print_null(_value: int, _room: int) -> None:
    """google.protobuf.NullValue: always null."""


def _first_names(enum: EnumDescriptor, find_json_name: FindJsonName) -> dict[int, str]:
    names: dict[int, str] = {}
    for value in enum.values:
        names.setdefault(value.number, find_json_name(value) or value.name)
    return names
