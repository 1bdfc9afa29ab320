import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.mcp.methods.cursors import decode_cursor, encode_cursor


@given(st.text(max_size=80).filter(lambda text: text.isprintable()))
@settings(max_examples=50)
def test_a_cursor_gives_back_its_name(name: str) -> None:
    cursor = encode_cursor(name)
    assert decode_cursor(cursor) == name
    assert cursor.isascii()


@given(st.text(max_size=40))
@settings(max_examples=50)
def test_a_text_that_we_did_not_make_is_no_cursor(text: str) -> None:
    name = decode_cursor(text)
    assert name is None or encode_cursor(name).rstrip("=") == text.rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    ["x", "=", "AAAA", "é", "MQ==", base64.b64encode(b"\x02aaaabcd").decode(), "A" * 3000, encode_cursor("echo")[:-2]],
)
def test_a_broken_cursor_is_none(cursor: str) -> None:
    assert decode_cursor(cursor) is None


def test_a_changed_cursor_is_none() -> None:
    cursor = encode_cursor("shop_get_order")
    swapped = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    assert decode_cursor(swapped) is None
