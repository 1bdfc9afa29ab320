"""Content of replies: blocks of gateway.v1, and values whose media type is known."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from gateway.app.settings.model import Settings
from gateway.descriptors.rpc_facts import RpcEntry
from tests.end_to_end.typed_fields.conftest import HEAD

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PNG_TEXT = base64.b64encode(PNG).decode()

PROTO = (
    HEAD
    + """
message Q { string text = 1; }
message OnlyBlocks { repeated gateway.v1.ContentBlock blocks = 1; }
message Mixed { int32 count = 1; repeated gateway.v1.ContentBlock blocks = 2; }
message Picture {
  bytes image = 1 [(gateway.v1.field).media_type_field = "content_type"];
  string content_type = 2;
}
message Album {
  string title = 1;
  Picture cover = 2;
  repeated Picture pictures = 3;
  map<string, Picture> by_name = 4;
  google.protobuf.BytesValue sound = 5 [(gateway.v1.field).media_type = "audio/wav"];
  string drawing = 6 [(gateway.v1.field).media_type = "image/webp"];
  bytes notes = 7 [(gateway.v1.field).media_type = "text/plain; charset=utf-8"];
  bytes archive = 8;
  string markdown = 9 [(gateway.v1.field).media_type = "text/markdown"];
}
service S {
  rpc GetBlocks(Q) returns (OnlyBlocks);
  rpc GetMixed(Q) returns (Mixed);
  rpc GetAlbum(Q) returns (Album);
}
"""
)


def say_zip(settings: Settings) -> Settings:
    return replace(
        settings, rpcs=(RpcEntry(match="*/GetAlbum", facts={"media_types": {"archive": "application/zip"}}),)
    )


@pytest.fixture
async def stage(make_stage: Any) -> Any:
    return await make_stage(PROTO, settings=say_zip)


async def test_blocks_are_content_in_every_kind_and_with_annotations(stage: Any) -> None:
    blocks = [
        {"text": {"text": "hello"}},
        {"image": {"data": PNG, "mime_type": "image/png"}},
        {"audio": {"data": b"RIFF", "mime_type": "audio/wav"}},
        {
            "resource_link": {
                "uri": "file:///a",
                "name": "a",
                "title": "A",
                "description": "The A.",
                "mime_type": "text/plain",
                "size": 5,
            }
        },
        {"resource": {"uri": "file:///b", "mime_type": "text/plain", "text": "b"}},
        {
            "resource": {"mime_type": "application/zip", "blob": b"PK"},
            "annotations": {"audience": [1, 2], "priority": 0.5, "last_modified": {"seconds": 1}},
        },
    ]
    stage.backend.answers["t.S/GetBlocks"] = stage.make("t.OnlyBlocks", blocks=blocks)
    result = await stage.call("t.S/GetBlocks")
    assert result["content"] == [
        {"type": "text", "text": "hello"},
        {"type": "image", "data": PNG_TEXT, "mimeType": "image/png"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {
            "type": "resource_link",
            "uri": "file:///a",
            "name": "a",
            "title": "A",
            "description": "The A.",
            "mimeType": "text/plain",
            "size": 5,
        },
        {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "text/plain", "text": "b"}},
        {
            "type": "resource",
            "resource": {"uri": "grpc:///t.S/GetBlocks", "mimeType": "application/zip", "blob": "UEs="},
            "annotations": {
                "audience": ["user", "assistant"],
                "priority": 0.5,
                "lastModified": "1970-01-01T00:00:01Z",
            },
        },
    ]
    assert "structuredContent" not in result
    assert "outputSchema" not in stage.get_tool("t.S/GetBlocks")


async def test_a_reply_of_no_blocks_has_no_content(stage: Any) -> None:
    stage.backend.answers["t.S/GetBlocks"] = b""
    result = await stage.call("t.S/GetBlocks")
    assert (result["content"], result["resultType"]) == ([], "complete")


async def test_blocks_of_unknown_kinds_are_left_out_and_told(stage: Any) -> None:
    stage.backend.answers["t.S/GetBlocks"] = stage.make("t.OnlyBlocks", blocks=[{}, {"text": {"text": "b"}}])
    result = await stage.call("t.S/GetBlocks")
    assert result["content"] == [
        {"type": "text", "text": "b"},
        {
            "type": "text",
            "text": (
                "not shown as the backend sent it:\n/blocks/0: is of a kind that this gateway does not know; left out"
            ),
        },
    ]


async def test_blocks_stand_behind_the_value_and_are_no_part_of_it(stage: Any) -> None:
    stage.backend.answers["t.S/GetMixed"] = stage.make("t.Mixed", count=2, blocks=[{"text": {"text": "two"}}])
    result = await stage.call("t.S/GetMixed")
    assert result["structuredContent"] == {"count": 2}
    assert result["content"] == [{"type": "text", "text": '{"count":2}'}, {"type": "text", "text": "two"}]
    assert "blocks" not in stage.get_tool("t.S/GetMixed")["outputSchema"]["properties"]


async def test_a_reply_of_blocks_alone_repeats_no_empty_value(stage: Any) -> None:
    stage.backend.answers["t.S/GetMixed"] = stage.make("t.Mixed", blocks=[{"text": {"text": "two"}}])
    result = await stage.call("t.S/GetMixed")
    assert (result["structuredContent"], result["content"]) == ({}, [{"type": "text", "text": "two"}])


async def test_media_become_content_and_their_places_say_what_stood_there(stage: Any) -> None:
    picture = {"image": PNG, "content_type": "image/png"}
    stage.backend.answers["t.S/GetAlbum"] = stage.make(
        "t.Album",
        title="Trip",
        cover=picture,
        pictures=[picture, {"content_type": "image/png"}, {"image": b"GIF"}],
        by_name={"a/b": stage.make("t.Picture", **picture)},
        sound={"value": b"RIFF"},
        drawing="R0lG",
        notes="né".encode(),
        archive=b"PK",
        markdown="# x",
    )
    result = await stage.call("t.S/GetAlbum")
    shown = f"image/png, {len(PNG)} bytes, in the content of this result"
    assert result["structuredContent"] == {
        "title": "Trip",
        "cover": {"image": shown, "contentType": "image/png"},
        "pictures": [
            {"image": shown, "contentType": "image/png"},
            {"contentType": "image/png"},
            {"image": "application/octet-stream, 3 bytes, in the content of this result"},
        ],
        "byName": {"a/b": {"image": shown, "contentType": "image/png"}},
        "sound": "audio/wav, 4 bytes, in the content of this result",
        "drawing": "image/webp, 3 bytes, in the content of this result",
        "notes": "text/plain; charset=utf-8, 3 bytes, in the content of this result",
        "archive": "application/zip, 2 bytes, in the content of this result",
        "markdown": "# x",
    }
    image = {"type": "image", "data": PNG_TEXT, "mimeType": "image/png"}
    uri = "grpc:///t.S/GetAlbum#"

    def told(at: str, what: str) -> dict[str, str]:
        return {"type": "text", "text": f"{at}: {what} bytes"}

    def resource(at: str, media_type: str, blob: str) -> dict[str, Any]:
        return {"type": "resource", "resource": {"uri": uri + at, "mimeType": media_type, "blob": blob}}

    assert result["content"][1:] == [
        told("/sound", "audio/wav, 4"),
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        told("/drawing", "image/webp, 3"),
        {"type": "image", "data": "R0lG", "mimeType": "image/webp"},
        told("/notes", "text/plain, 3"),
        {"type": "text", "text": "né"},
        told("/archive", "application/zip, 2"),
        resource("/archive", "application/zip", "UEs="),
        told("/cover/image", f"image/png, {len(PNG)}"),
        image,
        told("/pictures/0/image", f"image/png, {len(PNG)}"),
        image,
        told("/pictures/2/image", "application/octet-stream, 3"),
        resource("/pictures/2/image", "application/octet-stream", "R0lG"),
        told("/byName/a~1b/image", f"image/png, {len(PNG)}"),
        image,
    ]


async def test_the_output_schema_says_that_media_stand_elsewhere(stage: Any) -> None:
    properties = stage.get_tool("t.S/GetAlbum")["outputSchema"]["properties"]
    assert properties["sound"] == {
        "type": "string",
        "description": "audio/wav: stands in the content of the result, here only its type and size",
    }
    assert properties["markdown"] == {"type": "string"}
    assert properties["archive"]["description"].startswith("application/zip: ")


async def test_text_that_its_charset_does_not_fit_is_mended_and_told(stage: Any) -> None:
    stage.backend.answers["t.S/GetAlbum"] = stage.make("t.Album", notes=b"a\xff")
    result = await stage.call("t.S/GetAlbum")
    assert result["content"][2:] == [
        {"type": "text", "text": "a\N{REPLACEMENT CHARACTER}"},
        {
            "type": "text",
            "text": (
                "not shown as the backend sent it:\n"
                "/notes: is not text in its charset; \N{REPLACEMENT CHARACTER} stands for what could not be read"
            ),
        },
    ]


async def test_a_reply_without_media_is_told_as_any_other(stage: Any) -> None:
    stage.backend.answers["t.S/GetAlbum"] = stage.make("t.Album", title="Trip")
    result = await stage.call("t.S/GetAlbum")
    assert result["content"] == [{"type": "text", "text": '{"title":"Trip"}'}]


async def test_content_over_the_limit_is_refused(make_stage: Any) -> None:
    def limit(settings: Settings) -> Settings:
        return replace(settings, limits=replace(settings.limits, result_bytes=2_000))

    stage = await make_stage(PROTO, settings=limit)
    stage.backend.answers["t.S/GetBlocks"] = stage.make(
        "t.OnlyBlocks", blocks=[{"image": {"data": b"x" * 2_000, "mime_type": "image/png"}}]
    )
    assert "over the gateway's limit of 2000 bytes" in await stage.refusal("t.S/GetBlocks")


async def test_text_that_should_be_base64_and_is_none_stays_and_is_told(stage: Any) -> None:
    stage.backend.answers["t.S/GetAlbum"] = stage.make("t.Album", drawing="<svg/>")
    result = await stage.call("t.S/GetAlbum")
    assert result["structuredContent"] == {"drawing": "<svg/>"}
    assert result["_meta"]["dev.propylon/notes"] == [
        {"at": "/drawing", "problems": ['is no base64, which it would have to be as "image/webp"']}
    ]


async def test_http_bodies_within_messages_and_in_streams_are_content_too(make_stage: Any) -> None:
    stage = await make_stage(
        """
