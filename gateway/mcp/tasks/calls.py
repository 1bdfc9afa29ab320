"""What becomes of a call whose RPC has started an operation: a task where the client takes one, else it is waited for.

Waiting looks at the operation again and again, ever more rarely, under the deadline of the call, and tells progress. An
operation for which nobody waits any more is asked to stop.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from gateway.contract.envelopes import Refusal
from gateway.descriptors.facts.values import ClientCapability, TaskSupport
from gateway.mcp.capabilities import get_capabilities, has_capability
from gateway.mcp.catalogue import Tool
from gateway.mcp.input_rounds.round import Answers
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.ports import Metadata
from gateway.mcp.progress import Progress
from gateway.mcp.sealing import Sealer
from gateway.mcp.tasks.descriptions import TaskStatus, describe_task
from gateway.mcp.tasks.following import (
    LOOK_SECONDS,
    get_long_running,
    look,
    provide,
    read_operation,
    stop,
    tell_end,
)
from gateway.mcp.tasks.handles import TaskHandle, seal_handle
from gateway.mcp.tool_calls.failures import refuse_reply, tell_failure
from gateway.transcoding.operations import OperationState
from gateway.transcoding.reply_parts import InputPart
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

# The id of a task travels as a header, of which servers take 8 KiB in all.
LIMIT_NAME = 1_000

_DEADLINE_EXCEEDED, _UNAVAILABLE = 4, 14

_Meta = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often an operation is looked at that somebody waits for: the first pause, its growth, and the longest."""

    first_seconds: float = 0.1
    growth: float = 1.5
    longest_seconds: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A call that waits: until when by the event loop's clock, and how many seconds that were from its beginning."""

    call: MethodCall
    ends_at: float
    timeout_seconds: float
    metadata: Metadata
    progress: Progress | None

    @property
    def meta(self) -> _Meta:
        """The `_meta` of the request."""
        meta: _Meta = self.call.params["_meta"]
        return meta

    @property
    def left_seconds(self) -> float:
        """How long it may still take; 0 or less: no longer."""
        return self.ends_at - asyncio.get_running_loop().time()


