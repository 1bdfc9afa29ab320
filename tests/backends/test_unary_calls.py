import asyncio
import base64
import logging
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest

from gateway.backends.backend import Backend, BackendSettings, ChannelLimits
from gateway.backends.targets import parse_target
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

BACKEND, REPLY = StatusOrigin.BACKEND, StatusOrigin.REPLY
GATEWAY, CONNECTION = StatusOrigin.GATEWAY, StatusOrigin.CONNECTION
RPC = "shop.v1.Orders/Get"
PATH = f"/{RPC}"
StartServer = Callable[..., Awaitable[str]]
StartRaw = Callable[..., Awaitable[str]]


def make_backend(target: str, **more: Any) -> Backend:
    return Backend(BackendSettings(name="orders", target=parse_target(target), **more))


async def call(target: str, *, timeout_seconds: float = 5.0, **more: Any) -> bytes | RpcStatus:
    async with make_backend(target, **more) as backend:
        return await backend.unary(RPC)(b"request", timeout_seconds=timeout_seconds, metadata=())


async def test_bytes_go_in_and_come_out_as_they_are(start_server: StartServer) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return request + b"\x00\xff" + context.peer().partition(":")[0].encode()

    assert await call(await start_server({PATH: answer})) == b"request\x00\xffipv4"


async def test_a_reply_without_content_is_a_reply(start_server: StartServer) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return b""

    assert await call(await start_server({PATH: answer})) == b""


async def test_the_timeout_the_metadata_and_the_user_agent_reach_the_backend(start_server: StartServer) -> None:
    seen: dict[str, Any] = {}

    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        seen.update(context.invocation_metadata() or ())
        seen["left"] = context.time_remaining()
        return b""

    target = await start_server({PATH: answer})
    async with make_backend(target, call_metadata=(("x-tenant", "a"), ("x-blob-bin", b"\x00"))) as backend:
        rpc = backend.unary(RPC)
        assert await rpc(b"", timeout_seconds=7.0, metadata=(("traceparent", "00-1-2-01"),)) == b""
        assert (seen["x-tenant"], seen["x-blob-bin"], seen["traceparent"]) == ("a", b"\x00", "00-1-2-01")
        assert seen["user-agent"].startswith("propylon/")
        assert 5 < seen["left"] <= 7.1
        seen.clear()
        assert await rpc(b"", timeout_seconds=7.0, metadata=()) == b""
        assert (seen["x-tenant"], "traceparent" in seen) == ("a", False)


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK])
@pytest.mark.parametrize("message", ["no such order 5", "a\nb: 100 % – Straße", ""])
async def test_a_status_of_the_backend_crosses_to_the_letter(
    start_server: StartServer, code: grpc.StatusCode, message: str
) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await context.abort(code, message, trailing_metadata=(("grpc-status-details-bin", b"\x08\x05\x00"),))

    status = await call(await start_server({PATH: answer}))
    if code is grpc.StatusCode.UNIMPLEMENTED and not message:
        message = f'backend "orders" does not serve {PATH}'
    assert status == RpcStatus(code=code.value[0], message=message, details=b"\x08\x05\x00", origin=BACKEND)


async def test_a_fault_in_the_backend_is_unknown_in_its_words(start_server: StartServer) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        raise ValueError("odd")

    status = await call(await start_server({PATH: answer}))
    assert status == RpcStatus(code=2, message="Unexpected <class 'ValueError'>: odd", origin=BACKEND)


@pytest.mark.parametrize(
    "said",
    [
        "Method not found!",
        "unknown service shop.v1.Orders",
        "unknown method Get for service shop.v1.Orders",
        "Method not found: shop.v1.Orders/Get",
        "Service is unimplemented.",
    ],
)
async def test_an_rpc_that_the_backend_does_not_serve_is_named(start_server: StartServer, said: str) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, said)

    status = await call(await start_server({PATH: answer}))
    assert status == RpcStatus(code=12, message=f'backend "orders" does not serve {PATH}: {said}', origin=BACKEND)


async def test_what_a_method_itself_does_not_implement_is_told_in_its_words(start_server: StartServer) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "no refunds yet")

    assert await call(await start_server({PATH: answer})) == RpcStatus(
        code=12, message="no refunds yet", origin=BACKEND
    )


