import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.mcp.mirroring.values import decode_header_value


def encode(value: str) -> str:
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("us-west1", "us-west1"),
        ("", ""),
        ("a\tb", "a\tb"),
        ("SGVsbG8=", "SGVsbG8="),
        ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
        ("SGVsbG8=?=", "SGVsbG8=?="),
        ("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
        ("=?base64?=", "=?base64?="),
        ("=?base64?SGVsbG8=?=", "Hello"),
        ("=?base64??=", ""),
        ("=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"),
        ("=?base64?IHBhZGRlZCA=?=", " padded "),
        ("=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"),
        ("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="),
    ],
)
def test_a_header_stands_for_itself_unless_both_markers_are_there(header: str, value: str) -> None:
    assert decode_header_value(header) == value


@pytest.mark.parametrize(
    "header",
    [
        "=?base64?SGVsbG8?=",  # no padding
        "=?base64?SGVs!!!bG8=?=",
        "=?base64?SGVsbG9=?=",  # stray bits
        "=?base64?/w==?=",  # not UTF-8
        "=?base64?SGVs bG8=?=",
        "=?base64?é?=",
        "café",
        "a\x00b",
        "a\x7fb",
    ],
)
def test_what_no_client_may_send_is_malformed(header: str) -> None:
    assert decode_header_value(header) is None


@given(st.text(max_size=40))
@settings(max_examples=50)
def test_every_text_survives_the_base64_form(value: str) -> None:
    assert decode_header_value(encode(value)) == value


@given(st.text(st.characters(max_codepoint=255), max_size=60))
@settings(max_examples=50)
def test_no_header_is_too_odd_to_be_judged(header: str) -> None:
    value = decode_header_value(header)
    assert value is None or value == header or encode(value) == header
