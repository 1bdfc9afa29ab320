"""What the caller and the log are told of a call that did not go well.

What a model can mend is told as a tool error, everything else as a protocol error (`contract.tool_results`). One line
goes to the log for each call that failed, without the values of arguments.
"""

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gateway.contract.conditions import CONDITIONS, Condition, Fault
from gateway.contract.distilled import Distilled
from gateway.contract.envelopes import Refusal
from gateway.contract.quoting import one_line
from gateway.contract.status_report import StatusReport
from gateway.contract.statuses import Dialect, get_status_row
from gateway.contract.tool_results import status_refusal, tool_error
from gateway.mcp.catalogue import Tool
from gateway.mcp.methods.method import Outcome
from gateway.mcp.trace_context import find_trace_id
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

_log = logging.getLogger("propylon.mcp")

_INVALID_ARGUMENT = 3
_RESOURCE_EXHAUSTED = 8
# What these say may be withheld from the caller in part or whole (contract.tool_results).
_WITHHELD = frozenset({Condition.INTERNAL_ERROR, Condition.DATA_LOSS, Condition.UNKNOWN})
_LIMIT_LOGGED = 1000


def tell_failure(tool: Tool, status: RpcStatus, meta: Mapping[str, Any], *, forward_internal: bool) -> Outcome:
    """A failed RPC in the dialect of its status."""
    report = report_failure(tool, status, meta)
    if get_status_row(status.code).dialect is Dialect.PROTOCOL:
        return status_refusal(report, forward_internal=forward_internal)
    return tool_error(report, forward_internal=forward_internal)


def report_failure(tool: Tool, status: RpcStatus, meta: Mapping[str, Any], **facts: Any) -> StatusReport:
    """What may be told of a failed RPC; the log is told now, with further `facts`."""
    report = tool.transcoder.report_status(status)
    row = get_status_row(status.code)
    condition = row.condition or Condition.UNKNOWN
    is_withheld = condition in _WITHHELD or status.origin is StatusOrigin.CONNECTION
    reference = _make_reference(meta) if is_withheld else None
    facts = {"status": row.name, "origin": status.origin.value, **facts}
    if reference is not None:
        # What a backend says may repeat what it was given.
        said = {} if tool.has_sensitive_values else {"said": one_line(status.message, _LIMIT_LOGGED)}
        facts |= {"reference": reference, **said}
        report = replace(report, reference=reference)
    is_callers_fault = CONDITIONS[condition].fault is Fault.CALLER
    log_call(logging.INFO if is_callers_fault else logging.WARNING, "tool call failed", tool, facts)
    return report


def refuse_arguments(tool: Tool, distilled: Distilled) -> Outcome:
    """Arguments that the value gate does not let through."""
    facts = {"status": "INVALID_ARGUMENT", "places": [location["at"] for location in distilled.errors]}
    log_call(logging.INFO, "tool arguments refused", tool, facts)
    report = StatusReport(
        code=_INVALID_ARGUMENT, message=distilled.message, errors=distilled.errors, is_own_wording=True
    )
    return tool_error(report)


def refuse_reply(tool: Tool, sentence: str, reason: str, meta: Mapping[str, Any]) -> Refusal:
    """What the backend sent is ours to know: the log gets the reason, the caller one plain sentence."""
    reference = _make_reference(meta)
    log_call(logging.ERROR, sentence, tool, {"reason": reason, "reference": reference})
    return Refusal(condition=Condition.INTERNAL_ERROR, message=f"{sentence} (reference {reference})", rejection=False)


def refuse_size(tool: Tool, size_bytes: int, limit_bytes: int) -> Outcome:
    """A result that is too large to be sent."""
    facts = {"status": "RESOURCE_EXHAUSTED", "bytes": size_bytes, "limit": limit_bytes}
    log_call(logging.WARNING, "tool call failed", tool, facts)
    message = (
        f"the backend has answered, but the result of {size_bytes} bytes is over the gateway's limit of {limit_bytes} "
        "bytes; ask for less: a smaller page size, a narrower filter or fewer fields"
    )
    return tool_error(StatusReport(code=_RESOURCE_EXHAUSTED, message=message, is_own_wording=True))


def log_shortened(tool: Tool, size_bytes: int, limit_bytes: int) -> None:
    """Tells the log of a result that had to be shortened."""
    log_call(logging.WARNING, "tool result shortened", tool, {"bytes": size_bytes, "limit": limit_bytes})


def log_call(level: int, event: str, tool: Tool, facts: Mapping[str, Any]) -> None:
    """One line about a call."""
    _log.log(level, event, extra={"tool": tool.name, "rpc": tool.rpc, "backend": tool.backend, **facts})


def _make_reference(meta: Mapping[str, Any]) -> str:
    """The id under which the log holds what the answer does not say: the caller's trace id, or a fresh one."""
    return find_trace_id(meta) or os.urandom(8).hex()