async def test_the_three_ways_to_run_out_of_time_read_differently(start_server: StartServer) -> None:
    asleep = asyncio.Event()

    async def sleep(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await asleep.wait()
        return b""

    async def give_up(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")

    async def cancel(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await context.abort(grpc.StatusCode.CANCELLED, "stopped")

    message = "no answer within 0.2 s (this gateway's limit)"
    assert await call(await start_server({PATH: sleep}), timeout_seconds=0.2) == RpcStatus(
        code=4, message=message, origin=GATEWAY
    )
    assert await call(await start_server({PATH: give_up})) == RpcStatus(
        code=4, message="Deadline Exceeded", origin=BACKEND
    )
    assert await call(await start_server({PATH: cancel})) == RpcStatus(code=1, message="stopped", origin=BACKEND)


@pytest.mark.parametrize("timeout_seconds", [0.0, -1.0])
async def test_no_time_at_all_is_no_endless_call(start_server: StartServer, timeout_seconds: float) -> None:
    called: list[bytes] = []

    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        called.append(request)
        return b""

    status = await call(await start_server({PATH: answer}), timeout_seconds=timeout_seconds)
    assert isinstance(status, RpcStatus)
    assert (status.code, status.origin, called) == (4, GATEWAY, [])


async def test_a_server_that_accepts_and_says_nothing_is_told_apart() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        status = await call(f"127.0.0.1:{silent.getsockname()[1]}", timeout_seconds=0.2)
    message = 'no answer within 0.2 s (this gateway\'s limit); backend "orders" has not accepted a connection'
    assert status == RpcStatus(code=4, message=message, origin=GATEWAY)


@pytest.mark.parametrize("target", ["127.0.0.1:1", "no-such-host.invalid:50051", "unix:/nowhere/x.sock"])
async def test_an_unreachable_backend_is_told_without_addresses_and_logged_with_them(
    target: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "propylon.backends"):
        status = await call(target)
    assert status == RpcStatus(code=14, message='backend "orders" cannot be reached', origin=CONNECTION)
    (line,) = [record.getMessage() for record in caplog.records if record.name == "propylon.backends"]
    assert line.startswith(f"backend orders: {PATH} failed: ")
    assert target.rpartition(":")[2] in line


async def test_an_outage_is_one_line_a_second_however_many_calls_fail(caplog: pytest.LogCaptureFixture) -> None:
    async with make_backend("127.0.0.1:1") as backend:
        rpc = backend.unary(RPC)
        await asyncio.gather(*(rpc(b"", timeout_seconds=5, metadata=()) for _ in range(50)))
    assert 1 <= len([record for record in caplog.records if record.name == "propylon.backends"]) <= 5


async def test_a_plaintext_server_is_not_reached_with_tls(start_server: StartServer) -> None:
    status = await call(f"https://{await start_server()}")
    assert status == RpcStatus(code=14, message='backend "orders" cannot be reached', origin=CONNECTION)


async def test_a_backend_that_breaks_off_is_told_as_a_broken_connection(start_raw: StartRaw) -> None:
    target = await start_raw(lambda connection, stream_id: connection.transport.abort())
    message = 'the connection to backend "orders" broke before its answer'
    assert await call(target) == RpcStatus(code=14, message=message, origin=CONNECTION)


async def test_a_backend_that_comes_back_is_found_again(start_server: StartServer) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return b"here"

    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    async with make_backend(f"127.0.0.1:{port}") as backend:
        rpc = backend.unary(RPC)
        status = await rpc(b"", timeout_seconds=5, metadata=())
        assert isinstance(status, RpcStatus)
        assert status.origin is CONNECTION
        await start_server({PATH: answer}, port=port)
        async with asyncio.timeout(3):
            while await rpc(b"", timeout_seconds=5, metadata=()) != b"here":
                pass


async def test_cancelling_the_task_cancels_the_rpc_at_the_backend(start_server: StartServer) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return b""

    async with make_backend(await start_server({PATH: answer})) as backend:
        task = asyncio.create_task(backend.unary(RPC)(b"", timeout_seconds=60, metadata=()))
        async with asyncio.timeout(5):
            await began.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await ended.wait()


async def test_closing_the_backend_ends_its_calls_and_not_their_tasks(start_server: StartServer) -> None:
    began = asyncio.Event()

    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        began.set()
        await asyncio.Event().wait()
        return b""

    backend = make_backend(await start_server({PATH: answer}))
    rpc = backend.unary(RPC)
    task = asyncio.create_task(rpc(b"", timeout_seconds=60, metadata=()))
    await began.wait()
    await backend.close()
    closed = RpcStatus(code=14, message='this gateway is closing its connection to backend "orders"', origin=GATEWAY)
    assert await task == closed
    assert await rpc(b"", timeout_seconds=60, metadata=()) == closed
    await backend.close()


async def test_a_reply_over_the_cap_says_whose_cap_and_what_to_do(start_server: StartServer) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return b"x" * 20_000

    target = await start_server({PATH: answer})
    assert await call(target, channel_limits=ChannelLimits(receive_limit_bytes=10_000)) == RpcStatus(
        code=8,
        message="the reply of 20000 bytes is larger than the 10000 bytes that this gateway takes from backend "
        '"orders": ask for less of it, for example by a smaller page',
        origin=GATEWAY,
    )
    assert await call(target, channel_limits=ChannelLimits(receive_limit_bytes=20_000)) == b"x" * 20_000


async def test_a_request_over_the_backends_cap_is_refused_in_its_words(start_server: StartServer) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return b""

    target = await start_server({PATH: answer}, options=[("grpc.max_receive_message_length", 1_000)])
    async with make_backend(target) as backend:
        status = await backend.unary(RPC)(b"x" * 2_000, timeout_seconds=5, metadata=())
    message = "SERVER: Received message larger than max (2000 vs. 1000)"
    assert status == RpcStatus(code=8, message=message, origin=BACKEND)


@pytest.mark.parametrize("size", [9_000, 60_000])
@pytest.mark.parametrize("as_base64", [True, False], ids=["base64", "binary"])
async def test_large_error_details_survive(
    start_raw: StartRaw, start_server: StartServer, size: int, as_base64: bool
) -> None:
    details = bytes(range(200)) * (size // 200)

    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await context.abort(grpc.StatusCode.NOT_FOUND, "big", trailing_metadata=(("grpc-status-details-bin", details),))

    if as_base64:
        sent = (b"grpc-status-details-bin", base64.b64encode(details).rstrip(b"="))
        trailers = ((b"grpc-status", b"5"), (b"grpc-message", b"big"), sent)
        target = await start_raw(lambda connection, stream_id: connection.send(stream_id, *trailers))
    else:
        target = await start_server({PATH: answer})
    assert await call(target) == RpcStatus(code=5, message="big", details=details, origin=BACKEND)


async def test_error_details_beyond_all_bounds_are_told_as_such(start_server: StartServer) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        much = (("grpc-status-details-bin", b"x" * 1_000_000),)
        await context.abort(grpc.StatusCode.NOT_FOUND, "big", trailing_metadata=much)

    message = (
        'backend "orders" sent more headers, trailers or error details than the 131072 bytes that this gateway reads; '
        "the status in them is lost"
    )
    assert await call(await start_server({PATH: answer})) == RpcStatus(code=8, message=message, origin=GATEWAY)


@pytest.mark.parametrize(
    ("grpc_status", "message"),
    [
        (b"42", "said"),
        (b"999", "said"),
        (b"-1", 'backend "orders" ended the call with a grpc-status that is not a number from 0 to 16'),
        (b"abc", 'backend "orders" ended the call with a grpc-status that is not a number from 0 to 16'),
        (None, 'backend "orders" ended the call without a gRPC status'),
    ],
)
async def test_a_status_that_is_none_is_unknown(start_raw: StartRaw, grpc_status: bytes | None, message: str) -> None:
    status = ((b"grpc-status", grpc_status),) if grpc_status is not None else ()
    trailers = (*status, (b"grpc-message", b"said"))
    target = await start_raw(lambda connection, stream_id: connection.send(stream_id, *trailers))
    origin = BACKEND if message == "said" else REPLY
    assert await call(target) == RpcStatus(code=2, message=message, origin=origin)


async def test_a_stream_that_just_ends_is_unknown(start_raw: StartRaw) -> None:
    target = await start_raw(lambda connection, stream_id: connection.send(stream_id, body=b"\x00\x00\x00\x00\x00"))
    message = 'backend "orders" ended the call without a gRPC status'
    assert await call(target) == RpcStatus(code=2, message=message, origin=REPLY)


@pytest.mark.parametrize("body", [None, b"\x00\x00\x00\x00\x05hi", b"this is no frame"], ids=["none", "cut", "garbage"])
async def test_an_ok_without_a_whole_reply_is_no_success(start_raw: StartRaw, body: bytes | None) -> None:
    target = await start_raw(
        lambda connection, stream_id: connection.send(stream_id, (b"grpc-status", b"0"), body=body)
    )
    message = 'backend "orders" ended the call well but without a whole reply'
    assert await call(target) == RpcStatus(code=13, message=message, origin=REPLY)


async def test_a_reply_that_cannot_be_decompressed_is_no_success(start_raw: StartRaw) -> None:
    def answer(connection: Any, stream_id: int) -> None:
        headers = [(b":status", b"200"), (b"content-type", b"application/grpc"), (b"grpc-encoding", b"gzip")]
        connection.h2.send_headers(stream_id, headers)
        connection.h2.send_data(stream_id, b"\x01\x00\x00\x00\x02hi")
        connection.h2.send_headers(stream_id, [(b"grpc-status", b"0")], end_stream=True)

    message = 'backend "orders" sent what is no valid gRPC reply'
    assert await call(await start_raw(answer)) == RpcStatus(code=13, message=message, origin=REPLY)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"caf%C3%A9%0Aline2", "café\nline2"),
        (b"100%", "100%"),
        (b"%C3", "Ã"),
        (b"\xe9", "é"),
        (b"%zz", "%zz"),
        (b"x" * 20_000, "x" * 20_000),
    ],
    ids=["escaped", "bare percent", "half a character", "raw byte", "no hex", "20 kB"],
)
async def test_a_message_becomes_text_however_it_is_encoded(
    start_raw: StartRaw, caplog: pytest.LogCaptureFixture, sent: bytes, message: str
) -> None:
    trailers = ((b"grpc-status", b"3"), (b"grpc-message", sent))
    target = await start_raw(lambda connection, stream_id: connection.send(stream_id, *trailers))
    assert await call(target) == RpcStatus(code=3, message=message, origin=BACKEND)
    assert all(record.exc_info is None for record in caplog.records)


@pytest.mark.parametrize(("http2_error", "code"), [(0, 13), (1, 13), (7, 14), (8, 1), (11, 8), (12, 7)])
async def test_a_reset_without_a_status_is_told_as_one(start_raw: StartRaw, http2_error: int, code: int) -> None:
    target = await start_raw(lambda connection, stream_id: connection.h2.reset_stream(stream_id, http2_error))
    message = f'backend "orders" reset the call without a status (HTTP/2 error code {http2_error})'
    assert await call(target) == RpcStatus(code=code, message=message, origin=CONNECTION)


@pytest.mark.parametrize(("http_status", "code"), [(b"401", 16), (b"404", 12), (b"503", 14), (b"302", 2)])
async def test_a_server_that_is_none_of_grpc_is_told_as_such(
    start_raw: StartRaw, http_status: bytes, code: int
) -> None:
    headers = [(b":status", http_status), (b"content-type", b"text/html")]
    target = await start_raw(
        lambda connection, stream_id: connection.h2.send_headers(stream_id, headers, end_stream=True)
    )
    message = f'backend "orders" answered with HTTP status {http_status.decode()} and not with gRPC'
    assert await call(target) == RpcStatus(code=code, message=message, origin=CONNECTION)


async def test_trailers_that_cannot_be_read_are_told_as_such(start_raw: StartRaw) -> None:
    trailers = ((b"grpc-status", b"5"), (b"grpc-status-details-bin", b"!!!!"))
    target = await start_raw(lambda connection, stream_id: connection.send(stream_id, *trailers))
    message = 'backend "orders" sent metadata that cannot be read, under the name grpc-status-details-bin'
    assert await call(target) == RpcStatus(code=13, message=message, origin=REPLY)


@pytest.mark.parametrize("entry", [("Bad Name", "s3cret"), ("x", "s3cret\x01"), ("x-bin", "s3cret")])
async def test_metadata_that_grpc_refuses_fails_the_call_alone_and_is_not_shown(
    start_server: StartServer, caplog: pytest.LogCaptureFixture, entry: tuple[str, str]
) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return b"fine"

    async with make_backend(await start_server({PATH: answer})) as backend:
        rpc = backend.unary(RPC)
        status = await rpc(b"", timeout_seconds=5, metadata=(entry,))
        assert await rpc(b"", timeout_seconds=5, metadata=()) == b"fine"
    message = "the call was not sent: its metadata is not fit for gRPC"
    assert status == RpcStatus(code=13, message=message, origin=GATEWAY)
    assert "s3cret" not in caplog.text


async def test_a_call_after_every_failure_works(start_server: StartServer) -> None:
    answers = iter([grpc.StatusCode.INTERNAL, None, grpc.StatusCode.UNAVAILABLE, None])

    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        code = next(answers)
        if code is not None:
            await context.abort(code, "no")
        return b"yes"

    async with make_backend(await start_server({PATH: answer})) as backend:
        rpc = backend.unary(RPC)
        got = [await rpc(b"", timeout_seconds=5, metadata=()) for _ in range(4)]
    assert [one if isinstance(one, bytes) else one.code for one in got] == [13, b"yes", 14, b"yes"]
