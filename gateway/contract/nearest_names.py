"""Finds the name that somebody probably meant: what a refusal of an unknown name offers."""

import difflib
import heapq
from collections import Counter
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import islice

# Longer names are no slips of the pen, and comparing costs the product of the lengths.
_LIMIT_CHARACTERS = 64
_LIMIT_KNOWN = 500
_LIKENESS = 0.6
# Names that share most of their characters are compared closely, and no others.
_LIMIT_COMPARED = 4
# A caller that makes one mistake in every item of a list is answered from memory.
_LIMIT_REMEMBERED = 64


class NearestNames:
    """The known names, to be asked again and again for the one most like another.

    Bounded: names over 64 characters are not compared, nor more than 500 known ones. Nothing is done before the first
    question.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = known
        self._find = lru_cache(maxsize=_LIMIT_REMEMBERED)(self._find_like)

    @cached_property
    def _by_plain(self) -> dict[str, str]:
        by_plain: dict[str, str] = {}
        for name in islice(self._known, _LIMIT_KNOWN):
            if len(name) <= _LIMIT_CHARACTERS:
                by_plain.setdefault(_plain(name), name)
        return by_plain

    @cached_property
    def _characters(self) -> dict[str, frozenset[tuple[str, int]]]:
        return {plain: _count_characters(plain) for plain in self._by_plain}

    def find(self, name: str) -> str | None:
        """The known name most like this one, or None where none is like it.

        Names that differ in case, dashes and underscores alone are the same to a reader and win.
        """
        return self._find(name) if len(name) <= _LIMIT_CHARACTERS else None

    def _find_like(self, name: str) -> str | None:
        plain = _plain(name)
        exact = self._by_plain.get(plain)
        if exact is not None:
            return exact
        characters = _count_characters(plain)

        def share(other: str) -> float:
            return 2 * len(characters & self._characters[other]) / (len(plain) + len(other) or 1)

        # No two texts are more alike than the characters that they share.
        hopeful = [(share(other), other) for other in self._by_plain]
        hopeful = [pair for pair in hopeful if pair[0] >= _LIKENESS]
        compared = [other for _, other in heapq.nlargest(_LIMIT_COMPARED, hopeful)]
        nearest = difflib.get_close_matches(plain, compared, n=1, cutoff=_LIKENESS)
        return self._by_plain[nearest[0]] if nearest else None


def find_nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The same for names that are asked once."""
    return NearestNames(known).find(name) if len(name) <= _LIMIT_CHARACTERS else None


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def _count_characters(text: str) -> frozenset[tuple[str, int]]:
    """Each character with how often it has come so far: what two of these share is what the texts share."""
    seen: Counter[str] = Counter()
    counted = []
    for character in text:
        seen[character] += 1
        counted.append((character, seen[character]))
    return frozenset(counted)
