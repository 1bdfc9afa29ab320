"""Cuts a stream of bytes into lines, and keeps none that is too long.

Messages are delimited by newlines and hold none themselves (MCP 2026-07-28, basic/transports/stdio); a carriage return
before the newline belongs to it, as Windows has it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

_NEWLINE = b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlongLine:
    """A line over the limit, which was dropped."""

    limit_bytes: int


class LineCutter:
    """Takes chunks as they come and gives the lines that they complete, without their ends; blank ones are left out."""

    def __init__(self, *, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._parts: list[bytes] = []
        self._size_bytes = 0

    def feed(self, chunk: bytes) -> Iterator[bytes | OverlongLine]:
        """The lines that end in this chunk. An overlong one is told once, where it ends."""
        *ended, begun = chunk.split(_NEWLINE)
        for part in ended:
            self._add(part)
            yield from self._finish()
        self._add(begun)

    def close(self) -> Iterator[bytes | OverlongLine]:
        """The last line, where the stream ended without a newline."""
        yield from self._finish()

    def _add(self, part: bytes) -> None:
        self._size_bytes += len(part)
        if self._size_bytes > self._limit_bytes:
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def _finish(self) -> Iterator[bytes | OverlongLine]:
        parts, size_bytes = self._parts, self._size_bytes
        self._parts, self._size_bytes = [], 0
        if size_bytes > self._limit_bytes:
            yield OverlongLine(limit_bytes=self._limit_bytes)
            return
        line = b"".join(parts).strip()
        if line:
            yield line
