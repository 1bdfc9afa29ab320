"""What must not be told to anybody: configured values that other parties' texts may repeat."""

import re
from collections.abc import Iterable
from typing import Self

HIDDEN = "***"
# A shorter value would blot out ordinary words.
_SHORTEST = 6


class Secrets:
    """Values that are taken out of texts wherever they stand as words of their own."""

    __slots__ = ("_known", "_pattern")

    def __init__(self, values: Iterable[str] = ()) -> None:
        """Of the values, those of fewer than six characters are let be."""
        self._known = tuple(sorted({value for value in values if len(value) >= _SHORTEST}, key=len, reverse=True))
        longest_first = "|".join(map(re.escape, self._known))
        self._pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{longest_first})(?![A-Za-z0-9])") if self._known else None

    @classmethod
    def of_metadata(cls, entries: Iterable[tuple[str, str | bytes]]) -> Self:
        """The values of metadata, and the token of "Bearer token" alone; bytes are nothing that a text holds."""
        values = [value for _, value in entries if isinstance(value, str)]
        return cls([*values, *(value.rpartition(" ")[2] for value in values)])

    def hide(self, text: str) -> str:
        """The text without any of the values."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def are_in(self, data: bytes) -> bool:
        """Whether any of the values stands anywhere in these bytes."""
        return any(value.encode() in data for value in self._known)
