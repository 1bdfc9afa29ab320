"""Builds what a `tools/call` answers: results that succeeded, and failed RPCs in either dialect.

A failure that a model can mend is told as a result with `isError` (tool dialect), the others as a JSON-RPC error
(protocol dialect); `contract.statuses` says which. What a backend says about itself is told with care: one bounded
line, never a stack trace, and nothing at all of an internal failure unless the operator wants it told. This module must
never know protobuf or gRPC: a `StatusReport` is all it sees of a failed RPC.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Location
from gateway.contract.envelopes import LIMIT_MESSAGE, Refusal
from gateway.contract.quoting import ELLIPSIS, one_line
from gateway.contract.status_report import StatusReport
from gateway.contract.statuses import STATUSES, UNKNOWN_STATUS, StatusRow

STATUS_META_KEY = "dev.propylon/status"

LIMIT_TEXT = 4096  # characters of a tool error's text
LIMIT_TOLD = 1000  # characters of a backend's message in it
LIMIT_META_MESSAGE = 8192  # characters of a backend's message in `_meta`, where it is told as it came

# What these say may hold stack traces, queries and addresses (contract, section 6).
_WITHHELD = frozenset({"INTERNAL", "DATA_LOSS"})
_DEBUG_INFO = "google.rpc.DebugInfo"

# What either side of a call may end it with: whose doing it was is told.
_OF_EITHER_SIDE = frozenset({"CANCELLED", "DEADLINE_EXCEEDED"})
_FROM_BACKEND = " (from the backend)"

_NO_MESSAGE = "the backend gave no message"
_FAILED_INSIDE = "the backend failed inside; its own message is withheld"
_ONLY_TRACE = "the backend answered with a stack trace; it is withheld"

# The first frame of a stack trace: Java, .NET and JavaScript; Python; Go; Ruby; Rust; and the headings before them.
_TRACE = re.compile(
    r"""
      ^[ \t]+at[ \t]+(?:(?:async|new)[ \t]+)?\S+(?:\(|:\d+|[ \t]\([^)\n]*:\d+)  # at com.shop.Db.open(Db.java:12)
    | \sat\s[\w$.<>/]+\((?:[\w$./ -]*:\d+|Native\ Method|Unknown\ Source)\)     # the same, folded into one line
    | \bFile\ "[^"\n]*",\ line\ \d+
    | ^Traceback\ \(most\ recent\ call\ last\)
    | ^goroutine\ \d+\ \[
    | ^[ \t]+\S+\.(?:go|rs|rb|py|cc|cpp|c|h|php|ex|erl):\d+
    | ^[ \t]*from\ \S+:\d+:in\b
    | ^[ \t]*\d+:[ \t]+(?:0x[0-9a-f]+\ -\ )?\w+::
    | ^[ \t]*\#\d+[ \t]+(?:0x[0-9a-f]+\s|\S+\()
    | ^Caused\ by:[ \t]
    | ^(?:stack[ ]?trace|stack\ backtrace|backtrace):
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
# A trace is looked for in this much of a message; what is told ends far before.
_LIMIT_SEARCHED = 8192


def tool_success(
    structured: Any | None, text: str, *, extra_content: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The result of a call that succeeded (MCP 2026-07-28, CallToolResult).

    `text` is the first content block, `structured` the value as JSON data, or None to leave `structuredContent` out;
    `extra_content` holds further blocks (images, resources) as the protocol shapes them.
    """
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}, *extra_content]}
    if structured is not None:
        result["structuredContent"] = structured
    result["resultType"] = "complete"
    return result


def tool_success_json(
    encoded: bytes, *, is_structured: bool = True, extra_content: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The result of a call that succeeded, of a value that is JSON text already.

    The same as `tool_success(value, text)` with `text` being the JSON itself, but the value is never encoded a second
    time: `encoded` goes onto the wire as it is. It must come from a JSON encoder, for nothing checks it again.
    `is_structured` False leaves `structuredContent` out, for a tool without an output schema.
    """
    return tool_success(
        orjson.Fragment(encoded) if is_structured else None, encoded.decode(), extra_content=extra_content
    )


def content_result(blocks: Sequence[Mapping[str, Any]], encoded: bytes | None = None) -> dict[str, Any]:
    """The result of a call that succeeded and answers with content alone.

    `encoded` is a structured value as JSON text for a tool that must have one; no block of text repeats it.
    """
    result: dict[str, Any] = {"content": list(blocks)}
    if encoded is not None:
        result["structuredContent"] = orjson.Fragment(encoded)
    result["resultType"] = "complete"
    return result


def tool_error(report: StatusReport, *, forward_internal: bool = False) -> dict[str, Any]:
    """A failed RPC in the tool dialect: a result with `isError`, whose text carries the whole cause.

    The text has at most 4096 characters: `NAME: message`, a line for each location (but for one that the message tells
    whole), `retry after 5 s`, `reference: id`.
    `_meta["dev.propylon/status"]` carries the same for programs: the message as it came (at most 8192 characters) and
    every detail, so that the original google.rpc.Status can be rebuilt. An internal failure's message, stack traces and
    google.rpc.DebugInfo are withheld from both unless `forward_internal`.
    """
    return {
        "content": [{"type": "text", "text": _tell(report, forward_internal)}],
        "isError": True,
        "resultType": "complete",
        "_meta": {STATUS_META_KEY: _describe(report, forward_internal)},
    }


def status_refusal(report: StatusReport, *, forward_internal: bool = False) -> Refusal:
    """A failed RPC in the protocol dialect: the same first line as message, and what programs need as data."""
    row = _get_row(report.code)
    suffix = f" (reference {one_line(report.reference, 64)})" if report.reference else ""
    suffix = _aside(report, row) + suffix
    line = one_line(f"{row.name}: {_told_message(report, row, forward_internal)}", LIMIT_MESSAGE - len(suffix))
    data = {"status": row.name} | _machine_facts(report)
    return Refusal(condition=row.condition or Condition.UNKNOWN, message=line + suffix, data=data, rejection=False)


def _get_row(code: int) -> StatusRow:
    """The row of a failure. OK is no failure, and a number outside the table is UNKNOWN, as in gRPC's own clients."""
    return STATUSES[code] if 0 < code < len(STATUSES) else UNKNOWN_STATUS


def _machine_facts(report: StatusReport) -> dict[str, Any]:
    facts = {"reason": report.reason, "domain": report.domain, "retryAfterMs": report.retry_after_ms}
    return {key: value for key, value in facts.items() if value is not None}


def _describe(report: StatusReport, forward_internal: bool) -> dict[str, Any]:
    row = _get_row(report.code)
    described: dict[str, Any] = {
        "code": report.code,
        "status": row.name,
        "message": _exact_message(report, row, forward_internal),
    }
    if report.errors:
        described["errors"] = report.errors
    described |= _machine_facts(report)
    details = [detail for detail in report.details if forward_internal or not _is_debug_info(detail)]
    if details:
        described["details"] = details
    return described


def _is_debug_info(detail: Mapping[str, Any]) -> bool:
    return str(detail.get("@type", "")).rpartition("/")[2] == _DEBUG_INFO


def _exact_message(report: StatusReport, row: StatusRow, forward_internal: bool) -> str:
    is_foreign = not (forward_internal or report.is_own_wording)
    if is_foreign and (row.name in _WITHHELD or _TRACE.search(report.message[:_LIMIT_SEARCHED])):
        return _told_message(report, row, forward_internal)
    return report.message[:LIMIT_META_MESSAGE]


def _told_message(report: StatusReport, row: StatusRow, forward_internal: bool) -> str:
    """A failure's message as one bounded line, never empty; a backend's without a stack trace."""
    if report.is_own_wording:
        return one_line(report.message, LIMIT_TOLD)
    if row.name in _WITHHELD and not forward_internal:
        return _FAILED_INSIDE
    message = report.message[:_LIMIT_SEARCHED].strip()
    trace = _TRACE.search(message)
    if trace is None:
        return one_line(report.message.strip(), LIMIT_TOLD) or _NO_MESSAGE
    head = message[: trace.start()].strip()
    return one_line(head.partition("\n")[0], LIMIT_TOLD) or _ONLY_TRACE


def _aside(report: StatusReport, row: StatusRow) -> str:
    """What stands behind the message: the number of a status without a name, or who ended the call."""
    if report.code != row.number:
        return f" (status {report.code})"
    is_unclear = row.name in _OF_EITHER_SIDE and report.message and not report.is_own_wording
    return _FROM_BACKEND if is_unclear else ""


def _tell(report: StatusReport, forward_internal: bool) -> str:
    row = _get_row(report.code)
    told = _told_message(report, row, forward_internal)
    first = f"{row.name}: {told}{_aside(report, row)}"
    closing: list[str] = []
    if report.retry_after_ms is not None:
        closing.append(f"retry after {_seconds(report.retry_after_ms)} s")
    if report.reference:
        closing.append(f"reference: {one_line(report.reference, 64)}")
    # 40 characters keep room for the line that counts what was left out.
    room = LIMIT_TEXT - len(first) - sum(len(line) + 1 for line in closing) - 40
    lines = () if _tells_whole(told, report.errors) else _location_lines(report.errors, room)
    return "\n".join([first, *lines, *closing])


def _tells_whole(told: str, errors: Sequence[Location]) -> bool:
    """Whether the message is about one place and says of it all that its line would: nobody is to read that twice."""
    match errors:
        case [{"at": at, "problems": [problem]}]:
            return told.endswith(f"{at} {problem}".strip())
        case _:
            return False


def _location_lines(errors: Sequence[Location], room: int) -> Iterable[str]:
    for position, location in enumerate(errors):
        problems = one_line("; ".join(location["problems"]), LIMIT_TOLD)
        line = f"{one_line(location['at'], LIMIT_TOLD)}: {problems}" if location["at"] else problems
        room -= len(line) + 1
        if room < 0:
            yield f"{ELLIPSIS} and {len(errors) - position} more locations"
            return
        yield line


def _seconds(milliseconds: int) -> str:
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)
