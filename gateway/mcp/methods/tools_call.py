"""`tools/call`: finds the tool, turns the arguments into a request, calls the RPC and tells how it went.

How calls go and what is told of them is in `mcp.tool_calls`. Source: MCP 2026-07-28, server/tools.
"""

from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Distilled, Problem, distil
from gateway.contract.envelopes import Refusal, distilled_refusal
from gateway.contract.nearest_names import find_nearest_name
from gateway.contract.quoting import quote
from gateway.mcp.call_contexts import make_call_context
from gateway.mcp.capabilities import get_capabilities, refuse_missing
from gateway.mcp.catalogue import Catalogue, Tool
from gateway.mcp.input_rounds.round import FIRST_ROUND, Round
from gateway.mcp.input_rounds.rounds import InputRounds
from gateway.mcp.log_messages import open_log
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.mirroring.parameters import HeaderParameter
from gateway.mcp.passage import TOOL_META_KEY, Passage, refuse_name
from gateway.mcp.ports import Metadata
from gateway.mcp.progress import Progress, ProgressPace, open_progress
from gateway.mcp.tasks.calls import OperationCalls, begin_wait
from gateway.mcp.tool_calls.collector import StreamLimits
from gateway.mcp.tool_calls.failures import refuse_arguments, tell_failure
from gateway.mcp.tool_calls.parts import tell_parts
from gateway.mcp.tool_calls.replies import read_reply, tell_printed
from gateway.mcp.tool_calls.streaming import StreamingCalls
from gateway.mcp.trace_context import read_trace_metadata
from gateway.transcoding.reply_parts import InputPart
from gateway.transcoding.rpc_status import RpcStatus

TIMEOUT_META_KEY = "dev.propylon/timeoutMs"

_TIMEOUT_POINTER = "/params/_meta/" + TIMEOUT_META_KEY.replace("/", "~1")


def find_mirrored(params: Mapping[str, Any], catalogue: Catalogue) -> tuple[HeaderParameter, ...]:
    """The arguments that `Mcp-Param-*` headers mirror for the tool that is called; none for an unknown tool."""
    name = params.get("name")
    tool = catalogue.find_tool(name) if isinstance(name, str) else None
    return () if tool is None else tool.header_parameters


