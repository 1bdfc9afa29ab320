"""Random scalar values, as often at the edges of a type as between them, within what an input schema allows."""

import base64
import math
import re
import struct
from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from gateway.contract.quoting import quote

Limits = Mapping[str, Any]
"""The schema of the value; empty where the whole type is meant."""

_INT32, _UINT32 = (-(2**31), 2**31 - 1), (0, 2**32 - 1)
_INT64, _UINT64 = (-(2**63), 2**63 - 1), (0, 2**64 - 1)
_RANGES: Mapping[int, tuple[int, int]] = MappingProxyType(
    {
        FieldDescriptor.CPPTYPE_INT32: _INT32,
        FieldDescriptor.CPPTYPE_INT64: _INT64,
        FieldDescriptor.CPPTYPE_UINT32: _UINT32,
        FieldDescriptor.CPPTYPE_UINT64: _UINT64,
    }
)
_SAFE_INTEGER = 2**53
_FLOAT32_MAX = (2.0 - 2.0**-23) * 2.0**127
_DOUBLES = (0.0, -0.0, 1.0, -1.5, 0.1, 1e21, -1e-7, 5e-324, 1.7976931348623157e308, 2.0**53 + 2)
_FLOATS = (0.0, -0.0, 1.0, -1.5, 0.1, 16777216.0, 1e-45, 1.17549435e-38, _FLOAT32_MAX, -_FLOAT32_MAX)
_NO_NUMBERS = (math.nan, math.inf, -math.inf)
_TEXTS = (
    "", "a", "Hello, world", "naïve café", "日本語", "👩‍🚀", "two\nlines\tand a tab", '"quoted" \\ and \'so\'',
    "\x00\x7f", "0", "null", "true", "1e5", "\u202eright to left", "\u2028", "a.b/c-d_e@f",
)  # fmt: skip
_LETTERS = "abcxyzABCXYZ0189 _-./:@#%&{}[]\"'\\\n\téя漢😀"
_SAMPLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "date-time": ("2026-01-31T09:00:00Z",),
        "email": ("someone@example.com",),
        "hostname": ("host.example.com",),
        "ipv4": ("192.0.2.1", "0.0.0.0"),  # noqa: S104 - an address as text
        "ipv6": ("2001:db8::1", "::"),
        "uri": ("https://example.com/a?b=c",),
        "uuid": ("123e4567-e89b-42d3-a456-426614174000",),
    }
)
# What patterns of the wild ask for, tried one after the other.
_GUESSES = (
    "a",
    "A",
    "0",
    "a1",
    "abc",
    "abc-def",
    "ABC_DEF",
    "1.5",
    "10.0.0.0/8",
    "a/b",
    "a.b.c",
    "a=b",
    "#a",
    "/a",
    "1d",
)
_LONGEST = 24


class NoValueError(Exception):
    """A schema for which no value could be made up; the text is why."""


def draw_scalar(random: Random, field: FieldDescriptor, limits: Limits, *, is_finite: bool) -> Any:
    """A value of a field that is no message and no enum. `is_finite`: neither NaN nor an infinity.

    Raises NoValueError where the limits are such that this module finds no value.
    """
    if "const" in limits or limits.get("enum"):
        return _read(field, limits["const"] if "const" in limits else random.choice(limits["enum"]))
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_BOOL:
            return random.random() < 0.5
        case FieldDescriptor.CPPTYPE_FLOAT | FieldDescriptor.CPPTYPE_DOUBLE:
            return _draw_float(random, field, limits, is_finite=is_finite)
        case FieldDescriptor.CPPTYPE_STRING if field.type == FieldDescriptor.TYPE_BYTES:
            return _draw_bytes(random, limits)
        case FieldDescriptor.CPPTYPE_STRING:
            return draw_text(random, limits)
        case kind:
            low, high = _RANGES[kind]
            return draw_integer(random, *_narrow(low, high, limits))


def draw_integer(random: Random, low: int, high: int) -> int:
    """An integer of the range: often an end of it, zero, or one that needs more than a double."""
    if low > high:
        raise NoValueError(f"there is no integer from {low} to {high}")
    edges = [low, high, *(edge for edge in (0, 1, -1, _SAFE_INTEGER + 1) if low <= edge <= high)]
    return random.choice(edges) if random.random() < 0.5 else random.randint(low, high)


