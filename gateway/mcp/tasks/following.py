"""Follows operations: asks a backend how one stands, hands it answers, has it stop, and tells how it ended.

It must never know whether somebody waits for the operation or asks for a task.
"""

from collections.abc import Mapping
from typing import Any

from gateway.contract.envelopes import Refusal
from gateway.contract.tool_results import status_refusal
from gateway.mcp.catalogue import Tool
from gateway.mcp.methods.method import Outcome
from gateway.mcp.ports import Metadata, UnaryRpc
from gateway.mcp.tasks.long_running import LongRunning
from gateway.mcp.tool_calls.failures import refuse_reply, report_failure, tell_failure
from gateway.mcp.tool_calls.replies import read_reply, tell_printed
from gateway.transcoding.errors import BadReply
from gateway.transcoding.operations import OperationState
from gateway.transcoding.rpc_status import RpcStatus

LOOK_SECONDS = 10.0
"""How long a backend may take to say how an operation stands, to take answers, or to take note that it is to stop."""

_Meta = Mapping[str, Any]


def get_long_running(tool: Tool) -> LongRunning:
    """The operations of a tool that has some."""
    if tool.long_running is None:
        raise TypeError(f"{tool.rpc} starts no operations")
    return tool.long_running


def read_operation(tool: Tool, reply: bytes, meta: _Meta) -> OperationState | Refusal:
    """A serialised operation, or the refusal of what is none."""
    try:
        return get_long_running(tool).codec.read(reply)
    except BadReply as error:
        return refuse_reply(tool, "the backend's operation could not be read", error.reason, meta)


async def look(
    tool: Tool, name: str, meta: _Meta, metadata: Metadata, *, timeout_seconds: float = LOOK_SECONDS
) -> OperationState | RpcStatus | Refusal:
    """How the operation stands now, how asking for that failed, or the refusal of an answer that cannot be read."""
    reply = await _send(tool, get_long_running(tool).get, name, metadata, timeout_seconds)
    return reply if isinstance(reply, RpcStatus) else read_operation(tool, reply, meta)


async def stop(tool: Tool, name: str, metadata: Metadata) -> RpcStatus | None:
    """Has the operation stop, where the backend can do that; how that failed, or None."""
    reply = await _send(tool, get_long_running(tool).cancel, name, metadata, LOOK_SECONDS)
    return reply if isinstance(reply, RpcStatus) else None


async def provide(
    tool: Tool, name: str, answers: Mapping[str, Mapping[str, Any]], metadata: Metadata
) -> RpcStatus | None:
    """Hands answers to an operation; how that failed, or None."""
    followed = get_long_running(tool)
    request = followed.codec.encode_answers(name, answers)
    reply = await followed.provide_input(request, timeout_seconds=LOOK_SECONDS, metadata=metadata)
    return reply if isinstance(reply, RpcStatus) else None


def tell_end(tool: Tool, state: OperationState, meta: _Meta, *, limit_bytes: int, forward_internal: bool) -> Outcome:
    """What a call would have answered whose RPC had ended like this operation."""
    if state.error is not None:
        return tell_failure(tool, state.error, meta, forward_internal=forward_internal)
    printed = read_reply(tool, state.response or b"", meta)
    if isinstance(printed, Refusal):
        return printed
    if printed.parts is not None and printed.parts.input_required is not None:
        reason = "an operation asks by its metadata, while it is not done"
        return refuse_reply(tool, "the backend's operation ended in a question", reason, meta)
    return tell_printed(tool, printed, meta, limit_bytes=limit_bytes)


def refuse_status(tool: Tool, status: RpcStatus, meta: _Meta, *, forward_internal: bool) -> Refusal:
    """An RPC about an operation that failed: never a result, for that would say that the operation has ended."""
    return status_refusal(report_failure(tool, status, meta), forward_internal=forward_internal)


async def _send(tool: Tool, rpc: UnaryRpc, name: str, metadata: Metadata, timeout_seconds: float) -> bytes | RpcStatus:
    request = get_long_running(tool).codec.encode_name(name)
    return await rpc(request, timeout_seconds=timeout_seconds, metadata=metadata)
