"""`tasks/get`, `tasks/update` and `tasks/cancel`: what a client does with a task that a call has become.

Each opens the task's id and asks the backend; nothing is kept here. Source: the extension io.modelcontextprotocol/tasks
(SEP-2663).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Problem, distil, make_pointer
from gateway.contract.envelopes import Refusal, distilled_refusal, refusal_response
from gateway.contract.quoting import quote
from gateway.descriptors.facts.values import ClientCapability
from gateway.mcp.capabilities import refuse_missing
from gateway.mcp.catalogue import Tool
from gateway.mcp.input_rounds.rounds import RESPONSES_MEMBER, choose_questions
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.ports import Metadata
from gateway.mcp.tasks.calls import OperationCalls, takes_task
from gateway.mcp.tasks.descriptions import TaskStatus, describe_task, is_cancelled
from gateway.mcp.tasks.following import get_long_running, look, provide, refuse_status, stop, tell_end
from gateway.mcp.tasks.handles import TaskHandle, open_handle
from gateway.mcp.trace_context import read_trace_metadata
from gateway.transcoding.operations import OperationState
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

ID_MEMBER = "taskId"

_NOT_FOUND = 5
_Answers = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """A task that a request is about."""

    id: str
    handle: TaskHandle
    tool: Tool
    metadata: Metadata


class Tasks:
    """Answers tasks/* for the tasks that calls have become."""

    def __init__(self, operations: OperationCalls) -> None:
        self._operations = operations

    async def get(self, call: MethodCall) -> Outcome:
        """How the task stands, with what it ended in or what it asks for.

        A tool error is a result; `failed` are those alone that would have been protocol errors of the call.
        """
        task = self._open(call)
        if isinstance(task, Refusal):
            return task
        state = await self._look(task, call)
        if isinstance(state, Refusal):
            return state
        told = self._tell(task, state, call)
        if isinstance(told, Refusal):
            return told
        status, more = told
        described = describe_task(
            task.id,
            task.handle,
            status,
            state,
            poll_seconds=get_long_running(task.tool).poll_seconds,
            now=self._operations.clock(),
        )
        return {"resultType": "complete", **described, **more}

    async def update(self, call: MethodCall) -> Outcome:
        """Hands answers to the backend: those to questions that are open. Others are ignored, as the protocol asks."""
        task = self._open(call)
        if isinstance(task, Refusal):
            return task
        responses = _read_responses(call.params)
        if isinstance(responses, Refusal):
            return responses
        state = await self._look(task, call)
        if isinstance(state, Refusal):
            return state
        asked = state.input_required.questions if state.input_required is not None else {}
        answers = {key: responses[key] for key in asked if key in responses}
        if answers:
            failure = await provide(task.tool, task.handle.operation, answers, task.metadata)
            if failure is not None:
                return self._refuse(task, failure, call)
        return {"resultType": "complete"}

    async def cancel(self, call: MethodCall) -> Outcome:
        """Has the backend stop the work. Whether and when it does is for tasks/get to tell."""
        task = self._open(call)
        if isinstance(task, Refusal):
            return task
        failure = await stop(task.tool, task.handle.operation, task.metadata)
        # A backend that has finished, or that cannot stop, has taken note: stopping is never promised.
        if failure is not None and (failure.code == _NOT_FOUND or failure.origin is not StatusOrigin.BACKEND):
            return self._refuse(task, failure, call)
        return {"resultType": "complete"}

    def _open(self, call: MethodCall) -> _Task | Refusal:
        """The task that the request is about; refused first is a client that did not declare the extension."""
        if not takes_task(call):
            refusal = refuse_missing({}, (ClientCapability.TASKS,), "tasks/*")
            if refusal is not None:
                return refusal
        task_id = call.params.get(ID_MEMBER)
        if not isinstance(task_id, str):
            text = "is required" if task_id is None else f"must be a string, got {quote(task_id)}"
            return _refuse_params(Problem(at=make_pointer(("params", ID_MEMBER)), text=text))
        handle = open_handle(self._operations.sealer, task_id, call.exchange.principal)
        tool = call.catalogue.find_tool(handle.tool) if handle is not None else None
        if handle is None or tool is None or tool.long_running is None or tool.backend != handle.backend:
            return _refuse_task()
        metadata = (*call.exchange.metadata, *read_trace_metadata(call.params["_meta"]))
        return _Task(id=task_id, handle=handle, tool=tool, metadata=metadata)

    async def _look(self, task: _Task, call: MethodCall) -> OperationState | Refusal:
        state = await look(task.tool, task.handle.operation, call.params["_meta"], task.metadata)
        return self._refuse(task, state, call) if isinstance(state, RpcStatus) else state

    def _refuse(self, task: _Task, status: RpcStatus, call: MethodCall) -> Refusal:
        if status.code == _NOT_FOUND:
            return _refuse_task()
        return refuse_status(
            task.tool, status, call.params["_meta"], forward_internal=self._operations.forward_internal
        )

    def _tell(
        self, task: _Task, state: OperationState, call: MethodCall
    ) -> tuple[TaskStatus, dict[str, Any]] | Refusal:
        """The status of a task, and what belongs to a task of that status.

        A client that can answer none of the open questions is refused, as it would be in a call.
        """
        if not state.is_done:
            if state.input_required is None:
                return TaskStatus.WORKING, {}
            asked = choose_questions(task.tool, call, state.input_required.questions)
            if isinstance(asked, Refusal):
                return asked
            requests = {key: {"method": one.method, "params": one.params} for key, one in asked.items()}
            return TaskStatus.INPUT_REQUIRED, {"inputRequests": requests}
        if is_cancelled(state.error):
            return TaskStatus.CANCELLED, {}
        outcome = tell_end(
            task.tool,
            state,
            call.params["_meta"],
            limit_bytes=self._operations.result_limit_bytes,
            forward_internal=self._operations.forward_internal,
        )
        if isinstance(outcome, Refusal):
            return TaskStatus.FAILED, {"error": refusal_response(outcome, None).body["error"]}
        return TaskStatus.COMPLETED, {"result": outcome}


def _read_responses(params: Mapping[str, Any]) -> _Answers | Refusal:
    responses = params.get(RESPONSES_MEMBER)
    path = ("params", RESPONSES_MEMBER)
    if not isinstance(responses, dict):
        text = "is required" if responses is None else f"must be an object, got {quote(responses)}"
        return _refuse_params(Problem(at=make_pointer(path), text=text))
    problems = [
        Problem(at=make_pointer((*path, key)), text=f"must be an object, got {quote(answer)}")
        for key, answer in responses.items()
        if not isinstance(answer, dict)
    ]
    return _refuse_params(*problems) if problems else responses


def _refuse_task() -> Refusal:
    text = "is no task that was given to this caller, or has expired"
    return _refuse_params(Problem(at=make_pointer(("params", ID_MEMBER)), text=text))


def _refuse_params(*problems: Problem) -> Refusal:
    return distilled_refusal(Condition.INVALID_PARAMS, distil(problems, subject="request"), rejection=False)