def begin_wait(call: MethodCall, timeout_seconds: float, metadata: Metadata, progress: Progress | None) -> Wait:
    """A call that begins now and may take so many seconds."""
    return Wait(
        call=call,
        ends_at=asyncio.get_running_loop().time() + timeout_seconds,
        timeout_seconds=timeout_seconds,
        metadata=metadata,
        progress=progress,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationCalls:
    """The operations that calls of this process start; `sealer` makes task ids of them."""

    sealer: Sealer
    result_limit_bytes: int
    forward_internal: bool = False
    pace: Pace = field(default_factory=Pace)
    clock: Callable[[], float] = time.time
    _stopping: set["asyncio.Task[RpcStatus | None]"] = field(default_factory=set, init=False, repr=False)

    async def follow(self, tool: Tool, reply: bytes, wait: Wait) -> Outcome | InputPart:
        """What the call answers whose RPC replied with this operation: a CreateTaskResult, or its result in the end.

        Questions that the backend puts before there is an operation, or to whoever waits for one, come back as such.
        Being cancelled has the operation stop.
        """
        state = read_operation(tool, reply, wait.meta)
        if isinstance(state, Refusal):
            return state
        if len(state.name) > LIMIT_NAME:
            reason = f"its name has {len(state.name):,} characters; the limit is {LIMIT_NAME:,}"
            return refuse_reply(tool, "the backend's operation has too long a name", reason, wait.meta)
        if not state.name and not state.is_done:
            if state.input_required is not None:
                return state.input_required
            return refuse_reply(tool, "the backend's operation has no name", "it cannot be followed", wait.meta)
        if state.name and _becomes_task(tool, state, wait.call):
            return self._create(tool, state, wait.call)
        return await self._wait(tool, state, wait)

    async def resume(self, tool: Tool, name: str, answers: Answers, wait: Wait) -> Outcome | InputPart:
        """Hands answers to an operation that is being waited for, and waits on: otherwise as `follow`."""
        failure = await provide(tool, name, answers, wait.metadata)
        if failure is not None:
            return tell_failure(tool, failure, wait.meta, forward_internal=self.forward_internal)
        return await self._wait(tool, OperationState(name=name), wait)

    def abandon(self, tool: Tool, name: str, metadata: Metadata) -> None:
        """Has an operation stop for which nobody waits any more; does not wait for that."""
        stopping = asyncio.create_task(stop(tool, name, metadata))
        self._stopping.add(stopping)
        stopping.add_done_callback(self._stopping.discard)

    def _create(self, tool: Tool, state: OperationState, call: MethodCall) -> Outcome:
        followed = get_long_running(tool)
        now = self.clock()
        handle = TaskHandle(
            backend=tool.backend,
            tool=tool.name,
            operation=state.name,
            created_at_ms=int(now * 1000),
            ttl_ms=max(1, round(followed.ttl_seconds * 1000)),
        )
        task_id = seal_handle(self.sealer, handle, call.exchange.principal)
        # How an operation ended is told by tasks/get alone: a task that has just been created is at work.
        asks = state.input_required is not None
        status = TaskStatus.INPUT_REQUIRED if asks else TaskStatus.WORKING
        described = describe_task(task_id, handle, status, state, poll_seconds=followed.poll_seconds, now=now)
        return {"resultType": "task", **described}

    async def _wait(self, tool: Tool, state: OperationState, wait: Wait) -> Outcome | InputPart:
        try:
            async with wait.progress or nullcontext():
                seen = await self._watch(tool, state, wait)
        except asyncio.CancelledError:
            self.abandon(tool, state.name, wait.metadata)
            raise
        if not isinstance(seen, OperationState):
            return seen
        if seen.input_required is not None:
            return replace(seen.input_required, operation=state.name)
        if seen.is_done:
            return tell_end(
                tool,
                seen,
                wait.meta,
                limit_bytes=self.result_limit_bytes,
                forward_internal=self.forward_internal,
            )
        self.abandon(tool, state.name, wait.metadata)
        message = f"the operation was not done within {wait.timeout_seconds:g} s, and is asked to stop"
        late = RpcStatus(code=_DEADLINE_EXCEEDED, message=message, origin=StatusOrigin.GATEWAY)
        return tell_failure(tool, late, wait.meta, forward_internal=self.forward_internal)

    async def _watch(self, tool: Tool, state: OperationState, wait: Wait) -> OperationState | Outcome:
        """The operation once it is done, asks for input, or takes too long; or why it can no longer be looked at."""
        pause, told = self.pace.first_seconds, OperationState(name=state.name)
        while not state.is_done and state.input_required is None:
            if wait.progress is not None and state != told:
                await _tell_progress(state, wait.progress)
                told = state
            await asyncio.sleep(max(0.0, min(pause, wait.left_seconds)))
            left = wait.left_seconds
            if left <= 0:
                return state
            pause = min(pause * self.pace.growth, self.pace.longest_seconds)
            seen = await look(tool, state.name, wait.meta, wait.metadata, timeout_seconds=min(left, LOOK_SECONDS))
            if isinstance(seen, Refusal):
                return seen
            if isinstance(seen, OperationState):
                state = replace(seen, name=state.name)
            elif not _is_passing(seen):
                return tell_failure(tool, seen, wait.meta, forward_internal=self.forward_internal)
        return state


def takes_task(call: MethodCall) -> bool:
    """Whether the client of this request takes a task for an answer: it says so in each request of its own."""
    if not call.revision.has_tasks:
        return False
    return has_capability(get_capabilities(call.exchange, call.params["_meta"]), ClientCapability.TASKS)


def _becomes_task(tool: Tool, state: OperationState, call: MethodCall) -> bool:
    match get_long_running(tool).support:
        case TaskSupport.NONE:
            return False
        case TaskSupport.REQUIRED:
            return takes_task(call)
        case TaskSupport.OPTIONAL | TaskSupport.UNSPECIFIED:
            # What is done already needs no second request.
            return not state.is_done and takes_task(call)


def _is_passing(status: RpcStatus) -> bool:
    """Whether a look that failed says nothing of the operation, and may be made again.

    Where this side ends its connections there is nothing left to look with.
    """
    if status.code == _UNAVAILABLE:
        return status.origin is not StatusOrigin.GATEWAY
    return status.code == _DEADLINE_EXCEEDED


async def _tell_progress(state: OperationState, progress: Progress) -> None:
    known = state.progress
    if known is not None:
        message = known.message or state.status_message
        await progress.report(known.progress, total=known.total, message=message or None)
    elif state.status_message:
        await progress.report(0.0, message=state.status_message)
