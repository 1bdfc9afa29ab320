"""Random messages of any descriptor, as a hypothesis strategy.

Everything that a message can hold turns up: unset and zero fields, extensions, numbers without a name in open enums,
NaN and the infinities, any message in an Any. What JSON cannot say (a Timestamp out of range, NaN in a Value) turns
up only where the strategy is told so.
"""

import math
from collections.abc import Callable
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

LIMIT_LEVELS = 3

_TEXTS = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=8)
_DOUBLES = st.floats(allow_nan=False) | st.just(math.nan)


def _integers(low: int, high: int) -> st.SearchStrategy[int]:
    return st.sampled_from([0, 1, low, high]) | st.integers(low, high)


_INT32, _UINT32 = _integers(-(2**31), 2**31 - 1), _integers(0, 2**32 - 1)
_INT64, _UINT64 = _integers(-(2**63), 2**63 - 1), _integers(0, 2**64 - 1)

_SCALARS: dict[int, st.SearchStrategy[Any]] = {
    FieldDescriptor.TYPE_DOUBLE: _DOUBLES,
    FieldDescriptor.TYPE_FLOAT: st.floats(width=32, allow_nan=False) | st.just(math.nan),
    FieldDescriptor.TYPE_INT32: _INT32,
    FieldDescriptor.TYPE_SINT32: _INT32,
    FieldDescriptor.TYPE_SFIXED32: _INT32,
    FieldDescriptor.TYPE_UINT32: _UINT32,
    FieldDescriptor.TYPE_FIXED32: _UINT32,
    FieldDescriptor.TYPE_INT64: _INT64,
    FieldDescriptor.TYPE_SINT64: _INT64,
    FieldDescriptor.TYPE_SFIXED64: _INT64,
    FieldDescriptor.TYPE_UINT64: _UINT64,
    FieldDescriptor.TYPE_FIXED64: _UINT64,
    FieldDescriptor.TYPE_BOOL: st.booleans(),
    FieldDescriptor.TYPE_STRING: _TEXTS,
    FieldDescriptor.TYPE_BYTES: st.binary(max_size=8),
}

_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-99, 99) | _TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_TEXTS, inner, max_size=2),
    max_leaves=4,
)
_PATHS = st.from_regex(r"[a-z]{1,4}(_[a-z]{1,3}){0,2}(\.[a-z]{1,3})?", fullmatch=True)
# google/protobuf/timestamp.proto: years 1 to 9999; duration.proto: about 10,000 years, one sign.
_LOWEST_SECOND, _HIGHEST_SECOND, _HIGHEST_DURATION = -62135596800, 253402300799, 315_576_000_000
_NANOS = st.sampled_from([0, 1, 999_999_999, 120_000_000]) | st.integers(0, 999_999_999)


