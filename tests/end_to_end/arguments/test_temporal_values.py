import pytest

PROTO = """
message T { google.protobuf.Timestamp t = 1; google.protobuf.Duration d = 2; }
service S { rpc Echo(T) returns (T); }
"""
RPC = "t.S/Echo"
SAMPLES = {"t": 'a timestamp such as "2026-01-31T09:00:00Z"', "d": 'a duration such as "1.5s"'}


async def test_an_offset_is_taken_and_told_in_utc(make_stage):
    stage = await make_stage(PROTO)
    answer = await stage.structured(RPC, {"t": "2026-01-01T00:00:00+05:30", "d": "-0.5s"})
    assert answer == {"t": "2025-12-31T18:30:00Z", "d": "-0.500s"}


@pytest.mark.parametrize(
    ("field", "value", "shown", "why"),
    [
        ("t", "2026-01-01T00:00:00.1234567891Z", ..., "; it has more than nine digits of a second"),
        ("t", "0000-01-01T00:00:00Z", ..., "; it lies outside the years 0001 to 9999"),
        ("t", "10000-01-01T00:00:00Z", ..., "; it lies outside the years 0001 to 9999"),
        ("t", "2026-01-01T00:00:00", ..., '; it lacks "Z" or an offset such as +05:30 at its end'),
        ("t", "2026-06-30T23:59:60Z", ..., "; it has a second of 60; leap seconds are not taken"),
        ("t", "2026-02-30T00:00:00Z", ..., ""),
        ("t", "tomorrow", ..., ""),
        ("t", 5, "5", ""),
        ("t", {"seconds": 5}, '{"seconds":5}', ""),
        ("d", "1.1234567891s", ..., "; it has more than nine digits of a second"),
        ("d", "315576000001s", ..., "; its limit is 315576000000 seconds"),
        ("d", "1", ..., '; it lacks the "s" at its end'),
        ("d", 1, "1", ""),
        ("d", "1e3s", ..., ""),
        ("d", "5m", ..., "; the only unit is seconds"),
        ("d", "PT5S", ..., ""),
    ],
)
async def test_other_spellings_are_refused_with_a_sample_of_the_right_one(make_stage, field, value, shown, why):
    stage = await make_stage(PROTO)
    shown = f'"{value}"' if shown is ... else shown
    told = f"arguments: /{field} must be {SAMPLES[field]}, got {shown}{why}"
    assert await stage.refusal(RPC, {field: value}) == f"INVALID_ARGUMENT: {told}"
    assert stage.requests(RPC) == []
