"""A call on the lane and the same call by grpc.aio: the backend gets the same, the caller gets the same."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.backends.backend import Backend, BackendSettings, ChannelLimits
from gateway.backends.targets import parse_target
from gateway.transcoding.rpc_status import RpcStatus

RPC = "shop.v1.Orders/Get"
PATH = f"/{RPC}"
HEAD = [(b":status", b"200"), (b"content-type", b"application/grpc")]

StartServer = Callable[..., Awaitable[str]]
StartRaw = Callable[..., Awaitable[str]]
Outcome = bytes | RpcStatus


def make_backend(target: str, **more: Any) -> Backend:
    return Backend(BackendSettings(name="orders", target=parse_target(target), **more))


async def call_both(
    target: str, request: bytes = b"request", *, timeout_seconds: float = 5, **more: Any
) -> list[Outcome]:
    """What came of the call by grpc.aio, and on the lane."""
    outcomes: list[Outcome] = []
    async with make_backend(target, lane=False, **more) as slow, make_backend(target, **more) as quick:
        assert quick._lane is not None
        assert await quick._lane.connect()
        for backend in (slow, quick):
            outcome = await backend.unary(RPC)(request, timeout_seconds=timeout_seconds, metadata=())
            outcomes += [outcome]
    return outcomes


def frame(message: bytes, flag: int = 0) -> bytes:
    return bytes([flag]) + len(message).to_bytes(4, "big") + message


def send(connection: Any, stream_id: int, *, head: Any = HEAD, body: bytes | None = None, trailers: Any = ()) -> None:
    connection.h2.send_headers(stream_id, head)
    if body is not None:
        connection.h2.send_data(stream_id, body)
    if trailers:
        connection.h2.send_headers(stream_id, trailers, end_stream=True)
    else:
        connection.h2.end_stream(stream_id)


def status(number: bytes) -> tuple[bytes, bytes]:
    return (b"grpc-status", number)


def message(text: bytes) -> tuple[bytes, bytes]:
    return (b"grpc-message", text)


def details(text: bytes) -> tuple[bytes, bytes]:
    return (b"grpc-status-details-bin", text)


OK = [status(b"0")]
DETAILS = base64.b64encode(b"\x08\x05\x12\x02hi")

ANSWERS: dict[str, Callable[[Any, int], None]] = {
    "a reply": lambda c, i: send(c, i, body=frame(b"hello"), trailers=OK),
    "an empty reply": lambda c, i: send(c, i, body=frame(b""), trailers=OK),
    "a reply and more trailers": lambda c, i: send(
        c, i, body=frame(b"a"), trailers=[*OK, (b"x-a", b"b"), (b"y-bin", b"AA")]
    ),
    "OK without a reply": lambda c, i: send(c, i, trailers=OK),
    "OK with half a reply": lambda c, i: send(c, i, body=frame(b"hello")[:-1], trailers=OK),
    "OK with half a head": lambda c, i: send(c, i, body=b"\x00\x00", trailers=OK),
    "OK at once": lambda c, i: c.h2.send_headers(i, [*HEAD, *OK], end_stream=True),
    "a failure at once": lambda c, i: c.h2.send_headers(i, [*HEAD, status(b"5"), message(b"no")], end_stream=True),
    "a failure with a reply": lambda c, i: send(c, i, body=frame(b"a"), trailers=[status(b"9")]),
    "a failure with details": lambda c, i: send(
        c, i, trailers=[status(b"5"), message(b"a%20b%0A%C3%A9"), details(DETAILS)]
    ),
    "unpadded details": lambda c, i: send(c, i, trailers=[status(b"5"), details(DETAILS.rstrip(b"="))]),
    "details that are none": lambda c, i: send(c, i, trailers=[status(b"5"), details(b"!!")]),
    "a status of two digits": lambda c, i: send(c, i, trailers=[status(b"16")]),
    "a status beyond the table": lambda c, i: send(c, i, trailers=[status(b"17"), message(b"a")]),
    "a status with zeros": lambda c, i: send(c, i, trailers=[status(b"05")]),
    "a status that is no number": lambda c, i: send(c, i, trailers=[status(b"x"), message(b"a")]),
    "a status below zero": lambda c, i: send(c, i, trailers=[status(b"-1")]),
    "no status": lambda c, i: send(c, i, body=frame(b"a"), trailers=[message(b"a")]),
    "no trailers": lambda c, i: send(c, i, body=frame(b"a")),
    "nothing but an end": lambda c, i: send(c, i),
    "odd messages": lambda c, i: send(c, i, trailers=[status(b"3"), message(b"100%% %C3 \xe9%zz")]),
    "compressed": lambda c, i: send(c, i, head=[*HEAD, (b"grpc-encoding", b"gzip")], body=frame(b"hi", 1), trailers=OK),
    "compressed without a word": lambda c, i: send(c, i, body=frame(b"hi", 1), trailers=OK),
    "not served": lambda c, i: send(c, i, trailers=[status(b"12"), message(b"Method not found!")]),
    "not implemented": lambda c, i: send(c, i, trailers=[status(b"12"), message(b"no refunds")]),
    "core's words": lambda c, i: send(c, i, trailers=[status(b"4"), message(b"Deadline Exceeded")]),
    "large trailers": lambda c, i: send(c, i, trailers=[status(b"5"), message(b"x" * 60_000)]),
    **{
        f"HTTP {status}": lambda c, i, status=status: c.h2.send_headers(
            i, [(b":status", b"%d" % status), (b"content-type", b"text/html")], end_stream=True
        )
        for status in (302, 400, 401, 403, 404, 418, 429, 500, 502, 503, 504)
    },
    "HTTP 503 with a status": lambda c, i: send(
        c, i, head=[(b":status", b"503"), (b"content-type", b"application/grpc")], trailers=[status(b"5")]
    ),
    **{f"reset {code}": lambda c, i, code=code: c.h2.reset_stream(i, code) for code in (0, 1, 2, 8, 11, 12, 13)},
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
async def test_whatever_a_backend_answers_is_told_alike(start_raw: StartRaw, name: str) -> None:
    slow, quick = await call_both(await start_raw(ANSWERS[name]))
    assert quick == slow


@pytest.mark.parametrize("size", [0, 1, 4_000, 16_000, 70_000, 1_000_000])
async def test_a_reply_of_any_size_comes_whole(start_server: StartServer, size: int) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return bytes(range(256)) * (size // 256) + b"x" * (size % 256)

    slow, quick = await call_both(await start_server({PATH: answer}))
    assert quick == slow
    assert isinstance(quick, bytes)
    assert len(quick) == size


@pytest.mark.parametrize("size", [999, 1_000, 1_001, 300_000])
async def test_a_reply_over_the_limit_is_refused_alike(start_server: StartServer, size: int) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return b"x" * size

    limits = ChannelLimits(receive_limit_bytes=1_000)
    slow, quick = await call_both(await start_server({PATH: answer}), channel_limits=limits)
    assert quick == slow
    assert isinstance(quick, bytes) == (size <= 1_000)


async def test_error_details_beyond_all_bounds_are_told_alike(start_server: StartServer) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        much = (("grpc-status-details-bin", b"x" * 1_000_000),)
        await context.abort(grpc.StatusCode.NOT_FOUND, "big", trailing_metadata=much)

    slow, quick = await call_both(await start_server({PATH: answer}))
    assert quick == slow


@pytest.mark.parametrize("size", [0, 16_000, 16_384, 70_000, 1_000_000])
async def test_a_request_of_any_size_arrives_whole(start_server: StartServer, size: int) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return b"%d" % len(request)

    assert await call_both(await start_server({PATH: answer}), b"x" * size) == [b"%d" % size] * 2


async def test_running_out_of_time_is_told_alike_and_ends_the_rpc(start_server: StartServer) -> None:
    ended = asyncio.Semaphore(0)

    async def sleep(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        try:
            await asyncio.Event().wait()
        finally:
            ended.release()
        return b""

    slow, quick = await call_both(await start_server({PATH: sleep}), timeout_seconds=0.3)
    assert quick == slow
    assert isinstance(quick, RpcStatus)
    assert quick.code == 4
    async with asyncio.timeout(5):
        await ended.acquire()
        await ended.acquire()


async def test_a_second_reply_is_no_reason_to_wait(start_raw: StartRaw) -> None:
    target = await start_raw(lambda c, i: send(c, i, body=frame(b"one") + frame(b"two"), trailers=OK))
    # grpc.aio takes the first one or waits until the time is up, as it happens.
    _, quick = await call_both(target, timeout_seconds=0.3)
    assert isinstance(quick, RpcStatus)
    assert (quick.code, quick.message) == (13, 'backend "orders" sent what is no valid gRPC reply')


async def test_a_connection_that_breaks_is_told_alike(start_raw: StartRaw) -> None:
    slow, quick = await call_both(await start_raw(lambda connection, _: connection.transport.abort()))
    assert quick == slow
    assert isinstance(quick, RpcStatus)
    assert quick.code == 14


@pytest.mark.parametrize("metadata", [(), (("traceparent", "00-1-2-01"), ("x-b-bin", b"\x01"))])
async def test_a_backend_gets_the_same_headers(start_raw: StartRaw, metadata: Any) -> None:
    seen: list[dict[bytes, bytes]] = []

    def answer(connection: Any, stream_id: int) -> None:
        seen.append(connection.headers)
        send(connection, stream_id, body=frame(b""), trailers=OK)

    target = await start_raw(answer)
    own = (("x-tenant", "a"), ("x-a-bin", b"\x00\xff"))
    async with (
        make_backend(target, lane=False, call_metadata=own) as slow,
        make_backend(target, call_metadata=own) as quick,
    ):
        assert quick._lane is not None
        assert await quick._lane.connect()
        for backend in (slow, quick):
            assert await backend.unary(RPC)(b"", timeout_seconds=7, metadata=metadata) == b""
    for headers in seen:
        assert headers.pop(b"user-agent").startswith(b"propylon/")
        timeout = headers.pop(b"grpc-timeout")
        assert 6_000 < int(timeout[:-1]) * {b"m": 1, b"S": 1000}[timeout[-1:]] <= 7_100
        headers.pop(b"grpc-accept-encoding", None)  # the lane takes none
    assert seen[1] == seen[0]


class Slicer:
    """A transport that sends what is written in small pieces, each in a turn of its own."""

    def __init__(self, transport: asyncio.Transport, size: int) -> None:
        self._transport = transport
        self._size = size
        self._left = b""

    def write(self, data: bytes) -> None:
        if not self._left and data:
            asyncio.get_running_loop().call_soon(self._send)
        self._left += data

    def _send(self) -> None:
        self._transport.write(self._left[: self._size])
        self._left = self._left[self._size :]
        if self._left:
            asyncio.get_running_loop().call_later(0.0001, self._send)

    def abort(self) -> None:
        self._transport.abort()


@given(
    body=st.binary(max_size=40).map(frame) | st.binary(min_size=1, max_size=9).map(lambda text: frame(text)[:-1]),
    trailers=st.lists(
        st.sampled_from(
            [
                (b"grpc-status", b"0"),
                (b"grpc-status", b"7"),
                (b"grpc-message", b"a%41"),
                (b"grpc-status-details-bin", DETAILS),
                (b"x-a", b"b"),
            ]
        ),
        unique_by=lambda pair: pair[0],
        min_size=1,
        max_size=4,
    ),
    cut=st.integers(1, 40),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_replies_are_told_alike_however_they_are_cut(
    start_raw: StartRaw, body: bytes, trailers: list[tuple[bytes, bytes]], cut: int
) -> None:
    def answer(connection: Any, stream_id: int) -> None:
        if not isinstance(connection.transport, Slicer):
            connection.transport = Slicer(connection.transport, cut)
        send(connection, stream_id, body=body, trailers=trailers)

    slow, quick = await call_both(await start_raw(answer))
    assert quick == slow
