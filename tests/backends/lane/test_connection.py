"""The lane's connection: what it takes, what it hands back, how it ends and comes again."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import h2.settings
import pytest

from gateway.backends.backend import Backend, BackendSettings, ChannelLimits
from gateway.backends.lane import frames
from gateway.backends.targets import parse_target
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

RPC = "shop.v1.Orders/Get"
PATH = f"/{RPC}"
BROKEN = RpcStatus(
    code=14, message='the connection to backend "orders" broke before its answer', origin=StatusOrigin.CONNECTION
)
LANE_AGENT = b"propylon/"

StartServer = Callable[..., Awaitable[str]]
StartRaw = Callable[..., Awaitable[str]]


@asynccontextmanager
async def on_the_lane(target: str, **more: Any) -> AsyncIterator[Backend]:
    async with Backend(BackendSettings(name="orders", target=parse_target(target), **more)) as backend:
        assert backend._lane is not None
        assert await backend._lane.connect()
        yield backend


def has_lane(backend: Backend) -> bool:
    return backend._lane is not None and backend._lane.find_connection() is not None


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while True:
            if condition():
                return
            await asyncio.sleep(0)


async def call(backend: Backend, request: bytes = b"") -> bytes | RpcStatus:
    return await backend.unary(RPC)(request, timeout_seconds=5, metadata=())


def is_lane(connection: Any) -> bool:
    """Whether a request came on the lane: grpc.aio names itself behind the gateway."""
    return b"grpc" not in connection.headers[b"user-agent"]


def reply(connection: Any, stream_id: int, text: bytes = b"") -> None:
    body = b"\x00" + len(text).to_bytes(4, "big") + text
    connection.send(stream_id, (b"grpc-status", b"0"), body=body)


async def test_many_calls_share_the_connection(start_raw: StartRaw) -> None:
    peers: set[int] = set()

    def answer(connection: Any, stream_id: int) -> None:
        peers.add(id(connection))
        assert is_lane(connection)
        reply(connection, stream_id, b"%d" % stream_id)

    async with on_the_lane(await start_raw(answer)) as backend:
        replies = await asyncio.gather(*(call(backend) for _ in range(50)))
    assert sorted(int(one) for one in replies if isinstance(one, bytes)) == list(range(1, 101, 2))
    assert len(peers) == 1


async def test_the_first_call_does_not_wait_for_the_lane(start_raw: StartRaw) -> None:
    ways: list[bool] = []

    def answer(connection: Any, stream_id: int) -> None:
        ways.append(is_lane(connection))
        reply(connection, stream_id)

    target = await start_raw(answer)
    async with Backend(BackendSettings(name="orders", target=parse_target(target))) as backend:
        assert await call(backend) == b""
        await until(lambda: has_lane(backend))
        assert await call(backend) == b""
    assert ways == [False, True]


@pytest.mark.parametrize("how", ["refused", "goaway"])
async def test_a_call_that_was_not_begun_is_made_again_the_other_way(start_raw: StartRaw, how: str) -> None:
    ways: list[bool] = []

    def answer(connection: Any, stream_id: int) -> None:
        ways.append(is_lane(connection))
        if not ways[-1]:
            reply(connection, stream_id, b"fine")
        elif how == "refused":
            connection.h2.reset_stream(stream_id, 7)
        else:
            connection.h2.close_connection(0, last_stream_id=0)

    async with on_the_lane(await start_raw(answer)) as backend:
        assert await call(backend) == b"fine"
        assert has_lane(backend) == (how == "refused")
    assert ways == [True, False]


async def test_a_connection_that_is_to_end_finishes_its_calls(start_raw: StartRaw) -> None:
    waiting: list[tuple[Any, int]] = []

    def answer(connection: Any, stream_id: int) -> None:
        if not is_lane(connection):
            reply(connection, stream_id, b"other")
            return
        waiting.append((connection, stream_id))
        connection.transport.write(frames.make_frame(frames.GOAWAY, stream_id.to_bytes(4, "big") + bytes(4)))

    async with on_the_lane(await start_raw(answer)) as backend:
        begun = asyncio.create_task(call(backend))
        await until(lambda: not has_lane(backend))
        assert await call(backend) == b"other"
        connection, stream_id = waiting[0]
        reply(connection, stream_id, b"first")
        connection.transport.write(connection.h2.data_to_send())
        assert await begun == b"first"


async def test_no_more_calls_at_once_than_the_backend_takes(start_raw: StartRaw) -> None:
    waiting: list[tuple[Any, int]] = []

    def answer(connection: Any, stream_id: int) -> None:
        if is_lane(connection) and not waiting:
            waiting.append((connection, stream_id))
            limit = {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 1}
            connection.h2.update_settings(limit)
        else:
            reply(connection, stream_id, b"lane" if is_lane(connection) else b"channel")

    async with on_the_lane(await start_raw(answer)) as backend:
        first = asyncio.create_task(call(backend))
        connection = backend._lane.find_connection()  # type: ignore[union-attr]
        assert connection is not None
        await until(lambda: connection._limit_streams == 1)
        assert await call(backend) == b"channel"
        raw, stream_id = waiting[0]
        reply(raw, stream_id, b"first")
        raw.transport.write(raw.h2.data_to_send())
        assert await first == b"first"
        assert await call(backend) == b"lane"


async def test_cancelling_the_task_cancels_the_rpc(start_server: StartServer) -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def wait(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return b""

    async with on_the_lane(await start_server({PATH: wait})) as backend:
        task = asyncio.create_task(call(backend))
        async with asyncio.timeout(5):
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await cancelled.wait()
        assert has_lane(backend)


async def test_closing_the_backend_ends_calls_under_way(start_raw: StartRaw) -> None:
    begun = asyncio.Event()
    async with on_the_lane(await start_raw(lambda connection, _: begun.set())) as backend:
        task = asyncio.create_task(call(backend))
        async with asyncio.timeout(5):
            await begun.wait()
            await backend.close()
            status = await task
        message = 'this gateway is closing its connection to backend "orders"'
        assert status == RpcStatus(code=14, message=message, origin=StatusOrigin.GATEWAY)
        assert await call(backend) == status
        assert not has_lane(backend)


async def test_a_lane_that_is_lost_comes_again(start_raw: StartRaw) -> None:
    connections: list[Any] = []

    def answer(connection: Any, stream_id: int) -> None:
        if is_lane(connection):
            connections.append(connection)
        reply(connection, stream_id)

    async with on_the_lane(await start_raw(answer)) as backend:
        assert await call(backend) == b""
        connections[0].transport.abort()
        await until(lambda: not has_lane(backend))
        async with asyncio.timeout(5):
            while not has_lane(backend):
                assert await call(backend) == b""
        assert await call(backend) == b""
    assert len({id(connection) for connection in connections}) == 2


def frame(kind: int, payload: bytes = b"", flags: int = 0, stream_id: int = 0) -> bytes:
    return frames.make_frame(kind, payload, flags=flags, stream_id=stream_id)


@pytest.mark.parametrize(
    "sent",
    [
        frame(frames.DATA, bytes(16_385), stream_id=1),
        frame(frames.PUSH_PROMISE, bytes(8), stream_id=1),
        frame(frames.CONTINUATION, b"a", stream_id=1),
        frame(frames.HEADERS, b"\x88", stream_id=1) + frame(frames.DATA, b"", stream_id=1),
        frame(frames.HEADERS, b"\x88", stream_id=1) + frame(frames.CONTINUATION, b"", stream_id=3),
        frame(frames.HEADERS, b"\xbe", frames.END_HEADERS, 1),
        frame(frames.HEADERS, b"\x09abc", frames.END_HEADERS | frames.PADDED, 1),
        frame(frames.DATA, b"\x09abc", frames.PADDED, 1),
        frame(frames.SETTINGS, bytes(5)),
        frame(frames.RST_STREAM, bytes(3), stream_id=1),
        frame(frames.GOAWAY, bytes(3)),
    ],
    ids=range(11),
)
async def test_a_peer_that_breaks_the_protocol_loses_the_connection(start_raw: StartRaw, sent: bytes) -> None:
    def answer(connection: Any, stream_id: int) -> None:
        if is_lane(connection):
            connection.transport.write(sent)
        else:
            reply(connection, stream_id, b"fine")

    async with on_the_lane(await start_raw(answer)) as backend:
        assert await call(backend) == BROKEN
        assert await call(backend) == b"fine"


async def test_headers_without_an_end_are_given_up(start_raw: StartRaw) -> None:
    def answer(connection: Any, stream_id: int) -> None:
        connection.transport.write(frame(frames.HEADERS, b"\x88", stream_id=stream_id))
        for _ in range(20):
            connection.transport.write(frame(frames.CONTINUATION, bytes(16_000), stream_id=stream_id))

    async with on_the_lane(await start_raw(answer)) as backend:
        status = await call(backend)
    assert isinstance(status, RpcStatus)
    assert (status.code, status.origin) == (8, StatusOrigin.GATEWAY)


async def test_what_a_reply_may_have_around_it_is_taken_off(start_raw: StartRaw) -> None:
    def answer(connection: Any, stream_id: int) -> None:
        head, tail = b"\x88", b"\x00\x0bgrpc-status\x010"
        connection.transport.write(
            frame(0xEE, b"whatever it is", stream_id=stream_id)
            + frame(frames.SETTINGS, b"", frames.ACK)
            + frame(frames.WINDOW_UPDATE, b"\x00\x00\x00\x05", stream_id=stream_id)
            + frame(frames.PING, b"12345678")
            # An informational answer before the real one; padding, a priority, headers in two frames.
            + frame(frames.HEADERS, b"\x08\x03103", frames.END_HEADERS, stream_id)
            + frame(frames.HEADERS, b"\x02" + bytes(5) + head + bytes(2), 0x28 | frames.END_HEADERS, stream_id)
            + frame(frames.DATA, b"\x03\x00\x00\x00\x00\x02h" + bytes(3), frames.PADDED, stream_id)
            + frame(frames.DATA, b"", 0, stream_id)
            + frame(frames.DATA, b"i", 0, stream_id)
            + frame(frames.HEADERS, tail[:5], frames.END_STREAM, stream_id)
            + frame(frames.CONTINUATION, tail[5:], frames.END_HEADERS, stream_id)
            + frame(frames.DATA, b"late", 0, stream_id)
        )

    async with on_the_lane(await start_raw(answer)) as backend:
        assert await call(backend) == b"hi"
        assert has_lane(backend)
        assert await call(backend) == b"hi"


async def test_a_peer_that_speaks_no_http2_gets_no_lane() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        target = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with Backend(BackendSettings(name="orders", target=parse_target(target))) as backend:
            assert backend._lane is not None
            assert not await backend._lane.connect()
            assert backend._lane.find_connection() is None
            # And it is not tried again at once.
            assert backend._lane._connecting is None


async def test_a_silent_peer_is_asked_and_given_up(start_raw: StartRaw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.backends.lane.connection._PING_PATIENCE_SECONDS", 0.05)
    stuck: list[Any] = []

    def answer(connection: Any, stream_id: int) -> None:
        if is_lane(connection):
            stuck.append(connection)
            # From here on it reads and says nothing.
            connection.data_received = lambda data: None
        else:
            reply(connection, stream_id)

    limits = ChannelLimits(keepalive_seconds=0.05)
    async with on_the_lane(await start_raw(answer), channel_limits=limits) as backend:
        async with asyncio.timeout(5):
            assert await call(backend) == BROKEN
    assert stuck


async def test_a_peer_that_does_not_read_gets_no_more_calls_until_it_does(start_raw: StartRaw) -> None:
    ways: list[bool] = []

    def answer(connection: Any, stream_id: int) -> None:
        ways.append(is_lane(connection))
        reply(connection, stream_id)

    async with on_the_lane(await start_raw(answer)) as backend:
        connection = backend._lane.find_connection()  # type: ignore[union-attr]
        assert connection is not None
        connection.pause_writing()
        assert await call(backend) == b""
        connection.resume_writing()
        assert await call(backend) == b""
        assert backend._lane.find_connection() is connection  # type: ignore[union-attr]
    assert ways == [False, True]


async def test_a_peer_that_asks_and_does_not_read_is_given_up(start_raw: StartRaw) -> None:
    def answer(connection: Any, stream_id: int) -> None:
        connection.transport.pause_reading()
        connection.transport.write(frame(frames.PING, bytes(8)) * 2_000_000)

    async with on_the_lane(await start_raw(answer)) as backend:
        async with asyncio.timeout(20):
            assert await call(backend) == BROKEN


async def test_a_backend_whose_name_cannot_be_looked_up_is_left_to_grpc() -> None:
    async with Backend(BackendSettings(name="orders", target=parse_target("no-such-host.invalid:1"))) as backend:
        assert backend._lane is not None
        assert not await backend._lane.connect()
        status = await call(backend)
    assert isinstance(status, RpcStatus)
    assert (status.code, status.origin) == (14, StatusOrigin.CONNECTION)
