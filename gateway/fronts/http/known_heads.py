"""Heads that came before: clients send the same headers again and again, so what was read of them is kept.

Only heads that no rule refuses are kept, without a header that may carry a secret, and only so many and so large ones
that they take no memory worth a name. This module must never know the rules.
"""

from collections.abc import Callable, Collection, Sequence

from gateway.contract.quoting import is_secret_header
from gateway.fronts.http.head import RequestHead, read_head
from gateway.fronts.http.responses import HttpResponse

LIMIT_HEADS = 512
LIMIT_HEAD_BYTES = 2048

RawHeaders = Sequence[tuple[bytes, bytes]]
Judge = Callable[[str, RequestHead], HttpResponse | None]


class KnownHeads:
    """Reads heads and has them judged, each for the first time only. `judge` gives the refusal of a head, or None.

    It must judge by the head alone: by the HTTP method and the headers that a `RequestHead` holds.
    """

    def __init__(self, judge: Judge, kept: Collection[str] = ()) -> None:
        """`kept` names the headers that heads keep beside those that this front reads."""
        self._judge = judge
        self._kept = kept
        self._heads: dict[tuple[str, tuple[tuple[bytes, bytes], ...]], RequestHead] = {}

    def read(self, http_method: str, headers: RawHeaders) -> RequestHead | HttpResponse:
        """The head of a request with these raw headers, or its refusal."""
        key = (http_method, tuple(headers))
        known = self._heads.get(key)
        if known is not None:
            return known
        head = read_head(headers, self._kept)
        refusal = self._judge(http_method, head)
        if refusal is not None:
            return refusal
        if _is_worth_keeping(headers):
            if len(self._heads) >= LIMIT_HEADS:
                self._heads.clear()
            self._heads[key] = head
        return head


def _is_worth_keeping(headers: RawHeaders) -> bool:
    size = sum(len(name) + len(value) for name, value in headers)
    return size <= LIMIT_HEAD_BYTES and not any(is_secret_header(name.decode("latin-1")) for name, _ in headers)
