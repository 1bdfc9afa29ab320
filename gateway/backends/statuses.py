"""Turns what grpc.aio raises into a frozen `RpcStatus`: the one place where a gRPC failure crosses out of this room.

gRPC's core does not say who ended an RPC: a status from a server's trailers and one that core made itself look the
same but for core's own wording, which also holds addresses and file names. So the wording is what is looked at here,
in one table. As grpcio 1.82 to 1.85 behave (tests/backends holds each of these down):

- A grpc-status from 17 up becomes UNKNOWN, and the number is lost before Python sees anything; one that is no number
  (`-1`, `abc`, empty) becomes INTERNAL with "Error parsing 'grpc-status' metadata"; none at all UNKNOWN with "No
  status received". All three are told as UNKNOWN here, as the gRPC specification has it.
- A grpc-message is percent-decoded; what cannot be decoded stays as it is, and what is not UTF-8 then is read as
  Latin-1.
- An RPC that ends OK without a message, or inside one, is a plain `None` for grpc.aio: `missing_reply` is for it.
- Core's own failures are often wrapped as "Stream removed (…)".

This module must never know whom a status is told to.
"""

import re
from dataclasses import dataclass

import grpc
import grpc.aio

from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

_DETAILS_KEY = "grpc-status-details-bin"
_UNKNOWN = grpc.StatusCode.UNKNOWN
_DEADLINE = grpc.StatusCode.DEADLINE_EXCEEDED
_UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
_UNIMPLEMENTED = grpc.StatusCode.UNIMPLEMENTED
# How early core's clock may end an RPC, as a share of its timeout.
_DEADLINE_SHARE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFacts:
    """What is known about a failed RPC beside the error: `path` is "/pkg.Service/Method"; the limits are those of
    the channel, `connected` is whether it had a connection when the RPC had ended.
    """

    backend: str
    path: str
    elapsed_seconds: float
    timeout_seconds: float
    receive_limit_bytes: int
    metadata_limit_bytes: int
    connected: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _CoreText:
    """One thing that core says, what is told in its stead, and as whose doing.

    `message` is a format of `facts` and `match`. `code` None keeps core's code.
    """

    pattern: re.Pattern[str]
    origin: StatusOrigin
    message: str
    code: grpc.StatusCode | None = None


def _row(pattern: str, origin: StatusOrigin, message: str, code: grpc.StatusCode | None = None) -> _CoreText:
    return _CoreText(pattern=re.compile(pattern), origin=origin, message=message, code=code)


_CONNECTION, _GATEWAY, _REPLY = StatusOrigin.CONNECTION, StatusOrigin.GATEWAY, StatusOrigin.REPLY
_LARGE_REPLY = (
    'is larger than the {facts.receive_limit_bytes} bytes that this gateway takes from backend "{facts.backend}": '
    "ask for less of it, for example by a smaller page"
)
_BROKEN_REPLY = 'backend "{facts.backend}" sent what is no valid gRPC reply'
_BROKEN_CONNECTION = 'the connection to backend "{facts.backend}" broke before its answer'

_CORE_TEXTS: tuple[_CoreText, ...] = (
    _row(
        r"failed to connect to all addresses|connections to all backends failing|empty address list"
        r"|errors resolving |DNS resolution failed|no children in \w+ policy",
        _CONNECTION,
        'backend "{facts.backend}" cannot be reached',
    ),
    _row(
        r"CLIENT: Received message larger than max \((\d+) vs\. \d+\)",
        _GATEWAY,
        "the reply of {match[1]} bytes " + _LARGE_REPLY,
    ),
    _row(r"(?:CLIENT: )?Decompressed message larger than max", _GATEWAY, "the reply " + _LARGE_REPLY),
    _row(
        r"received metadata size exceeds ",
        _GATEWAY,
        'backend "{facts.backend}" sent more headers, trailers or error details than the {facts.metadata_limit_bytes} '
        "bytes that this gateway reads; the status in them is lost",
    ),
    _row(
        r"Error parsing 'grpc-status' metadata",
        _REPLY,
        'backend "{facts.backend}" ended the call with a grpc-status that is not a number from 0 to 16',
        _UNKNOWN,
    ),
    _row(
        r"Error parsing '([\w.-]+)' metadata",
        _REPLY,
        'backend "{facts.backend}" sent metadata that cannot be read, under the name {match[1]}',
    ),
    _row(
        r"No status received|Data frame with END_STREAM flag",
        _REPLY,
        'backend "{facts.backend}" ended the call without a gRPC status',
        _UNKNOWN,
    ),
    _row(
        r"Received http2 header with status: (\d+)",
        _CONNECTION,
        'backend "{facts.backend}" answered with HTTP status {match[1]} and not with gRPC',
    ),
    _row(
        r"(?:RST_STREAM \()?Received RST_STREAM with error code (\d+)",
        _CONNECTION,
        'backend "{facts.backend}" reset the call without a status (HTTP/2 error code {match[1]})',
    ),
    _row(r"Compression bit set|Decompression failed|Invalid gRPC header", _REPLY, _BROKEN_REPLY),
)

