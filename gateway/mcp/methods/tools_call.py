"""`tools/call`: finds the tool, turns the arguments into a request, calls the RPC and tells how it went.

What a model can mend is told as a tool error, everything else as a protocol error (`contract.tool_results`). One line
goes to the log for each call that failed, without the values of arguments. Source: MCP 2026-07-28, server/tools.
"""

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from gateway.contract.conditions import CONDITIONS, Condition, Fault
from gateway.contract.distilled import Distilled, Problem, distil
from gateway.contract.envelopes import Refusal, distilled_refusal
from gateway.contract.nearest_names import find_nearest_name
from gateway.contract.quoting import one_line, quote
from gateway.contract.status_report import StatusReport
from gateway.contract.statuses import Dialect, get_status_row
from gateway.contract.tool_results import status_refusal, tool_error, tool_success_json
from gateway.mcp.catalogue import Catalogue, Tool
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.mirroring.parameters import HeaderParameter
from gateway.mcp.ports import Metadata
from gateway.mcp.trace_context import find_trace_id, read_trace_metadata
from gateway.transcoding.errors import BadReply
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

TIMEOUT_META_KEY = "dev.propylon/timeoutMs"

_log = logging.getLogger("propylon.mcp")

_INVALID_ARGUMENT = 3
_RESOURCE_EXHAUSTED = 8
# What these say may be withheld from the caller in part or whole (contract.tool_results).
_WITHHELD = frozenset({Condition.INTERNAL_ERROR, Condition.DATA_LOSS, Condition.UNKNOWN})
_LIMIT_LOGGED = 1000
_TIMEOUT_POINTER = "/params/_meta/" + TIMEOUT_META_KEY.replace("/", "~1")


def find_mirrored(params: Mapping[str, Any], catalogue: Catalogue) -> tuple[HeaderParameter, ...]:
    """The arguments that `Mcp-Param-*` headers mirror for the tool that is called; none for an unknown tool."""
    name = params.get("name")
    tool = catalogue.find_tool(name) if isinstance(name, str) else None
    return () if tool is None else tool.header_parameters


class ToolsCall:
    """Answers tools/call.

    `result_limit_bytes` bounds the JSON of a reply; `forward_internal` tells callers what a backend says of its
    internal failures.
    """

    def __init__(self, *, result_limit_bytes: int, forward_internal: bool = False) -> None:
        self._result_limit_bytes = result_limit_bytes
        self._forward_internal = forward_internal

    async def answer(self, call: MethodCall) -> Outcome:
        """A CallToolResult, or the refusal that is a protocol error. Being cancelled cancels the RPC."""
        params = call.params
        tool = call.catalogue.find_tool(params["name"])
        if tool is None:
            return _refuse_tool(params["name"], call.catalogue)
        meta = params["_meta"]
        timeout_seconds = _choose_timeout(meta, tool)
        if isinstance(timeout_seconds, Refusal):
            return timeout_seconds
        request = tool.transcoder.encode_arguments(params.get("arguments", {}))
        if isinstance(request, Distilled):
            return _refuse_arguments(tool, request)
        metadata: Metadata = (*call.exchange.metadata, *read_trace_metadata(meta))
        if tool.call is None:
            raise NotImplementedError(f"{tool.name} is a stream")
        reply = await tool.call(request, timeout_seconds=timeout_seconds, metadata=metadata)
        if isinstance(reply, RpcStatus):
            return self._tell_failure(tool, reply, meta)
        return self._tell_reply(tool, reply, meta)

    def _tell_reply(self, tool: Tool, reply: bytes, meta: Mapping[str, Any]) -> Outcome:
        try:
            value = tool.transcoder.decode_reply(reply)
        except BadReply as error:
            return _refuse_reply(tool, "the backend's reply could not be read", error.reason, meta)
        if tool.output_validator is not None:
            fault = tool.output_validator.validate(value)
            if fault is not None:
                return _refuse_reply(tool, "the backend's reply breaks the tool's output schema", fault.message, meta)
        encoded = orjson.dumps(value)
        if len(encoded) > self._result_limit_bytes:
            return self._refuse_size(tool, len(encoded))
        return tool_success_json(encoded, is_structured=isinstance(value, dict))

    def _tell_failure(self, tool: Tool, status: RpcStatus, meta: Mapping[str, Any]) -> Outcome:
        report = tool.transcoder.report_status(status)
        row = get_status_row(status.code)
        condition = row.condition or Condition.UNKNOWN
        is_withheld = condition in _WITHHELD or status.origin is StatusOrigin.CONNECTION
        reference = _make_reference(meta) if is_withheld else None
        facts: dict[str, Any] = {"status": row.name, "origin": status.origin.value}
        if reference is not None:
            facts |= {"reference": reference, "said": one_line(status.message, _LIMIT_LOGGED)}
            report = replace(report, reference=reference)
        is_callers_fault = CONDITIONS[condition].fault is Fault.CALLER
        _log_failure(logging.INFO if is_callers_fault else logging.WARNING, "tool call failed", tool, facts)
        if row.dialect is Dialect.PROTOCOL:
            return status_refusal(report, forward_internal=self._forward_internal)
        return tool_error(report, forward_internal=self._forward_internal)

    def _refuse_size(self, tool: Tool, size_bytes: int) -> Outcome:
        limit = self._result_limit_bytes
        facts = {"status": "RESOURCE_EXHAUSTED", "bytes": size_bytes, "limit": limit}
        _log_failure(logging.WARNING, "tool call failed", tool, facts)
        message = (
            f"the result has {size_bytes} bytes, over the gateway's limit of {limit} bytes; "
            "ask for less: a smaller page size, a narrower filter or fewer fields"
        )
        return tool_error(StatusReport(code=_RESOURCE_EXHAUSTED, message=message))


