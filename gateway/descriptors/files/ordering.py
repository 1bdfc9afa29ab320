"""In which order files can be built, each after those that it needs, and which of them need each other in a circle."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOrder:
    """`names` can be built one after the other. `circular` are the files on circles, or between two; the rest of what
    needs those is in `names` all the same, after everything that can be had.
    """

    names: tuple[str, ...]
    circular: frozenset[str]


def order_files(needs: Mapping[str, frozenset[str]]) -> FileOrder:
    """The order for files whose needs are given; every need is itself a key. Linear in the size of the graph."""
    circular = frozenset(needs) - frozenset(_peel(needs))
    if circular:
        # What is left depends on a circle or is part of one; peeled from the other side, only the circles remain.
        users = _turn({name: needs[name] & circular for name in circular})
        circular = circular - frozenset(_peel(users))
    kept = {name: needed - circular for name, needed in needs.items() if name not in circular}
    return FileOrder(names=tuple(_peel(kept)), circular=circular)


def _peel(needs: Mapping[str, frozenset[str]]) -> list[str]:
    """The names in an order in which each follows its needs, without those that a circle holds back."""
    users = _turn(needs)
    missing = {name: len(needed) for name, needed in needs.items()}
    ready = sorted((name for name, count in missing.items() if not count), reverse=True)
    order: list[str] = []
    while ready:
        name = ready.pop()
        order.append(name)
        for user in sorted(users[name], reverse=True):
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    return order


def _turn(needs: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    users: dict[str, set[str]] = {name: set() for name in needs}
    for name, needed in needs.items():
        for other in needed:
            users[other].add(name)
    return {name: frozenset(found) for name, found in users.items()}