class ToolsCall:
    """Answers tools/call.

    `result_limit_bytes` bounds the JSON of a reply, `stream_limits` what is collected of a stream; `rounds` gets input
    for calls that cannot go on without, `operations` follows those that have started long work; `forward_internal`
    tells callers what a backend says of its internal failures.
    """

    def __init__(
        self,
        *,
        result_limit_bytes: int,
        stream_limits: StreamLimits,
        progress_pace: ProgressPace,
        rounds: InputRounds,
        operations: OperationCalls,
        forward_internal: bool = False,
    ) -> None:
        self._operations = operations
        self._rounds = rounds
        self._result_limit_bytes = result_limit_bytes
        self._progress_pace = progress_pace
        self._forward_internal = forward_internal
        self._streaming = StreamingCalls(
            limits=stream_limits, result_limit_bytes=result_limit_bytes, forward_internal=forward_internal
        )

    async def answer(self, call: MethodCall) -> Outcome:
        """A CallToolResult, or the refusal that is a protocol error. Being cancelled cancels the RPC."""
        params = call.params
        tool = call.catalogue.find_tool(params["name"])
        if tool is None:
            passage = call.catalogue.passage
            if passage is not None and params["name"] == passage.tool.name:
                return await self._pass_on(passage, call)
            return _refuse_tool(params["name"], call.catalogue)
        if tool.header_reader is not None:
            tool = tool.with_headers(call.exchange.headers)
        meta = params["_meta"]
        if tool.required_capabilities:
            declared = get_capabilities(call.exchange, meta)
            refusal = refuse_missing(declared, tool.required_capabilities, f"the tool {quote(tool.name)}")
            if refusal is not None:
                return refusal
        timeout_seconds = _choose_timeout(meta, tool)
        if isinstance(timeout_seconds, Refusal):
            return timeout_seconds
        now = FIRST_ROUND
        if tool.wants_confirmation or self._rounds.is_asked(call):
            begun = await self._rounds.begin(tool, call)
            if not isinstance(begun, Round):
                return begun
            now = begun
        progress = open_progress(call.exchange, meta, self._progress_pace)
        outcome = await self._run(tool, call, timeout_seconds, progress, now)
        while isinstance(outcome, InputPart):
            after = await self._rounds.go_on(tool, call, now, outcome)
            if not isinstance(after, Round):
                if outcome.operation and isinstance(after, Refusal):
                    self._operations.abandon(tool, outcome.operation, call.exchange.metadata)
                return after
            now = after
            outcome = await self._run(tool, call, timeout_seconds, progress, now)
        return outcome

    async def _pass_on(self, passage: Passage, call: MethodCall) -> Outcome:
        """The answer of the tool that a passage leads to, as if it had been called itself; it says which one it is."""
        resolved = passage.resolve(call.params.get("arguments", {}))
        if isinstance(resolved, Distilled):
            return refuse_arguments(passage.tool, resolved)
        name, arguments = resolved
        tool = call.catalogue.find_tool(name)
        if tool is None:
            return refuse_arguments(passage.tool, refuse_name(name, call.catalogue.tools))
        outcome = await self.answer(replace(call, params={**call.params, "name": tool.name, "arguments": arguments}))
        if not isinstance(outcome, Refusal):
            outcome["_meta"] = {**outcome.get("_meta", {}), TOOL_META_KEY: tool.name}
        return outcome

    async def _run(
        self, tool: Tool, call: MethodCall, timeout_seconds: float, progress: Progress | None, now: Round
    ) -> Outcome | InputPart:
        """One call of the RPC: its result, or what the backend asks before there can be one."""
        meta = call.params["_meta"]
        arguments = call.params.get("arguments", {})
        metadata: Metadata = (*call.exchange.metadata, *read_trace_metadata(meta))
        if tool.call is None:
            return await self._streaming.answer(tool, arguments, call, timeout_seconds, metadata, progress, now)
        wait = None
        if tool.long_running is not None:
            wait = begin_wait(call, timeout_seconds, metadata, progress)
            if now.operation:
                return await self._operations.resume(tool, now.operation, now.answers, wait)
        request = tool.transcoder.encode_arguments(arguments)
        if isinstance(request, Distilled):
            return refuse_arguments(tool, request)
        if tool.takes_context:
            context = make_call_context(call.exchange, meta, answers=now.answers, state=now.state)
            request = tool.transcoder.fill_in(request, context)
        calling = tool.call(request, timeout_seconds=timeout_seconds, metadata=metadata)
        reply = await (calling if progress is None else _accompany(progress, calling))
        if isinstance(reply, RpcStatus):
            return tell_failure(tool, reply, meta, forward_internal=self._forward_internal)
        if wait is not None:
            return await self._operations.follow(tool, reply, wait)
        printed = read_reply(tool, reply, meta)
        if isinstance(printed, Refusal):
            return printed
        if printed.parts is not None:
            if printed.parts.input_required is not None:
                return printed.parts.input_required
            await tell_parts(printed.parts, None, open_log(call.exchange, meta))
        return tell_printed(tool, printed, meta, limit_bytes=self._result_limit_bytes)


async def _accompany(progress: Progress, calling: Awaitable[bytes | RpcStatus]) -> bytes | RpcStatus:
    """The call, with signs of life while it goes on."""
    async with progress:
        return await calling


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
    hint = f"; did you mean {quote(near)}?" if near else "; tools/list names those that there are"
    return Refusal(condition=Condition.INVALID_PARAMS, message=f"Unknown tool: {quote(name)}{hint}", rejection=False)
