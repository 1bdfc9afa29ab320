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
from gateway.mcp.call_contexts import make_call_context
from gateway.mcp.catalogue import Tool
from gateway.mcp.input_rounds.round import Round
from gateway.mcp.log_messages import open_log
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.ports import Metadata
from gateway.mcp.progress import Progress
from gateway.mcp.tool_calls.collector import Collector, StreamLimits
from gateway.mcp.tool_calls.failures import log_call, refuse_arguments, report_failure, tell_failure
from gateway.mcp.tool_calls.parts import list_blocks, measure, tell_parts
from gateway.mcp.tool_calls.replies import read_reply, tell_printed
from gateway.transcoding.printed import Printed
from gateway.transcoding.reply_parts import InputPart
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
        call: MethodCall,
        timeout_seconds: float,
        metadata: Metadata,
        progress: Progress | None,
        now: Round,
    ) -> Outcome | InputPart:
        """The result of a call, or what the backend asks before there can be one.

        Being cancelled cancels the RPC, and so does whatever ends the collecting.
        """
        if tool.stream is None:
            raise TypeError(f"{tool.rpc} is no stream")
        requests = tool.transcoder.encode_requests(arguments)
        if isinstance(requests, Distilled):
            return refuse_arguments(tool, requests)
        meta, log = call.params["_meta"], None
        if tool.takes_context and requests:
            context = make_call_context(call.exchange, meta, answers=now.answers, state=now.state)
            first = tool.transcoder.fill_in(requests[0], context)
            requests = (first, *requests[1:])
        replies = tool.stream(requests, timeout_seconds=timeout_seconds, metadata=metadata)
        async with progress or nullcontext(), aclosing(replies):
            if not tool.has_many_replies:
                reply = await anext(replies)
                if isinstance(reply, RpcStatus):
                    return tell_failure(tool, reply, meta, forward_internal=self._forward_internal)
                printed = read_reply(tool, reply, meta)
                if isinstance(printed, Refusal):
                    return printed
                if printed.parts is not None:
                    if printed.parts.input_required is not None:
                        return printed.parts.input_required
                    await tell_parts(printed.parts, None, open_log(call.exchange, meta))
                return tell_printed(tool, printed, meta, limit_bytes=self._result_limit_bytes)
            collector = Collector(self._limits, tool.whole)
            async for reply in replies:
                if isinstance(reply, RpcStatus):
                    return self._tell_ending(tool, reply, meta, collector, timeout_seconds)
                printed = read_reply(tool, reply, meta)
                if isinstance(printed, Refusal):
                    return printed
                if printed.parts is not None:
                    if printed.parts.input_required is not None:
                        return printed.parts.input_required
                    log = log or open_log(call.exchange, meta)
                    await tell_parts(printed.parts, progress, log)
                encoded = orjson.dumps(printed.value)
                cut = _collect(tool, printed, encoded, collector)
                if cut is not None:
                    return _tell_cut(tool, cut, collector)
                if progress is not None and not tool.tells_progress:
                    await progress.report(collector.count, message=_show(encoded))
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
        result = broken_stream_result(
            report,
            encoded,
            collector.count,
            content=collector.blocks,
            forward_internal=self._forward_internal,
        )
        note_values(result, collector.notes)
        return result


def _show(encoded: bytes) -> str:
    """The beginning of a message, of which all may be much longer."""
    return one_line(encoded[: 4 * _LIMIT_SHOWN + 4].decode(errors="ignore"), _LIMIT_SHOWN)


def _collect(tool: Tool, printed: Printed, encoded: bytes, collector: Collector) -> Cut | None:
    """Keeps what the message adds to the result: its value, its content, both, or nothing where it only told news."""
    parts = printed.parts
    if parts is None:
        return collector.add(encoded, printed.notes)
    place = "" if parts.is_everything else collector.place
    blocks, notes = list_blocks(tool, parts, place=place)
    if parts.is_everything and not blocks:
        return None
    value = None if parts.is_everything else encoded
    return collector.add(value, (*printed.notes, *notes), blocks, measure(blocks))


def _tell_cut(tool: Tool, cut: Cut, collector: Collector) -> Outcome:
    log_call(logging.INFO, "stream cut", tool, {"messages": cut.count, "reason": cut.reason.value, "limit": cut.limit})
    return _tell_stream(collector, cut)


def _tell_stream(collector: Collector, cut: Cut | None) -> Outcome:
    result = stream_result(collector.encode(is_truncated=cut is not None), cut, content=collector.blocks)
    note_values(result, collector.notes)
    return result
