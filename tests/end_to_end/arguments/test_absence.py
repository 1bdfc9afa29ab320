import pytest

PROTO = """
message Sub { int32 n = 1; }
message Z {
  oneof pick { string a = 1; int32 b = 2; }
  optional int32 o = 3; Sub s = 4; repeated int32 r = 5; map<string, int64> m = 6;
  repeated google.protobuf.Value rv = 7; google.protobuf.Value v = 8; google.protobuf.Int32Value w = 9;
  google.protobuf.NullValue n = 10;
}
service S { rpc Echo(Z) returns (Z); }
"""
RPC = "t.S/Echo"


async def test_null_is_not_set_but_where_it_is_a_value(make_stage):
    stage = await make_stage(PROTO)
    nulls = dict.fromkeys(("a", "o", "s", "r", "m", "w", "n"))
    assert await stage.structured(RPC, {**nulls, "b": 1}) == {"b": 1}
    assert stage.received(RPC, "t.Z") == stage.make("t.Z", b=1)
    assert await stage.structured(RPC, {"rv": [None], "v": None}) == {"rv": [None], "v": None}


async def test_null_among_items_and_entries_is_refused_by_its_place(make_stage):
    stage = await make_stage(PROTO)
    told = "INVALID_ARGUMENT: arguments:"
    assert await stage.refusal(RPC, {"r": [1, None]}) == f"{told} /r/1 must be an integer, got null"
    assert await stage.refusal(RPC, {"m": {"k": None}}) == f"{told} /m/k must be an integer, got null"
    assert stage.requests(RPC) == []


async def test_two_members_of_a_oneof_are_refused_naming_both(make_stage):
    stage = await make_stage(PROTO)
    assert await stage.refusal(RPC, {"a": "x", "b": 1}) == (
        "INVALID_ARGUMENT: arguments: takes only one of `a` and `b`; they exclude each other"
    )


@pytest.mark.parametrize("arguments", [{}, {"arguments": None}, {"arguments": {}}])
async def test_no_arguments_are_an_empty_message(make_stage, arguments):
    stage = await make_stage(PROTO)
    request = stage.make_call(RPC)
    request["params"] |= arguments
    assert (await stage.answer(request))["result"]["structuredContent"] == {}
    assert stage.requests(RPC) == [b""]


@pytest.mark.parametrize(("arguments", "shown"), [([], "[]"), ("x", '"x"'), (5, "5"), (True, "true")])
async def test_arguments_that_are_no_object_are_an_error_of_the_protocol_and_no_call(make_stage, arguments, shown):
    stage = await make_stage(PROTO)
    answer = await stage.post(stage.make_call(RPC, arguments))
    message = f"request: /params/arguments must be an object, got {shown}"
    assert (answer.status, answer.json["error"]["code"], answer.json["error"]["message"]) == (400, -32602, message)
    assert stage.requests(RPC) == []


async def test_a_list_for_a_message_is_refused(make_stage):
    stage = await make_stage(PROTO)
    assert await stage.refusal(RPC, {"s": []}) == "INVALID_ARGUMENT: arguments: /s must be an object, got []"
    assert stage.requests(RPC) == []


async def test_what_is_set_to_zero_is_told_and_what_is_not_set_is_not(make_stage):
    stage = await make_stage(PROTO)
    stage.backend.answers[RPC] = b""
    assert await stage.structured(RPC, {}) == {}
    stage.backend.answers[RPC] = stage.make("t.Z", o=0, b=0, v={"null_value": 0}, w={})
    assert await stage.structured(RPC, {}) == {"o": 0, "b": 0, "v": None, "w": 0}
