"""The caller's trace context: what of it is well-formed enough to be passed on.

Source: MCP 2026-07-28, basic, "OpenTelemetry trace context"; W3C Trace Context (level 2) and W3C Baggage for the
syntax. What is malformed is left out, as those recommendations ask: a broken trace never breaks a call.
"""

import re
from collections.abc import Mapping
from typing import Any

from gateway.mcp.ports import Metadata

_TRACEPARENT = re.compile(
    r"(?!ff)(?P<version>[0-9a-f]{2})-(?P<trace>(?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?P<more>-[\x20-\x7e]*)?"
)
_LIMIT_TRACEPARENT = 128
# W3C Trace Context section 3.3.1: at most 32 members, at least 512 characters to be passed on.
_LIMIT_TRACESTATE = 2048
_LIMIT_MEMBERS = 32
_STATE_KEY = r"(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})"
_STATE_VALUE = r"[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]"
_STATE_MEMBER = re.compile(rf"(?:{_STATE_KEY}={_STATE_VALUE})?")
# W3C Baggage section 3.3: 64 members and 8192 bytes have to be passed on; more need not.
_LIMIT_BAGGAGE = 8192
_LIMIT_BAGGAGE_MEMBERS = 64
_TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"  # noqa: S105 - RFC 9110's name for it
_BAGGAGE_VALUE = r"(?:[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+[ \t]*)?"
_PROPERTY = rf"[ \t]*{_TOKEN}[ \t]*(?:=[ \t]*{_BAGGAGE_VALUE})?"
_BAGGAGE_MEMBER = re.compile(rf"{_TOKEN}[ \t]*=[ \t]*{_BAGGAGE_VALUE}(?:;{_PROPERTY})*")


def find_trace_id(meta: Mapping[str, Any]) -> str | None:
    """The trace id (32 hexadecimal digits) of a well-formed `traceparent` in a message's `_meta`, or None."""
    found = _match_traceparent(meta.get("traceparent"))
    return None if found is None else found["trace"]


def read_trace_metadata(meta: Mapping[str, Any]) -> Metadata:
    """The well-formed part of the trace context in a message's `_meta`, as metadata of an RPC, under the same names.

    `tracestate` goes with a well-formed `traceparent` alone; `baggage` stands for itself.
    """
    metadata: list[tuple[str, str | bytes]] = []
    parent = _match_traceparent(meta.get("traceparent"))
    if parent is not None:
        metadata.append(("traceparent", parent.string))
        state = meta.get("tracestate")
        if isinstance(state, str) and _is_list(state, _STATE_MEMBER, _LIMIT_TRACESTATE, _LIMIT_MEMBERS):
            metadata.append(("tracestate", state))
    baggage = meta.get("baggage")
    if isinstance(baggage, str) and _is_list(baggage, _BAGGAGE_MEMBER, _LIMIT_BAGGAGE, _LIMIT_BAGGAGE_MEMBERS):
        metadata.append(("baggage", baggage))
    return metadata


def _match_traceparent(value: Any) -> re.Match[str] | None:
    if not isinstance(value, str) or len(value) > _LIMIT_TRACEPARENT:
        return None
    found = _TRACEPARENT.fullmatch(value)
    # Version 00 ends after the flags; a later one may go on.
    return None if found is None or (found["version"] == "00" and found["more"]) else found


def _is_list(value: str, member: re.Pattern[str], limit_characters: int, limit_members: int) -> bool:
    if not 0 < len(value) <= limit_characters:
        return False
    members = value.split(",")
    return len(members) <= limit_members and all(member.fullmatch(one.strip(" \t")) for one in members)
