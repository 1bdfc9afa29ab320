"""Fills the operator's values into a call's arguments, and keeps callers from giving their own.

The filled arguments pass the value gate like any others. What the gate then has against a value that no caller gave is
told without the value: who reads it cannot mend it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.contract.distilled import Distilled, Problem, make_pointer, relocate
from gateway.descriptors.api import Rpc
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.root_forms import MESSAGES_PROPERTY, RootForm, get_root_form
from gateway.descriptors.rpc_facts import ArgumentFacts, FieldPath
from gateway.descriptors.typed_fields import is_filled_in
from gateway.transcoding.codec import Codec
from gateway.transcoding.surface.fixed_values import FixedValue, UnfixableError, make_fixed_value

_REFUSED = "is set by the gateway and is no argument"
_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One field on the way to a fixed one, or a fixed one itself (`below` None); `value` None: it stays unset."""

    name: str
    spellings: frozenset[str]
    below: "tuple[_Entry, ...] | None" = None
    value: FixedValue | None = None
    path: str = ""


@dataclass(slots=True)
class _Filling:
    """One call on its way."""

    headers: Mapping[str, str | None]
    problems: list[Problem] = field(default_factory=list)


class ArgumentFiller:
    """The fixed fields of one RPC's requests. Raises `UnfixableError` where one of them cannot be fixed."""

    def __init__(
        self, rpc: Rpc, arguments: Mapping[FieldPath, ArgumentFacts], codec: Codec, environ: Mapping[str, str]
    ) -> None:
        if get_root_form(rpc.request) is not RootForm.FIELDS:
            raise UnfixableError("the request is one value and has no fields that could be fixed")
        values: dict[FieldPath, FixedValue | None] = {}
        for path, facts in arguments.items():
            target = _find_target(rpc.request, path)
            values[path] = make_fixed_value(facts, target, ".".join(path), codec, environ)
        given = [path for path, value in values.items() if value is not None]
        values |= {path: None for path in list_taken_members(rpc.request, given) if path not in values}
        self._is_list = rpc.client_streaming
        self._entries = _compile(rpc.request, values, ())
        self.reads_headers = any(value is not None and value.header for value in values.values())

    def fill(
        self, arguments: Mapping[str, Any], headers: Mapping[str, str | None]
    ) -> tuple[Mapping[str, Any], tuple[Problem, ...]]:
        """The arguments with what is fixed and without what a caller must not give, and why they are no good as such.

        `headers`: by lower-case name, None for one that is doubled.
        """
        filling = _Filling(headers=headers)
        filled: Mapping[str, Any]
        if self._is_list:
            listed = arguments.get(MESSAGES_PROPERTY)
            if not isinstance(listed, list):
                return arguments, ()
            items = [
                _fill(self._entries, item, (MESSAGES_PROPERTY, index), filling) if isinstance(item, dict) else item
                for index, item in enumerate(listed)
            ]
            filled = {**arguments, MESSAGES_PROPERTY: items}
        else:
            filled = _fill(self._entries, arguments, (), filling)
        return filled, tuple(filling.problems)

    def tell(self, refusal: Distilled) -> Distilled:
        """A refusal of filled arguments, as its caller may read it."""
        return relocate(refusal, self._tell_one)

    def _tell_one(self, at: str, text: str) -> Problem:
        steps = [step.replace("~1", "/").replace("~0", "~") for step in at.split("/")[1:]]
        entry = _find_fixed(self._entries, steps[2:] if self._is_list else steps)
        if entry is None or entry.value is None:
            return Problem(at=at, text=text)
        if entry.value.header:
            return Problem(at="", text=f"the HTTP header {entry.value.header} has no value that can be used")
        return Problem(at="", text=f"the gateway's own value for {entry.path} is refused; its operator can mend that")


def list_taken_members(request: Descriptor, paths: Collection[FieldPath]) -> frozenset[FieldPath]:
    """The fields that share a oneof with one of these paths: where those have values, a caller cannot set these."""
    taken: set[FieldPath] = set()
    for path in paths:
        message = request
        for depth, name in enumerate(path):
            found = message.fields_by_name[name]
            oneof = found.containing_oneof
            others = () if oneof is None else oneof.fields
            taken |= {(*path[:depth], other.name) for other in others if other.name != name}
            if found.message_type is not None:
                message = found.message_type
    return frozenset(taken)


def _find_target(request: Descriptor, path: FieldPath) -> FieldDescriptor:
    message = request
    found: FieldDescriptor | None = None
    for name in path:
        found = message.fields_by_name[name]
        if is_filled_in(found):
            raise UnfixableError(f"{'.'.join(path)} is filled in by the gateway already")
        if found.message_type is not None:
            message = found.message_type
    if found is None:
        raise UnfixableError("the path of a fixed argument is empty")
    return found


def _compile(
    message: Descriptor, values: Mapping[FieldPath, FixedValue | None], above: FieldPath
) -> tuple[_Entry, ...]:
    """The entries of one message. A field that is fixed whole is not looked into."""
    return tuple(_iterate_entries(message, values, above))


def _iterate_entries(
    message: Descriptor, values: Mapping[FieldPath, FixedValue | None], above: FieldPath
) -> Iterator[_Entry]:
    names = get_field_names(message)
    for name in dict.fromkeys(path[len(above)] for path in values if path[: len(above)] == above):
        target, path = message.fields_by_name[name], (*above, name)
        spellings = frozenset(key for key, one in names.accepted.items() if one.number == target.number)
        published = next(key for key, one in names.published.items() if one.number == target.number)
        entry = _Entry(name=published, spellings=spellings, path=".".join(path))
        if path in values:
            yield _Entry(name=entry.name, spellings=spellings, path=entry.path, value=values[path])
        else:
            below = _compile(target.message_type, values, path)  # type: ignore[arg-type] # a path goes through messages
            yield _Entry(name=entry.name, spellings=spellings, path=entry.path, below=below)


def _fill(entries: Sequence[_Entry], given: Mapping[str, Any], path: _Path, filling: _Filling) -> dict[str, Any]:
    filled = dict(given)
    for entry in entries:
        present = [spelling for spelling in entry.spellings if spelling in given]
        if entry.below is None:
            for spelling in present:
                # A null sets nothing.
                if filled.pop(spelling) is not None:
                    filling.problems.append(Problem(at=make_pointer((*path, spelling)), text=_REFUSED))
            if entry.value is not None:
                filled[entry.name] = _take(entry.value, entry.path, filling)
            continue
        messages = [spelling for spelling in present if given[spelling] is not None]
        for spelling in messages:
            if isinstance(given[spelling], dict):
                filled[spelling] = _fill(entry.below, given[spelling], (*path, spelling), filling)
        if not messages:
            inner = _fill(entry.below, {}, (*path, entry.name), filling)
            for spelling in present:
                del filled[spelling]
            filled |= {entry.name: inner} if inner else {}
    return filled


def _take(value: FixedValue, path: str, filling: _Filling) -> Any:
    if not value.header:
        return value.value
    text = filling.headers.get(value.header)
    if text is not None:
        return value.read(text)
    fault = "came more than once" if value.header in filling.headers else "is missing"
    told = f"the HTTP header {value.header}, which {path} is taken from, {fault}"
    if all(problem.text != told for problem in filling.problems):
        filling.problems.append(Problem(at="", text=told))
    return None


def _find_fixed(entries: Sequence[_Entry], steps: Sequence[str]) -> _Entry | None:
    """The fixed field that a place is, or lies in."""
    for entry in entries:
        if steps and steps[0] in entry.spellings:
            return entry if entry.below is None else _find_fixed(entry.below, steps[1:])
    return None
