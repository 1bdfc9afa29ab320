"""Tasks as an extension of the Model Context Protocol's own Python client drives them, over both fronts.

The operations are gapic-showcase's.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.types import CallToolResult, Request, RequestParams, Result

TASKS = "io.modelcontextprotocol/tasks"
WAIT = "google.showcase.v1beta1.Echo/Wait"


class TaskParams(RequestParams):
    task_id: str


class GetTask(Request[TaskParams, Literal["tasks/get"]]):
    name_param = "taskId"
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams


class CancelTask(Request[TaskParams, Literal["tasks/cancel"]]):
    name_param = "taskId"
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams


class Created(Result):
    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    poll_interval_ms: int


class Task(Result):
    task_id: str
    status: str
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class Tasks(ClientExtension):
    """Asks for a task until it is over, and keeps what it has seen; `cancels` at once if it is told to."""

    identifier = TASKS

    def __init__(self, *, cancels: bool = False) -> None:
        self.cancels = cancels
        self.seen: list[str] = []

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return (ResultClaim(result_type="task", model=Created, resolve=self.resolve),)

    async def resolve(self, created: Created, context: ClaimContext) -> CallToolResult:
        params = TaskParams(task_id=created.task_id)
        if self.cancels:
            await context.session.send_request(CancelTask(params=params), Result)
        while True:
            task = await context.session.send_request(GetTask(params=params), Task)
            self.seen.append(task.status)
            if task.result is not None:
                return CallToolResult.model_validate(task.result)
            if task.status != "working":
                return CallToolResult(content=[], is_error=True)
            await asyncio.sleep(created.poll_interval_ms / 1000 / 5)


@pytest.fixture(scope="session")
def url(serve: Callable[..., str], showcase: str) -> str:
    return serve(showcase)


@pytest.fixture(params=["http", "stdio"])
def server(request: pytest.FixtureRequest, propylon: list[str], showcase: str) -> str | StdioServerParameters:
    """What the client connects to: a gateway over HTTP, or one of its own over stdio."""
    if request.param == "http":
        return str(request.getfixturevalue("url"))
    return StdioServerParameters(command=propylon[0], args=["serve", showcase, "--stdio"])


async def test_a_call_that_becomes_a_task_ends_in_the_result_of_the_call(server: Any, find_tool: Any) -> None:
    tasks = Tasks()
    async with Client(server, extensions=[tasks]) as client:
        tool = await find_tool(client, WAIT)
        result = await client.call_tool(tool.name, {"ttl": "0.5s", "success": {"content": "later"}})
    assert (result.is_error, result.structured_content) == (False, {"content": "later"})
    assert (tasks.seen[0], tasks.seen[-1]) == ("working", "completed")


async def test_a_task_that_fails_ends_in_a_tool_error(server: Any, find_tool: Any) -> None:
    async with Client(server, extensions=[Tasks()]) as client:
        tool = await find_tool(client, WAIT)
        result = await client.call_tool(tool.name, {"ttl": "0.2s", "error": {"code": 5, "message": "there is none"}})
    assert result.is_error
    assert result.content[0].text.startswith("NOT_FOUND: there is none")


async def test_an_id_that_is_none_is_refused(server: Any) -> None:
    async with Client(server, extensions=[Tasks()]) as client:
        with pytest.raises(MCPError) as refused:
            await client.session.send_request(GetTask(params=TaskParams(task_id="nonsense")), Task)
    assert refused.value.error.code == -32602


async def test_cancelling_is_acknowledged_and_the_task_comes_to_an_end(server: Any, find_tool: Any) -> None:
    tasks = Tasks(cancels=True)
    async with Client(server, extensions=[tasks]) as client:
        tool = await find_tool(client, WAIT)
        await client.call_tool(tool.name, {"ttl": "0.5s", "success": {"content": "later"}})
    assert tasks.seen[-1] in {"completed", "cancelled"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_without_the_extension_a_call_waits(server: Any, find_tool: Any, mode: Any) -> None:
    async with Client(server, mode=mode) as client:
        tool = await find_tool(client, WAIT)
        result = await client.call_tool(tool.name, {"ttl": "0.5s", "success": {"content": "later"}})
    assert result.structured_content == {"content": "later"}
