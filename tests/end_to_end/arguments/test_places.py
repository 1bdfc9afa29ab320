"""Where a fault lies, and what would be right: the two things that a model needs to mend its call."""

import pytest

PROTO = """
message Order { repeated Line lines = 1; }
message Line { Money price = 1; string sku = 2; }
message Money { int64 units = 1; }
message Del { string filter = 1; bool dry_run = 2; Sub sub = 3; map<int32, string> m = 4; bytes data = 5; }
message Sub { int32 n = 1; }
message J { Sub sub = 1; repeated int32 xs = 2; string text = 3; }
service S { rpc DoOrder(Order) returns (Order); rpc DoDel(Del) returns (Del); rpc DoJ(J) returns (J); }
"""


async def test_every_fault_of_a_deep_argument_is_told_by_its_place(make_stage):
    stage = await make_stage(PROTO)
    lines = [{"price": {"units": "1"}, "sku": "s"} for _ in range(6)]
    lines[3]["price"] = {"units": "abc"}
    lines[5]["sku"] = 7
    assert await stage.refusal("t.S/DoOrder", {"lines": lines}) == (
        'INVALID_ARGUMENT: arguments: /lines/3/price/units must be an integer, got "abc" (and 1 more)\n'
        '/lines/3/price/units: must be an integer, got "abc"\n'
        "/lines/5/sku: must be a string, got 7"
    )
    assert stage.requests("t.S/DoOrder") == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"fliter": "x"}, "/fliter is not a field of this message; did you mean `filter`?"),
        ({"sub": {"a": 1}}, "/sub/a is not a field of this message; it has `n`"),
        ({"dry_run": True, "dryRun": True}, "/dryRun is the same field as `dry_run`; give it once"),
        (
            {"m": {"x": "a"}},
            '/m must have keys that are integers from -2147483648 to 2147483647, got the key "x"',
        ),
        ({"data": "a b"}, '/data must be bytes in base64, standard or URL-safe but not mixed, got "a b"'),
    ],
)
async def test_a_wrong_name_or_key_is_told_with_the_right_ones(make_stage, arguments, told):
    stage = await make_stage(PROTO)
    assert await stage.refusal("t.S/DoDel", arguments) == f"INVALID_ARGUMENT: arguments: {told}"
    assert stage.requests("t.S/DoDel") == []


@pytest.mark.parametrize("name", ["dry_run", "dryRun"])
async def test_both_names_of_a_field_are_taken(make_stage, name):
    stage = await make_stage(PROTO)
    assert await stage.structured("t.S/DoDel", {"filter": "x", name: True}) == {"filter": "x", "dryRun": True}


async def test_json_in_a_string_is_text_and_never_a_structure(make_stage):
    stage = await make_stage(PROTO)
    for text in ('{"n":1}', "123", "null", ""):
        await stage.call("t.S/DoJ", {"text": text})
        assert stage.received("t.S/DoJ", "t.J").text == text
    told = "itself, not JSON text inside a string, got"
    assert await stage.refusal("t.S/DoJ", {"sub": '{"n":1}', "xs": "[1,2]", "text": 123}) == (
        f'INVALID_ARGUMENT: arguments: /sub must be an object {told} "{{\\"n\\":1}}" (and 2 more)\n'
        f'/sub: must be an object {told} "{{\\"n\\":1}}"\n'
        "/text: must be a string, got 123\n"
        f'/xs: must be an array {told} "[1,2]"'
    )
    assert stage.requests("t.S/DoJ") == []


async def test_a_body_over_the_limit_is_refused_before_it_is_read(make_stage):
    stage = await make_stage(PROTO)
    answer = await stage.post(stage.make_call("t.S/DoDel", {"filter": "x" * 5_000_000}))
    assert (answer.status, answer.json["error"]["code"]) == (413, -32600)
    assert stage.requests("t.S/DoDel") == []
