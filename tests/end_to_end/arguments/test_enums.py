import pytest

PROTO = """
enum C { C_UNSPECIFIED = 0; RED = 1; GREEN = 2; }
message M { C c = 1; repeated C cs = 2; map<string, C> cm = 3; google.protobuf.NullValue n = 4; }
service S { rpc Echo(M) returns (M); }
"""
RPC = "t.S/Echo"
NAMES = 'must be one of "RED", "GREEN"'


@pytest.mark.parametrize(("value", "shown"), [("RED", "RED"), (1, "RED"), (1.0, "RED"), (99, 99), (-1, -1)])
async def test_names_and_numbers_are_taken(make_stage, value, shown):
    stage = await make_stage(PROTO)
    assert await stage.structured(RPC, {"c": value, "cs": [value], "cm": {"k": value}}) == {
        "c": shown,
        "cs": [shown],
        "cm": {"k": shown},
    }


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"c": "red"}, f'/c {NAMES}, got "red"; did you mean "RED"?'),
        ({"c": "PURPLE"}, f'/c {NAMES}, got "PURPLE"'),
        ({"c": "1"}, f'/c {NAMES}, got "1"'),
        ({"c": True}, f"/c {NAMES} or a 32-bit integer, got true"),
        ({"c": 1.5}, f"/c {NAMES} or a 32-bit integer, got 1.5"),
        ({"c": 2**40}, f"/c {NAMES} or a 32-bit integer, got 1099511627776"),
        ({"cs": ["RED", "x"]}, f'/cs/1 {NAMES}, got "x"'),
        ({"cm": {"k": "x"}}, f'/cm/k {NAMES}, got "x"'),
        ({"n": "null"}, '/n must be null, got "null"'),
    ],
)
async def test_everything_else_is_refused_by_its_place_with_the_names_that_are_offered(make_stage, arguments, told):
    stage = await make_stage(PROTO)
    assert await stage.refusal(RPC, arguments) == f"INVALID_ARGUMENT: arguments: {told}"
    assert stage.requests(RPC) == []


async def test_arguments_are_offered_the_names_worth_choosing_and_no_list_of_types(make_stage):
    stage = await make_stage(PROTO)
    properties = stage.get_tool(RPC)["inputSchema"]["properties"]
    assert properties["c"] == {"type": "string", "enum": ["RED", "GREEN"]}
    assert properties["n"] == {"type": "null"}