class MessageMaker:
    """Strategies for the messages of one pool."""

    def __init__(self, pool: DescriptorPool, *, any_types: tuple[str, ...] = (), wild: bool = False) -> None:
        """`any_types`: what an Any may hold, by full name. `wild`: also what has no JSON of its own."""
        self._pool = pool
        self._any_types = any_types
        self._wild = wild
        self._special: dict[str, Callable[[st.DrawFn, Descriptor, int], Message]] = {
            "google.protobuf.Any": self._draw_any,
            "google.protobuf.Duration": self._draw_duration,
            "google.protobuf.FieldMask": self._draw_field_mask,
            "google.protobuf.ListValue": self._draw_dynamic(st.lists(_JSON, max_size=3)),
            "google.protobuf.Struct": self._draw_dynamic(st.dictionaries(_TEXTS, _JSON, max_size=3)),
            "google.protobuf.Timestamp": self._draw_timestamp,
            "google.protobuf.Value": self._draw_dynamic(_JSON),
        }

    def messages(self, descriptor: Descriptor) -> st.SearchStrategy[Message]:
        """Messages of this type, at most a few levels deep; fields that are required are always set."""

        @st.composite
        def draw_message(draw: st.DrawFn) -> Message:
            return self._draw(draw, descriptor, LIMIT_LEVELS)

        return draw_message()

    def _draw(self, draw: st.DrawFn, descriptor: Descriptor, levels: int) -> Message:
        special = self._special.get(descriptor.full_name)
        if special is not None:
            return special(draw, descriptor, levels)
        extensions = self._pool.FindAllExtensions(descriptor)
        chosen = self._choose(draw, [*descriptor.fields, *extensions], levels)
        values = {field.name: self._draw_field(draw, field, levels - 1) for field in chosen if not field.is_extension}
        message: Message = GetMessageClass(descriptor)(**values)
        for field in chosen:
            if field.is_extension:
                self._set_extension(message, field, self._draw_field(draw, field, levels - 1))
        return message

    def _choose(self, draw: st.DrawFn, fields: list[FieldDescriptor], levels: int) -> list[FieldDescriptor]:
        """Which fields to set: all that are required, a few of the others, at most one of each oneof."""
        required = [field for field in fields if field.is_required]
        free = [
            field
            for field in fields
            if not field.is_required and (levels > 1 or field.message_type is None) and can_be_complete(field)
        ]
        few = (
            st.lists(st.sampled_from(free), max_size=6, unique_by=lambda field: field.full_name)
            if free
            else st.just([])
        )
        by_oneof = {
            field.full_name if field.containing_oneof is None else field.containing_oneof.full_name: field
            for field in draw(few)
        }
        return required + list(by_oneof.values())

    def _draw_field(self, draw: st.DrawFn, field: FieldDescriptor, levels: int) -> Any:
        entry = field.message_type
        if entry is not None and entry.GetOptions().map_entry:
            keys = draw(st.lists(_SCALARS[entry.fields_by_number[1].type], max_size=2, unique=True))
            return {key: self._draw_value(draw, entry.fields_by_number[2], levels) for key in keys}
        if field.is_repeated:
            return [self._draw_value(draw, field, levels) for _ in range(draw(st.integers(0, 2)))]
        return self._draw_value(draw, field, levels)

    def _draw_value(self, draw: st.DrawFn, field: FieldDescriptor, levels: int) -> Any:
        if field.message_type is not None:
            return self._draw(draw, field.message_type, levels)
        enum = field.enum_type
        if enum is None:
            return draw(_SCALARS[field.type])
        numbers = st.sampled_from([value.number for value in enum.values])
        return draw(numbers if enum.is_closed or enum.full_name == "google.protobuf.NullValue" else numbers | _INT32)

    @staticmethod
    def _set_extension(message: Any, field: FieldDescriptor, value: Any) -> None:
        if field.is_repeated:
            message.Extensions[field].extend(value)
        elif field.message_type is not None:
            message.Extensions[field].CopyFrom(value)
        else:
            message.Extensions[field] = value

    def _draw_any(self, draw: st.DrawFn, descriptor: Descriptor, levels: int) -> Message:
        message = GetMessageClass(descriptor)()
        if self._wild and draw(st.booleans()):
            return type(message)(type_url=draw(_TEXTS), value=draw(st.binary(max_size=4)))
        if levels < 1 or not self._any_types or draw(st.integers(0, 3)) == 0:
            return message
        content = self._pool.FindMessageTypeByName(draw(st.sampled_from(self._any_types)))
        held = self._draw(draw, content, levels - 1)
        # Equal content has equal bytes only when it is serialised the way the converter does.
        data = type(held).SerializeToString(held, deterministic=True)
        return type(message)(type_url=f"type.googleapis.com/{content.full_name}", value=data)

    def _draw_timestamp(self, draw: st.DrawFn, descriptor: Descriptor, _levels: int) -> Message:
        seconds = _integers(_LOWEST_SECOND, _HIGHEST_SECOND)
        values = (_INT64, _INT32) if self._wild else (seconds, _NANOS)
        return GetMessageClass(descriptor)(seconds=draw(values[0]), nanos=draw(values[1]))

    def _draw_duration(self, draw: st.DrawFn, descriptor: Descriptor, _levels: int) -> Message:
        if self._wild:
            return GetMessageClass(descriptor)(seconds=draw(_INT64), nanos=draw(_INT32))
        sign = draw(st.sampled_from([1, -1]))
        seconds = draw(st.integers(0, _HIGHEST_DURATION - 1))
        return GetMessageClass(descriptor)(seconds=sign * seconds, nanos=sign * draw(_NANOS))

    def _draw_field_mask(self, draw: st.DrawFn, descriptor: Descriptor, _levels: int) -> Message:
        return GetMessageClass(descriptor)(paths=draw(st.lists(_TEXTS if self._wild else _PATHS, max_size=3)))

    def _draw_dynamic(self, values: st.SearchStrategy[Any]) -> Callable[[st.DrawFn, Descriptor, int], Message]:
        def draw_dynamic(draw: st.DrawFn, descriptor: Descriptor, _levels: int) -> Message:
            message = json_format.ParseDict(draw(values), GetMessageClass(descriptor)())
            if self._wild and descriptor.name == "Value":
                unsayable = [math.nan, math.inf, -math.inf]
                wild = st.sampled_from(unsayable).map(lambda number: type(message)(number_value=number))
                return draw(st.just(message) | st.just(type(message)()) | wild)
            return message

        return draw_dynamic


def can_be_complete(field: FieldDescriptor) -> bool:
    """Whether the field's message can have all that protobuf requires of it, and not only by going round for ever."""
    return field.message_type is None or _can_be_complete(field.message_type, ())


def _can_be_complete(message: Descriptor, above: tuple[Descriptor, ...]) -> bool:
    if message in above:
        return False
    return all(
        _can_be_complete(field.message_type, (*above, message))
        for field in message.fields
        if field.is_required and field.message_type is not None
    )
