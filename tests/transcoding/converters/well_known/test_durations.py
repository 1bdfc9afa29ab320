import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.transcoding.kit import Kit

KIT = Kit("message M { google.protobuf.Duration d = 1; repeated google.protobuf.Duration ds = 2; string note = 3; }")


@pytest.mark.parametrize(
    ("text", "seconds", "nanos"),
    [
        ("0s", 0, 0),
        ("1.5s", 1, 500_000_000),
        ("-0.5s", 0, -500_000_000),
        ("-1.000000001s", -1, -1),
        ("3600s", 3600, 0),
        ("315576000000.999999999s", 315576000000, 999_999_999),
        ("007s", 7, 0),
    ],
)
def test_seconds_are_taken_with_up_to_nine_decimals(text, seconds, nanos):
    assert KIT.parse({"d": text}) == KIT.make(d={"seconds": seconds, "nanos": nanos})


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1.1234567891s", '"1.1234567891s"; it has more than nine digits of a second'),
        ("315576000001s", '"315576000001s"; its limit is 315576000000 seconds'),
        ("1", '"1"; it lacks the "s" at its end'),
        (1, "1"),
        ("1e3s", '"1e3s"'),
        ("5m", '"5m"; the only unit is seconds'),
        ("1h", '"1h"; the only unit is seconds'),
        (" 5s", '" 5s"'),
        ("+5s", '"+5s"'),
        ("5.s", '"5.s"'),
        (".5s", '".5s"'),
        ("5S", '"5S"'),
        ("٥s", '"٥s"'),
        ("5s\n", '"5s\\n"'),
        ("s", '"s"'),
        ({}, "{}"),
    ],
)
def test_anything_else_is_refused_with_a_sample(value, shown):
    assert KIT.find_problems({"d": value}) == {"/d": f'must be a duration such as "1.5s", got {shown}'}


def test_a_duration_is_printed_in_seconds_with_as_many_digits_as_it_needs():
    message = KIT.make(ds=[{}, {"seconds": 1, "nanos": 500_000_000}, {"nanos": -1_000}, {"seconds": -2, "nanos": -1}])
    assert KIT.print(message) == {"ds": ["0s", "1.500s", "-0.000001s", "-2.000000001s"]}


def test_a_duration_of_two_signs_or_out_of_range_is_shown_as_its_sum_and_noted():
    durations = [{"seconds": 1, "nanos": -1}, {"seconds": -1, "nanos": 2_000_000_000}, {"seconds": 315576000001}]
    note = "is no valid duration ({} seconds, {} nanoseconds); their sum is shown"
    assert KIT.print_noting(KIT.make(ds=durations, note="ok")) == (
        {"ds": ["0.999999999s", "1s", "315576000001s"], "note": "ok"},
        {"/ds/0": note.format(1, -1), "/ds/1": note.format(-1, 2_000_000_000), "/ds/2": note.format(315576000001, 0)},
    )


@given(st.sampled_from([1, -1]), st.integers(0, 315576000000), st.integers(0, 999_999_999))
def test_a_printed_duration_parses_back(sign, seconds, nanos):
    message = KIT.make(d={"seconds": sign * seconds, "nanos": sign * nanos})
    assert KIT.parse(KIT.print(message)) == message
    assert KIT.print(message)["d"] == message.d.ToJsonString()
