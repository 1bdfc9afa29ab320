"""Metadata of calls as header blocks (gRPC over HTTP2, "Requests"), where it is such that nobody could refuse it."""

import base64
import math
import re
from collections.abc import Sequence

from gateway.backends.lane.hpack import encode_header

_NAME = re.compile(r"(?!grpc-)[0-9a-z_.-]+")
_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?|")
_BINARY_SUFFIX = "-bin"
# Names that gRPC sets itself, or that HTTP/2 has no place for (RFC 9113 section 8.2.2).
_TAKEN = frozenset({"te", "content-type", "user-agent", "connection", "host", "content-length", "transfer-encoding"})
_LIMIT_MILLISECONDS = 99_999_999

Metadata = Sequence[tuple[str, str | bytes]]


def encode_metadata(metadata: Metadata) -> bytes | None:
    """The block of these headers; None where one of them is out of the ordinary, which is for grpc.aio to judge."""
    block = b""
    for name, value in metadata:
        if not isinstance(name, str) or _NAME.fullmatch(name) is None or name in _TAKEN:
            return None
        if name.endswith(_BINARY_SUFFIX):
            if not isinstance(value, bytes):
                return None
            coded = base64.b64encode(value).rstrip(b"=")
        elif isinstance(value, str) and _VALUE.fullmatch(value) is not None:
            coded = value.encode()
        else:
            return None
        block += encode_header(name.encode(), coded)
    return block


def encode_timeout(timeout_seconds: float) -> bytes | None:
    """The header that tells the backend its deadline; None where the time cannot be told in milliseconds."""
    milliseconds = math.ceil(timeout_seconds * 1000) if timeout_seconds < _LIMIT_MILLISECONDS else 0
    if not 0 < milliseconds <= _LIMIT_MILLISECONDS:
        return None
    return encode_header(b"grpc-timeout", b"%dm" % milliseconds)
