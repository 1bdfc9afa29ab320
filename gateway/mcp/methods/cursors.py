"""Cursors: where a page of a list ended, as text that only this gateway reads, any replica of it.

A cursor holds the name of the last entry of its page and nothing else. Lists are in the order of names, so the next
page begins behind that name, whether or not the entry is still there: through a reload nothing comes twice, and
nothing is missed that stayed. Source: MCP 2026-07-28, server/utilities/pagination.
"""

import base64
import binascii
import zlib

_FORMAT = b"\x01"
_CHECKSUM_BYTES = 4
_LIMIT_CHARACTERS = 2048


def encode_cursor(last_name: str) -> str:
    """The cursor of the page that begins behind this name."""
    name = last_name.encode()
    return base64.urlsafe_b64encode(_FORMAT + _checksum(name) + name).rstrip(b"=").decode()


def decode_cursor(cursor: str) -> str | None:
    """The name in a cursor, or None where it is not one of `encode_cursor`.

    The checksum is against accidents, not against attackers: a cursor opens nothing.
    """
    if len(cursor) > _LIMIT_CHARACTERS or not cursor.isascii():
        return None
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        head, name = raw[: 1 + _CHECKSUM_BYTES], raw[1 + _CHECKSUM_BYTES :]
        return name.decode() if head == _FORMAT + _checksum(name) else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def _checksum(name: bytes) -> bytes:
    return zlib.crc32(name).to_bytes(_CHECKSUM_BYTES, "big")