def _choose_timeout(meta: Mapping[str, Any], tool: Tool) -> float | Refusal:
    """The tool's deadline in seconds, or the caller's where that is shorter."""
    asked = meta.get(TIMEOUT_META_KEY)
    if asked is None:
        return tool.deadline_seconds
    if isinstance(asked, bool) or not isinstance(asked, int | float) or asked <= 0:
        problem = Problem(at=_TIMEOUT_POINTER, text=f"must be a number of milliseconds above 0, got {quote(asked)}")
        return distilled_refusal(Condition.INVALID_PARAMS, distil([problem], subject="request"), rejection=True)
    return min(asked / 1000, tool.deadline_seconds)


def _refuse_tool(name: str, catalogue: Catalogue) -> Refusal:
    near = find_nearest_name(name, catalogue.tools)
    hint = f"; did you mean {quote(near)}?" if near else ""
    return Refusal(condition=Condition.INVALID_PARAMS, message=f"Unknown tool: {quote(name)}{hint}", rejection=False)


def _refuse_arguments(tool: Tool, distilled: Distilled) -> Outcome:
    facts = {"status": "INVALID_ARGUMENT", "places": [location["at"] for location in distilled.errors]}
    _log_failure(logging.INFO, "tool arguments refused", tool, facts)
    return tool_error(StatusReport(code=_INVALID_ARGUMENT, message=distilled.message, errors=distilled.errors))


def _refuse_reply(tool: Tool, sentence: str, reason: str, meta: Mapping[str, Any]) -> Refusal:
    """What the backend sent is ours to know: the log gets the reason, the caller one plain sentence."""
    reference = _make_reference(meta)
    _log_failure(logging.ERROR, sentence, tool, {"reason": reason, "reference": reference})
    return Refusal(condition=Condition.INTERNAL_ERROR, message=f"{sentence} (reference {reference})", rejection=False)


def _make_reference(meta: Mapping[str, Any]) -> str:
    """The id under which the log holds what the answer does not say: the caller's trace id, or a fresh one."""
    return find_trace_id(meta) or os.urandom(8).hex()


def _log_failure(level: int, event: str, tool: Tool, facts: Mapping[str, Any]) -> None:
    _log.log(level, event, extra={"tool": tool.name, "rpc": tool.rpc, "backend": tool.backend, **facts})
