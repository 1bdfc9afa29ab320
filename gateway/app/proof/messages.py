"""Random messages of any type, bounded in size, of every construct; free, or within what an input schema offers.

The same seed makes the same messages. Free messages hold what no argument would: extensions, numbers without a name in
open enums, NaN and the infinities. No message holds what JSON cannot say, such as a Timestamp of the year 20000.
"""

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from gateway.app.proof.offered import MisfitError, Offered
from gateway.app.proof.scalars import NoValueError, draw_scalar
from gateway.app.proof.special_messages import SPECIAL_MAKERS, WRAPPERS
from gateway.descriptors.api import Api
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.schema.rules.facts import find_map_entry
from gateway.descriptors.schema.rules.validation.source import is_kept_finite

ANY = "google.protobuf.Any"
NULL_VALUE = "google.protobuf.NullValue"
URL_PREFIX = "type.googleapis.com/"

_TYPE_KEY = "@type"

_LIMIT_FIELDS = 200
_LIMIT_LEVELS = 24
_LIMIT_ANY_FIELDS = 6
_FEW = 8
_TRIES = 20


class Growth(enum.Enum):
    """Which of its fields a message has, beside those that it must have."""

    LEAST = "none"
    ALL = "all, and below them as many as there is room for"
    CHAIN = "one, and in it one, as deep as there is room"
    SOME = "a few"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """How a message may grow: `fields` is how many fields it and all below it may have, `levels` how deep it may go."""

    growth: Growth
    fields: int = _LIMIT_FIELDS
    levels: int = _LIMIT_LEVELS

    def divide(self, *, own: int, messages: int) -> "_Room":
        """The room of each of `messages` messages within one that has `own` fields."""
        fields = (self.fields - own) // max(1, messages)
        is_full = fields <= 0 or self.levels <= 1
        return replace(self, fields=fields, levels=self.levels - 1, growth=Growth.LEAST if is_full else self.growth)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """A field that a message may have; `place` is where an input schema offers it, if one is asked."""

    field: FieldDescriptor
    place: Offered | None
    required: bool

    @property
    def holds_messages(self) -> bool:
        entry = find_map_entry(self.field)
        value = self.field if entry is None else entry.fields_by_number[2]
        return value.message_type is not None and value.message_type.full_name not in SPECIAL_MAKERS.keys() | WRAPPERS


class MessageMaker:
    """Makes messages of one Api's types.

    `left_out` says of fields (by full name) why no value could be made up for them.
    """

    def __init__(self, api: Api, any_types: Sequence[Descriptor] = ()) -> None:
        """`any_types`: what an Any may hold."""
        self._api = api
        self._completable: dict[str, bool] = {}
        self._any_types = tuple(one for one in any_types if self.can_be_complete(one))
        self._extensions: dict[str, tuple[FieldDescriptor, ...]] = {}
        self.left_out: dict[str, str] = {}

    def make_message(
        self, random: Random, descriptor: Descriptor, growth: Growth, offered: Offered | None = None
    ) -> Message:
        """A message. With `offered`, one that can be written as arguments there.

        Raises MisfitError where the schema is not one of this type, NoValueError where it wants a value that cannot be
        made up.
        """
        message: Message = _Making(self, random).make(descriptor, _Room(growth=growth), offered)
        return message

    def can_be_complete(self, descriptor: Descriptor) -> bool:
        """Whether a message can have all that protobuf requires of it, and not only by going round for ever."""
        known = self._completable.get(descriptor.full_name)
        if known is None:
            known = self._completable[descriptor.full_name] = _can_be_complete(descriptor, ())
        return known

    def get_extensions(self, descriptor: Descriptor) -> tuple[FieldDescriptor, ...]:
        """The extensions of a type."""
        if not descriptor.is_extendable:
            return ()
        known = self._extensions.get(descriptor.full_name)
        if known is None:
            known = tuple(self._api.pool.FindAllExtensions(descriptor))
            self._extensions[descriptor.full_name] = known
        return known

    def get_json_name(self, enum_type: EnumDescriptor, number: int) -> str:
        """The name by which JSON calls a number of an enum: the first value's."""
        value = next(value for value in enum_type.values if value.number == number)
        return self._api.options.json_string(value) or value.name

    def is_kept_finite(self, field: FieldDescriptor) -> bool:
        """Whether a validation rule says that the field never holds NaN or an infinity."""
        return is_kept_finite(self._api.rules, field)

    def get_type(self, url: str) -> Descriptor:
        """The type of that URL. Raises NoValueError where the backend does not describe it."""
        try:
            return self._api.pool.FindMessageTypeByName(url.rpartition("/")[2])
        except KeyError:
            raise NoValueError(f"the backend does not describe {url}") from None

    def draw_any_type(self, random: Random) -> Descriptor | None:
        """A type for an Any to hold, as long as there is one."""
        return random.choice(self._any_types) if self._any_types else None


