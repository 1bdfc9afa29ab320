"""Replies with values that JSON cannot say, or that are no message at all."""

import pytest

PROTO = """
message Sub { int32 n = 1; }
message R { google.protobuf.Any a = 1; string note = 2; google.protobuf.Timestamp t = 3; google.protobuf.Duration d = 4;
            google.protobuf.Value v = 5; R in = 6; int32 count = 7; repeated string xs = 8; optional int32 o = 9;
            oneof p { string pa = 10; int32 pb = 11; } repeated google.protobuf.Timestamp ts = 12; }
message Q {}
service S { rpc Get(Q) returns (R); }
"""
OLD = """
syntax = "proto2"; package old;
message R { optional string t = 1; optional string note = 2; map<string, string> m = 3; }
message Q {}
service S { rpc Get(Q) returns (R); }
"""
RPC = "t.S/Get"
URL = "type.googleapis.com/t.Sub"
FAR = "type.googleapis.com/far.Away"
LAST = "9999-12-31T23:59:59.999999999Z"


@pytest.mark.parametrize(
    ("fields", "shown", "notes"),
    [
        ({"a": {"type_url": URL, "value": b"\x08\x05"}}, {"a": {"@type": URL, "n": 5}}, {}),
        ({"a": {}}, {"a": {}}, {}),
        (
            {"a": {"type_url": FAR, "value": b"\xff"}},
            {"a": {"@type": FAR, "value": "/w=="}},
            {"/a": f'holds "{FAR}", a type that the backend does not describe; its bytes are shown in base64'},
        ),
        (
            {"a": {"type_url": URL, "value": b"\xff\xff"}},
            {"a": {"@type": URL, "value": "//8="}},
            {"/a": f'holds bytes that are no "{URL}"; its bytes are shown in base64'},
        ),
        (
            {"t": {"seconds": 253402300800}},
            {"t": LAST},
            {"/t": "is no valid timestamp (253402300800 seconds, 0 nanoseconds); the nearest one is shown"},
        ),
        (
            {"t": {"nanos": -1}},
            {"t": "1969-12-31T23:59:59.999999999Z"},
            {"/t": "is no valid timestamp (0 seconds, -1 nanoseconds); the nearest one is shown"},
        ),
        (
            {"d": {"seconds": 1, "nanos": -1}},
            {"d": "0.999999999s"},
            {"/d": "is no valid duration (1 seconds, -1 nanoseconds); their sum is shown"},
        ),
        (
            {"v": {"number_value": float("inf")}, "ts": [{"seconds": 1}, {"seconds": 2**60}]},
            {"v": None, "ts": ["1970-01-01T00:00:01Z", LAST]},
            {
                "/ts/1": f"is no valid timestamp ({2**60} seconds, 0 nanoseconds); the nearest one is shown",
                "/v": "is Infinity, a number that JSON does not have; null is shown",
            },
        ),
    ],
)
async def test_a_value_that_json_cannot_say_is_shown_nearly_and_noted_and_the_rest_is_whole(
    make_stage, fields, shown, notes
):
    stage = await make_stage(PROTO)
    stage.backend.answers[RPC] = stage.make("t.R", note="ok", **fields)
    result = await stage.call(RPC, {})
    assert result["structuredContent"] == {**shown, "note": "ok"}
    texts = [block["text"] for block in result["content"][1:]]
    noted = result["_meta"].get("dev.propylon/notes", [])
    assert {note["at"]: note["problems"] for note in noted} == {at: [text] for at, text in notes.items()}
    lines = "\n".join(f"{at}: {text}" for at, text in notes.items())
    assert texts == ([f"not shown as the backend sent it:\n{lines}"] if notes else [])


async def test_what_is_not_set_is_not_told_and_what_is_set_to_zero_is(make_stage):
    stage = await make_stage(PROTO)
    stage.backend.answers[RPC] = b""
    assert await stage.structured(RPC, {}) == {}
    stage.backend.answers[RPC] = stage.make("t.R", o=0, pb=0)
    assert await stage.structured(RPC, {}) == {"o": 0, "pb": 0}


async def test_old_text_that_is_not_utf8_is_shown_with_replacements(make_stage):
    stage = await make_stage(PROTO, old=OLD)
    stage.backend.answers["old.S/Get"] = b"\x0a\x02\xff\xfe\x12\x02ok\x1a\x07\x0a\x02k\xfe\x12\x01v"
    result = await stage.call("old.S/Get", {})
    assert result["structuredContent"] == {"t": "\ufffd\ufffd", "note": "ok", "m": {"k\ufffd": "v"}}
    assert [note["at"] for note in result["_meta"]["dev.propylon/notes"]] == ["/m", "/t"]


def nest(levels):
    data = b"\x12\x02ok"
    for _ in range(levels):
        size = len(data)
        data = b"\x32" + (bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])) + data
    return data


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (b"\x12\x02\xff\xfe", "the reply holds a string that is not UTF-8"),
        (b"\x12\x05\xff", "the reply of 3 bytes is not a readable t.R"),
        (nest(101), "the reply nests deeper than 100 messages"),
        (nest(120), "the reply nests deeper than 100 messages"),
    ],
)
async def test_a_reply_that_is_no_message_is_the_backends_fault_and_explained_in_the_log(
    make_stage, caplog, reply, reason
):
    stage = await make_stage(PROTO)
    stage.backend.answers[RPC] = reply
    answer = await stage.post(stage.make_call(RPC, {}))
    error = answer.json["error"]
    (record,) = [record for record in caplog.records if record.name == "propylon.mcp"]
    reference = record.__dict__["reference"]
    assert (answer.status, error) == (
        200,
        {"code": -32603, "message": f"the backend's reply could not be read (reference {reference})"},
    )
    assert record.__dict__["reason"] == reason


@pytest.mark.parametrize("levels", [50, 99, 100])
async def test_a_reply_as_deep_as_protobuf_allows_is_delivered(make_stage, levels):
    stage = await make_stage(PROTO)
    stage.backend.answers[RPC] = nest(levels)
    answer = await stage.structured(RPC, {})
    for _ in range(levels):
        answer = answer["in"]
    assert answer == {"note": "ok"}
