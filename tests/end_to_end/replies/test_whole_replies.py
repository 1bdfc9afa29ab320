"""Replies that are no object of fields: content, lists, scalars, nothing."""

import base64

import pytest

from tests.end_to_end.stage import complete_proto

PROTO = complete_proto("""
import "google/api/httpbody.proto";
message Q {}
message None {}
service S {
  rpc Body(Q) returns (google.api.HttpBody);
  rpc List(Q) returns (google.protobuf.ListValue);
  rpc Text(Q) returns (google.protobuf.StringValue);
  rpc Value(Q) returns (google.protobuf.Value);
  rpc Time(Q) returns (google.protobuf.Timestamp);
  rpc Struct(Q) returns (google.protobuf.Struct);
  rpc Ping(google.protobuf.Empty) returns (google.protobuf.Empty);
  rpc Do(None) returns (None);
}
""")


async def answer_with_body(stage, content_type, data):
    stage.backend.answers["t.S/Body"] = stage.make("google.api.HttpBody", content_type=content_type, data=data)
    result = await stage.call("t.S/Body", {})
    assert "structuredContent" not in result
    return result["content"]


async def test_content_is_told_by_its_media_type(make_stage):
    stage = await make_stage(PROTO)
    assert "outputSchema" not in stage.get_tool("t.S/Body")
    assert await answer_with_body(stage, "text/plain", "hello é".encode()) == [{"type": "text", "text": "hello é"}]
    pixel = base64.b64encode(b"\x89PNG\r\n").decode()
    assert await answer_with_body(stage, "image/png", b"\x89PNG\r\n") == [
        {"type": "text", "text": "image/png, 6 bytes"},
        {"type": "image", "data": pixel, "mimeType": "image/png"},
    ]
    assert await answer_with_body(stage, "application/x-thing", b"\x00") == [
        {"type": "text", "text": "application/x-thing, 1 bytes"},
        {
            "type": "resource",
            "resource": {"uri": "grpc:///t.S/Body", "mimeType": "application/x-thing", "blob": "AA=="},
        },
    ]
    assert await answer_with_body(stage, "text/plain", b"caf\xe9") == [
        {"type": "text", "text": "caf\ufffd"},
        {
            "type": "text",
            "text": "not shown as the backend sent it:\n"
            "is not text in its charset; \ufffd stands for what could not be read",
        },
    ]
    stage.backend.answers["t.S/Body"] = stage.make("google.api.HttpBody", data=b"x" * 10_000_000)
    assert (await stage.refusal("t.S/Body", {})).startswith("RESOURCE_EXHAUSTED: the reply of 10000005 bytes is larger")


@pytest.mark.parametrize(
    ("method", "type_name", "fields", "text"),
    [
        ("List", "ListValue", {"values": [{"null_value": 0}, {"bool_value": True}]}, "[null,true]"),
        ("Text", "StringValue", {"value": "é"}, '"é"'),
        ("Value", "Value", {"string_value": "x"}, '"x"'),
        ("Value", "Value", {"struct_value": {}}, "{}"),
        ("Time", "Timestamp", {"seconds": 1}, '"1970-01-01T00:00:01Z"'),
    ],
)
async def test_what_is_no_object_is_text_alone_and_has_no_output_schema(make_stage, method, type_name, fields, text):
    stage = await make_stage(PROTO)
    stage.backend.answers[f"t.S/{method}"] = stage.make(f"google.protobuf.{type_name}", **fields)
    result = await stage.call(f"t.S/{method}", {})
    assert result["content"] == [{"type": "text", "text": text}]
    assert "structuredContent" not in result
    assert "outputSchema" not in stage.get_tool(f"t.S/{method}")


async def test_nothing_is_an_empty_object_both_ways(make_stage):
    stage = await make_stage(PROTO)
    for rpc in ("t.S/Ping", "t.S/Do"):
        assert stage.get_tool(rpc)["inputSchema"] == {"type": "object", "properties": {}, "additionalProperties": False}
        result = await stage.call(rpc, {})
        assert (result["structuredContent"], result["content"]) == ({}, [{"type": "text", "text": "{}"}])


async def test_every_output_schema_is_of_an_object(make_stage):
    stage = await make_stage(PROTO)
    schemas = [tool["outputSchema"] for tool in await stage.list_tools() if "outputSchema" in tool]
    assert {schema["type"] for schema in schemas} == {"object"}
    assert {schema.get("$schema") for schema in schemas} == {None}
