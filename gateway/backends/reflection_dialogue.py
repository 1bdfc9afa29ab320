"""Puts questions to a server's reflection service and gets their answers, whatever happens to the stream between them.

It hides which of the two versions of the service answers, and streams that end early. What to ask is not its business.

Sources: grpc/reflection/v1/reflection.proto and v1alpha/reflection.proto, whose messages are equal on the wire; gRPC's
"GRPC Server Reflection Protocol". Servers are known to register only one of the two, to answer UNIMPLEMENTED for
questions that they do not support, and to close the stream after each answer.
"""

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse

from gateway.backends.channels import ChannelLimits
from gateway.backends.statuses import CallFacts, deadline_exceeded, read_status
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

# The newer first: the older one is asked only where the newer is not there.
REFLECTION_SERVICES = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")

_UNIMPLEMENTED = grpc.StatusCode.UNIMPLEMENTED.value[0]
_CLOSING_SECONDS = 2.0
_GRACE_SECONDS = 1.0

# What grpc.aio says of a stream that ended while a message was on its way out: how the server ended it is lost then.
_WRITTEN_TOO_LATE = "Internal error from Core"

Metadata = tuple[tuple[str, str | bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A question that a stream gave no answer to: how the stream ended, and what gRPC itself said of that.

    `status.code` 0 is a stream that the server closed without an error. `core_text` holds addresses: for logs and for
    finding a cause, not for telling.
    """

    status: RpcStatus
    core_text: str = ""


_Outcome: TypeAlias = ServerReflectionResponse | Unanswered


class ReflectionDialogue:
    """Questions and answers with one server, one at a time, under one deadline; an asynchronous context manager.

    As long as the server plays along there is one stream, half-closed by this side at the end, so that the server
    sees it end with OK. Leaving the context by an exception cancels the stream instead.
    """

    def __init__(
        self,
        channel: grpc.aio.Channel,
        *,
        backend: str,
        metadata: Metadata,
        limits: ChannelLimits,
        deadline_seconds: float,
    ) -> None:
        self._channel = channel
        self._backend = backend
        self._metadata = metadata
        self._limits = limits
        self._deadline_seconds = deadline_seconds
        self._ends_at = time.monotonic() + deadline_seconds
        self._service = REFLECTION_SERVICES[0]
        self._answering: set[str] = set()
        self._missing: set[str] = set()
        self._call: Any = None
        self._answers_on_stream = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        call = self._call
        try:
            if kind is None:
                await self._end_stream()
        finally:
            if call is not None:
                call.cancel()

    async def ask(self, request: ServerReflectionRequest) -> _Outcome:
        """The server's answer, or why there is none.

        A stream that ended on a question that was not its first is opened again, once, as it may have been the stream
        that was at fault and not the question. UNIMPLEMENTED, however late, puts the question to the other version of
        the service, which is then kept if it answers.
        """
        refusing: set[str] = set()
        while True:
            service, is_fresh = self._service, self._answers_on_stream == 0
            outcome = await self._ask_once(request)
            if _is_unimplemented(outcome):
                await self._end_stream()
                refusing.add(service)
                if service not in self._answering:
                    self._missing.add(service)
                other = next((name for name in REFLECTION_SERVICES if name not in refusing | self._missing), None)
                if other is not None:
                    self._service = other
                    continue
                self._service = next((name for name in REFLECTION_SERVICES if name not in self._missing), service)
                return outcome
            if not isinstance(outcome, Unanswered):
                self._answering.add(service)
                self._answers_on_stream += 1
                return outcome
            await self._end_stream()
            if is_fresh or outcome.status.origin is StatusOrigin.GATEWAY:
                return outcome

    async def _end_stream(self) -> None:
        call, self._call, self._answers_on_stream = self._call, None, 0
        if call is not None and not call.done():
            await _half_close(call)
            call.cancel()

    async def _ask_once(self, request: ServerReflectionRequest) -> _Outcome:
        left = self._ends_at - time.monotonic()
        if left <= 0:
            return Unanswered(status=deadline_exceeded(self._facts()))
        try:
            async with asyncio.timeout(left + _GRACE_SECONDS):  # for a stream that gRPC could not even begin
                return await self._put(request, left)
        except TimeoutError:
            return Unanswered(status=deadline_exceeded(self._facts()))

    async def _put(self, request: ServerReflectionRequest, timeout_seconds: float) -> _Outcome:
        """Asks on the stream that there is, or on a new one."""
        if self._call is None:
            method: Any = self._channel.stream_stream(self._path)
            self._call = method(timeout=timeout_seconds, metadata=self._make_metadata(), wait_for_ready=False)
        call = self._call
        try:
            with contextlib.suppress(asyncio.InvalidStateError):  # ended since the last answer; reading says how
                await call.write(request.SerializeToString())
        except grpc.aio.AioRpcError as error:
            if error.details() == _WRITTEN_TOO_LATE:
                self._call = None
                return await self._ask_alone(request, timeout_seconds)
            return self._unanswered(error)
        return await self._read_answer(call)

    async def _ask_alone(self, request: ServerReflectionRequest, timeout_seconds: float) -> _Outcome:
        """Asks on a stream of one question, which goes out in one piece with its beginning and so is never too late."""
        method: Any = self._channel.unary_stream(self._path)
        message = request.SerializeToString()
        call = method(message, timeout=timeout_seconds, metadata=self._make_metadata(), wait_for_ready=False)
        try:
            return await self._read_answer(call)
        finally:
            call.cancel()

    async def _read_answer(self, call: Any) -> _Outcome:
        try:
            answer = await call.read()
        except grpc.aio.AioRpcError as error:
            return self._unanswered(error)
        if not isinstance(answer, bytes):
            return Unanswered(status=RpcStatus(code=0, message="the server closed the stream without an answer"))
        try:
            return ServerReflectionResponse.FromString(answer)
        except DecodeError:
            return ServerReflectionResponse()

    @property
    def _path(self) -> str:
        return f"/{self._service}/ServerReflectionInfo"

    def _make_metadata(self) -> grpc.aio.Metadata:
        return grpc.aio.Metadata(*self._metadata)

    def _unanswered(self, error: grpc.aio.AioRpcError) -> Unanswered:
        return Unanswered(status=read_status(error, self._facts()), core_text=error.details() or "")

    def _facts(self) -> CallFacts:
        return CallFacts(
            backend=self._backend,
            path=self._path,
            elapsed_seconds=self._deadline_seconds - (self._ends_at - time.monotonic()),
            timeout_seconds=self._deadline_seconds,
            receive_limit_bytes=self._limits.receive_limit_bytes,
            metadata_limit_bytes=self._limits.metadata_limit_bytes,
            connected=self._channel.get_state() is grpc.ChannelConnectivity.READY,
        )


def _is_unimplemented(outcome: _Outcome) -> bool:
    code = outcome.status.code if isinstance(outcome, Unanswered) else outcome.error_response.error_code
    return bool(code == _UNIMPLEMENTED)


async def _half_close(call: Any) -> None:
    """Says that no question follows and waits, for a little while, until the server has ended the stream."""
    try:
        async with asyncio.timeout(_CLOSING_SECONDS):
            await call.done_writing()
            while await call.read() is not grpc.aio.EOF:
                pass
    except (TimeoutError, asyncio.InvalidStateError, grpc.aio.AioRpcError):
        return  # it has all been answered; how the server ends is its own affair
