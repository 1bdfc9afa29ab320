"""The call of a streaming RPC: its messages collected into one result, and told as progress while they come.

A stream that reaches a cap, of count, bytes or time, is cut there: the RPC is cancelled, and what came so far is the
result. Its time is its deadline, which the backend knows too; one that has not said anything by then has failed.
"""

import logging
from collections.abc import Mapping
from contextlib import aclosing, nullcontext
from typing import Any

import orjson

from gateway.contract.distilled import Distilled
from gateway.contract.envelopes import Refusal
from gateway.contract.quoting import one_line
from gateway.contract.remarks import note_values
from gateway.contract.stream_results import Cut, CutReason, broken_stream_result, stream_result
from gateway.mcp.catalogue import Tool
from gateway.mcp.methods.method import Outcome
from gateway.mcp.ports import Metadata
from gateway.mcp.progress import Progress
from gateway.mcp.tool_calls.collector import Collector, StreamLimits
from gateway.mcp.tool_calls.failures import log_call, refuse_arguments, report_failure, tell_failure
from gateway.mcp.tool_calls.replies import read_reply, tell_reply
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

_DEADLINE_EXCEEDED = 4
_LIMIT_SHOWN = 200  # characters of a message in its progress notification


class StreamingCalls:
    """Calls streaming RPCs of all three kinds."""

    def __init__(self, *, limits: StreamLimits, result_limit_bytes: int, forward_internal: bool) -> None:
        self._limits = limits
        self._result_limit_bytes = result_limit_bytes
        self._forward_internal = forward_internal

    async def answer(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        meta: Mapping[str, Any],
        timeout_seconds: float,
        metadata: Metadata,
        progress: Progress | None,
    ) -> Outcome:
        """The result of a call. Being cancelled cancels the RPC, and so does whatever ends the collecting."""
        if tool.stream is None:
            raise TypeError(f"{tool.rpc} is no stream")
        requests = tool.transcoder.encode_requests(arguments)
        if isinstance(requests, Distilled):
            return refuse_arguments(tool, requests)
        replies = tool.stream(requests, timeout_seconds=timeout_seconds, metadata=metadata)
        async with progress or nullcontext(), aclosing(replies):
            if not tool.has_many_replies:
                reply = await anext(replies)
                if isinstance(reply, RpcStatus):
                    return tell_failure(tool, reply, meta, forward_internal=self._forward_internal)
                return tell_reply(tool, reply, meta, limit_bytes=self._result_limit_bytes)
            collector = Collector(self._limits)
            async for reply in replies:
                if isinstance(reply, RpcStatus):
                    return self._tell_ending(tool, reply, meta, collector, timeout_seconds)
                printed = read_reply(tool, reply, meta)
                if isinstance(printed, Refusal):
                    return printed
                encoded = orjson.dumps(printed.value)
                cut = collector.add(encoded, printed.notes)
                if cut is not None:
                    return _tell_cut(tool, cut, collector)
                if progress is not None:
                    await progress.report(collector.count, message=one_line(encoded.decode(), _LIMIT_SHOWN))
        return _tell_stream(collector, None)

    def _tell_ending(
        self, tool: Tool, status: RpcStatus, meta: Mapping[str, Any], collector: Collector, timeout_seconds: float
    ) -> Outcome:
        """The result of a stream that ended with a status of failure."""
        if not collector.count:
            return tell_failure(tool, status, meta, forward_internal=self._forward_internal)
        if status.code == _DEADLINE_EXCEEDED and status.origin is StatusOrigin.GATEWAY:
            cut = Cut(reason=CutReason.SECONDS, count=collector.count, limit=timeout_seconds)
            return _tell_cut(tool, cut, collector)
        report = report_failure(tool, status, meta, messages=collector.count)
        encoded = collector.encode(is_truncated=True)
        result = broken_stream_result(report, encoded, collector.count, forward_internal=self._forward_internal)
        note_values(result, collector.notes)
        return result


def _tell_cut(tool: Tool, cut: Cut, collector: Collector) -> Outcome:
    log_call(logging.INFO, "stream cut", tool, {"messages": cut.count, "reason": cut.reason.value, "limit": cut.limit})
    return _tell_stream(collector, cut)


def _tell_stream(collector: Collector, cut: Cut | None) -> Outcome:
    result = stream_result(collector.encode(is_truncated=cut is not None), cut)
    note_values(result, collector.notes)
    return result
