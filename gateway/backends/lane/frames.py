"""Frames of HTTP/2 (RFC 9113 sections 4 and 6): their head, their kinds, and those that are sent whole."""

import struct
from typing import Final

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE = 0x0, 0x1, 0x3, 0x4, 0x5
PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0x6, 0x7, 0x8, 0x9

END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY = 0x1, 0x1, 0x4, 0x8, 0x20

# Settings, section 6.5.2.
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS = 0x1, 0x2, 0x3
INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = 0x4, 0x5, 0x6

# Error codes, section 7.
CANCEL, REFUSED_STREAM = 0x8, 0x7

HEAD_BYTES: Final = 9
# What every peer takes before it has said anything, and what this side takes for good.
FRAME_BYTES: Final = 16_384
WINDOW_BYTES: Final = 65_535
LIMIT_WINDOW_BYTES: Final = 2**31 - 1
LIMIT_STREAM_ID: Final = 2**31 - 1

# The length as its upper two octets and the lower one, then kind, flags, stream.
read_head = struct.Struct(">HBBBI").unpack_from
_pack_head = struct.Struct(">HBBBI").pack
_pack_message_head = struct.Struct(">BI").pack
_pack_setting = struct.Struct(">HI").pack
_pack_number = struct.Struct(">I").pack


class FrameError(ValueError):
    """A frame that cannot be read."""


def make_frame(kind: int, payload: bytes, *, flags: int = 0, stream_id: int = 0) -> bytes:
    """One frame."""
    length = len(payload)
    return _pack_head(length >> 8, length & 0xFF, kind, flags, stream_id) + payload


def make_request(stream_id: int, block: bytes, message: bytes) -> bytes:
    """A whole unary request: its headers, and its one message as gRPC frames it, which ends the stream."""
    headers, length = len(block), len(message)
    body = length + 5
    return b"".join(
        (
            _pack_head(headers >> 8, headers & 0xFF, HEADERS, END_HEADERS, stream_id),
            block,
            _pack_head(body >> 8, body & 0xFF, DATA, END_STREAM, stream_id),
            _pack_message_head(0, length),
            message,
        )
    )


def make_settings(settings: dict[int, int]) -> bytes:
    """SETTINGS of these values by their identifiers."""
    return make_frame(SETTINGS, b"".join(_pack_setting(key, value) for key, value in settings.items()))


def make_reset(stream_id: int, code: int) -> bytes:
    """RST_STREAM with an error code."""
    return make_frame(RST_STREAM, _pack_number(code), stream_id=stream_id)


def make_window_update(increment: int) -> bytes:
    """WINDOW_UPDATE of the whole connection."""
    return make_frame(WINDOW_UPDATE, _pack_number(increment))


def read_settings(payload: bytes) -> dict[int, int]:
    """The values in SETTINGS by their identifiers. Raises FrameError."""
    if len(payload) % 6:
        raise FrameError("SETTINGS of an odd length")
    return dict(struct.iter_unpack(">HI", payload))


def read_number(payload: bytes) -> int:
    """The first 31-bit number of a payload. Raises FrameError."""
    if len(payload) < 4:
        raise FrameError("a frame is too short")
    return int.from_bytes(payload[:4], "big") & 0x7FFFFFFF


def strip_padding(payload: bytes, flags: int) -> bytes:
    """What DATA or HEADERS hold without padding and priority (sections 6.1 and 6.2). Raises FrameError."""
    start, end = 0, len(payload)
    if flags & PADDED:
        if not payload:
            raise FrameError("padding without a length")
        start, end = 1, end - payload[0]
    if flags & PRIORITY:
        start += 5
    if start > end:
        raise FrameError("more padding than payload")
    return payload[start:end]
