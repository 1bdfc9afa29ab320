"""How converters are called and how they say that something is wrong: the conventions that all of them share.

A *parser* takes a JSON value and gives what the message constructor of protobuf takes for it (a scalar, a list, a dict
of fields); a *printer* takes a protobuf value and gives JSON data. Both get `room`: how many levels of messages may
still nest. Where all is well, no path is ever written down: a converter that fails raises without one, and each level
that the exception passes puts its own key in front.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gateway.contract.distilled import Problem
from gateway.contract.quoting import one_line

Parse = Callable[[Any, int], Any]
Print = Callable[[Any, int], Any]

# Messages within messages below the root, map entries included: the decoders of C++, Java and Python take no more.
LIMIT_NESTING = 100
ROOT_ROOM = LIMIT_NESTING + 1

# Causes that one refusal gathers; beyond it the rest of the value is not looked at any more.
LIMIT_CAUSES = 1000

_LIMIT_SEGMENT = 64


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong. `at` is a JSON pointer that is relative to the value which the raiser was given."""

    at: str
    text: str


class RefusedError(Exception):
    """A JSON value that is not what the field takes, for one or several causes.

    `names_unknown_enum` marks the one cause that a caller may ask to ignore (ProtoJSON, "ignore unknown fields").
    """

    def __init__(self, *causes: Cause, names_unknown_enum: bool = False) -> None:
        super().__init__(*causes)
        self.causes = causes
        self.names_unknown_enum = names_unknown_enum


class BlemishError(Exception):
    """A protobuf value that JSON cannot say as it is: `value` is the nearest that can be said, `causes` say why."""

    def __init__(self, value: Any, *causes: Cause) -> None:
        super().__init__(*causes)
        self.value = value
        self.causes = causes


class TooDeepError(Exception):
    """A message to be printed that lies deeper than `LIMIT_NESTING`; only an Any within an Any gets there."""


def refuse(text: str, at: str = "") -> RefusedError:
    """A refusal for one cause, to be raised."""
    return RefusedError(Cause(at, text))


def refuse_depth() -> RefusedError:
    """The refusal of a value that nests deeper than backends can read."""
    return refuse(f"nests deeper than the {LIMIT_NESTING} levels of messages that can be sent")


def gather(causes: list[Cause] | None, key: object, more: tuple[Cause, ...]) -> list[Cause]:
    """The causes so far with those that were found below `key`."""
    gathered = [] if causes is None else causes
    segment = make_segment(key)
    gathered.extend(Cause(segment + cause.at, cause.text) for cause in more)
    return gathered


def make_segment(key: object) -> str:
    """One step of a JSON pointer (RFC 6901) to a member or an item, one bounded printable line whatever the key is."""
    text = str(key)
    return "/" + one_line(text, _LIMIT_SEGMENT).replace("~", "~0").replace("/", "~1")


def as_problems(causes: tuple[Cause, ...]) -> tuple[Problem, ...]:
    """Causes as the contract's problems; their pointers are those of the root."""
    return tuple(Problem(at=cause.at, text=cause.text) for cause in causes)
