"""Numbers both ways: integers of 32 and 64 bits, float and double (ProtoJSON, "JSON Options" table).

Stricter than the reference implementation where that takes what no JSON writer means: "1_0", "+7", " 7", digits of
other scripts, true for 1, "infinity", a float32 that overflows.
"""

import math
import re
import struct
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from gateway.transcoding.converters.explanations import expect
from gateway.transcoding.converters.outcomes import Parse, refuse

_INT32, _UINT32 = (-(2**31), 2**31 - 1), (0, 2**32 - 1)
_INT64, _UINT64 = (-(2**63), 2**63 - 1), (0, 2**64 - 1)

# The lowest and the highest value by field type.
INTEGER_RANGES: Mapping[int, tuple[int, int]] = MappingProxyType(
    {
        FieldDescriptor.TYPE_INT32: _INT32,
        FieldDescriptor.TYPE_SINT32: _INT32,
        FieldDescriptor.TYPE_SFIXED32: _INT32,
        FieldDescriptor.TYPE_INT64: _INT64,
        FieldDescriptor.TYPE_SINT64: _INT64,
        FieldDescriptor.TYPE_SFIXED64: _INT64,
        FieldDescriptor.TYPE_UINT32: _UINT32,
        FieldDescriptor.TYPE_FIXED32: _UINT32,
        FieldDescriptor.TYPE_UINT64: _UINT64,
        FieldDescriptor.TYPE_FIXED64: _UINT64,
    }
)
INT32_LOW, INT32_HIGH = _INT32

# RFC 8259 section 6; bounded, so that no exponent or length costs more than a glance.
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,399})(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,6})?", re.ASCII).fullmatch
_JSON_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII).fullmatch
_LIMIT_DIGITS = 20

_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
# From here on a double rounds to an infinite float32 (IEEE 754, half a unit above the largest finite one).
_FLOAT32_OVERFLOW = 2.0**128 - 2.0**103
# Six digits survive the way through a float32, nine tell any two of them apart; subnormal numbers keep fewer.
_SHORT_FORMS = ("%.6g", "%.7g", "%.8g")
_SHORTER_FORMS = ("%.1g", "%.2g", "%.3g", "%.4g", "%.5g", *_SHORT_FORMS)
_FLOAT32_NORMAL = 2.0**-126
_LONG_FORM = "%.9g"
_pack_float32 = struct.Struct("<f").pack
_unpack_float32 = struct.Struct("<f").unpack


def make_integer_parser(low: int, high: int) -> Parse:
    """A parser of integers from `low` to `high`: as numbers, integral floats, or either in a string."""
    what = f"an integer from {low} to {high}"

    def parse_integer(value: Any, _room: int) -> int:
        kind = type(value)
        number: int | None = None
        if kind is str:
            try:
                number = int(value)
            except ValueError:
                number = _read_exact_integer(value)
            else:
                # int() takes spaces, signs, underscores and digits of any script; they do not come back the same.
                if str(number) != value:
                    number = _read_exact_integer(value)
        elif kind is int:
            number = value
        elif kind is float and value.is_integer():
            number = int(value)
        if number is not None and low <= number <= high:
            return number
        is_integer = number is not None or (kind is str and _JSON_INTEGER(value))
        raise refuse(expect(what if is_integer else "an integer", value))

    return parse_integer


def _read_exact_integer(text: str) -> int | None:
    """The integer that a JSON number such as "1e2" or "7.0" is, or None."""
    if not _JSON_NUMBER(text):
        return None
    number = Decimal(text)
    if number and number.adjusted() > _LIMIT_DIGITS:
        return None
    integer = int(number)
    return integer if integer == number else None


def parse_double(value: Any, _room: int) -> float:
    """A double: a number, a number in a string, or "NaN", "Infinity", "-Infinity"."""
    kind = type(value)
    if kind is float:
        return float(value)
    if kind is int:
        try:
            return float(value)
        except OverflowError:
            raise refuse(expect("a number that fits 64-bit floating point", value)) from None
    if kind is str:
        special = _SPECIAL.get(value)
        if special is not None:
            return special
        if _JSON_NUMBER(value):
            number = float(value)
            if math.isfinite(number):
                return number
            raise refuse(expect("a number that fits 64-bit floating point", value))
    raise refuse(expect("a number", value))


def parse_float(value: Any, room: int) -> float:
    """A float32: the same, refused where it would overflow to an infinity that was not written."""
    number = parse_double(value, room)
    if -_FLOAT32_OVERFLOW < number < _FLOAT32_OVERFLOW or not math.isfinite(number):
        return number
    raise refuse(expect("a number that fits 32-bit floating point (at most 3.4028235e38)", value))


def print_long(value: int, _room: int) -> str:
    """A 64-bit integer as a decimal string."""
    return str(value)


def print_double(value: float, _room: int) -> float | str:
    """A double as a number, NaN and the infinities as their names."""
    # Only finite numbers have a difference of zero with themselves.
    return value if value - value == 0.0 else name_special(value)


def print_float(value: float, _room: int) -> float | str:
    """A float32 as the shortest number that reads back as the same float32."""
    if value - value != 0.0:
        return name_special(value)
    for form in _SHORT_FORMS if abs(value) >= _FLOAT32_NORMAL else _SHORTER_FORMS:
        short = float(form % value)
        try:
            if _unpack_float32(_pack_float32(short))[0] == value:
                return short
        except OverflowError:  # rounded up beyond the largest float32
            continue
    return float(_LONG_FORM % value)


def is_written(value: float) -> bool:
    """Whether an implicitly present number is on the wire: all but positive zero are."""
    return value != 0.0 or math.copysign(1.0, value) < 0.0


def name_special(value: float) -> str:
    """The name of a number that is not finite (ProtoJSON)."""
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
