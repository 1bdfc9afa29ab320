"""RPCs of all kinds over HTTP: what goes well, and the ways in which a call can end early."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import pytest

from tests.end_to_end.stage import Stage

Context = grpc.aio.ServicerContext
Requests = AsyncIterator[bytes]


@pytest.fixture(autouse=True)
def _no_task_is_lost(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


@pytest.fixture
def tick(stage: Stage) -> Any:
    def make(n: int, text: str = "") -> bytes:
        message: bytes = stage.make("t.Tick", n=n, text=text).SerializeToString()
        return message

    return make


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    """Every one of these calls is over at once, and not at a deadline."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < 10


async def test_a_server_stream_is_a_list(stage: Stage, client: Any, tick: Any) -> None:
    async def watch(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        async for request in requests:
            for n in range(stage.messages("t.Ask").FromString(request).count):  # type: ignore[attr-defined]
                yield tick(n + 1)

    stage.backend.streams["t.S/Watch"] = watch
    result = await client.call("t.S/Watch", {"count": 3})
    assert result["structuredContent"] == {"messages": [{"n": 1}, {"n": 2}, {"n": 3}], "truncated": False}


async def test_a_clients_stream_is_given_as_a_list(stage: Stage, client: Any, tick: Any) -> None:
    async def upload(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        yield tick(sum([stage.messages("t.Tick").FromString(request).n async for request in requests]))  # type: ignore[attr-defined]

    stage.backend.streams["t.S/Upload"] = upload
    result = await client.call("t.S/Upload", {"messages": [{"n": 1}, {"n": 2}, {"n": 3}]})
    assert result["structuredContent"] == {"n": 6}


async def test_a_conversation_is_given_and_answered_as_a_list(stage: Stage, client: Any, tick: Any) -> None:
    async def chat(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        async for request in requests:
            yield request

    stage.backend.streams["t.S/Chat"] = chat
    messages = [{"n": n, "text": "x" * 1000} for n in range(1, 101)]
    result = await client.call("t.S/Chat", {"messages": messages})
    assert result["structuredContent"] == {"messages": messages, "truncated": False}


@pytest.mark.parametrize("rpc", ["t.S/Upload", "t.S/Chat"])
async def test_a_backend_may_abort_after_the_first_message(stage: Stage, client: Any, rpc: str) -> None:
    async def abort(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        async for _ in requests:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "the shop is closed")
        yield b""

    stage.backend.streams[rpc] = abort
    for count in (1, 3, 300):
        result = await client.call(rpc, {"messages": [{"n": 1, "text": "x" * 1000}] * count})
        assert result["isError"] is True
        assert result["content"][0]["text"] == "FAILED_PRECONDITION: the shop is closed"


@pytest.mark.parametrize(
    ("rpc", "structured"), [("t.S/Upload", {"n": 1}), ("t.S/Chat", {"messages": [{"n": 1}], "truncated": False})]
)
async def test_a_backend_may_answer_before_it_has_heard_everything(
    stage: Stage, client: Any, tick: Any, rpc: str, structured: Any
) -> None:
    async def answer(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        async for _ in requests:
            yield tick(1)
            return

    stage.backend.streams[rpc] = answer
    result = await client.call(rpc, {"messages": [{"n": 1, "text": "x" * 1000}] * 300})
    assert result["structuredContent"] == structured


@pytest.mark.parametrize("rpc", ["t.S/Upload", "t.S/Chat"])
async def test_one_wrong_message_among_right_ones_begins_no_call(stage: Stage, client: Any, rpc: str) -> None:
    calls: list[str] = []

    async def answer(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        calls.append(rpc)
        yield b""

    stage.backend.streams[rpc] = answer
    result = await client.call(rpc, {"messages": [{"n": 1}, {"n": "many"}, {"text": 5}]})
    assert result["isError"] is True
    assert result["_meta"]["dev.propylon/status"]["errors"] == [
        {"at": "/messages/1/n", "problems": ['must be an integer, got "many"']},
        {"at": "/messages/2/text", "problems": ["must be a string, got 5"]},
    ]
    assert calls == []


async def test_what_came_before_a_failure_is_kept(stage: Stage, client: Any, tick: Any) -> None:
    async def watch(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        yield tick(1)
        yield tick(2)
        await context.abort(grpc.StatusCode.DATA_LOSS, "/var/lib/shop is gone")

    stage.backend.streams["t.S/Watch"] = watch
    result = await client.call("t.S/Watch")
    assert result["isError"] is True
    first, *others = (block["text"] for block in result["content"])
    assert first.startswith("DATA_LOSS: ")
    assert others == ["2 messages came before the failure:", '{"messages":[{"n":1},{"n":2}],"truncated":true}']
    assert "/var/lib" not in str(result)


@pytest.mark.parametrize("rpc", ["t.S/Watch", "t.S/Upload", "t.S/Chat"])
async def test_a_backend_that_does_not_serve_the_stream_is_told(stage: Stage, client: Any, rpc: str) -> None:
    async def refuse(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
        yield b""

    stage.backend.streams[rpc] = refuse
    async with client.post(rpc, {"messages": []} if rpc != "t.S/Watch" else {}) as answer:
        (envelope,) = await answer.read()
    assert envelope["error"]["code"] == -31012


@pytest.mark.parametrize("reply", [b"\xff\xff", b"\x08"])
async def test_a_message_that_is_none_ends_the_call_and_says_so(
    stage: Stage, client: Any, tick: Any, reply: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    ended = asyncio.Event()

    async def watch(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        try:
            yield tick(1)
            while True:
                yield reply
        finally:
            ended.set()

    stage.backend.streams["t.S/Watch"] = watch
    async with client.post("t.S/Watch") as answer:
        (envelope,) = await answer.read()
    assert envelope["error"]["code"] == -32603
    assert envelope["error"]["message"].startswith("the backend's reply could not be read (reference ")
    async with asyncio.timeout(1):
        await ended.wait()
