"""One unary RPC, prepared once and called many times: bytes in, bytes or a status out.

This is the path of every tool call, so it holds no work that could be done before: the multicallable is made when the
RPC is, messages pass as bytes through serialisers that do nothing, and whatever a failure needs is computed only then.
"""

import time
from collections.abc import Sequence
from typing import Any

import grpc.aio

from gateway.backends.call_endings import CallEndings
from gateway.transcoding.rpc_status import RpcStatus

Metadata = Sequence[tuple[str, str | bytes]]


class UnaryCall:
    """A unary RPC of one backend; what `gateway.mcp.ports.UnaryRpc` asks for."""

    __slots__ = ("_endings", "_metadata", "_prepared", "_static")

    def __init__(self, channel: grpc.aio.Channel, *, path: str, metadata: Metadata, endings: CallEndings) -> None:
        """`path` is "/pkg.Service/Method"; `metadata` is the backend's own, which goes with every call."""
        self._endings = endings
        self._static = tuple(metadata)
        self._metadata = grpc.aio.Metadata(*self._static)
        # Without serialisers grpc.aio passes bytes through as they are.
        self._prepared: Any = channel.unary_unary(path)

    async def __call__(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        """The serialised reply, or how the RPC failed; `metadata` follows the backend's own.

        Cancelling the awaiting task cancels the RPC. A backend that is not connected is not waited for beyond the
        attempt that is being made. Source of the timeout's way to the backend: "gRPC over HTTP2", `grpc-timeout`.
        """
        started = time.monotonic()
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
