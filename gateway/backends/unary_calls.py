"""One unary RPC, prepared once and called many times: bytes in, bytes or a status out.

This is the path of every tool call, so it holds no work that could be done before: headers and multicallable are made
when the RPC is, messages pass as bytes, and whatever a failure needs is computed only then. There are two ways: the
lane, for every call that it takes, and grpc.aio, for all others. They mean the same.
"""

import time
from collections.abc import Sequence
from typing import Any

import grpc.aio

from gateway.backends.call_endings import CallEndings
from gateway.backends.lane.connection import Connection, NotTakenError, Stream
from gateway.backends.lane.lane import Lane
from gateway.backends.lane.metadata import encode_metadata, encode_timeout
from gateway.transcoding.rpc_status import RpcStatus

Metadata = Sequence[tuple[str, str | bytes]]


class UnaryCall:
    """A unary RPC of one backend; what `gateway.mcp.ports.UnaryRpc` asks for."""

    __slots__ = ("_endings", "_headers", "_lane", "_metadata", "_prepared", "_static", "_timeout")

    def __init__(
        self,
        channel: grpc.aio.Channel,
        *,
        path: str,
        metadata: Metadata,
        endings: CallEndings,
        lane: Lane | None = None,
    ) -> None:
        """`path` is "/pkg.Service/Method"; `metadata` is the backend's own, which goes with every call.

        Without a lane every call is grpc.aio's.
        """
        self._endings = endings
        self._static = tuple(metadata)
        self._metadata = grpc.aio.Metadata(*self._static)
        # Without serialisers grpc.aio passes bytes through as they are.
        self._prepared: Any = channel.unary_unary(path)
        self._lane = lane
        self._headers = None if lane is None else lane.make_headers(path, self._static)
        # Nearly all calls have the tool's own timeout, so the last one is kept with its header.
        self._timeout: tuple[float, bytes | None] = (0.0, None)

    async def __call__(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        """The serialised reply, or how the RPC failed; `metadata` follows the backend's own.

        Cancelling the awaiting task cancels the RPC. A backend that is not connected is not waited for beyond the
        attempt that is being made. Source of the timeout's way to the backend: "gRPC over HTTP2", `grpc-timeout`.
        """
        started = time.monotonic()
        if self._lane is not None and self._headers is not None:
            connection = self._lane.find_connection()
            if connection is not None:
                stream = self._start(connection, self._headers, request, timeout_seconds, metadata)
                if stream is not None:
                    try:
                        return await self._finish(connection, stream, started, timeout_seconds)
                    except NotTakenError:
                        timeout_seconds -= time.monotonic() - started
        return await self._call_channel(request, started, timeout_seconds, metadata)

    def _start(
        self, connection: Connection, headers: bytes, request: bytes, timeout_seconds: float, metadata: Metadata
    ) -> Stream | None:
        """The call under way on the lane, or None where that does not take it."""
        if self._timeout[0] != timeout_seconds:
            self._timeout = (timeout_seconds, encode_timeout(timeout_seconds))
        timeout = self._timeout[1]
        more = encode_metadata(metadata) if metadata else b""
        if timeout is None or more is None:
            return None
        return connection.start(headers + timeout + more, request, timeout_seconds)

    async def _finish(
        self, connection: Connection, stream: Stream, started: float, timeout_seconds: float
    ) -> bytes | RpcStatus:
        try:
            reply = await stream.reply
        except NotTakenError:
            raise
        except BaseException as error:
            connection.drop(stream)
            status = self._endings.read(error, started, timeout_seconds, was_connected=True)
            if status is None:
                raise
            return status
        return self._endings.missing_reply(started, timeout_seconds) if reply is None else reply

    async def _call_channel(
        self, request: bytes, started: float, timeout_seconds: float, metadata: Metadata
    ) -> bytes | RpcStatus:
        sent = grpc.aio.Metadata(*self._static, *metadata) if metadata else self._metadata
        # To grpc.aio a timeout of 0 is none.
        timeout = timeout_seconds if timeout_seconds > 0 else -1.0
        try:
            reply = await self._prepared(request, timeout=timeout, metadata=sent, wait_for_ready=False)
        except BaseException as error:
            status = self._endings.read(error, started, timeout_seconds)
            if status is None:
                raise
            return status
        if reply is None:
            return self._endings.missing_reply(started, timeout_seconds)
        return reply  # type: ignore[no-any-return]
