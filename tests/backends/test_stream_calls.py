import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import Any

import grpc
import pytest

from gateway.backends.backend import Backend, BackendSettings
from gateway.backends.targets import parse_target
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

BACKEND, GATEWAY, CONNECTION = StatusOrigin.BACKEND, StatusOrigin.GATEWAY, StatusOrigin.CONNECTION
RPC = "shop.v1.Orders/Watch"
PATH = f"/{RPC}"
StartServer = Callable[..., Awaitable[str]]
Context = grpc.aio.ServicerContext
Replies = list[bytes | RpcStatus]

SERVER, CLIENT, BOTH = (False, True), (True, False), (True, True)
KINDS = pytest.mark.parametrize("kind", [SERVER, CLIENT, BOTH], ids=["server", "client", "both"])


def make_backend(target: str, **more: Any) -> Backend:
    return Backend(BackendSettings(name="orders", target=parse_target(target), **more))


def get_stream(backend: Backend, kind: tuple[bool, bool]) -> Any:
    return backend.stream(RPC, client_streaming=kind[0], server_streaming=kind[1])


async def call(
    target: str, kind: tuple[bool, bool], requests: Sequence[bytes] = (b"request",), *, timeout_seconds: float = 5.0
) -> Replies:
    """Everything that a call gives; nothing of it may be left behind."""
    async with make_backend(target) as backend:
        stream = get_stream(backend, kind)
        async with asyncio.timeout(10):
            replies = [reply async for reply in stream(requests, timeout_seconds=timeout_seconds, metadata=())]
        assert [task for task in asyncio.all_tasks() if task.get_coro().__name__ == "_write_all"] == []
    return replies


@pytest.fixture(autouse=True)
def _nothing_is_said_of_lost_tasks(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


async def test_the_replies_of_a_server_stream_come_in_order_as_they_are(start_server: StartServer) -> None:
    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        async for request in requests:
            for part in (request, b"", b"\x00\xff"):
                yield part

    assert await call(await start_server(streams={PATH: answer}), SERVER) == [b"request", b"", b"\x00\xff"]


async def test_a_stream_without_messages_just_ends(start_server: StartServer) -> None:
    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        for nothing in ():
            yield nothing

    target = await start_server(streams={PATH: answer})
    assert [await call(target, SERVER), await call(target, BOTH, ())] == [[], []]


async def test_a_client_stream_gets_its_one_reply(start_server: StartServer) -> None:
    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        yield b"+".join([request async for request in requests])

    target = await start_server(streams={PATH: answer})
    assert await call(target, CLIENT, (b"a", b"b", b"c")) == [b"a+b+c"]
    assert await call(target, CLIENT, ()) == [b""]


async def test_a_conversation_gets_a_reply_for_each_message(start_server: StartServer) -> None:
    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        async for request in requests:
            yield request.upper()

    target = await start_server(streams={PATH: answer})
    assert await call(target, BOTH, (b"a", b"b", b"c")) == [b"A", b"B", b"C"]


async def test_more_than_a_window_of_messages_goes_both_ways_at_once(start_server: StartServer) -> None:
    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        async for request in requests:
            yield request

    messages = [bytes([number]) * 100_000 for number in range(40)]
    assert await call(await start_server(streams={PATH: answer}), BOTH, messages) == messages


@KINDS
async def test_the_timeout_and_the_metadata_reach_the_backend(
    start_server: StartServer, kind: tuple[bool, bool]
) -> None:
    seen: dict[str, Any] = {}

    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        seen.update(context.invocation_metadata() or ())
        seen["left"] = context.time_remaining()
        yield b""

    async with make_backend(await start_server(streams={PATH: answer}), call_metadata=(("x-tenant", "a"),)) as backend:
        stream = get_stream(backend, kind)
        replies = stream((b"",), timeout_seconds=7.0, metadata=(("traceparent", "00-1-2-01"),))
        assert [reply async for reply in replies] == [b""]
    assert (seen["x-tenant"], seen["traceparent"]) == ("a", "00-1-2-01")
    assert 5 < seen["left"] <= 7.1


@pytest.mark.parametrize("kind", [SERVER, BOTH], ids=["server", "both"])
async def test_a_status_at_the_end_follows_what_came_before(start_server: StartServer, kind: tuple[bool, bool]) -> None:
    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        yield b"one"
        yield b"two"
        details = (("grpc-status-details-bin", b"\x08\x09\x00"),)
        await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "enough", trailing_metadata=details)

    status = RpcStatus(code=9, message="enough", details=b"\x08\x09\x00", origin=BACKEND)
    assert await call(await start_server(streams={PATH: answer}), kind) == [b"one", b"two", status]


