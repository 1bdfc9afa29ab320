"""Turns the bytes of one message into a JSON object, or says in one line why they are none.

Every front hands its bodies, lines and frames in here, so that hostile bytes meet one gate: not JSON, not an object, a
batch, nested too deeply, an id that no answer can carry. What comes out is plain JSON data of a bounded depth. This
module must never know what a method means: shapes are `contract.validation`'s.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Problem, distil
from gateway.contract.envelopes import Refusal, RequestId, distilled_refusal
from gateway.contract.lone_surrogates import has_lone_surrogate, read_with_surrogates
from gateway.contract.quoting import quote

# How deep arrays and objects may nest, the message itself being the first level. The decoder of protobuf stops at 100.
LIMIT_DEPTH = 100
# An id comes back in the answer, which is to stay one bounded line.
LIMIT_ID_CHARACTERS = 256

# Integers up to here are exact as IEEE 754 doubles, which is what JSON.parse makes of them (RFC 8259 section 6).
_LIMIT_EXACT = 2**53


def parse_message(body: bytes) -> dict[str, Any] | Refusal:
    """The one JSON-RPC message in a body, or the refusal that answers it.

    Strict RFC 8259 JSON in UTF-8: no NaN, no byte order mark, no number beyond a double. Of a name that stands twice in
    an object the last value counts, for every later check alike. An integer beyond 64 bits becomes a float. An `id`
    written as 1.0 becomes the integer that it is. Escapes of lone surrogates stay in strings, for the value gate to
    refuse by their place; only an `id` cannot hold one. Refusals are parse_error, and invalid_request for JSON that is
    not one message (JSON-RPC 2.0 section 5.1; MCP has no batches since revision 2025-06-18).
    """
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        if _SURROGATE not in error.msg:
            return Refusal(condition=Condition.PARSE_ERROR, message=_explain(body, error))
        try:
            message = read_with_surrogates(body)
        except (ValueError, RecursionError):
            return Refusal(condition=Condition.PARSE_ERROR, message=_explain(body, error))
    if not isinstance(message, dict):
        return Refusal(condition=Condition.INVALID_REQUEST, message=_explain_shape(message))
    # Counting brackets is far cheaper than walking, and nearly every message has too few to nest too deeply.
    if body.count(b"[") + body.count(b"{") > LIMIT_DEPTH and _is_deeper(message, LIMIT_DEPTH):
        return Refusal(
            condition=Condition.INVALID_REQUEST,
            message=f"the message nests deeper than the {LIMIT_DEPTH} levels that are taken",
        )
    return _settle_id(message)


def find_request_id(message: Mapping[str, Any]) -> RequestId | None:
    """The id that an answer to this message may carry, or None where it must carry none.

    Only a message with a method is a request, and only a string or an integer is an id (JSON-RPC 2.0 section 4; MCP
    takes no null).
    """
    if not isinstance(message.get("method"), str):
        return None
    request_id = message.get("id")
    if isinstance(request_id, str):
        return request_id if len(request_id) <= LIMIT_ID_CHARACTERS else None
    if isinstance(request_id, int) and not isinstance(request_id, bool):
        return request_id
    return None


# What the reader says of half of a character, and what else it says that a stranger would not understand.
_SURROGATE = "surrogate in string"
_WORDS = (
    ("depth limit exceeded", f"the body nests deeper than the {LIMIT_DEPTH} levels that are taken"),
    ("infinity", "the body holds a number beyond the range of a double (about 1.8e308)"),
)


def _explain(body: bytes, error: orjson.JSONDecodeError) -> str:
    if not body.strip():
        return "the body is empty; send one JSON-RPC message"
    try:
        body.decode()
    except UnicodeDecodeError as fault:
        return f"the body is not UTF-8 text: byte {fault.start} is {fault.object[fault.start]:#04x}"
    place = f" at line {error.lineno} column {error.colno}"
    for part, meaning in _WORDS:
        if part in error.msg:
            return meaning + place
    return f"the body is not JSON: {error.msg}{place}"


def _explain_shape(message: object) -> str:
    if isinstance(message, list):
        return "batches are not supported; send each message on its own"
    return f"a message must be a JSON object, got {quote(message)}"


def _is_deeper(message: dict[str, Any], limit: int) -> bool:
    """Whether containers nest beyond `limit` levels; walks level by level, so that depth costs no stack."""
    level: list[Any] = [message]
    for _ in range(limit):
        level = [
            item
            for container in level
            for item in (container.values() if type(container) is dict else container)
            if type(item) is dict or type(item) is list
        ]
        if not level:
            return False
    return True


def _settle_id(message: dict[str, Any]) -> dict[str, Any] | Refusal:
    request_id = message.get("id")
    if isinstance(request_id, str):
        if len(request_id) > LIMIT_ID_CHARACTERS:
            return _refuse_id(f"must have at most {LIMIT_ID_CHARACTERS} characters, got {quote(request_id)}")
        if has_lone_surrogate(request_id):
            return _refuse_id(f"must hold whole characters, no lone surrogates, got {quote(request_id)}")
    if isinstance(request_id, float) and request_id.is_integer():
        if abs(request_id) > _LIMIT_EXACT:
            return _refuse_id("must be an integer of at most 64 bits")
        message["id"] = int(request_id)
    return message


def _refuse_id(text: str) -> Refusal:
    distilled = distil([Problem(at="/id", text=text)], subject="request")
    return distilled_refusal(Condition.INVALID_REQUEST, distilled, rejection=True)
