"""The messages of one stream, as JSON text, under caps: what comes beyond them is never kept."""

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.contract.distilled import Problem
from gateway.contract.stream_results import Cut, CutReason
from gateway.descriptors.root_forms import MESSAGES_PROPERTY, TRUNCATED_PROPERTY

_OPENING = f'{{"{MESSAGES_PROPERTY}":['.encode()
_CLOSINGS = {
    is_truncated: f'],"{TRUNCATED_PROPERTY}":{str(is_truncated).lower()}}}'.encode() for is_truncated in (False, True)
}
_LIMIT_NOTES = 100
_FRAME_BYTES = len(_OPENING) + len(_CLOSINGS[False])


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamLimits:
    """What is collected of one stream at most: `bytes` counts the JSON of the whole structured content.

    By default it is as much as leaves a result below 1 MiB, whose text holds the same JSON once more and escaped: the
    official clients take no larger server-sent event.
    """

    messages: int = 1000
    bytes: int = 320 * 1024


class Collector:
    """Collects until a message does not fit."""

    def __init__(self, limits: StreamLimits) -> None:
        self._limits = limits
        self._messages: list[bytes] = []
        self._notes: list[Problem] = []
        self._size_bytes = _FRAME_BYTES

    @property
    def count(self) -> int:
        """How many messages there are so far."""
        return len(self._messages)

    @property
    def notes(self) -> Sequence[Problem]:
        """What is to be said of values in the messages so far, by their place in the whole."""
        return self._notes

    def add(self, encoded: bytes, notes: Sequence[Problem] = ()) -> Cut | None:
        """Takes a message as JSON text, or says which cap it would break; then it is not kept.

        `notes` are about the message alone. Of very many the first are kept.
        """
        if len(self._messages) >= self._limits.messages:
            return Cut(reason=CutReason.MESSAGES, count=self.count, limit=self._limits.messages)
        size_bytes = self._size_bytes + len(encoded) + (1 if self._messages else 0)
        if size_bytes > self._limits.bytes:
            return Cut(reason=CutReason.BYTES, count=self.count, limit=self._limits.bytes)
        self._size_bytes = size_bytes
        if notes and len(self._notes) < _LIMIT_NOTES:
            place = f"/{MESSAGES_PROPERTY}/{self.count}"
            self._notes += [Problem(at=place + note.at, text=note.text) for note in notes]
        self._messages.append(encoded)
        return None

    def encode(self, *, is_truncated: bool) -> bytes:
        """The structured content as JSON text."""
        return _OPENING + b",".join(self._messages) + _CLOSINGS[is_truncated]
