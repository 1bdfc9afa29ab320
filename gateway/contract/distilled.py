"""The shape of a distilled error, and the one way to make it out of located problems.

Whoever refuses by hand builds the same shape as the validator does; the site that answers splits it over the
envelope's `message` and `data.errors`. However many problems there are and however long their places and words, what
comes out is bounded.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from gateway.contract.quoting import escape_name, escape_pointer, one_line

LIMIT_LOCATIONS = 20
LIMIT_PROBLEMS = 5
LIMIT_PROBLEM = 200
LIMIT_POINTER = 256


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


def make_pointer(path: Iterable[str | int]) -> str:
    """The JSON pointer (RFC 6901) of a path of names and indices, fit to be told.

    A name that is long or holds characters that cannot be seen is shown as `quoting.escape_name` shows it, and a
    pointer of more than 256 characters is cut with `…`: such a pointer tells where to look and points no more.
    """
    pointer = ""
    for step in path:
        name = step if isinstance(step, str) else str(step)
        pointer += "/" + escape_name(name).replace("~", "~0").replace("/", "~1")
        if len(pointer) > LIMIT_POINTER:
            break
    return escape_pointer(pointer, LIMIT_POINTER)


def distil(problems: Iterable[Problem], *, subject: str, is_complete: bool = True) -> Distilled:
    """A distilled error: one entry per location, sorted, deduplicated, at most 20 and a count of the rest.

    `subject` opens the summary ("arguments", "request"): "arguments: /email must be an address (and 2 more)".
    `is_complete` False says that the search for problems was cut short, so that the count is a lower bound.
    """
    by_place: dict[str, list[str]] = {}
    for problem in problems:
        texts = by_place.setdefault(escape_pointer(problem.at, LIMIT_POINTER), [])
        text = one_line(problem.text, LIMIT_PROBLEM) or "is not valid"
        if text not in texts:
            texts.append(text)
    places = sorted(by_place)
    locations = [Location(at=at, problems=_bound_problems(by_place[at])) for at in places[:LIMIT_LOCATIONS]]
    hidden = len(places) - LIMIT_LOCATIONS
    if hidden > 0:
        locations.append(Location(at="", problems=[f"and {_count(hidden, is_complete)} more locations"]))
    message = _summary(locations, _count(len(places) - 1, is_complete), subject)
    return Distilled(message=message, errors=tuple(locations))


def relocate(distilled: Distilled, move: Callable[[str, str], Problem]) -> Distilled:
    """The same refusal with each of its problems as `move` tells it, given its place and its text.

    The order stays, and so does the number of problems that are only counted.
    """
    moved: dict[str, list[str]] = {}
    for location in distilled.errors:
        for text in location["problems"]:
            problem = move(location["at"], text)
            texts = moved.setdefault(escape_pointer(problem.at, LIMIT_POINTER), [])
            told = one_line(problem.text, LIMIT_PROBLEM)
            texts += [] if told in texts else [told]
    locations = [Location(at=at, problems=texts) for at, texts in moved.items()]
    if not locations:
        return distilled
    before, after = _tell_first(distilled.errors), _tell_first(locations)
    return Distilled(message=distilled.message.replace(before, after, 1), errors=tuple(locations))


def _bound_problems(texts: list[str]) -> list[str]:
    hidden = len(texts) - LIMIT_PROBLEMS
    return [*texts[:LIMIT_PROBLEMS], f"and {hidden} more problems"] if hidden > 0 else texts


def _count(number: int, is_complete: bool) -> str:
    if number == 0:
        return ""
    return str(number) if is_complete else f"at least {number}"


def _summary(locations: list[Location], others: str, subject: str) -> str:
    if not locations:
        return f"{subject}: not valid"
    more = f" (and {others} more)" if others else ""
    return f"{subject}: {_tell_first(locations)}{more}"


def _tell_first(locations: Sequence[Location]) -> str:
    first = locations[0]
    place = f"{first['at']} " if first["at"] else ""
    return f"{place}{first['problems'][0]}"
