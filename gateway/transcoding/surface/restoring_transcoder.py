"""The values of an RPC for clients of a profile: their arguments are restored before the value gate sees them.

Refusals come back in the shape of the arguments that were given: a place in a map is a place in its list of entries,
and what lies inside of a JSON text is told beside the place of the text.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from gateway.contract.distilled import Distilled, Problem, distil, make_pointer, relocate
from gateway.contract.status_report import StatusReport
from gateway.descriptors.profiles.projection import Projection
from gateway.transcoding.call_context import CallContext, CompletionQuery
from gateway.transcoding.printed import Printed
from gateway.transcoding.rpc_status import RpcStatus
from gateway.transcoding.rpc_transcoder import SUBJECT

_UNTOLD = "is not valid; what was given is not shown"


class Inner(Protocol):
    """The transcoder that is wrapped: `gateway.mcp.ports.Transcoder`, which this room does not know."""

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        """The serialised request, or why there is none."""
        ...

    def encode_requests(self, arguments: Mapping[str, Any]) -> Sequence[bytes] | Distilled:
        """The serialised requests of a stream, or why there are none."""
        ...

    def fill_in(self, request: bytes, context: CallContext, query: CompletionQuery | None = None) -> bytes:
        """The serialised request with what its backend wants to know."""
        ...

    def read_reply(self, reply: bytes) -> Printed:
        """The reply as JSON values."""
        ...

    def report_status(self, status: RpcStatus) -> StatusReport:
        """What a caller may know of a failure."""
        ...


class RestoringTranscoder:
    """A transcoder for arguments in a profile's form. Satisfies `gateway.mcp.ports.Transcoder`."""

    def __init__(self, inner: Inner, projection: Projection, *, hides_values: bool) -> None:
        """`hides_values`: what was given may be sensitive and is not quoted."""
        self._inner = inner
        self._projection = projection
        self._hides_values = hides_values

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        """The serialised request, or every reason why these arguments are refused."""
        restored = self._restore(arguments)
        if isinstance(restored, Distilled):
            return restored
        encoded = self._inner.encode_arguments(restored)
        return self._tell(encoded, arguments) if isinstance(encoded, Distilled) else encoded

    def encode_requests(self, arguments: Mapping[str, Any]) -> Sequence[bytes] | Distilled:
        """The serialised requests of a stream, or every reason why these arguments are refused."""
        restored = self._restore(arguments)
        if isinstance(restored, Distilled):
            return restored
        encoded = self._inner.encode_requests(restored)
        return self._tell(encoded, arguments) if isinstance(encoded, Distilled) else encoded

    def fill_in(self, request: bytes, context: CallContext, query: CompletionQuery | None = None) -> bytes:
        """The serialised request with what its backend wants to know of the call."""
        return self._inner.fill_in(request, context, query)

    def read_reply(self, reply: bytes) -> Printed:
        """The reply: results have one form for every client. Raises BadReply."""
        return self._inner.read_reply(reply)

    def report_status(self, status: RpcStatus) -> StatusReport:
        """What a caller may know of a failure."""
        return self._inner.report_status(status)

    def _restore(self, arguments: Mapping[str, Any]) -> dict[str, Any] | Distilled:
        restored = self._projection.restore(arguments)
        if isinstance(restored, dict):
            return restored
        if self._hides_values:
            restored = tuple(Problem(at=problem.at, text=_UNTOLD) for problem in restored)
        return distil(restored, subject=SUBJECT)

    def _tell(self, refusal: Distilled, arguments: Mapping[str, Any]) -> Distilled:
        def move(at: str, text: str) -> Problem:
            spot = self._projection.find_spot(at, arguments)
            told = f"inside of its JSON, at {spot.inside}: {text}" if spot.inside else text
            return Problem(at=make_pointer(spot.path), text=told)

        return relocate(refusal, move)
