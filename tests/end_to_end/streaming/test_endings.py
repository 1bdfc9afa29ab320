"""How long streams last: caps, deadlines, and callers that go away."""

import asyncio
import contextlib
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import grpc
import httpx
import orjson
import pytest

from gateway.app.settings.model import Settings
from gateway.fronts.stdio import serve_stdio
from tests.end_to_end.stage import Stage, derive_headers
from tests.end_to_end.streaming.conftest import PROTO

Context = grpc.aio.ServicerContext
Requests = AsyncIterator[bytes]
MakeStage = Callable[..., Awaitable[Stage]]
TOKEN = {"progressToken": "p"}


class Seen:
    """What the backend saw of its calls."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0
        self.sent = 0
        self.timeouts: list[float] = []
        self._changed = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def call(self, context: Context) -> AsyncIterator[None]:
        self.timeouts.append(context.time_remaining())
        await self._count("begun")
        try:
            yield
        finally:
            await self._count("ended")

    async def _count(self, name: str) -> None:
        async with self._changed:
            setattr(self, name, getattr(self, name) + 1)
            self._changed.notify_all()

    async def wait_for(self, seconds: float = 10, **counts: int) -> None:
        async with asyncio.timeout(seconds), self._changed:
            await self._changed.wait_for(lambda: all(getattr(self, name) >= count for name, count in counts.items()))


def serve(stage: Stage, *, size: int = 0, endless: bool = False) -> Seen:
    """Has every RPC of the stage hang; the streams send one message first, or messages without end."""
    seen = Seen()
    message = stage.make("t.Tick", n=1, text="x" * size).SerializeToString()

    async def stream(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        async with seen.call(context):
            while True:
                yield message
                seen.sent += 1
                if not endless:
                    await asyncio.Event().wait()

    async def silent(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        async with seen.call(context):
            await asyncio.Event().wait()
            yield b""

    async def unary(request: bytes, context: Context) -> bytes:
        async with seen.call(context):
            await asyncio.Event().wait()
        return b""

    stage.backend.streams |= {"t.S/Watch": stream, "t.S/Chat": stream, "t.S/Upload": silent}
    stage.backend.answers["t.S/Get"] = unary
    return seen


def set_limits(deadline_seconds: float = 30, **limits: Any) -> Callable[[Settings], Settings]:
    def change(settings: Settings) -> Settings:
        (backend,) = settings.backends
        return replace(
            settings,
            limits=replace(settings.limits, **limits),
            backends=(replace(backend, deadline_seconds=deadline_seconds),),
        )

    return change


async def test_an_endless_stream_is_cut_and_the_backend_sees_the_end(stage: Stage, client: Any) -> None:
    seen = serve(stage, size=1000, endless=True)
    result = await client.call("t.S/Watch", **TOKEN)
    messages = result["structuredContent"]["messages"]
    assert 300 < len(messages) < 330
    assert result["structuredContent"]["truncated"] is True
    assert result["content"][1]["text"].startswith(f"stream cut after {len(messages)} messages: ")
    await seen.wait_for(1, ended=1)
    # The backend was held to the pace of its reader: it is not far ahead.
    assert seen.sent < 3000


async def test_a_stream_is_cut_at_its_count(make_stage: MakeStage, connect: Any) -> None:
    stage = await make_stage(PROTO, settings=set_limits(stream_messages=10))
    seen = serve(stage, endless=True)
    result = await (await connect(stage)).call("t.S/Chat", {"messages": [{}]})
    assert len(result["structuredContent"]["messages"]) == 10
    assert result["_meta"]["dev.propylon/truncated"] == {"messages": 10, "reason": "messages", "limit": 10}
    await seen.wait_for(1, ended=1)


async def test_each_kind_has_its_own_deadline_which_the_backend_knows(make_stage: MakeStage, connect: Any) -> None:
    stage = await make_stage(PROTO, settings=set_limits(deadline_seconds=0.4, stream_seconds=0.8))
    seen = serve(stage)
    client = await connect(stage)
    watched, chatted, uploaded, got = await asyncio.gather(
        client.call("t.S/Watch"),
        client.call("t.S/Chat", {"messages": [{}]}),
        client.call("t.S/Upload", {"messages": [{}]}),
        client.call("t.S/Get"),
    )
    for result in (watched, chatted):
        assert result["structuredContent"] == {"messages": [{"n": 1}], "truncated": True}
        assert result["content"][1]["text"] == "stream cut after 1 message: its time of 0.8 s was up; more may follow"
    for result in (uploaded, got):
        assert result["isError"] is True
        assert result["content"][0]["text"] == "DEADLINE_EXCEEDED: no answer within 0.4 s (this gateway's limit)"
    await seen.wait_for(1, begun=4, ended=4)
    low, less, more, most = sorted(seen.timeouts)
    assert 0 < low <= less <= 0.4 < more <= most <= 0.8


@pytest.mark.parametrize("rpc", ["t.S/Watch", "t.S/Chat", "t.S/Upload", "t.S/Get"])
async def test_a_caller_may_ask_for_less_time(stage: Stage, client: Any, rpc: str) -> None:
    seen = serve(stage)
    arguments = {"messages": [{}]} if rpc in ("t.S/Chat", "t.S/Upload") else {}
    result = await client.call(rpc, arguments, **{"dev.propylon/timeoutMs": 300})
    is_cut = rpc in ("t.S/Watch", "t.S/Chat")
    assert result.get("isError", False) is not is_cut
    await seen.wait_for(1, ended=1)
    assert 0 < seen.timeouts[0] <= 0.3


@pytest.mark.parametrize("token", [{}, TOKEN], ids=["quiet", "with progress"])
@pytest.mark.parametrize("rpc", ["t.S/Watch", "t.S/Chat", "t.S/Upload", "t.S/Get"])
async def test_a_client_that_leaves_cancels_the_rpc_within_a_second(
    stage: Stage, client: Any, rpc: str, token: dict[str, Any]
) -> None:
    seen = serve(stage)
    arguments = {"messages": [{}]} if rpc in ("t.S/Chat", "t.S/Upload") else {}
    calling = asyncio.create_task(client.call(rpc, arguments, **token))
    await seen.wait_for(begun=1)
    assert seen.ended == 0
    calling.cancel()
    await seen.wait_for(1, ended=1)


class Lines:
    """The input of a session on stdio, line by line."""

    def __init__(self) -> None:
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()
        self.written: list[Any] = []

    def say(self, message: Any) -> None:
        self.lines.put_nowait(orjson.dumps(message) + b"\n")

    async def read(self) -> bytes:
        return await self.lines.get()

    async def write(self, data: bytes) -> None:
        self.written.append(orjson.loads(data))


@pytest.mark.parametrize("rpc", ["t.S/Watch", "t.S/Chat", "t.S/Upload", "t.S/Get"])
async def test_a_cancelled_request_on_stdio_cancels_the_rpc_within_a_second(stage: Stage, rpc: str) -> None:
    seen = serve(stage)
    lines = Lines()
    session = asyncio.create_task(serve_stdio(stage.gateway.dispatcher, streams=(lines, lines)))
    request = stage.make_call(rpc, {"messages": [{}]} if rpc in ("t.S/Chat", "t.S/Upload") else {})
    request["params"]["_meta"] = {**request["params"]["_meta"], **TOKEN}
    lines.say(request)
    await seen.wait_for(begun=1)
    lines.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request["id"]}})
    await seen.wait_for(1, ended=1)
    lines.lines.put_nowait(b"")
    await session
    assert {line["method"] for line in lines.written} <= {"notifications/progress"}


def count_open_files() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))
    except FileNotFoundError:
        pytest.skip("this system does not count open files in /proc")


async def test_clients_that_leave_at_any_moment_cost_nothing_and_nobody(stage: Stage, client: Any) -> None:
    seen = serve(stage)
    chance = random.Random(1)
    address = httpx.URL(client.url)
    assert (await client.call("plain.Plain/Say", {"text": "well"}))["structuredContent"] == {"text": "well"}
    before = count_open_files()

    async def leave(number: int) -> None:
        message = stage.make_call(("t.S/Watch", "t.S/Get")[number % 2], {})
        message["params"]["_meta"] = {**message["params"]["_meta"], **TOKEN}
        body = orjson.dumps(message)
        head = "".join(f"{name}: {value}\r\n" for name, value in derive_headers(message).items())
        request = f"POST /mcp HTTP/1.1\r\n{head}content-length: {len(body)}\r\n\r\n".encode() + body
        reader, writer = await asyncio.open_connection(address.host, address.port)
        # Behind the head, in the middle of the body, or once all of it is out, some only when calls have begun.
        writer.write(request[: (len(request), len(request) - len(body), len(request) - 9)[number % 3]])
        if number % 6 == 0:
            await seen.wait_for(30, begun=10)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(chance.uniform(0, 0.2)):
                await reader.read()
        writer.transport.abort()

    leaving = asyncio.gather(*(leave(number) for number in range(500)))
    while not leaving.done():
        assert (await client.call("plain.Plain/Say", {"text": "well"}))["structuredContent"] == {"text": "well"}
    await leaving
    await seen.wait_for(5, ended=seen.begun)
    async with asyncio.timeout(5):
        while count_open_files() > before + 5:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