# What core calls a connection that went away. Looked for in UNAVAILABLE alone, as a backend may say such things too.
_LOST_CONNECTION = re.compile(
    r"Socket closed|Transport closed|Connection going away|GOAWAY received|keepalive timeout|ping timeout"
    r"|recvmsg|sendmsg|.*\b(?:ipv4|ipv6|unix|unix-abstract):"
)
_CORE_DEADLINE = "Deadline Exceeded"
# Core's wrapping of what ended a stream that had begun.
_WRAPPED = re.compile(r"Stream removed \((.*)\)", re.DOTALL)

# What servers say of a path that they do not serve: gRPC's core, Go, Java, .NET; Rust says nothing.
_NOT_SERVED = re.compile(
    r"|Method not found!|Method not found: .*|unknown (?:service|method) .*|(?:Service|Method) is unimplemented\.",
    re.DOTALL,
)

# Causes that may be told to an operator: core's words for each, and ours. The first that fits counts.
_CAUSES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"CERTIFICATE_VERIFY_FAILED"), "its TLS certificate is not trusted"),
    (re.compile(r"Hostname Verification"), "its TLS certificate is for another host"),
    (re.compile(r"WRONG_VERSION_NUMBER|handshake failed|HTTP_REQUEST"), "the TLS handshake failed; does it speak TLS?"),
    (re.compile(r"Domain name not found|errors resolving|DNS resolution|empty address"), "its host name is not known"),
    (re.compile(r"Connection refused"), "connection refused"),
    (re.compile(r"No such file"), "there is no such socket"),
    (re.compile(r"http1|Expected SETTINGS|Failed parsing HTTP/2"), "what listens there does not speak HTTP/2"),
    (re.compile(r"Socket closed|reset by peer|Broken pipe|EOF"), "it closes the connection; does it want TLS?"),
    (re.compile(r"[Uu]nreachable"), "there is no route to it"),
    (re.compile(r"[Tt]imed? ?out|[Dd]eadline|FD Shutdown"), "it does not answer"),
)


def read_status(error: grpc.aio.AioRpcError, facts: CallFacts) -> RpcStatus:
    """How the RPC failed, fit to cross out of this room.

    A status that the backend sent keeps its code, its message to the letter and its details; only where the backend
    says that it does not know the RPC is the RPC named. For everything that this side's gRPC made up, the message is
    ours and holds no address.
    """
    code, text = error.code(), error.details() or ""
    wrapped = _WRAPPED.fullmatch(text)
    said = wrapped[1] if wrapped else text
    if said == _CORE_DEADLINE and code is _DEADLINE and _is_late(facts):
        return deadline_exceeded(facts)
    for row in _CORE_TEXTS:
        match = row.pattern.match(said)
        if match is not None:
            return _make_status(row.code or code, row.message.format(facts=facts, match=match), row.origin)
    if code is _UNAVAILABLE and (wrapped or _LOST_CONNECTION.match(said)):
        return _make_status(code, _BROKEN_CONNECTION.format(facts=facts), _CONNECTION)
    if wrapped:
        return _make_status(code, _BROKEN_REPLY.format(facts=facts), _CONNECTION)
    if code is _UNIMPLEMENTED and _NOT_SERVED.fullmatch(text):
        text = f'backend "{facts.backend}" does not serve {facts.path}{": " if text else ""}{text}'
    return RpcStatus(code=code.value[0], message=text, details=_find_details(error), origin=StatusOrigin.BACKEND)


def deadline_exceeded(facts: CallFacts) -> RpcStatus:
    """The status of an RPC that this side ended because its time was up."""
    unreached = "" if facts.connected else f'; backend "{facts.backend}" has not accepted a connection'
    message = f"no answer within {facts.timeout_seconds:g} s (this gateway's limit){unreached}"
    return _make_status(_DEADLINE, message, _GATEWAY)


def missing_reply(facts: CallFacts) -> RpcStatus:
    """The status of an RPC that ended OK without a whole message, so that there is nothing to decode."""
    message = f'backend "{facts.backend}" ended the call well but without a whole reply'
    return _make_status(grpc.StatusCode.INTERNAL, message, _REPLY)


def find_cause(text: str) -> str | None:
    """Why a connection failed, in words of ours that hold no address, by what core says; None where it is unclear."""
    return next((words for pattern, words in _CAUSES if pattern.search(text)), None)


def _is_late(facts: CallFacts) -> bool:
    # A backend that is a gRPC client itself may pass core's words for its own deadline on; it is quicker with them.
    return facts.elapsed_seconds >= facts.timeout_seconds * _DEADLINE_SHARE


def _make_status(code: grpc.StatusCode, message: str, origin: StatusOrigin) -> RpcStatus:
    return RpcStatus(code=code.value[0], message=message, origin=origin)


def _find_details(error: grpc.aio.AioRpcError) -> bytes:
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            return value
    return b""
