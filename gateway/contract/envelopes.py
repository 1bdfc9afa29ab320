"""Builds every envelope that leaves the gateway, and turns it into bytes at the one exit.

Nothing else in the tree writes `"jsonrpc"`, an error code or an error's `data`. The builders hold the four clauses of
the error envelope by construction: the code comes from the table, the message is one line of at most 200 characters,
the keys of `data` are those of `DATA_KEYS`, and no string in `data` is longer than a message. This module must never
know which condition applies when, nor how a front sends what it gets.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from gateway.contract.conditions import CONDITIONS, Condition
from gateway.contract.distilled import Distilled
from gateway.contract.quoting import one_line

RequestId = str | int

LIMIT_MESSAGE = 200

# The closed vocabulary of an error's `data`. A new key joins here and nowhere else.
DATA_KEYS = frozenset(
    {
        "errors",  # a validation failure's locations
        "header", "expected", "received",  # the header-binding check
        "supported", "requested",  # the protocol version (MCP 2026-07-28, UnsupportedProtocolVersionError)
        "requiredCapabilities",  # MCP 2026-07-28, MissingRequiredClientCapabilityError
        "uri",  # a resource that is not there (MCP 2026-07-28, server/resources, error handling)
        "status", "reason", "domain", "retryAfterMs",  # a backend's gRPC status
    }
)  # fmt: skip

# orjson writes at most 254 levels; an envelope that nests deeper is cut at this depth by the fallback.
_LIMIT_DEPTH = 200
# int() and str() refuse longer decimal numbers, and no reader keeps them: they leave as text that says how long.
_LIMIT_BITS = 1024
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One JSON-RPC object, ready to be encoded.

    `condition` is set on errors alone; `rejection` says that the message was refused before any method ran. `revision`
    is the one of the handshake era that it is said in; None in the per-request era, and where they all say it alike.
    """

    body: Mapping[str, Any]
    condition: Condition | None = None
    rejection: bool = False
    revision: str | None = None

    @property
    def http_status(self) -> int:
        """The HTTP status that carries this envelope (MCP 2026-07-28, Streamable HTTP; the table of conditions)."""
        if self.condition is None:
            return 200
        row = CONDITIONS[self.condition]
        return row.http_status_rejected if self.rejection else row.http_status

    @property
    def http_status_in_session(self) -> int:
        """The same in the handshake era."""
        return 200 if self.condition is None else CONDITIONS[self.condition].http_status_in_session


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What a check returns instead of raising: the condition, its one-line cause and its data.

    `message` None means that there is nothing to say beyond the condition's default words.
    """

    condition: Condition
    message: str | None = None
    data: Mapping[str, Any] | None = None
    rejection: bool = True


def success_response(request_id: RequestId, result: Mapping[str, Any], *, revision: str | None = None) -> Envelope:
    """The envelope of a result (JSON-RPC 2.0 section 5); `revision` as in `Envelope`."""
    return Envelope(body={"jsonrpc": "2.0", "id": request_id, "result": result}, revision=revision)


def error_response(
    condition: Condition,
    request_id: RequestId | None,
    message: str | None = None,
    data: Mapping[str, Any] | None = None,
    *,
    rejection: bool = False,
) -> Envelope:
    """The envelope of an error.

    `request_id` None leaves `id` out: MCP allows no `null` there. `message` None or empty gives the condition's default
    words; a longer one is folded and cut. Raises ValueError for a key of `data` outside `DATA_KEYS`: that is a mistake
    of the calling site.
    """
    row = CONDITIONS[condition]
    error: dict[str, Any] = {"code": row.code, "message": one_line(message or "", LIMIT_MESSAGE) or row.message}
    if data:
        error["data"] = _bound_data(data)
    body: dict[str, Any] = {"jsonrpc": "2.0"}
    if request_id is not None:
        body["id"] = request_id
    body["error"] = error
    return Envelope(body=body, condition=condition, rejection=rejection)


def notification(method: str, params: Mapping[str, Any] | None = None) -> Envelope:
    """The envelope of a notification (JSON-RPC 2.0 section 4.1)."""
    body: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        body["params"] = params
    return Envelope(body=body)


def server_request(
    request_id: RequestId, method: str, params: Mapping[str, Any], *, revision: str | None = None
) -> Envelope:
    """The envelope of a question to a client (JSON-RPC 2.0 section 4), which only the handshake era has."""
    return Envelope(body={"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}, revision=revision)


def refusal_response(refusal: Refusal, request_id: RequestId | None) -> Envelope:
    """The error envelope of a refusal."""
    return error_response(refusal.condition, request_id, refusal.message, refusal.data, rejection=refusal.rejection)


def distilled_refusal(condition: Condition, distilled: Distilled, *, rejection: bool) -> Refusal:
    """A distilled error split over the envelope's two slots: its summary as message, its locations as `data.errors`."""
    data = {"errors": distilled.errors} if distilled.errors else None
    return Refusal(condition=condition, message=distilled.message, data=data, rejection=rejection)


def encode_envelope(envelope: Envelope) -> bytes:
    """The bytes of an envelope: compact JSON in UTF-8 on one line, without a line end.

    The one exit: every front sends what this gives. Never raises on what the builders accept. JSON that is already
    encoded goes in as `orjson.Fragment`. NaN and infinities become null. What orjson cannot write takes a slower way,
    where integers beyond 64 bits are written in full up to 1024 bits, lone surrogates become U+FFFD, keys that are no
    strings become strings, levels below 200 become null, and a value that JSON does not know becomes null.
    """
    return _write(envelope)


def _write(envelope: Envelope) -> bytes:
    try:
        return orjson.dumps(envelope.body)
    except orjson.JSONEncodeError:
        return orjson.dumps(_writable(envelope.body, _LIMIT_DEPTH))


def _bound_data(data: Mapping[str, Any]) -> dict[str, Any]:
    unknown = data.keys() - DATA_KEYS
    if unknown:
        raise ValueError(f"error data may not carry {', '.join(sorted(unknown))}: a new key joins DATA_KEYS first")
    return {key: one_line(value, LIMIT_MESSAGE) if isinstance(value, str) else value for key, value in data.items()}


def _writable(value: Any, levels: int) -> Any:
    """A copy of a value that orjson can write."""
    match value:
        case None | bool() | float() | orjson.Fragment():
            return value
        case str():
            return _writable_text(value)
        case int():
            return _writable_integer(value)
        case Mapping() | list() | tuple() if levels == 0:
            return None
        case Mapping():
            return {
                _writable_text(key if isinstance(key, str) else str(key)): _writable(member, levels - 1)
                for key, member in value.items()
            }
        case list() | tuple():
            return [_writable(item, levels - 1) for item in value]
        case _:
            return None


def _writable_text(text: str) -> str:
    return _SURROGATES.sub("\ufffd", text)


def _writable_integer(value: int) -> Any:
    bits = value.bit_length()
    if bits > _LIMIT_BITS:
        return f"an integer of {bits} bits"
    return orjson.Fragment(str(int(value)).encode()) if bits > 63 else int(value)
