"""The way between a value in a profile's form and the same value in the neutral form, construct by construct.

Each `Way` goes in both directions and knows where a place in the neutral form stands in the profile's. A value that is
not in the form that a way expects is left as it is: what to say of it is the value gate's, which knows more. So a
caller that knows the neutral form better than its profile is understood as well.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from gateway.contract.distilled import Problem, make_pointer
from gateway.contract.quoting import quote

KEY, VALUE = "key", "value"
"""The members of an entry of a map."""

NULL_NAME = "NULL_VALUE"
"""The one value of google.protobuf.NullValue by its name, where null stands for an absent value."""

Path = tuple[str | int, ...]
Steps = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place in the profile's form. `inside` is what is left of it inside of a JSON text, as a JSON pointer."""

    path: Path
    inside: str = ""


class Way(Protocol):
    """The two directions of one part of a schema."""

    def restore(self, value: Any, path: Path, problems: list[Problem]) -> Any:
        """The neutral value of one in the profile's form. `path` leads to it; adds what is wrong to `problems`."""
        ...

    def project(self, value: Any) -> Any:
        """The value in the profile's form of a neutral one."""
        ...

    def find_spot(self, steps: Steps, value: Any, path: Path) -> Spot:
        """Where a place below this part, in the neutral form, stands in `value`, which is in the profile's."""
        ...


@dataclass(frozen=True, slots=True)
class SameWay:
    """Both forms are one."""

    def restore(self, value: Any, path: Path, problems: list[Problem]) -> Any:
        """The value."""
        return value

    def project(self, value: Any) -> Any:
        """The value."""
        return value

    def find_spot(self, steps: Steps, value: Any, path: Path) -> Spot:
        """The same place."""
        return Spot(path=(*path, *steps))


SAME = SameWay()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWay:
    """Any JSON value, as its JSON text. `example` shows the form to whoever missed it."""

    example: str

    def restore(self, value: Any, path: Path, problems: list[Problem]) -> Any:
        """The value of the text. Text that is no JSON is a problem."""
        if not isinstance(value, str):
            return value
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError as error:
            shown = f"must be JSON as text, such as {self.example}; got {quote(value)}: {error.msg}"
            problems.append(Problem(at=make_pointer(path), text=shown))
            return None

    def project(self, value: Any) -> Any:
        """The text of the value."""
        return orjson.dumps(value).decode()

    def find_spot(self, steps: Steps, value: Any, path: Path) -> Spot:
        """The text as a whole, with the rest of the way inside of it."""
        return Spot(path=path, inside=make_pointer(steps) if isinstance(value, str) else "")


