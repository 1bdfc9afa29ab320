"""What came of a call, as grpc.aio would have told it: a message, None for an OK without one, or an AioRpcError.

Errors use the words of gRPC's core where it would have been core that speaks, since it is by those that
`backends.statuses` tells a backend's own failures from others. Source: gRPC's "gRPC over HTTP2" and "HTTP2 error codes"
("http-grpc-status-mapping").
"""

import base64
import binascii
import re
from collections.abc import Mapping
from types import MappingProxyType

import grpc
import grpc.aio

from gateway.backends.lane.hpack import Headers

Code = grpc.StatusCode

MESSAGE_HEAD_BYTES = 5
_HEADER_OVERHEAD_BYTES = 32  # RFC 9113 section 6.5.2, SETTINGS_MAX_HEADER_LIST_SIZE

_CODES: Mapping[int, grpc.StatusCode] = MappingProxyType({code.value[0]: code for code in Code})
_HTTP_CODES: Mapping[bytes, grpc.StatusCode] = MappingProxyType(
    {
        b"400": Code.INTERNAL,
        b"401": Code.UNAUTHENTICATED,
        b"403": Code.PERMISSION_DENIED,
        b"404": Code.UNIMPLEMENTED,
        b"429": Code.UNAVAILABLE,
        b"502": Code.UNAVAILABLE,
        b"503": Code.UNAVAILABLE,
        b"504": Code.UNAVAILABLE,
    }
)
_RESET_CODES: Mapping[int, grpc.StatusCode] = MappingProxyType(
    {0x7: Code.UNAVAILABLE, 0x8: Code.CANCELLED, 0xB: Code.RESOURCE_EXHAUSTED, 0xC: Code.PERMISSION_DENIED}
)
_DETAILS_KEY = "grpc-status-details-bin"
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")


def read_message(body: bytes) -> bytes | None:
    """The one message in the body of a reply that ended OK; None where there is no whole one. Raises AioRpcError."""
    end = MESSAGE_HEAD_BYTES + int.from_bytes(body[1:MESSAGE_HEAD_BYTES], "big")
    if len(body) < MESSAGE_HEAD_BYTES or len(body) < end:
        return None
    match body[0]:
        case 0 if len(body) == end:
            return body[MESSAGE_HEAD_BYTES:]
        case 0:
            # grpc.aio would wait for the end of time here.
            raise fail(Code.INTERNAL, "Invalid gRPC header: a second message in a unary reply")
        case 1:
            # None was offered, so that none may be used.
            raise fail(Code.INTERNAL, "Compression bit set without a compression that both know")
        case _:
            return None


def read_head(head: Headers) -> grpc.aio.AioRpcError | None:
    """How a call failed whose reply begins with these headers; None where a reply may follow."""
    http_status = dict(head).get(b":status", b"200")
    if http_status == b"200" or (http_status.startswith(b"1") and len(http_status) == 3):
        return None
    code = _HTTP_CODES.get(http_status, Code.UNKNOWN)
    return fail(code, f"Received http2 header with status: {http_status.decode('latin-1')}")


def read_ending(trailers: Headers) -> grpc.aio.AioRpcError | None:
    """How a stream that has ended failed, by its trailers; None where it ended OK."""
    found = dict(reversed(trailers))
    status = found.get(b"grpc-status")
    if status is None:
        return read_head(trailers) or fail(Code.UNKNOWN, "No status received")
    if not (status.isdigit() and len(status) < 10):
        return fail(Code.INTERNAL, "Error parsing 'grpc-status' metadata: not an integer")
    if int(status) == 0:
        return None
    details = found.get(_DETAILS_KEY.encode(), b"")
    try:
        decoded = base64.b64decode(details + b"=" * (-len(details) % 4), validate=True)
    except binascii.Error:
        return fail(Code.INTERNAL, f"Error parsing '{_DETAILS_KEY}' metadata: illegal base64 encoding")
    metadata = grpc.aio.Metadata((_DETAILS_KEY, decoded)) if decoded else grpc.aio.Metadata()
    message = _decode_text(found.get(b"grpc-message", b""))
    return grpc.aio.AioRpcError(_CODES.get(int(status), Code.UNKNOWN), None, metadata, details=message)


def read_reset(code: int) -> grpc.aio.AioRpcError:
    """How a call failed whose stream the backend reset."""
    return fail(_RESET_CODES.get(code, Code.INTERNAL), f"Received RST_STREAM with error code {code}")


def is_larger(headers: Headers, limit_bytes: int) -> bool:
    """Whether headers are larger than the limit, in the way in which HTTP/2 counts them."""
    return sum(len(name) + len(value) + _HEADER_OVERHEAD_BYTES for name, value in headers) > limit_bytes


def refuse_headers() -> grpc.aio.AioRpcError:
    """The end of a call whose headers or trailers are too large."""
    return fail(Code.RESOURCE_EXHAUSTED, "received metadata size exceeds hard limit")


def refuse_size(size_bytes: int, limit_bytes: int) -> grpc.aio.AioRpcError:
    """The end of a call whose reply is too large."""
    text = f"CLIENT: Received message larger than max ({size_bytes} vs. {limit_bytes})"
    return fail(Code.RESOURCE_EXHAUSTED, text)


def fail(code: grpc.StatusCode, text: str) -> grpc.aio.AioRpcError:
    """An error that core would have made up."""
    return grpc.aio.AioRpcError(code, None, grpc.aio.Metadata(), details=text)


def _decode_text(value: bytes) -> str:
    """A grpc-message: percent-encoded UTF-8; what is not UTF-8 is read as Latin-1, as grpc.aio does."""
    raw = _ESCAPE.sub(lambda match: bytes((int(match[1], 16),)), value)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
