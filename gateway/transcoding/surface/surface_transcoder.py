"""The values of an RPC as its surface has them: around the transcoder of an RPC that somebody decided something about.

An RPC of which nothing is decided has its plain transcoder, and pays nothing.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from gateway.contract.distilled import Distilled, Problem, distil
from gateway.contract.status_report import StatusReport
from gateway.transcoding.call_context import CallContext, CompletionQuery
from gateway.transcoding.printed import Printed
from gateway.transcoding.rpc_status import RpcStatus
from gateway.transcoding.rpc_transcoder import SUBJECT, RpcTranscoder
from gateway.transcoding.surface.argument_filler import ArgumentFiller
from gateway.transcoding.surface.reply_mask import ReplyMask

Headers = Mapping[str, str | None]
_NO_HEADERS: Headers = MappingProxyType({})


class SurfaceTranscoder:
    """An RPC's transcoder with fields filled in and replies cut down. Satisfies `gateway.mcp.ports.Transcoder`."""

    def __init__(
        self,
        inner: RpcTranscoder,
        filler: ArgumentFiller | None,
        mask: ReplyMask | None,
        *,
        headers: Headers = _NO_HEADERS,
    ) -> None:
        self._inner = inner
        self._filler = filler
        self._mask = mask
        self._headers = headers

    @property
    def takes_context(self) -> bool:
        """Whether a request has fields that `fill_in` fills in."""
        return self._inner.takes_context

    @property
    def tells_progress(self) -> bool:
        """Whether replies can say how far the work is."""
        return self._inner.tells_progress

    @property
    def reads_headers(self) -> bool:
        """Whether some field has its value from a header of the caller's request."""
        return self._filler is not None and self._filler.reads_headers

    def with_headers(self, headers: Headers) -> "SurfaceTranscoder":
        """The same for one caller's request, with the headers that were kept of it."""
        return SurfaceTranscoder(self._inner, self._filler, self._mask, headers=headers)

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        """The serialised request, or every reason why these arguments are refused."""
        if self._filler is None:
            return self._inner.encode_arguments(arguments)
        filled, problems = self._filler.fill(arguments, self._headers)
        encoded = self._inner.encode_arguments(filled)
        return self._join(problems, encoded) if problems or isinstance(encoded, Distilled) else encoded

    def encode_requests(self, arguments: Mapping[str, Any]) -> Sequence[bytes] | Distilled:
        """The serialised requests of a stream, or every reason why these arguments are refused."""
        if self._filler is None:
            return self._inner.encode_requests(arguments)
        filled, problems = self._filler.fill(arguments, self._headers)
        encoded = self._inner.encode_requests(filled)
        return self._join(problems, encoded) if problems or isinstance(encoded, Distilled) else encoded

    def fill_in(self, request: bytes, context: CallContext, query: CompletionQuery | None = None) -> bytes:
        """The serialised request with what its backend wants to know of the call."""
        return self._inner.fill_in(request, context, query)

    def read_reply(self, reply: bytes) -> Printed:
        """The reply, as far as it is shown. Raises BadReply."""
        printed = self._inner.read_reply(reply)
        return printed if self._mask is None else self._mask.apply(printed)

    def report_status(self, status: RpcStatus) -> StatusReport:
        """What a caller may know of a failure."""
        return self._inner.report_status(status)

    def _join(self, problems: tuple[Problem, ...], encoded: object) -> Distilled:
        """One refusal for what is wrong with fixed fields and, where the gate refuses the rest, for that."""
        refusal = encoded if isinstance(encoded, Distilled) else None
        if refusal is not None and self._filler is not None:
            refusal = self._filler.tell(refusal)
        if refusal is not None and not problems:
            return refusal
        locations = () if refusal is None else refusal.errors
        others = (Problem(at=one["at"], text=text) for one in locations for text in one["problems"])
        return distil((*problems, *others), subject=SUBJECT)
