"""Map fields both ways: objects whose keys are strings, integers or booleans written as text (ProtoJSON).

Printed maps are sorted by key: the decoder gives entries in another order in every process, and equal replies should
read equally.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from gateway.contract.quoting import quote
from gateway.transcoding.converters.explanations import expect_structure
from gateway.transcoding.converters.numbers import INTEGER_RANGES
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

_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,19}", re.ASCII).fullmatch
_BOOLS = {"true": True, "false": False}

ParseKey = Callable[[str], Any]
PrintKey = Callable[[Any], str]


class _WrongKeyError(RefusedError):
    """A key that the map cannot have."""


def _parse_text_key(key: str) -> str:
    try:
        key.encode()
    except UnicodeEncodeError:
        raise _WrongKeyError(Cause(f"must have keys without lone surrogates, got the key {quote(key)}")) from None
    return key


def _parse_bool_key(key: str) -> bool:
    found = _BOOLS.get(key)
    if found is None:
        raise _WrongKeyError(Cause(f'must have the keys "true" and "false" only, got the key {quote(key)}'))
    return found


def _make_integer_key_parser(low: int, high: int) -> ParseKey:
    def parse_integer_key(key: str) -> int:
        # "01", "+1" and "1.0" are no other spelling of "1": two keys must never mean one entry.
        if _CANONICAL_INTEGER(key):
            number = int(key)
            if low <= number <= high:
                return number
        raise _WrongKeyError(Cause(f"must have keys that are integers from {low} to {high}, got the key {quote(key)}"))

    return parse_integer_key


def _print_bool_key(key: bool) -> str:
    return "true" if key else "false"


# By the type of the key field; protobuf allows no others.
KEYS: Mapping[int, tuple[ParseKey, PrintKey]] = MappingProxyType(
    {
        FieldDescriptor.TYPE_STRING: (_parse_text_key, str),
        FieldDescriptor.TYPE_BOOL: (_parse_bool_key, _print_bool_key),
        **{kind: (_make_integer_key_parser(*bounds), str) for kind, bounds in INTEGER_RANGES.items()},
    }
)


def make_map_parser(
    key_type: int, parse_value: Parse, kind: type | None, *, skips_unknown_enums: bool = False
) -> Parse:
    """A parser of maps. `kind`: the type of values that pass unchanged, None where each must be looked at."""
    parse_key = KEYS[key_type][0]
    # Text keys pass unchanged wherever values may: the message constructor refuses what is no Unicode text.
    unchanged = {kind} if kind is not None and key_type == FieldDescriptor.TYPE_STRING else None

    def parse_map(value: Any, room: int) -> dict[Any, Any]:
        if type(value) is not dict:
            raise refuse(expect_structure("an object", value))
        if room < 1:
            raise refuse_depth()
        if unchanged is not None and unchanged.issuperset(map(type, value.values())):
            return value
        room -= 1
        entries: dict[Any, Any] = {}
        causes: list[Cause] | None = None
        for key, item in value.items():
            try:
                entries[parse_key(key)] = parse_value(item, room)
            except _WrongKeyError as wrong:
                # Told of the map, not of the entry: a pointer to the value would seem to speak of the value.
                causes = [] if causes is None else causes
                causes.extend(wrong.causes)
            except RefusedError as refusal:
                if skips_unknown_enums and refusal.names_unknown_enum:
                    continue
                causes = gather(causes, key, refusal.causes)
            if causes is not None and len(causes) >= LIMIT_CAUSES:
                break
        if causes is not None:
            raise RefusedError(*causes)
        return entries

    return parse_map


def make_map_printer(key_type: int, print_value: Print | None) -> Print:
    """A printer of maps; `print_value` None where JSON has the values as they are."""
    print_key = KEYS[key_type][1]

    def print_map(value: Any, room: int) -> dict[str, Any]:
        # Keys first: the field's own items() is several times slower.
        try:
            keys = sorted(value)
        except TypeError:
            # Keys that are not UTF-8 come as bytes, which do not sort among text; asking for their values raises
            # UnicodeDecodeError, and the message reads such a map in another way.
            keys = list(value)
        if print_value is None:
            return {print_key(key): value[key] for key in keys}
        room -= 1
        entries: dict[str, Any] = {}
        causes: list[Cause] | None = None
        for key in keys:
            name = print_key(key)
            try:
                entries[name] = print_value(value[key], room)
            except BlemishError as blemish:
                causes = gather(causes, name, blemish.causes)
                entries[name] = blemish.value
        if causes is not None:
            raise BlemishError(entries, *causes)
        return entries

    return print_map
