import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.transcoding.kit import Kit

KIT = Kit("message M { google.protobuf.Timestamp t = 1; repeated google.protobuf.Timestamp ts = 2; string note = 3; }")


@pytest.mark.parametrize(
    ("text", "seconds", "nanos"),
    [
        ("1970-01-01T00:00:00Z", 0, 0),
        ("2026-01-01T00:00:00+05:30", 1767205800, 0),
        ("2025-12-31T13:00:00-05:30", 1767205800, 0),
        ("2026-01-31T09:00:00.5Z", 1769850000, 500_000_000),
        ("2026-01-31T09:00:00.123Z", 1769850000, 123_000_000),
        ("2026-01-31T09:00:00.123456789+00:00", 1769850000, 123_456_789),
        ("1969-12-31T23:59:59.999999999Z", -1, 999_999_999),
        ("0001-01-01T00:00:00Z", -62135596800, 0),
        ("9999-12-31T23:59:59.999999999Z", 253402300799, 999_999_999),
        ("2024-02-29T00:00:00Z", 1709164800, 0),
    ],
)
def test_rfc_3339_is_taken_with_any_offset_and_up_to_nine_digits(text, seconds, nanos):
    assert KIT.parse({"t": text}) == KIT.make(t={"seconds": seconds, "nanos": nanos})


SAMPLE = 'must be a timestamp such as "2026-01-31T09:00:00Z", got '


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (
            "2026-01-01T00:00:00.1234567891Z",
            '"2026-01-01T00:00:00.1234567891Z"; it has more than nine digits of a second',
        ),
        ("0000-01-01T00:00:00Z", '"0000-01-01T00:00:00Z"; it lies outside the years 0001 to 9999'),
        ("10000-01-01T00:00:00Z", '"10000-01-01T00:00:00Z"; it lies outside the years 0001 to 9999'),
        ("2026-01-01T00:00:00", '"2026-01-01T00:00:00"; it lacks "Z" or an offset such as +05:30 at its end'),
        ("2026-06-30T23:59:60Z", '"2026-06-30T23:59:60Z"; it has a second of 60; leap seconds are not taken'),
        ("2026-01-01", '"2026-01-01"; it lacks the time of day'),
        ("2026-01-01t00:00:00Z", '"2026-01-01t00:00:00Z"; it must have a capital "T" between date and time'),
        ("2026-01-01 00:00:00Z", '"2026-01-01 00:00:00Z"; it must have a capital "T" between date and time'),
        ("2026-01-01T00:00:00z", '"2026-01-01T00:00:00z"; it must end in a capital "Z"'),
        (5, "5"),
        (True, "true"),
        ("", '""'),
        ("now", '"now"'),
        ("2026-02-29T00:00:00Z", '"2026-02-29T00:00:00Z"'),
        ("2026-13-01T00:00:00Z", '"2026-13-01T00:00:00Z"'),
        ("2026-01-01T24:00:00Z", '"2026-01-01T24:00:00Z"'),
        ("2026-01-01T00:00:00.Z", '"2026-01-01T00:00:00.Z"'),
        ("2026-01-01T00:00:00.12\u0663Z", '"2026-01-01T00:00:00.12\u0663Z"'),
        ("2026-01-01T00:00:00+5:30", '"2026-01-01T00:00:00+5:30"'),
        ("2026-01-01T00:00:00+24:00", '"2026-01-01T00:00:00+24:00"'),
        ("0001-01-01T00:00:00+00:01", '"0001-01-01T00:00:00+00:01"'),
        ("9999-12-31T23:59:59-00:01", '"9999-12-31T23:59:59-00:01"'),
        ("2026-W01-1T00:00:00Z", '"2026-W01-1T00:00:00Z"'),
        ("２０２６-01-01T00:00:00Z", '"２０２６-01-01T00:00:00Z"'),
        ("2026-01-01T00:00:00Z\n", '"2026-01-01T00:00:00Z\\n"'),
    ],
)
def test_anything_else_is_refused_with_a_sample_and_a_reason_where_there_is_one(value, shown):
    assert KIT.find_problems({"t": value}) == {"/t": SAMPLE + shown}


def test_a_time_is_printed_in_utc_with_as_many_digits_as_it_needs():
    nanos = (0, 500_000_000, 1_000_000, 123_456_000, 1)
    message = KIT.make(ts=[{"seconds": 1769850000, "nanos": number} for number in nanos])
    assert KIT.print(message) == {
        "ts": [
            "2026-01-31T09:00:00Z",
            "2026-01-31T09:00:00.500Z",
            "2026-01-31T09:00:00.001Z",
            "2026-01-31T09:00:00.123456Z",
            "2026-01-31T09:00:00.000000001Z",
        ]
    }


def test_a_time_that_cannot_be_written_is_shown_as_the_nearest_and_noted_and_the_rest_is_delivered():
    times = [
        {"seconds": 253402300800},
        {"seconds": -62135596801, "nanos": 5},
        {"seconds": 0, "nanos": -1},
        {"seconds": 1, "nanos": 2_000_000_000},
        {"seconds": 2**63 - 1},
        {"seconds": 0},
    ]
    note = "is no valid timestamp ({} seconds, {} nanoseconds); the nearest one is shown"
    assert KIT.print_noting(KIT.make(t={"seconds": 253402300800}, ts=times, note="ok")) == (
        {
            "t": "9999-12-31T23:59:59.999999999Z",
            "ts": [
                "9999-12-31T23:59:59.999999999Z",
                "0001-01-01T00:00:00Z",
                "1969-12-31T23:59:59.999999999Z",
                "1970-01-01T00:00:03Z",
                "9999-12-31T23:59:59.999999999Z",
                "1970-01-01T00:00:00Z",
            ],
            "note": "ok",
        },
        {
            "/t": note.format(253402300800, 0),
            "/ts/0": note.format(253402300800, 0),
            "/ts/1": note.format(-62135596801, 5),
            "/ts/2": note.format(0, -1),
            "/ts/3": note.format(1, 2_000_000_000),
            "/ts/4": note.format(2**63 - 1, 0),
        },
    )


@given(st.integers(-62135596800, 253402300799), st.sampled_from([0, 1]) | st.integers(0, 999_999_999))
def test_a_printed_time_parses_back(seconds, nanos):
    message = KIT.make(t={"seconds": seconds, "nanos": nanos})
    assert KIT.parse(KIT.print(message)) == message
    assert KIT.print(message)["t"] == message.t.ToJsonString()
