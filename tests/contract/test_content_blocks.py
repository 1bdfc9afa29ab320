import base64

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.content_blocks import (
    Content,
    count_base64_bytes,
    is_text_type,
    make_attached_content,
    make_content,
)
from gateway.contract.tool_results import tool_success
from gateway.contract.validation import load_protocol_schema

RESULT = jsonschema_rs.Draft202012Validator(
    load_protocol_schema("2026-07-28") | {"$ref": "#/$defs/CallToolResult"}, offline=True
)
URI = "grpc:///shop.v1.Shop/Get"


def text(shown, *, is_exact=True):
    return Content(blocks=({"type": "text", "text": shown},), is_exact=is_exact)


@pytest.mark.parametrize(
    ("content_type", "data", "content"),
    [
        ("text/plain", "hello é".encode(), text("hello é")),
        ("TEXT/HTML; charset=UTF-8", b"<p>", text("<p>")),
        ("text/plain; charset=iso-8859-1", b"caf\xe9", text("café")),
        ('text/plain; format=flowed; charset="windows-1252"', b"\x80", text("€")),
        ("text/plain; charset=utf-16", "é".encode("utf-16"), text("é")),
        ("text/plain; charset=idna", "é".encode(), text("é")),
        ("application/json", b'{"a":1}', text('{"a":1}')),
        ("application/problem+json", b"{}", text("{}")),
        ("image/svg+xml", b"<svg/>", text("<svg/>")),
        ("text/plain", b"", text("")),
        ("text/plain", b"caf\xe9!", text("caf\ufffd!", is_exact=False)),
        ("text/plain; charset=us-ascii", b"\xff", text("\ufffd", is_exact=False)),
    ],
)
def test_text_is_decoded_by_its_charset(content_type, data, content):
    assert make_content(content_type, data, uri=URI) == content


@pytest.mark.parametrize(("media_type", "kind"), [("image/png", "image"), ("audio/wav", "audio")])
def test_images_and_sound_have_blocks_of_their_own(media_type, kind):
    assert make_content(media_type, b"\x00\x01", uri=URI).blocks == (
        {"type": "text", "text": f"{media_type}, 2 bytes"},
        {"type": kind, "data": "AAE=", "mimeType": media_type},
    )


@pytest.mark.parametrize(
    ("content_type", "media_type"),
    [
        ("application/pdf", "application/pdf"),
        ("application/octet-stream", "application/octet-stream"),
        ("", "application/octet-stream"),
        ("nonsense", "application/octet-stream"),
        ("image/png\nx: y", "application/octet-stream"),
        ("a" * 200 + "/b", "application/octet-stream"),
    ],
)
def test_everything_else_is_a_resource(content_type, media_type):
    assert make_content(content_type, b"\xff", uri=URI).blocks == (
        {"type": "text", "text": f"{media_type}, 1 bytes"},
        {"type": "resource", "resource": {"uri": URI, "mimeType": media_type, "blob": "/w=="}},
    )


TYPES = st.sampled_from(["text/plain", "text/plain; charset=utf-16", "image/png", "application/x"]) | st.text()


@given(TYPES, st.binary())
def test_any_content_is_a_result_of_the_protocol_and_comes_through(content_type, data):
    content = make_content(content_type, data, uri=URI)
    first, *others = content.blocks
    assert RESULT.is_valid(tool_success(None, first["text"], extra_content=others))
    if others:
        block = others[0]
        assert base64.b64decode(block.get("data") or block["resource"]["blob"]) == data


@given(st.binary(max_size=60), st.sampled_from(["image/png", "text/plain", "application/zip", "no type"]))
def test_attached_content_is_the_same_content_behind_its_place(data, content_type):
    encoded = base64.b64encode(data).decode()
    assert count_base64_bytes(encoded) == len(data)
    attached = make_attached_content("/a/0", content_type, encoded, uri="grpc:///t.S/Do#/a/0")
    told, *blocks = attached.blocks
    content = make_content(content_type, data, uri="grpc:///t.S/Do#/a/0")
    assert attached.is_exact is content.is_exact
    assert blocks == [block for block in content.blocks if is_text_type(content_type) or block["type"] != "text"]
    assert told["text"].startswith("/a/0: ")
    assert told["text"].endswith(f", {len(data)} bytes")
