"""Builds what `tools/call` answers where the RPC is a server's stream: whole, cut, or broken off.

A stream that was cut is a success that says so, three times over: in the structured content for programs, in a second
text block for models, and in `_meta`. One that failed under way is an error that keeps what came before. This module
must never know how the messages were collected.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.contract.status_report import StatusReport
from gateway.contract.tool_results import content_result, tool_error, tool_success_json

TRUNCATED_META_KEY = "dev.propylon/truncated"


class CutReason(enum.Enum):
    """Which cap a stream was cut at; the value stands in `_meta`."""

    MESSAGES = "messages"
    BYTES = "bytes"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A stream's premature end: after `count` messages, at a `limit` in the unit of the reason."""

    reason: CutReason
    count: int
    limit: float


def stream_result(
    encoded: bytes | None, cut: Cut | None, *, content: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The result of a stream. `encoded` is its structured content as JSON text, which goes onto the wire as it is.

    `content` holds the blocks that the stream has given by itself; without structured content they are all there is.
    """
    blocks = [*content, *([] if cut is None else [_text(_explain(cut))])]
    result = content_result(blocks) if encoded is None else tool_success_json(encoded, extra_content=blocks)
    if cut is None:
        return result
    result["_meta"] = {TRUNCATED_META_KEY: {"messages": cut.count, "reason": cut.reason.value, "limit": cut.limit}}
    return result


def broken_stream_result(
    report: StatusReport,
    encoded: bytes | None,
    count: int,
    *,
    content: Sequence[Mapping[str, Any]] = (),
    forward_internal: bool = False,
) -> dict[str, Any]:
    """The result of a stream that failed after `count` messages, at least one: the error first, then what came before.

    It is in the tool dialect whatever the status, since the other has no room for the messages.
    """
    result = tool_error(report, forward_internal=forward_internal)
    told = [] if encoded is None else [_text(encoded.decode())]
    result["content"] += [_text(f"{_count(count)} came before the failure:"), *told, *content]
    return result


def _explain(cut: Cut) -> str:
    match cut.reason:
        case CutReason.MESSAGES:
            why = "that is this gateway's limit"
        case CutReason.BYTES:
            why = f"the next would be over this gateway's limit of {cut.limit:g} bytes"
        case CutReason.SECONDS:
            why = f"its time of {cut.limit:g} s was up"
    return f"stream cut after {_count(cut.count)}: {why}; more may follow"


def _count(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