class _Making:
    """The making of one message."""

    def __init__(self, maker: MessageMaker, random: Random) -> None:
        self._maker = maker
        self._random = random

    def make(self, descriptor: Descriptor, room: _Room, offered: Offered | None, *, is_finite: bool = False) -> Any:
        name = descriptor.full_name
        if name == ANY:
            return self._make_any(descriptor, room, offered)
        if name in SPECIAL_MAKERS:
            return SPECIAL_MAKERS[name](self._random, descriptor)
        if name in WRAPPERS:
            value = descriptor.fields_by_name["value"]
            return GetMessageClass(descriptor)(value=self._draw(value, offered, is_finite=is_finite))
        chosen = self._choose(descriptor, room, offered)
        inner = room.divide(own=len(chosen), messages=sum(choice.holds_messages for choice in chosen))
        values: dict[FieldDescriptor, Any] = {}
        for choice in chosen:
            try:
                values[choice.field] = self._make_field(choice, inner)
            except NoValueError as reason:
                if choice.required:
                    raise
                self._maker.left_out[choice.field.full_name] = str(reason)
        # By name through the constructor: a field may bear the name of a method and hide it, or be hidden by it.
        message = GetMessageClass(descriptor)(
            **{field.name: value for field, value in values.items() if not field.is_extension}
        )
        for field, value in values.items():
            if field.is_extension:
                _set_extension(message, field, value)
        return message

    def _make_any(self, descriptor: Descriptor, room: _Room, offered: Offered | None) -> Any:
        urls = () if offered is None else offered.properties.get(_TYPE_KEY, {}).get("enum", ())
        content = self._maker.get_type(self._random.choice(urls)) if urls else self._maker.draw_any_type(self._random)
        if content is None or room.levels < 1:
            held: Any = GetMessageClass(descriptor)()
        else:
            small = _Room(growth=Growth.SOME, fields=_LIMIT_ANY_FIELDS, levels=min(room.levels, 3))
            held = self.make(content, small, None)
        # Deterministic, as the converter serialises what it reads: equal messages have equal bytes.
        data = type(held).SerializeToString(held, deterministic=True)
        return GetMessageClass(descriptor)(type_url=f"{URL_PREFIX}{type(held).DESCRIPTOR.full_name}", value=data)

    def _choose(self, descriptor: Descriptor, room: _Room, offered: Offered | None) -> list[_Choice]:
        """The fields to set: all that are required, and at most one of each oneof."""
        choices = self._list_choices(descriptor, offered)
        free = [choice for choice in choices if not choice.required]
        self._random.shuffle(free)
        match room.growth:
            case Growth.LEAST:
                picked = []
            case Growth.ALL:
                picked = free
            case Growth.CHAIN:
                messages = [choice for choice in free if choice.holds_messages]
                picked = messages[:1] + [choice for choice in free if not choice.holds_messages][:1]
            case Growth.SOME:
                picked = free[: self._random.randint(0, _FEW)]
        taken: set[str] = set()
        chosen: list[_Choice] = []
        for choice in [*(choice for choice in choices if choice.required), *picked]:
            oneof = choice.field.containing_oneof
            if oneof is not None:
                if oneof.full_name in taken:
                    continue
                taken.add(oneof.full_name)
            chosen.append(choice)
        return chosen

    def _list_choices(self, descriptor: Descriptor, offered: Offered | None) -> list[_Choice]:
        if offered is None:
            fields = (*descriptor.fields, *self._maker.get_extensions(descriptor))
            found = [_Choice(field=field, place=None, required=field.is_required) for field in fields]
        else:
            published = get_field_names(descriptor).published
            unknown = offered.properties.keys() - published.keys()
            if unknown:
                raise MisfitError(f"{descriptor.full_name} has no field for the property {min(unknown)}")
            found = [
                _Choice(
                    field=published[name],
                    place=offered.get_property(name),
                    required=name in offered.required or published[name].is_required,
                )
                for name in offered.properties
            ]
        return [choice for choice in found if choice.required or self._fits(choice.field)]

    def _fits(self, field: FieldDescriptor) -> bool:
        return field.message_type is None or self._maker.can_be_complete(field.message_type)

    def _make_field(self, choice: _Choice, room: _Room) -> Any:
        field, place = choice.field, choice.place
        is_finite = self._maker.is_kept_finite(field)
        entry = find_map_entry(field)
        if entry is not None:
            values = None if place is None else place.get_values()
            return {
                key: self._make_value(entry.fields_by_number[2], room, values, is_finite=is_finite)
                for key in self._draw_keys(entry.fields_by_number[1], place)
            }
        if field.is_repeated:
            items = None if place is None else place.get_items()
            low, high = _get_counts(place, "minItems", "maxItems")
            if place is not None and place.schema.get("uniqueItems", False):
                return self._draw_different(lambda: self._make_value(field, room, items), low, high)
            count = self._random.randint(low, high)
            return [self._make_value(field, room, items, is_finite=is_finite) for _ in range(count)]
        return self._make_value(field, room, place, is_finite=is_finite)

    def _draw_keys(self, key: FieldDescriptor, place: Offered | None) -> list[Any]:
        limits = {} if place is None else place.schema.get("propertyNames", {})
        low, high = _get_counts(place, "minProperties", "maxProperties")
        if key.type != FieldDescriptor.TYPE_STRING:
            # What else the schema says of the name of such a key follows from its type.
            limits = {"enum": limits["enum"]} if "enum" in limits else {}
        return self._draw_different(lambda: draw_scalar(self._random, key, limits, is_finite=True), low, high)

    def _draw_different(self, draw: Callable[[], Any], low: int, high: int) -> list[Any]:
        wanted = self._random.randint(low, high)
        found: list[Any] = []
        for _ in range(wanted + _TRIES):
            if len(found) == wanted:
                break
            value = draw()
            if value not in found:
                found.append(value)
        if len(found) < low:
            raise NoValueError(f"no {low} different values were found")
        return found

    def _make_value(
        self, field: FieldDescriptor, room: _Room, place: Offered | None, *, is_finite: bool = False
    ) -> Any:
        if field.message_type is not None:
            return self.make(field.message_type, room, place, is_finite=is_finite)
        return self._draw(field, place, is_finite=is_finite)

    def _draw(self, field: FieldDescriptor, place: Offered | None, *, is_finite: bool) -> Any:
        if field.enum_type is not None:
            return self._draw_enum(field.enum_type, place)
        limits = {} if place is None else place.schema
        return draw_scalar(self._random, field, limits, is_finite=is_finite or place is not None)

    def _draw_enum(self, enum_type: EnumDescriptor, place: Offered | None) -> int:
        numbers = [value.number for value in enum_type.values]
        if enum_type.full_name == NULL_VALUE:
            return numbers[0]
        if place is None:
            if not enum_type.is_closed and self._random.random() < 0.2:
                return self._random.randint(-(2**31), 2**31 - 1)
            return self._random.choice(numbers)
        if "enum" not in place.schema:
            raise MisfitError(f"{enum_type.full_name} is described without its names: {dict(place.schema)}")
        by_name = {self._maker.get_json_name(enum_type, number): number for number in numbers}
        name = self._random.choice(place.schema["enum"])
        if name not in by_name:
            raise MisfitError(f"{enum_type.full_name} prints no value as {name}")
        return by_name[name]


def _get_counts(place: Offered | None, least: str, most: str) -> tuple[int, int]:
    limits = {} if place is None else place.schema
    low = limits.get(least, 0)
    return low, max(low, min(limits.get(most, 2), low + 2))


def _set_extension(message: Any, field: FieldDescriptor, value: Any) -> None:
    # Asked of the class, since a field may be called Extensions.
    slots = type(message).Extensions.__get__(message)
    if field.is_repeated:
        slots[field].extend(value)
    elif field.message_type is not None:
        type(value).CopyFrom(slots[field], value)
    else:
        slots[field] = value


def _can_be_complete(message: Descriptor, above: tuple[Descriptor, ...]) -> bool:
    if message in above:
        return False
    return all(
        _can_be_complete(field.message_type, (*above, message))
        for field in message.fields
        if field.is_required and field.message_type is not None
    )
