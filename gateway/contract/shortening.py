"""Makes a JSON value that is too large fit, by shortening its lists, and says where.

The law: what comes out has at most the size asked for; it is the value but for lists of which only the first items are
left, at least one of each; and the cuts name those lists and no others. So it still fits every schema that does not
count items. The list whose shortening saves most goes first, cut no further than needed; ties go to the outer one.
This module must never know what the value means.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from gateway.contract.distilled import make_pointer

# Lists below this part of the limit are not worth looking for: shortening them saves next to nothing.
_SMALLEST_PART = 256
# A value that needs more lists shortened than this holds no list that is to blame.
_LIMIT_CUTS = 16

Steps = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """One list that was shortened: the JSON pointer to it, how many items are left, and how many there were."""

    at: str
    kept: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """The JSON text of what is left, and the cuts in the order of their places."""

    encoded: bytes
    cuts: tuple[Cut, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _List:
    """A list with its place; `sizes` are the bytes that its items take, each with the comma before it."""

    steps: Steps
    items: list[Any]
    sizes: list[int]

    @property
    def saving(self) -> int:
        """The bytes that are saved where only the first item stays."""
        return sum(self.sizes[1:])


def shorten(value: Any, limit_bytes: int) -> Shortened | None:
    """The value in at most `limit_bytes` of JSON text, or None where shortening lists does not get it there.

    Takes the value over: its lists are shortened in place. Nothing is shortened where the value fits.
    """
    totals: dict[Steps, int] = {}
    kept: dict[Steps, list[Any]] = {}
    encoded = orjson.dumps(value)
    while (excess := len(encoded) - limit_bytes) > 0:
        lists = _find_lists(value, (), limit_bytes // _SMALLEST_PART)
        largest = max(lists, key=lambda one: one.saving, default=None)
        if largest is None or largest.saving == 0 or len(kept) == _LIMIT_CUTS:
            return None
        totals[largest.steps], kept[largest.steps] = len(largest.items), largest.items
        del largest.items[_count_kept(largest.sizes, excess) :]
        encoded = orjson.dumps(value)
    # None of these places is gone by now: a list saves more than any that stands in an item which it loses.
    cuts = (Cut(at=make_pointer(steps), kept=len(kept[steps]), total=totals[steps]) for steps in sorted(kept))
    return Shortened(encoded=encoded, cuts=tuple(cuts))


def _find_lists(value: Any, steps: Steps, least_bytes: int) -> Iterator[_List]:
    """Every list in the value that takes at least so many bytes, outer ones first."""
    members: Iterable[tuple[str | int, Any]]
    match value:
        case dict():
            members = value.items()
        case list():
            members = enumerate(value)
        case _:
            return
    measured = [(step, member, len(orjson.dumps(member))) for step, member in members]
    if isinstance(value, list):
        yield _List(steps=steps, items=value, sizes=[size + 1 for _, _, size in measured])
    for step, member, size in measured:
        if size >= least_bytes:
            yield from _find_lists(member, (*steps, step), least_bytes)


def _count_kept(sizes: list[int], excess: int) -> int:
    """How many items stay, at least one, so that `excess` bytes are saved if that can be."""
    count = len(sizes)
    while count > 1 and excess > 0:
        count -= 1
        excess -= sizes[count]
    return count