@dataclass(frozen=True, slots=True)
class NullWay:
    """A NullValue by its name: null itself means that there is none."""

    def restore(self, value: Any, path: Path, problems: list[Problem]) -> Any:
        """Null for the name."""
        return None if value == NULL_NAME else value

    def project(self, value: Any) -> Any:
        """The name for null."""
        return NULL_NAME if value is None else value

    def find_spot(self, steps: Steps, value: Any, path: Path) -> Spot:
        """The same place."""
        return Spot(path=(*path, *steps))


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectWay:
    """An object whose properties have ways of their own; null stands for each of `nullable` that is absent."""

    ways: Mapping[str, Way]
    nullable: frozenset[str] = frozenset()

    def restore(self, value: Any, path: Path, problems: list[Problem]) -> Any:
        """The object without what is null for being absent."""
        if not isinstance(value, dict):
            return value
        return {
            name: self.ways.get(name, SAME).restore(member, (*path, name), problems)
            for name, member in value.items()
            if member is not None or name not in self.nullable
        }

    def project(self, value: Any) -> Any:
        """The object with null for what is absent."""
        if not isinstance(value, dict):
            return value
        absent = dict.fromkeys(self.nullable - value.keys())
        return absent | {name: self.ways.get(name, SAME).project(member) for name, member in value.items()}

    def find_spot(self, steps: Steps, value: Any, path: Path) -> Spot:
        """The same name, and on from there."""
        if not steps:
            return Spot(path=path)
        name = steps[0]
        member = value.get(name) if isinstance(value, dict) else None
        return self.ways.get(name, SAME).find_spot(steps[1:], member, (*path, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWay:
    """A list whose items have a way of their own."""

    item: Way

    def restore(self, value: Any, path: Path, problems: list[Problem]) -> Any:
        """The list, item by item."""
        if not isinstance(value, list):
            return value
        return [self.item.restore(item, (*path, index), problems) for index, item in enumerate(value)]

    def project(self, value: Any) -> Any:
        """The list, item by item."""
        return [self.item.project(item) for item in value] if isinstance(value, list) else value

    def find_spot(self, steps: Steps, value: Any, path: Path) -> Spot:
        """The same position, and on from there."""
        if not steps:
            return Spot(path=path)
        item = None
        if isinstance(value, list) and steps[0].isdecimal() and int(steps[0]) < len(value):
            item = value[int(steps[0])]
        return self.item.find_spot(steps[1:], item, (*path, steps[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesWay:
    """A map as a list of entries, each with its key and its value."""

    item: Way

    def restore(self, value: Any, path: Path, problems: list[Problem]) -> Any:
        """The map. An entry that is none, and a key that stands twice, are problems."""
        if not isinstance(value, list):
            return value
        restored: dict[str, Any] = {}
        first: dict[str, int] = {}
        for index, entry in enumerate(value):
            place = (*path, index)
            fault = _find_entry_fault(entry)
            if fault is None and first.setdefault(entry[KEY], index) != index:
                earlier = make_pointer((*path, first[entry[KEY]]))
                fault = f"has the key {quote(entry[KEY])}, which {earlier} has already"
            if fault is None:
                restored[entry[KEY]] = self.item.restore(entry[VALUE], (*place, VALUE), problems)
            else:
                problems.append(Problem(at=make_pointer(place), text=fault))
        return restored

    def project(self, value: Any) -> Any:
        """The entries, in the order of the map."""
        if not isinstance(value, dict):
            return value
        return [{KEY: key, VALUE: self.item.project(member)} for key, member in value.items()]

    def find_spot(self, steps: Steps, value: Any, path: Path) -> Spot:
        """The entry of that key; what is below its value, and on from there."""
        if not steps or not isinstance(value, list):
            return Spot(path=(*path, *steps))
        for index, entry in enumerate(value):
            if isinstance(entry, dict) and entry.get(KEY) == steps[0]:
                place = (*path, index)
                if len(steps) == 1:
                    # A problem with a key and one with a plain value have the same place in a map.
                    return Spot(path=place)
                return self.item.find_spot(steps[1:], entry.get(VALUE), (*place, VALUE))
        return Spot(path=path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One alternative: what values it takes in each form, and its way."""

    takes_neutral: Callable[[Any], bool]
    takes_projected: Callable[[Any], bool]
    way: Way


@dataclass(frozen=True, slots=True, kw_only=True)
class UnionWay:
    """One of several alternatives: the first that takes the value."""

    branches: tuple[Branch, ...]

    def restore(self, value: Any, path: Path, problems: list[Problem]) -> Any:
        """The value as its alternative restores it."""
        return self._find(value).restore(value, path, problems)

    def project(self, value: Any) -> Any:
        """The value as its alternative projects it."""
        way = next((branch.way for branch in self.branches if branch.takes_neutral(value)), SAME)
        return way.project(value)

    def find_spot(self, steps: Steps, value: Any, path: Path) -> Spot:
        """The place as the value's alternative has it."""
        return self._find(value).find_spot(steps, value, path)

    def _find(self, value: Any) -> Way:
        return next((branch.way for branch in self.branches if branch.takes_projected(value)), SAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceWay:
    """The way of a definition, by its name: it may lead back to where the reference stands."""

    name: str
    definitions: Mapping[str, Way] = field(repr=False)

    def restore(self, value: Any, path: Path, problems: list[Problem]) -> Any:
        """The value as the definition restores it."""
        return self.definitions.get(self.name, SAME).restore(value, path, problems)

    def project(self, value: Any) -> Any:
        """The value as the definition projects it."""
        return self.definitions.get(self.name, SAME).project(value)

    def find_spot(self, steps: Steps, value: Any, path: Path) -> Spot:
        """The place as the definition has it."""
        return self.definitions.get(self.name, SAME).find_spot(steps, value, path)


def _find_entry_fault(entry: Any) -> str | None:
    if not isinstance(entry, dict):
        return f"must be an object with {KEY} and {VALUE}, got {quote(entry)}"
    missing = [name for name in (KEY, VALUE) if name not in entry]
    if missing:
        return f"must have {' and '.join(missing)}"
    others = entry.keys() - {KEY, VALUE}
    if others:
        return f"must have {KEY} and {VALUE} alone, and has {quote(min(others))}"
    return None if isinstance(entry[KEY], str) else f"must have a string for its key, got {quote(entry[KEY])}"
