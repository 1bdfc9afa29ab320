"""How converters are called and how they say that something is wrong: the conventions that all of them share.

A *parser* takes a JSON value and gives what the message constructor of protobuf takes for it (a scalar, a list, a dict
of fields); a *printer* takes a protobuf value and gives JSON data. Both get `room`: how many levels of messages may
still nest. Where all is well, no path is ever written down: a converter that fails raises without one, and each level
that the exception passes puts its own key in front.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gateway.contract.distilled import Problem, make_pointer

Parse = Callable[[Any, int], Any]
Print = Callable[[Any, int], Any]

# Messages within messages below the root, map entries included: the decoders of C++, Java and Python take no more.
LIMIT_NESTING = 100
ROOT_ROOM = LIMIT_NESTING + 1

# Causes that one refusal gathers; beyond it the rest of the value is not looked at any more.
LIMIT_CAUSES = 1000


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong. `path`: names and indices that lead to it from the value which the raiser was given."""

    text: str
    path: tuple[str | int, ...] = ()


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


def refuse(text: str, *path: str | int) -> RefusedError:
    """A refusal for one cause, to be raised."""
    return RefusedError(Cause(text, path))


def refuse_depth() -> RefusedError:
    """The refusal of a value that nests deeper than backends can read."""
    return refuse(f"nests deeper than the {LIMIT_NESTING} levels of messages that can be sent")


def gather(causes: list[Cause] | None, key: str | int, more: tuple[Cause, ...]) -> list[Cause]:
    """The causes so far with those that were found below `key`."""
    gathered = [] if causes is None else causes
    gathered.extend(Cause(cause.text, (key, *cause.path)) for cause in more)
    return gathered


def as_problems(causes: tuple[Cause, ...]) -> tuple[Problem, ...]:
    """Causes as the contract's problems; their paths are those of the root."""
    return tuple(Problem(at=make_pointer(cause.path), text=cause.text) for cause in causes)
