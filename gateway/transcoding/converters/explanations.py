"""The sentences of refusals: what would be right, then what was got.

They are read by models, so they know no protobuf and no Python. Each sentence follows a JSON pointer.
"""

from collections.abc import Collection, Iterable
from itertools import islice

from gateway.contract.nearest_names import NearestNames
from gateway.contract.quoting import one_line, quote

LIMIT_NAMES = 12
_LIMIT_NAME = 64
_LIMIT_LISTED = 90  # characters of listed names: a problem is one line of at most 200

SAMPLE_TIMESTAMP = "2026-01-31T09:00:00Z"
SAMPLE_DURATION = "1.5s"
SAMPLE_FIELD_MASK = "displayName,address.city"


def expect(what: str, value: object) -> str:
    """That the value must be `what`, and what it is instead."""
    return f"must be {what}, got {quote(value)}"


def expect_structure(what: str, value: object) -> str:
    """The same for an object or an array, with a word to those who send it as JSON text in a string."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return f"must be {what} itself, not JSON text inside a string, got {quote(value)}"
    return expect(what, value)


def explain_unknown_field(name: str, known: Collection[str], nearest: NearestNames) -> str:
    """That there is no such field; the nearest name, else the first few that there are."""
    if not known:
        return "is not a field of this message, which has none"
    near = nearest.find(name)
    if near is not None:
        return f"is not a field of this message; did you mean {_tick(near)}?"
    return f"is not a field of this message; it has {_enumerate(map(_tick, known), len(known))}"


def explain_unknown_name(value: object, known: Collection[str], nearest: NearestNames, *, numbers: bool) -> str:
    """That an enum has no such value: the names that it has, the nearest first."""
    near = nearest.find(value) if isinstance(value, str) else None
    ordered = list(known) if near is None else [near, *(name for name in known if name != near)]
    alternative = " or a 32-bit integer" if numbers else ""
    hint = "" if near is None else f"; did you mean {quote(near)}?"
    return f"must be one of {_enumerate(map(quote, ordered), len(ordered))}{alternative}, got {quote(value)}{hint}"


def _tick(name: str) -> str:
    return f"`{one_line(name, _LIMIT_NAME)}`"


def _enumerate(shown: Iterable[str], total: int) -> str:
    listed: list[str] = []
    for text in islice(shown, LIMIT_NAMES):
        if listed and sum(map(len, listed)) + len(text) > _LIMIT_LISTED:
            break
        listed.append(text)
    more = f" and {total - len(listed)} more" if total > len(listed) else ""
    return ", ".join(listed) + more
