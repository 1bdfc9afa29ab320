"""One unary RPC, prepared once and called many times: bytes in, bytes or a status out.

This is the path of every tool call, so it holds no work that could be done before: the multicallable is made when the
RPC is, messages pass as bytes through serialisers that do nothing, and whatever a failure needs is computed only then.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Any

import grpc
import grpc.aio

from gateway.backends.channels import ChannelLimits
from gateway.backends.statuses import CallFacts, missing_reply, read_status
from gateway.contract.quoting import one_line
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

_LOG = logging.getLogger("propylon.backends")
_LIMIT_LOGGED = 500
_PAUSE_SECONDS = 1.0

Metadata = Sequence[tuple[str, str | bytes]]


class OutageLog:
    """Tells the log what gRPC said of a backend that cannot be reached: one line a second however many calls fail."""

    __slots__ = ("_backend", "_count", "_next_time")

    def __init__(self, backend: str) -> None:
        self._backend = backend
        self._count = 0
        self._next_time = 0.0

    def report(self, path: str, text: str) -> None:
        """Logs one failure, or counts it for the next line."""
        now = time.monotonic()
        if now < self._next_time:
            self._count += 1
            return
        more = f" (and {self._count} more failures since the last line)" if self._count else ""
        self._count, self._next_time = 0, now + _PAUSE_SECONDS
        _LOG.warning("backend %s: %s failed: %s%s", self._backend, path, one_line(text, _LIMIT_LOGGED), more)


class UnaryCall:
    """A unary RPC of one backend; what `gateway.mcp.ports.UnaryRpc` asks for."""

    __slots__ = ("_backend", "_channel", "_limits", "_metadata", "_outages", "_path", "_prepared", "_static")

    def __init__(
        self,
        channel: grpc.aio.Channel,
        *,
        rpc_name: str,
        backend: str,
        limits: ChannelLimits,
        metadata: Metadata,
        outages: OutageLog,
    ) -> None:
        self._channel = channel
        self._backend = backend
        self._limits = limits
        self._outages = outages
        self._path = f"/{rpc_name}"
        self._static = tuple(metadata)
        self._metadata = grpc.aio.Metadata(*self._static)
        # Without serialisers grpc.aio passes bytes through as they are.
        self._prepared: Any = channel.unary_unary(self._path)

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
        except grpc.aio.AioRpcError as error:
            return self._read_error(error, started, timeout_seconds)
        except asyncio.CancelledError:
            # Closing the channel cancels its RPCs in the same way as cancelling the task does.
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return self._closed()
        except grpc.aio.UsageError:
            return self._closed()
        except (grpc.aio.BaseError, TypeError) as error:
            return self._unsendable(error)
        if reply is None:
            return missing_reply(self._facts(started, timeout_seconds))
        return reply  # type: ignore[no-any-return]

    def _facts(self, started: float, timeout_seconds: float) -> CallFacts:
        return CallFacts(
            backend=self._backend,
            path=self._path,
            elapsed_seconds=time.monotonic() - started,
            timeout_seconds=timeout_seconds,
            receive_limit_bytes=self._limits.receive_limit_bytes,
            metadata_limit_bytes=self._limits.metadata_limit_bytes,
            connected=self._channel.get_state() is grpc.ChannelConnectivity.READY,
        )

    def _read_error(self, error: grpc.aio.AioRpcError, started: float, timeout_seconds: float) -> RpcStatus:
        status = read_status(error, self._facts(started, timeout_seconds))
        if status.origin is StatusOrigin.CONNECTION:
            self._outages.report(self._path, error.details() or "")
        return status

    def _closed(self) -> RpcStatus:
        message = f'this gateway is closing its connection to backend "{self._backend}"'
        return RpcStatus(code=grpc.StatusCode.UNAVAILABLE.value[0], message=message, origin=StatusOrigin.GATEWAY)

    def _unsendable(self, error: Exception) -> RpcStatus:
        # The error may quote metadata, so it is named and not shown.
        _LOG.error("backend %s: %s was not sent: %s", self._backend, self._path, type(error).__name__)
        message = "the call was not sent: its metadata is not fit for gRPC"
        return RpcStatus(code=grpc.StatusCode.INTERNAL.value[0], message=message, origin=StatusOrigin.GATEWAY)
