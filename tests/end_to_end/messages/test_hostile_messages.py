"""Messages that are meant to break a reader, over both fronts, each followed by a good one."""

import orjson
import pytest

PROTO = """
message S { string t = 1; map<string, string> m = 2; google.protobuf.Struct st = 3; google.protobuf.Any any = 4;
            google.protobuf.FieldMask mask = 5; google.protobuf.Value v = 6; }
service T { rpc Echo(S) returns (S); }
"""
RPC = "t.T/Echo"

HALF = b"\\ud800"
DEEP = b"[" * 20_000 + b"]" * 20_000
TOO_DEEP = "the body nests deeper than the 100 levels that are taken"
TOO_LARGE = "the body holds a number beyond the range of a double (about 1.8e308)"


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (DEEP, -32700, TOO_DEEP),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":%s}}' % DEEP, -32700, TOO_DEEP),
        (b'{"jsonrpc":"2.0","id":1,"method":"a","params":%s1%s}' % (b'{"a":' * 200, b"}" * 200), -32600, "the message"),
        (b'{"jsonrpc":"2.0","id":%s,"method":"tools/list"}' % (b"9" * 5000), -32700, TOO_LARGE),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/list"}', -32600, "request: /id must hold whole characters"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', -32600, "request: /id must be "),
        (b'{"jsonrpc":"2.0","id":1,"method":"a\xff"}', -32700, "the body is not UTF-8 text: byte 35 is 0xff"),
        (b"\xef\xbb\xbf{}", -32700, "the body is not JSON: "),
        (b"[]", -32600, "batches are not supported; send each message on its own"),
        (b"null", -32600, "a message must be a JSON object, got null"),
        (b"{}", -32600, "request: /id is required (and 2 more)"),
    ],
)
async def test_what_is_no_message_is_refused_without_an_id_and_the_next_one_answered(make_stage, body, code, message):
    stage = await make_stage(PROTO)
    answer = await stage.post(body)
    refused = [answer.json]
    assert answer.status == 400
    first, second = await stage.talk(body, stage.make_call("plain.Plain/Say", {"text": "next"}))
    assert second["result"]["structuredContent"] == {"text": "next"}
    for envelope in [*refused, first]:
        assert envelope.keys() == {"jsonrpc", "error"}
        assert envelope["error"]["code"] == code
        assert envelope["error"]["message"].startswith(message)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (b'{"t":"@"}', '/t must be text without lone surrogates, got "\\ud800"'),
        (b'{"@":1}', "/\\ud800 is not a field of this message; it has `t`, `m`, `st`, `any`, `mask`, `v`"),
        (b'{"m":{"@":"x"}}', '/m must have keys without lone surrogates, got the key "\\ud800"'),
        (b'{"m":{"x":"a@b"}}', '/m/x must be text without lone surrogates, got "a\\ud800b"'),
        (b'{"st":{"k@":1}}', '/st/k\\ud800 must be text without lone surrogates, got "k\\ud800"'),
        (b'{"v":[{"k":"@"}]}', '/v/0/k must be text without lone surrogates, got "\\ud800"'),
        (b'{"any":{"@type":"x/@","value":""}}', '/any/@type must be text without lone surrogates, got "x/\\ud800"'),
        (b'{"mask":"@"}', '/mask must be camelCase field paths such as "displayName,address.city", got "\\ud800"'),
        (b'{"[@]":1}', "/[\\ud800] is not a field of this message; it has `t`, `m`, `st`, `any`, `mask`, `v`"),
    ],
)
async def test_half_of_a_character_in_an_argument_is_told_by_its_place(make_stage, arguments, told):
    stage = await make_stage(PROTO)
    request = stage.make_call(RPC, {"x": "x"})
    written = {b'{"x":"x"}': arguments.replace(b"@type", b"#").replace(b"@", HALF).replace(b"#", b"@type")}
    body = orjson.dumps(request).replace(*next(iter(written.items())))
    for envelope in ((await stage.post_raw(request, written)).json, *await stage.talk(body)):
        assert envelope["id"] == request["id"]
        assert envelope["result"]["content"][0]["text"] == f"INVALID_ARGUMENT: arguments: {told}"
    assert stage.requests(RPC) == []


@pytest.mark.parametrize(
    ("method", "params", "code", "message"),
    [
        ("tools/call", b'{"name":"x@","_meta":M}', -32602, 'Unknown tool: "x\\ud800"'),
        ("tools/list", b'{"cursor":"@","_meta":M}', -32602, 'cursor "\\ud800" is not one that tools/list gave; start'),
        (
            "tools/@",
            b'{"_meta":M}',
            -32601,
            'Method not found: "tools/\\ud800"',
        ),
        ("tools/call", b'{"name":5,"@":1,"_meta":M}', -32602, "request: /params/name must be a string, got 5"),
    ],
)
async def test_half_of_a_character_elsewhere_is_answered_under_the_id(make_stage, method, params, code, message):
    stage = await make_stage(PROTO)
    request = stage.make_request("tools/list")
    meta = orjson.dumps(request["params"]["_meta"])
    line = b'{"jsonrpc":"2.0","id":7,"method":"' + method.encode() + b'","params":' + params.replace(b"M", meta) + b"}"
    first, second = await stage.talk(line.replace(b"@", HALF), request)
    assert (first["id"], first["error"]["code"]) == (7, code)
    assert first["error"]["message"].startswith(message)
    assert second["result"]["tools"]


async def test_metadata_that_is_no_text_stays_behind(make_stage):
    stage = await make_stage(PROTO)
    request = stage.make_call(RPC, {"t": "x"})
    request["params"]["_meta"] = {
        **request["params"]["_meta"],
        "traceparent": "@",
        "tracestate": "a=@",
        "baggage": "@",
        "com.example/@": "@",
    }
    answer = await stage.post_raw(request, {b"@": HALF})
    assert answer.json["result"]["structuredContent"] == {"t": "x"}
    (call,) = [call for call in stage.backend.calls if call.rpc == RPC]
    assert call.metadata.keys() <= {"user-agent", "grpc-accept-encoding"}
