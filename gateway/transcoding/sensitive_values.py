"""Keeps the values of sensitive fields out of refusals: what is wrong is told, and where, but not what was given.

Which fields are sensitive is in `RpcFacts.sensitive`. This module looks at refusals alone, so that calls that go well
pay nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.contract.distilled import Problem, make_pointer
from gateway.contract.quoting import quote
from gateway.descriptors.field_names import get_field_names
from gateway.transcoding.converters.type_index import get_message_type, is_map

# How a problem goes on with the value that was given.
_GOT = ", got "
_UNTOLD = "is not valid; what was given is not shown"
# Shorter values are found in words of our own, too; they count where they are a whole word.
_LIMIT_WORD = 4
# Values looked at: arguments are bounded, and so is this.
_LIMIT_VALUES = 10_000

_OWN_FORM = "google.protobuf."


class Redactor:
    """Rewrites the problems of one RPC's arguments."""

    def __init__(self, request: Descriptor, sensitive: frozenset[str], *, prefix: int) -> None:
        """`sensitive` by the full names of fields; `prefix`: how many steps lead to a request in the arguments."""
        self._request = request
        self._sensitive = sensitive
        self._prefix = prefix

    def redact(self, problems: Iterable[Problem], arguments: Any) -> tuple[Problem, ...]:
        """The problems without any value that is sensitive, each still at its place."""
        values = tuple(self._collect(arguments))
        return tuple(self._redact_one(problem, values) for problem in problems)

    def _redact_one(self, problem: Problem, values: tuple[str, ...]) -> Problem:
        steps = [step.replace("~1", "/").replace("~0", "~") for step in problem.at.split("/")[1:]]
        told, is_sensitive = self._follow(steps)
        text = problem.text
        if is_sensitive:
            text = text.partition(_GOT)[0]
        if any(_tells(text, value, is_sensitive=is_sensitive) for value in values):
            text = _UNTOLD
        at = problem.at if len(told) == len(steps) else make_pointer(told)
        return Problem(at=at, text=text)

    def _follow(self, steps: list[str]) -> tuple[list[str], bool]:
        """The steps that may be told, and whether they lead through a sensitive field.

        Below such a field keys of maps and names that are no field's came from the caller, and are not told.
        """
        message: Descriptor | None = self._request
        is_sensitive, is_list, is_entry = False, False, False
        told = steps[: self._prefix]
        for step in steps[self._prefix :]:
            if is_list or is_entry:
                if is_sensitive and is_entry:
                    break
                is_list = is_entry = False
                told.append(step)
                continue
            field = None if message is None else get_field_names(message).accepted.get(step)
            if field is None and is_sensitive:
                break
            told.append(step)
            if field is None:
                message = None
                continue
            is_sensitive = is_sensitive or field.full_name in self._sensitive
            is_entry, is_list = is_map(field), field.is_repeated
            message = _get_inner(field)
        return told, is_sensitive

    def _collect(self, arguments: Any) -> Iterator[str]:
        """The sensitive values in the arguments, as texts."""
        left = _LIMIT_VALUES
        roots = [arguments]
        for _ in range(self._prefix):
            roots = [one for root in roots for one in _iterate_members(root)]
        pending: list[tuple[Any, Descriptor | None, bool]] = [(root, self._request, False) for root in roots]
        while pending and left > 0:
            left -= 1
            value, message, is_sensitive = pending.pop()
            if isinstance(value, Mapping):
                names = {} if message is None else get_field_names(message).accepted
                for key, member in value.items():
                    field = names.get(key)
                    below = is_sensitive or (field is not None and field.full_name in self._sensitive)
                    if below and field is None:
                        yield key
                    if below and field is not None and is_map(field) and isinstance(member, Mapping):
                        yield from member
                    inner = None if field is None else _get_inner(field)
                    pending.extend((one, inner, below) for one in _iterate_values(field, member))
            elif isinstance(value, list):
                pending.extend((item, message, is_sensitive) for item in value)
            elif is_sensitive and value is not None and not isinstance(value, bool):
                yield str(value)


def _tells(text: str, value: str, *, is_sensitive: bool) -> bool:
    """Whether a problem tells the value; a short one elsewhere than at its own place is taken for chance."""
    if len(value) >= _LIMIT_WORD:
        return value in text or quote(value)[1:-1] in text
    return is_sensitive and value != "" and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def _iterate_values(field: FieldDescriptor | None, member: Any) -> Iterator[Any]:
    """The values of a member: of a map each one, else the member itself."""
    if field is not None and is_map(field) and isinstance(member, Mapping):
        yield from member.values()
    else:
        yield member


def _iterate_members(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _get_inner(field: FieldDescriptor) -> Descriptor | None:
    """The message type of the field's values; None for scalars and for types with a JSON form of their own."""
    value = get_message_type(field).fields_by_name["value"] if is_map(field) else field
    message = value.message_type
    return None if message is None or message.full_name.startswith(_OWN_FORM) else message
