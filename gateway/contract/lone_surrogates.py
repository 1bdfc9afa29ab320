"""Reads JSON whose strings hold lone surrogates: halves of characters, which the quick reader refuses outright.

RFC 8259 section 8.2 lets them be written as escapes, and writers do where they cut a text in the middle of a character,
models among them. Read, such a message can be answered by its id and its argument be refused by its place.
"""

import json
import math
import re
from typing import Any

# The reading is many times slower than the quick reader's; what somebody types or a model writes is shorter.
LIMIT_BYTES = 256 * 1024

# The integers that the quick reader gives as integers; larger ones are floats to it, and so they are here.
_LOWEST, _HIGHEST = -(2**63), 2**64 - 1
_LIMIT_DIGITS = 20
_LIMIT_DEPTH = 200

_LONE = re.compile("[\ud800-\udfff]")


def has_lone_surrogate(text: str) -> bool:
    """Whether a text holds half of a character."""
    return _LONE.search(text) is not None


def read_with_surrogates(body: bytes) -> Any:
    """The value of a JSON text in UTF-8: what the quick reader gives, but for lone surrogates, which stand in strings.

    Raises ValueError for what is no such JSON or longer than `LIMIT_BYTES`, RecursionError where it nests deeper than
    the stack.
    """
    if len(body) > LIMIT_BYTES:
        raise ValueError("too long to be read so slowly")
    return _DECODER.decode(body.decode())


def replace_lone_surrogates(value: Any, *, levels: int = _LIMIT_DEPTH) -> Any:
    """A copy of a JSON value with U+FFFD for each: for readers that know whole characters alone.

    What nests deeper than `levels`, more than a message can, becomes null.
    """
    match value:
        case str():
            return _LONE.sub("\ufffd", value)
        case dict() | list() if levels == 0:
            return None
        case dict():
            return {
                replace_lone_surrogates(name): replace_lone_surrogates(member, levels=levels - 1)
                for name, member in value.items()
            }
        case list():
            return [replace_lone_surrogates(item, levels=levels - 1) for item in value]
        case _:
            return value


def _read_integer(digits: str) -> int | float:
    if len(digits) <= _LIMIT_DIGITS:
        integer = int(digits)
        if _LOWEST <= integer <= _HIGHEST:
            return integer
    return _read_float(digits)


def _read_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number beyond the range of a double")
    return number


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_int=_read_integer, parse_float=_read_float, parse_constant=_refuse_constant)
