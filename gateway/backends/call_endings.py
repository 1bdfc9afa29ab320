"""How a call ends other than well, for the calls of every kind: what grpc.aio raises, as a status that may cross out.

Nothing here is needed by a call that succeeds.
"""

import asyncio
import logging
import time
from dataclasses import replace

import grpc
import grpc.aio

from gateway.backends.channels import ChannelLimits
from gateway.backends.statuses import CallFacts, missing_reply, read_status
from gateway.contract.quoting import one_line
from gateway.telemetry.secrets import Secrets
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

_LOG = logging.getLogger("propylon.backends")
_LIMIT_LOGGED = 500
_PAUSE_SECONDS = 1.0


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


class CallEndings:
    """The endings of one RPC's calls. `started` is `time.monotonic()` at the beginning of a call."""

    __slots__ = ("_backend", "_channel", "_limits", "_outages", "_path", "_secrets")

    def __init__(
        self,
        channel: grpc.aio.Channel,
        *,
        path: str,
        backend: str,
        limits: ChannelLimits,
        outages: OutageLog,
        secrets: Secrets,
    ) -> None:
        """`secrets` are kept out of every status, should the backend repeat them in its message."""
        self._channel = channel
        self._path = path
        self._backend = backend
        self._limits = limits
        self._outages = outages
        self._secrets = secrets

    def read(
        self, error: BaseException, started: float, timeout_seconds: float, *, was_connected: bool = False
    ) -> RpcStatus | None:
        """The status that an exception of a call comes to; None where it is not a call's own to tell: raise it.

        It takes all that grpc.aio raises of a call under way, and a cancellation that the current task was not asked
        for: closing the channel cancels its calls in the same way as cancelling the task does. `was_connected` says
        that the call had a connection, whatever the channel has.
        """
        match error:
            case grpc.aio.AioRpcError():
                return self._read_status(error, self._facts(started, timeout_seconds, was_connected))
            case asyncio.CancelledError():
                task = asyncio.current_task()
                return None if task is None or task.cancelling() else self._closed()
            case grpc.aio.UsageError():
                return self._closed()
            case grpc.aio.BaseError() | TypeError():
                return self._unsendable(error)
            case _:
                return None

    def missing_reply(self, started: float, timeout_seconds: float) -> RpcStatus:
        """The status of a call that ended OK without a whole message."""
        return missing_reply(self._facts(started, timeout_seconds))

    def _facts(self, started: float, timeout_seconds: float, was_connected: bool = False) -> CallFacts:
        return CallFacts(
            backend=self._backend,
            path=self._path,
            elapsed_seconds=time.monotonic() - started,
            timeout_seconds=timeout_seconds,
            receive_limit_bytes=self._limits.receive_limit_bytes,
            metadata_limit_bytes=self._limits.metadata_limit_bytes,
            connected=was_connected or self._channel.get_state() is grpc.ChannelConnectivity.READY,
        )

    def _read_status(self, error: grpc.aio.AioRpcError, facts: CallFacts) -> RpcStatus:
        status = read_status(error, facts)
        if status.origin is StatusOrigin.CONNECTION:
            self._outages.report(self._path, error.details() or "")
        message = self._secrets.hide(status.message)
        details = b"" if self._secrets.are_in(status.details) else status.details
        return replace(status, message=message, details=details)

    def _closed(self) -> RpcStatus:
        message = f'this gateway is closing its connection to backend "{self._backend}"'
        return RpcStatus(code=grpc.StatusCode.UNAVAILABLE.value[0], message=message, origin=StatusOrigin.GATEWAY)

    def _unsendable(self, error: Exception) -> RpcStatus:
        # The error may quote metadata, so it is named and not shown.
        _LOG.error("backend %s: %s was not sent: %s", self._backend, self._path, type(error).__name__)
        message = "the call was not sent: its metadata is not fit for gRPC"
        return RpcStatus(code=grpc.StatusCode.INTERNAL.value[0], message=message, origin=StatusOrigin.GATEWAY)