import "google/api/httpbody.proto";
message Q {}
message Held { string name = 1; google.api.HttpBody body = 2; }
service S {
  rpc Hold(Q) returns (Held);
  rpc Stream(Q) returns (stream google.api.HttpBody);
}
"""
    )
    body = stage.make("google.api.HttpBody", content_type="image/png", data=PNG)
    stage.backend.answers["t.S/Hold"] = stage.make("t.Held", name="a", body=body)
    shown = {"contentType": "image/png", "data": f"image/png, {len(PNG)} bytes, in the content of this result"}
    image = {"type": "image", "data": PNG_TEXT, "mimeType": "image/png"}
    result = await stage.call("t.S/Hold", {})
    assert result["structuredContent"] == {"name": "a", "body": shown}
    assert result["content"][1:] == [{"type": "text", "text": f"/body/data: image/png, {len(PNG)} bytes"}, image]

    async def answer(_: Any, __: Any) -> Any:
        yield body.SerializeToString()
        yield body.SerializeToString()

    stage.backend.streams["t.S/Stream"] = answer
    result = await stage.call("t.S/Stream", {})
    assert result["structuredContent"] == {"messages": [shown, shown], "truncated": False}
    assert [block.get("text") for block in result["content"][1:]] == [
        f"/messages/0/data: image/png, {len(PNG)} bytes",
        None,
        f"/messages/1/data: image/png, {len(PNG)} bytes",
        None,
    ]