def draw_text(random: Random, limits: Limits) -> str:
    """A text; without limits any Unicode that UTF-8 can carry."""
    if "pattern" in limits:
        return _draw_matching(random, limits)
    sample = _SAMPLES.get(limits.get("format", ""))
    if sample is not None:
        return random.choice(sample)
    if random.random() < 0.5:
        return _fit(random.choice(_TEXTS), limits)
    return _fit("".join(random.choices(_LETTERS, k=random.randint(0, 12))), limits)


def _draw_matching(random: Random, limits: Limits) -> str:
    pattern = limits["pattern"]
    plain = re.sub(r"\\(.)", r"\1", pattern.removeprefix("^").removesuffix("$"))
    guesses = (plain, *_GUESSES, *(text for texts in _SAMPLES.values() for text in texts), *_TEXTS)
    fitting = [text for text in dict.fromkeys(_fit(guess, limits) for guess in guesses) if re.search(pattern, text)]
    if not fitting:
        raise NoValueError(f"no text was found that fits the pattern {quote(pattern)}")
    return random.choice(fitting)


def _fit(text: str, limits: Limits) -> str:
    """The text cut or drawn out to the length that is asked for, in code points."""
    least, most = limits.get("minLength", 0), limits.get("maxLength", max(len(text), limits.get("minLength", 0)))
    return text[:most].ljust(least, "x")


def _draw_float(random: Random, field: FieldDescriptor, limits: Limits, *, is_finite: bool) -> float:
    is_single = field.cpp_type == FieldDescriptor.CPPTYPE_FLOAT
    low, high = _get_bounds(limits)
    if low != -math.inf or high != math.inf:
        return _draw_between(random, low, high, limits)
    if not is_finite and random.random() < 0.25:
        return random.choice(_NO_NUMBERS)
    if random.random() < 0.5:
        return random.choice(_FLOATS if is_single else _DOUBLES)
    number = random.uniform(-1, 1) * 10.0 ** random.randint(-30, 30)
    return _round_single(number) if is_single else number


def _draw_between(random: Random, low: float, high: float, limits: Limits) -> float:
    middle = low + 1 if high == math.inf else high - 1 if low == -math.inf else low + (high - low) / 2
    choices = [middle]
    choices += [low] if "minimum" in limits else []
    choices += [high] if "maximum" in limits else []
    # A float32 that has to be rounded may leave the range; halves and whole numbers stay what they are.
    fitting = [number for number in choices if _round_single(number) == number] or choices
    return float(random.choice(fitting))


def _get_bounds(limits: Limits) -> tuple[float, float]:
    low = max(limits.get("minimum", -math.inf), limits.get("exclusiveMinimum", -math.inf))
    return low, min(limits.get("maximum", math.inf), limits.get("exclusiveMaximum", math.inf))


def _narrow(low: int, high: int, limits: Limits) -> tuple[int, int]:
    lows = [low, math.ceil(limits.get("minimum", low)), math.floor(limits.get("exclusiveMinimum", low - 1)) + 1]
    highs = [high, math.floor(limits.get("maximum", high)), math.ceil(limits.get("exclusiveMaximum", high + 1)) - 1]
    return max(lows), min(highs)


def _draw_bytes(random: Random, limits: Limits) -> bytes:
    # Three bytes are four characters of base64.
    least = -(-limits.get("minLength", 0) * 3 // 4)
    most = limits["maxLength"] * 3 // 4 if "maxLength" in limits else max(_LONGEST, least)
    return random.randbytes(random.choice((least, min(most, least + 1), random.randint(least, max(least, most)))))


def _round_single(number: float) -> float:
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(_FLOAT32_MAX, number)
    return rounded


def _read(field: FieldDescriptor, value: Any) -> Any:
    """A value out of a schema's own list, as protobuf holds it."""
    if field.cpp_type in _RANGES:
        return int(value)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return base64.b64decode(value)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return value in (True, "true")  # the latter as the key of a map
    return value
