"""Finds the name that somebody probably meant: what a refusal of an unknown name offers."""

import difflib
from collections.abc import Iterable
from itertools import islice

# Longer names are no slips of the pen, and comparing costs the product of the lengths.
_LIMIT_CHARACTERS = 64
_LIMIT_KNOWN = 500
_LIKENESS = 0.6


def find_nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name most like this one, or None where none is like it.

    Names that differ in case, dashes and underscores alone are the same to a reader and win. Bounded: names over 64
    characters are not compared, nor more than 500 known ones.
    """
    if len(name) > _LIMIT_CHARACTERS:
        return None
    by_plain: dict[str, str] = {}
    for candidate in islice(known, _LIMIT_KNOWN):
        if len(candidate) <= _LIMIT_CHARACTERS:
            by_plain.setdefault(_plain(candidate), candidate)
    plain = _plain(name)
    if plain in by_plain:
        return by_plain[plain]
    nearest = difflib.get_close_matches(plain, by_plain, n=1, cutoff=_LIKENESS)
    return by_plain[nearest[0]] if nearest else None


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
