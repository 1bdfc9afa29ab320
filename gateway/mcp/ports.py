"""What the MCP methods need of the outside, as Protocols: `app.wiring` fills them in.

This room knows no protobuf and no gRPC: requests and replies pass through it as bytes.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Protocol

from gateway.contract.distilled import Distilled
from gateway.contract.status_report import StatusReport
from gateway.transcoding.call_context import CallContext, CompletionQuery
from gateway.transcoding.operations import OperationState
from gateway.transcoding.printed import Printed
from gateway.transcoding.rpc_status import RpcStatus

Metadata = Sequence[tuple[str, str | bytes]]


class UnaryRpc(Protocol):
    """One unary RPC of one backend, ready to be called."""

    async def __call__(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        """The serialised reply, or how the RPC failed. Cancelling the awaiting task cancels the RPC."""
        ...


class StreamRpc(Protocol):
    """One streaming RPC of one backend, of any of the three kinds, ready to be called."""

    def __call__(
        self, requests: Sequence[bytes], *, timeout_seconds: float, metadata: Metadata
    ) -> AsyncGenerator[bytes | RpcStatus, None]:
        """The serialised replies as they come; behind them, where the RPC failed, how it did, and nothing more.

        Closing the iterator, or cancelling the task that awaits it, cancels the RPC.
        """
        ...


Headers = Mapping[str, str | None]
"""The headers of a caller's request that arguments are taken from: by lower-case name, None for one that is doubled."""


class HeaderReader(Protocol):
    """A transcoder whose RPC takes arguments from the headers of the caller's request."""

    def with_headers(self, headers: Headers) -> "Transcoder":
        """The transcoder for one request with these headers."""
        ...


class Transcoder(Protocol):
    """Both directions of one RPC's values, and its failures."""

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        """The serialised request message, or every reason why these arguments are refused (the value gate)."""
        ...

    def encode_requests(self, arguments: Mapping[str, Any]) -> Sequence[bytes] | Distilled:
        """The same for a streaming RPC: every serialised request of the call, one where the client does not stream."""
        ...

    def fill_in(self, request: bytes, context: CallContext, query: CompletionQuery | None = None) -> bytes:
        """The serialised request with what its backend wants to know of the call, and of what is to be completed."""
        ...

    def read_reply(self, reply: bytes) -> Printed:
        """The reply as JSON values (dict, list, str, int, float, bool, None) with notes on them, or as content.

        What it says beside them is in its parts.

        Raises `gateway.transcoding.errors.BadReply` where the bytes are not such a message.
        """
        ...

    def report_status(self, status: RpcStatus) -> StatusReport:
        """What a caller may know of a failure, its details decoded with the backend's own descriptors."""
        ...


class OperationCodec(Protocol):
    """The long-running operations of one RPC, as bytes and as values."""

    def read(self, reply: bytes) -> OperationState:
        """A serialised google.longrunning.Operation. Raises BadReply where the bytes are none."""
        ...

    def encode_name(self, name: str) -> bytes:
        """The request of the RPCs that get and cancel the operation of that name."""
        ...

    def encode_answers(self, name: str, answers: Mapping[str, Mapping[str, Any]]) -> bytes:
        """The request that hands answers to an operation, by the keys of its questions."""
        ...
