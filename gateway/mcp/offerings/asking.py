"""Asks an RPC on behalf of a method that has no tool dialect: a failure is a protocol error, whatever its status."""

from collections.abc import Mapping
from dataclasses import replace

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Distilled
from gateway.contract.envelopes import Refusal, distilled_refusal
from gateway.contract.tool_results import status_refusal
from gateway.mcp.call_contexts import make_call_context
from gateway.mcp.input_rounds.round import FIRST_ROUND, Round
from gateway.mcp.input_rounds.rounds import InputRounds
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.offerings.values import RpcSource
from gateway.mcp.tool_calls.failures import report_failure
from gateway.mcp.tool_calls.replies import read_reply
from gateway.mcp.trace_context import read_trace_metadata
from gateway.transcoding.call_context import CompletionQuery
from gateway.transcoding.printed import Printed
from gateway.transcoding.rpc_status import RpcStatus

_NOT_FOUND = 5


class RpcAsker:
    """Asks RPCs; `rounds` gets input for those that cannot go on without."""

    def __init__(self, *, rounds: InputRounds, forward_internal: bool) -> None:
        self._rounds = rounds
        self._forward_internal = forward_internal

    async def ask(
        self,
        source: RpcSource,
        values: Mapping[str, str],
        call: MethodCall,
        *,
        query: CompletionQuery | None = None,
        uri: str | None = None,
    ) -> Printed | Outcome:
        """The RPC's reply; or an InputRequiredResult, or the refusal with the code of the status.

        `values` are what the client gave, by name. Of a resource, `uri` is what is not there where the status is
        NOT_FOUND (MCP 2026-07-28, server/resources, "Error Handling").
        """
        now = FIRST_ROUND
        if source.tool.takes_context and self._rounds.is_asked(call):
            begun = await self._rounds.begin(replace(source.tool, wants_confirmation=False), call)
            if not isinstance(begun, Round):
                return begun
            now = begun
        while True:
            reply = await self._call(source, values, call, now, query, uri)
            if isinstance(reply, Refusal) or reply.parts is None or reply.parts.input_required is None:
                return reply
            after = await self._rounds.go_on(source.tool, call, now, reply.parts.input_required)
            if not isinstance(after, Round):
                return after
            now = after

    async def _call(
        self,
        source: RpcSource,
        values: Mapping[str, str],
        call: MethodCall,
        now: Round,
        query: CompletionQuery | None,
        uri: str | None,
    ) -> Printed | Refusal:
        tool, meta = source.tool.with_headers(call.exchange.headers), call.params["_meta"]
        request = tool.transcoder.encode_arguments(source.make_arguments(values))
        if isinstance(request, Distilled):
            return distilled_refusal(Condition.INVALID_PARAMS, request, rejection=False)
        if tool.takes_context:
            context = make_call_context(call.exchange, meta, answers=now.answers, state=now.state)
            request = tool.transcoder.fill_in(request, context, query)
        if tool.call is None:
            raise TypeError(f"{tool.rpc} is a stream")
        metadata = (*call.exchange.metadata, *read_trace_metadata(meta))
        reply = await tool.call(request, timeout_seconds=tool.deadline_seconds, metadata=metadata)
        if isinstance(reply, RpcStatus):
            return self._refuse(source, reply, call, uri)
        return read_reply(tool, reply, meta)

    def _refuse(self, source: RpcSource, status: RpcStatus, call: MethodCall, uri: str | None) -> Refusal:
        report = report_failure(source.tool, status, call.params["_meta"])
        refusal = status_refusal(report, forward_internal=self._forward_internal)
        if status.code == _NOT_FOUND and uri is not None:
            return replace(refusal, condition=Condition.INVALID_PARAMS, data={**(refusal.data or {}), "uri": uri})
        return refusal
