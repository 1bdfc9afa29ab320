"""The messages of one stream, as JSON text, under caps: what comes beyond them is never kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.contract.distilled import Problem
from gateway.contract.stream_results import Cut, CutReason
from gateway.descriptors.root_forms import MESSAGES_PROPERTY, TRUNCATED_PROPERTY
from gateway.mcp.catalogue import Whole

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

    def __init__(self, limits: StreamLimits, whole: Whole = Whole.LIST) -> None:
        self._limits = limits
        self._whole = whole
        # One growing buffer: a list of what an encoder gives takes its buffers along, of several KiB each.
        self._body = bytearray()
        self._values = 0
        self._blocks: list[Mapping[str, Any]] = []
        self._notes: list[Problem] = []
        self._blocks_size = 0
        self._count = 0

    @property
    def count(self) -> int:
        """How many messages there are so far."""
        return self._count

    @property
    def place(self) -> str:
        """The JSON pointer to the next message in the structured content."""
        return f"/{MESSAGES_PROPERTY}/{self._values}" if self._whole is Whole.LIST else ""

    @property
    def blocks(self) -> Sequence[Mapping[str, Any]]:
        """The content of the messages so far."""
        return self._blocks

    @property
    def notes(self) -> Sequence[Problem]:
        """What is to be said of values in the messages so far, by their place in the whole."""
        return self._notes

    def add(
        self,
        encoded: bytes | None,
        notes: Sequence[Problem] = (),
        blocks: Sequence[Mapping[str, Any]] = (),
        blocks_bytes: int = 0,
    ) -> Cut | None:
        """Takes a message as JSON text, or says which cap it would break; then it is not kept.

        `notes` are about the message alone. Of very many the first are kept. `blocks` are its content, of that size; a
        message may be nothing else. Content stands in a result once, and structured content twice.
        """
        if self._count >= self._limits.messages:
            return Cut(reason=CutReason.MESSAGES, count=self._count, limit=self._limits.messages)
        kept = b"" if self._whole is Whole.LAST and encoded is not None else self._body
        separator = b"," if kept and encoded is not None else b""
        blocks_size = self._blocks_size + blocks_bytes // 2
        size_bytes = _FRAME_BYTES + len(kept) + len(separator) + len(encoded or b"") + blocks_size
        if size_bytes > self._limits.bytes:
            return Cut(reason=CutReason.BYTES, count=self._count, limit=self._limits.bytes)
        self._blocks_size = blocks_size
        self._count += 1
        if notes and len(self._notes) < _LIMIT_NOTES:
            place = "" if encoded is None else self.place
            self._notes += [Problem(at=place + note.at, text=note.text) for note in notes]
        self._blocks += blocks
        if encoded is not None:
            if not kept:
                self._body.clear()
            self._body += separator
            self._body += encoded
            self._values += 1
        return None

    def encode(self, *, is_truncated: bool) -> bytes | None:
        """The structured content as JSON text, or None where there is none."""
        if self._whole is Whole.LIST:
            return b"".join((_OPENING, self._body, _CLOSINGS[is_truncated]))
        return bytes(self._body) if self._values else None
