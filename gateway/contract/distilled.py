"""The shape of a distilled error, and the one way to make it out of located problems.

Whoever refuses by hand builds the same shape as the validator does; the site that answers splits it over the
envelope's `message` and `data.errors`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

LIMIT_LOCATIONS = 20


class Location(TypedDict):
    """All that is wrong at one place: `at` is a JSON pointer (RFC 6901), "" for the whole instance."""

    at: str
    problems: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One cause at one place. `text` is one bounded line, values in it quoted by `contract.quoting`."""

    at: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Distilled:
    """A refusal: a one-line summary for `message`, and the locations for `data.errors`."""

    message: str
    errors: tuple[Location, ...]


def distil(problems: Iterable[Problem], *, subject: str) -> Distilled:
    """A distilled error: one entry per location, sorted, deduplicated, at most 20 and a count of the rest.

    `subject` opens the summary ("arguments", "request"): "arguments: /email must be an address (and 2 more)".
    """
    by_place: dict[str, list[str]] = {}
    for problem in problems:
        texts = by_place.setdefault(problem.at, [])
        if problem.text not in texts:
            texts.append(problem.text)
    places = sorted(by_place)
    locations: list[Location] = [Location(at=at, problems=by_place[at]) for at in places[:LIMIT_LOCATIONS]]
    hidden = len(places) - LIMIT_LOCATIONS
    if hidden > 0:
        locations.append(Location(at="", problems=[f"and {hidden} more locations"]))
    return Distilled(message=_summary(locations, len(places), subject), errors=tuple(locations))


def _summary(locations: list[Location], count: int, subject: str) -> str:
    if not locations:
        return f"{subject}: not valid"
    first = locations[0]
    place = f"{first['at']} " if first["at"] else ""
    more = f" (and {count - 1} more)" if count > 1 else ""
    return f"{subject}: {place}{first['problems'][0]}{more}"
