import pytest

PROTO = """
message N { int64 a = 1; uint64 b = 2; int32 c = 3; double d = 4; float e = 5; fixed64 f = 6; }
service S { rpc Echo(N) returns (N); }
"""
RPC = "t.S/Echo"


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (
            {"a": "9007199254740993", "b": "18446744073709551615", "c": -1, "d": "NaN", "e": 1.5, "f": "0"},
            {"a": "9007199254740993", "b": "18446744073709551615", "c": -1, "d": "NaN", "e": 1.5},
        ),
        ({"a": 5}, {"a": "5"}),
        ({"a": 9007199254740993}, {"a": "9007199254740993"}),
        ({"b": 18446744073709551615}, {"b": "18446744073709551615"}),
        ({"c": 1e2, "a": 7.0}, {"c": 100, "a": "7"}),
        ({"d": 1e308, "e": 0.1}, {"d": 1e308, "e": 0.1}),
        ({}, {}),
    ],
)
async def test_every_exact_number_arrives_as_it_is(make_stage, arguments, answer):
    stage = await make_stage(PROTO)
    assert await stage.structured(RPC, arguments) == answer
    assert "required" not in stage.get_tool(RPC)["inputSchema"]


@pytest.mark.parametrize(
    ("name", "written", "told"),
    [
        ("a", b"9223372036854775808", "an integer from -9223372036854775808 to 9223372036854775807, got {}"),
        ("b", b"-1", "an integer from 0 to 18446744073709551615, got {}"),
        ("b", b"18446744073709551616", "an integer from 0 to 18446744073709551615, got 1.8446744073709552e+19"),
        ("c", b"2147483648", "an integer from -2147483648 to 2147483647, got {}"),
        ("c", b"1.5", "an integer, got {}"),
        ("c", b"true", "an integer, got {}"),
        ("a", b'"1_0"', "an integer, got {}"),
        ("a", b'"+7"', "an integer, got {}"),
        ("d", b'"1,5"', "a number, got {}"),
        ("e", b"1e+39", "a number that fits 32-bit floating point (at most 3.4028235e38), got {}"),
        (
            "c",
            b'"' + b"9" * 5000 + b'"',
            f'an integer from -2147483648 to 2147483647, got "{"9" * 62}…" (5000 characters)',
        ),
    ],
)
async def test_every_other_number_is_refused(make_stage, name, written, told):
    stage = await make_stage(PROTO)
    request = stage.make_call(RPC, {name: "@"})
    answer = await stage.post_raw(request, {b'"@"': written})
    text = answer.json["result"]["content"][0]["text"]
    assert text == f"INVALID_ARGUMENT: arguments: /{name} must be {told.format(written.decode())}"
    assert stage.requests(RPC) == []


@pytest.mark.parametrize("written", [b"1e999", b"9" * 5000, b"-1e400"])
async def test_a_number_that_no_reader_of_json_can_hold_is_no_message(make_stage, written):
    stage = await make_stage(PROTO)
    answer = await stage.post_raw(stage.make_call(RPC, {"d": "@"}), {b'"@"': written})
    assert (answer.status, answer.json["error"]["code"]) == (400, -32700)
    assert answer.json["error"]["message"].startswith("the body holds a number beyond the range of a double")
    assert stage.requests(RPC) == []
