PROTO = """
message Sub { int32 n = 1; map<string, string> m = 2; }
message A { google.protobuf.Any any = 1; }
service S { rpc Echo(A) returns (A); }
"""
RPC = "t.S/Echo"
URL = "type.googleapis.com/t.Sub"
TOLD = "INVALID_ARGUMENT: arguments:"


async def test_equal_arguments_are_sent_as_equal_bytes(make_stage):
    stage = await make_stage(PROTO)
    members = {str(number): "x" for number in range(50)}
    for m in (members, dict(reversed(members.items()))):
        await stage.call(RPC, {"any": {"@type": URL, "n": 5, "m": m}})
    first, second = stage.requests(RPC)
    assert first == second


async def test_what_it_cannot_hold_is_refused_with_what_would_be_right(make_stage):
    stage = await make_stage(PROTO)
    sample = 'the URL of the type that it holds, such as "type.googleapis.com/package.Message"'
    assert await stage.refusal(RPC, {"any": {"n": 1}}) == f'{TOLD} /any needs "@type", {sample}'
    assert await stage.refusal(RPC, {"any": {"@type": "t.Sub", "n": 1}}) == (
        f'{TOLD} /any/@type must be the URL of a type, got "t.Sub"; did you mean "{URL}"?'
    )
    assert await stage.refusal(RPC, {"any": {"@type": "x/nope.Y", "n": 1}}) == (
        f'{TOLD} /any/@type is "x/nope.Y", a type that the backend does not describe; its bytes can be given as base64 '
        'in "value"'
    )
    assert stage.requests(RPC) == []
