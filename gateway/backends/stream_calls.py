"""One streaming RPC of any of the three kinds, prepared once and called many times: requests in, replies as they come.

Each kind is a function of its own, an asynchronous generator; however it is left (read to its end, closed, cancelled),
the RPC is over then, and nothing of it goes on in the background. All requests are there from the start: what a tool is
called with is a list.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import grpc.aio

from gateway.backends.call_endings import CallEndings
from gateway.transcoding.rpc_status import RpcStatus

Metadata = Sequence[tuple[str, str | bytes]]
Replies = AsyncGenerator[bytes | RpcStatus, None]


class StreamCall:
    """A streaming RPC of one backend; what `gateway.mcp.ports.StreamRpc` asks for."""

    __slots__ = ("_client_streaming", "_endings", "_prepared", "_server_streaming", "_static")

    def __init__(
        self,
        channel: grpc.aio.Channel,
        *,
        path: str,
        metadata: Metadata,
        endings: CallEndings,
        client_streaming: bool,
        server_streaming: bool,
    ) -> None:
        """`path` is "/pkg.Service/Method"; `metadata` is the backend's own, which goes with every call.

        Raises ValueError where neither side streams.
        """
        self._endings = endings
        self._static = tuple(metadata)
        self._client_streaming = client_streaming
        self._server_streaming = server_streaming
        self._prepared: Any
        match client_streaming, server_streaming:
            case False, True:
                self._prepared = channel.unary_stream(path)
            case True, False:
                self._prepared = channel.stream_stream(path)  # the same on the wire
            case True, True:
                self._prepared = channel.stream_stream(path)
            case _:
                raise ValueError(f"{path} is no stream")

    def __call__(self, requests: Sequence[bytes], *, timeout_seconds: float, metadata: Metadata) -> Replies:
        """The replies as they come; behind them, where the RPC failed, how it did.

        `requests` holds exactly one where the client does not stream. Nothing is sent before the first reply is asked
        for. Closing the generator, or cancelling the task that awaits it, cancels the RPC. Metadata, timeout and a
        backend that is not connected: as with unary calls.
        """
        # To grpc.aio a timeout of 0 is none.
        timeout = timeout_seconds if timeout_seconds > 0 else -1.0
        options = {
            "timeout": timeout,
            "metadata": grpc.aio.Metadata(*self._static, *metadata),
            "wait_for_ready": False,
        }
        match self._client_streaming, self._server_streaming:
            case False, _:
                (request,) = requests
                replies = self._serve_one(request, options)
            case True, False:
                replies = self._collect_one(requests, options)
            case _:
                replies = self._converse(requests, options)
        return self._tell_ending(replies, timeout_seconds)

    async def _tell_ending(self, replies: AsyncGenerator[bytes | None, None], timeout_seconds: float) -> Replies:
        """The replies, and the status that the last of them was followed by."""
        started = time.monotonic()
        async with contextlib.aclosing(replies):
            try:
                async for reply in replies:
                    yield self._endings.missing_reply(started, timeout_seconds) if reply is None else reply
            except GeneratorExit:
                raise
            except BaseException as error:
                status = self._endings.read(error, started, timeout_seconds)
                if status is None:
                    raise
                yield status

    async def _serve_one(self, request: bytes, options: dict[str, Any]) -> AsyncGenerator[bytes | None, None]:
        """The replies of a server stream."""
        call = self._prepared(request, **options)
        try:
            while (reply := await call.read()) is not grpc.aio.EOF:
                yield reply
        finally:
            call.cancel()

    async def _collect_one(
        self, requests: Sequence[bytes], options: dict[str, Any]
    ) -> AsyncGenerator[bytes | None, None]:
        """The one reply of a client stream, which may come before all requests are out.

        As a stream in both directions: only its requests are written without losing a status (see `_write_all`).
        """
        reply: bytes | None = None
        async with contextlib.aclosing(self._converse(requests, options)) as replies:
            async for message in replies:
                reply = message if reply is None else reply
        yield reply

    async def _converse(self, requests: Sequence[bytes], options: dict[str, Any]) -> AsyncGenerator[bytes | None, None]:
        """The replies of a stream in both directions, read while the requests are written."""
        call = self._prepared(**options)
        writing = asyncio.create_task(_write_all(call, requests))
        try:
            while (reply := await call.read()) is not grpc.aio.EOF:
                yield reply
        finally:
            call.cancel()
            writing.cancel()
            await asyncio.wait((writing,))


async def _write_all(call: Any, requests: Sequence[bytes]) -> None:
    """Writes the requests and says that these were all; stops silently where the server has ended the stream.

    How the stream ended is the reader's to learn. `call.write` would take that away: on a stream that the server ends
    while a message is on its way out, it puts a status of its own ("Internal error from Core") in the place of the
    server's. So the messages go past it, to what it calls itself; a grpc.aio that no longer has that gets them by it.
    """
    send = getattr(getattr(call, "_cython_call", None), "send_serialized_message", call.write)
    with contextlib.suppress(grpc.aio.BaseError, grpc.aio.AioRpcError, asyncio.InvalidStateError):
        await call.wait_for_connection()
        for request in requests:
            await send(request)
        await call.done_writing()