@pytest.mark.parametrize("kind", [CLIENT, BOTH], ids=["client", "both"])
@pytest.mark.parametrize("count", [1, 3, 200])
async def test_a_backend_that_ends_the_call_before_it_read_everything_is_heard(
    start_server: StartServer, kind: tuple[bool, bool], count: int
) -> None:
    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        async for _ in requests:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "enough")
        yield b"unreached"

    target = await start_server(streams={PATH: answer})
    expected = [RpcStatus(code=9, message="enough", origin=BACKEND)]
    for _ in range(20):
        assert await call(target, kind, [b"x" * 1000] * count) == expected


@pytest.mark.parametrize("kind", [CLIENT, BOTH], ids=["client", "both"])
async def test_an_answer_may_come_before_the_input_is_done(start_server: StartServer, kind: tuple[bool, bool]) -> None:
    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        async for request in requests:
            yield request
            return

    target = await start_server(streams={PATH: answer})
    for _ in range(20):
        assert await call(target, kind, [b"x" * 1000] * 200) == [b"x" * 1000]


async def test_a_client_stream_that_ends_well_without_a_reply_is_an_error(start_server: StartServer) -> None:
    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        for nothing in ():
            yield nothing

    (status,) = await call(await start_server(streams={PATH: answer}), CLIENT)
    assert isinstance(status, RpcStatus)
    assert (status.code, "without" in status.message) == (13, True)


@KINDS
async def test_a_backend_that_is_not_there_is_told(kind: tuple[bool, bool]) -> None:
    status = RpcStatus(code=14, message='backend "orders" cannot be reached', origin=CONNECTION)
    assert await call("127.0.0.1:1", kind, (b"a",)) == [status]


@KINDS
async def test_a_stream_ends_at_its_deadline(start_server: StartServer, kind: tuple[bool, bool]) -> None:
    ended = asyncio.Event()

    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        try:
            if kind[1]:
                yield b"one"
            await asyncio.Event().wait()
        finally:
            ended.set()

    *before, status = await call(await start_server(streams={PATH: answer}), kind, timeout_seconds=0.3)
    assert before == [b"one"] * kind[1]
    assert status == RpcStatus(code=4, message="no answer within 0.3 s (this gateway's limit)", origin=GATEWAY)
    async with asyncio.timeout(1):
        await ended.wait()


@KINDS
@pytest.mark.parametrize("way", ["closed", "cancelled"])
async def test_the_backend_sees_the_end_of_a_stream_that_is_left(
    start_server: StartServer, kind: tuple[bool, bool], way: str
) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        begun.set()
        try:
            if kind[1]:
                yield b"one"
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with make_backend(await start_server(streams={PATH: answer})) as backend:
        stream = get_stream(backend, kind)

        async def take() -> None:
            async with aclosing(stream((b"a",), timeout_seconds=30, metadata=())) as replies:
                async for _ in replies:
                    if way == "closed":
                        return

        taking = asyncio.create_task(take())
        async with asyncio.timeout(5):
            await begun.wait()
            if way == "cancelled" or not kind[1]:
                taking.cancel()
            await asyncio.wait([taking])
        async with asyncio.timeout(1):
            await ended.wait()


@KINDS
async def test_closing_the_backend_ends_its_streams(start_server: StartServer, kind: tuple[bool, bool]) -> None:
    begun = asyncio.Event()

    async def answer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        begun.set()
        if kind[1]:
            yield b"one"
        await asyncio.Event().wait()

    async with make_backend(await start_server(streams={PATH: answer})) as backend:
        stream = get_stream(backend, kind)

        async def take(number: int) -> Replies:
            return [reply async for reply in stream((b"a",), timeout_seconds=30, metadata=())]

        taking = asyncio.create_task(take(0))
        async with asyncio.timeout(5):
            await begun.wait()
            await backend.close()
            *_, status = await taking
            *_, later = await take(1)
    message = 'this gateway is closing its connection to backend "orders"'
    assert [status, later] == [RpcStatus(code=14, message=message, origin=GATEWAY)] * 2


def test_a_unary_rpc_is_no_stream() -> None:
    async def make() -> None:
        async with make_backend("127.0.0.1:1") as backend:
            with pytest.raises(ValueError, match="is no stream"):
                get_stream(backend, (False, False))

    asyncio.run(make())
