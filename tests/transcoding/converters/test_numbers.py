import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.transcoding.converters.numbers import print_float
from tests.transcoding.kit import Kit

KIT = Kit("""
message M {
  int32 i = 1; uint32 u = 2; int64 l = 3; uint64 w = 4; double d = 5; float f = 6;
  repeated int64 ls = 7; repeated int32 is = 8; repeated double ds = 9; repeated float fs = 10;
  optional double od = 11; sint64 s = 12; fixed64 x = 13; map<string, double> dm = 14;
}
""")


@pytest.mark.parametrize(
    ("value", "field", "number"),
    [
        ("7", "i", 7),
        (7.0, "i", 7),
        (1e2, "i", 100),
        ("1e2", "i", 100),
        ("7.0", "i", 7),
        ("-0", "i", 0),
        (-(2**31), "i", -(2**31)),
        (2**32 - 1, "u", 2**32 - 1),
        ("9007199254740993", "l", 9007199254740993),
        (9007199254740993, "l", 9007199254740993),
        ("-9223372036854775808", "s", -(2**63)),
        ("18446744073709551615", "w", 2**64 - 1),
        (18446744073709551615, "x", 2**64 - 1),
        ("1.8446744073709551615e19", "w", 2**64 - 1),
        (5, "d", 5.0),
        ("1.5", "d", 1.5),
        ("1e3", "f", 1000.0),
        ("Infinity", "d", math.inf),
        ("-Infinity", "f", -math.inf),
        (3.4028235e38, "f", 3.4028234663852886e38),
        (-0.0, "d", -0.0),
    ],
)
def test_an_exact_number_is_taken_in_every_spelling_of_json(value, field, number):
    assert KIT.parse({field: value}) == KIT.make(**{field: number})


def test_nan_is_taken_by_name():
    assert math.isnan(KIT.parse({"d": "NaN"}).d)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("abc", 'must be an integer, got "abc"'),
        ("", 'must be an integer, got ""'),
        ("1_0", 'must be an integer, got "1_0"'),
        ("+7", 'must be an integer, got "+7"'),
        (" 7", 'must be an integer, got " 7"'),
        ("7\n", 'must be an integer, got "7\\n"'),
        ("07", 'must be an integer, got "07"'),
        ("٧", 'must be an integer, got "٧"'),
        ("1.5", 'must be an integer, got "1.5"'),
        (1.5, "must be an integer, got 1.5"),
        (True, "must be an integer, got true"),
        ([1], "must be an integer, got [1]"),
        (2**31, "must be an integer from -2147483648 to 2147483647, got 2147483648"),
        ("2147483648", 'must be an integer from -2147483648 to 2147483647, got "2147483648"'),
        (1e300, "must be an integer from -2147483648 to 2147483647, got 1e+300"),
        ("1e999999", 'must be an integer, got "1e999999"'),
        ("9" * 5000, f'must be an integer from -2147483648 to 2147483647, got "{"9" * 62}…" (5000 characters)'),
    ],
)
def test_what_is_no_32_bit_integer_is_refused_with_what_would_be_right(value, problem):
    assert KIT.find_problems({"i": value}) == {"/i": problem}


def test_64_bits_have_bounds_too():
    assert KIT.find_problems({"l": 2**63, "w": -1, "s": 1e30}) == {
        "/l": "must be an integer from -9223372036854775808 to 9223372036854775807, got 9223372036854775808",
        "/w": "must be an integer from 0 to 18446744073709551615, got -1",
        "/s": "must be an integer from -9223372036854775808 to 9223372036854775807, got 1e+30",
    }


@pytest.mark.parametrize("value", [True, "infinity", "nan", " 1.5", "1_0.5", ".5", "1.", "0x10", "", [], {}])
def test_what_is_no_number_is_refused(value):
    (problem,) = KIT.find_problems({"d": value}).values()
    assert problem.startswith("must be a number, got ")


def test_a_number_beyond_its_floating_point_format_is_refused():
    assert KIT.find_problems({"f": 3.5e38, "d": "1e999"}) == {
        "/f": "must be a number that fits 32-bit floating point (at most 3.4028235e38), got 3.5e+38",
        "/d": 'must be a number that fits 64-bit floating point, got "1e999"',
    }


def test_every_wrong_item_of_a_list_is_named():
    assert KIT.find_problems({"is": [1, "x", 2**31, 3], "ls": ["1", None]}) == {
        "/is/1": 'must be an integer, got "x"',
        "/is/2": "must be an integer from -2147483648 to 2147483647, got 2147483648",
        "/ls/1": "must be an integer, got null",
    }


def test_64_bit_integers_are_printed_as_strings_and_32_bit_ones_as_numbers():
    message = KIT.make(i=-1, l=9007199254740993, w=2**64 - 1, ls=[1, -2], **{"is": [3]})
    assert KIT.print(message) == {
        "i": -1,
        "l": "9007199254740993",
        "w": "18446744073709551615",
        "ls": ["1", "-2"],
        "is": [3],
    }


def test_numbers_that_json_lacks_are_printed_by_name():
    special = [math.nan, math.inf, -math.inf, 1.5]
    message = KIT.make(d=math.nan, f=-math.inf, ds=special, fs=special, dm={"k": math.inf})
    assert KIT.print(message) == {
        "d": "NaN",
        "f": "-Infinity",
        "ds": ["NaN", "Infinity", "-Infinity", 1.5],
        "fs": ["NaN", "Infinity", "-Infinity", 1.5],
        "dm": {"k": "Infinity"},
    }


def test_negative_zero_is_set_and_positive_zero_is_not():
    assert str(KIT.print(KIT.make(d=-0.0, f=0.0, od=0.0))) == "{'d': -0.0, 'od': 0.0}"


@pytest.mark.parametrize(
    "text", ["0.1", "3.4028235e+38", "1e-45", "16777216.0", "0.25", "1.1754944e-38", "8.589974e+09"]
)
def test_a_float_is_printed_as_the_shortest_number_that_reads_back(text):
    (value,) = struct.unpack("<f", struct.pack("<f", float(text)))
    assert print_float(value, 1) == float(text)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_printed_float_reads_back_as_the_same_float32(value):
    assert struct.pack("<f", print_float(value, 1)) == struct.pack("<f", value)
