"""Random messages of the types that ProtoJSON gives a form of their own, within what that form can say.

Source of the ranges: the comments in google/protobuf/{timestamp,duration,field_mask,struct}.proto.
"""

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message_factory import GetMessageClass

from gateway.app.proof.scalars import draw_integer, draw_text

WRAPPERS = frozenset(
    f"google.protobuf.{kind}Value"
    for kind in ("Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64")
)
"""Messages whose JSON is that of their one field, `value`."""

_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
_LONGEST_SECONDS = 315_576_000_000
_LAST_NANO = 999_999_999
_NANOS = (0, 1, 120_000_000, 123_456_000, _LAST_NANO)
_PATHS = ("a", "name", "display_name", "spec.labels", "spec.max_size.value", "a1.b2_c")
_LEVELS = 2

MakeSpecial = Callable[[Random, Descriptor], Any]


def make_timestamp(random: Random, descriptor: Descriptor) -> Any:
    """An instant from the year 1 to the year 9999."""
    return GetMessageClass(descriptor)(
        seconds=draw_integer(random, _FIRST_SECOND, _LAST_SECOND), nanos=random.choice(_NANOS)
    )


def make_duration(random: Random, descriptor: Descriptor) -> Any:
    """A length of time of either sign, up to 10,000 years."""
    sign = random.choice((1, -1))
    seconds = draw_integer(random, 0, _LONGEST_SECONDS)
    nanos = 0 if seconds == _LONGEST_SECONDS else random.choice(_NANOS)
    return GetMessageClass(descriptor)(seconds=sign * seconds, nanos=sign * nanos)


def make_field_mask(random: Random, descriptor: Descriptor) -> Any:
    """A mask of paths that camelCase does not lose anything of."""
    return GetMessageClass(descriptor)(paths=random.sample(_PATHS, random.randint(0, 3)))


def make_struct(random: Random, descriptor: Descriptor, levels: int = _LEVELS) -> Any:
    """Any JSON object."""
    struct: Any = GetMessageClass(descriptor)()
    value = _get_type(_get_type(descriptor, "fields"), "value")
    for _ in range(random.randint(0, 2)):
        _copy(make_value(random, value, levels - 1), struct.fields[draw_text(random, {})])
    return struct


def make_list_value(random: Random, descriptor: Descriptor, levels: int = _LEVELS) -> Any:
    """Any JSON array."""
    items: Any = GetMessageClass(descriptor)()
    value = _get_type(descriptor, "values")
    for _ in range(random.randint(0, 2)):
        _copy(make_value(random, value, levels - 1), items.values.add())
    return items


def make_value(random: Random, descriptor: Descriptor, levels: int = _LEVELS) -> Any:
    """Any JSON value; JSON has neither NaN nor infinities, nor a value that is nothing."""
    value = GetMessageClass(descriptor)
    match random.randint(0, 5 if levels > 0 else 3):
        case 0:
            return value(null_value=0)
        case 1:
            return value(bool_value=random.random() < 0.5)
        case 2:
            return value(number_value=random.choice((0.0, -1.5, 1e300, float(random.randint(-(2**53), 2**53)))))
        case 3:
            return value(string_value=draw_text(random, {}))
        case 4:
            return value(struct_value=make_struct(random, _get_type(descriptor, "struct_value"), levels))
        case _:
            return value(list_value=make_list_value(random, _get_type(descriptor, "list_value"), levels))


SPECIAL_MAKERS: Mapping[str, MakeSpecial] = MappingProxyType(
    {
        "google.protobuf.Duration": make_duration,
        "google.protobuf.FieldMask": make_field_mask,
        "google.protobuf.ListValue": make_list_value,
        "google.protobuf.Struct": make_struct,
        "google.protobuf.Timestamp": make_timestamp,
        "google.protobuf.Value": make_value,
    }
)
"""All of them but google.protobuf.Any, which holds any other message, and the wrappers."""


def _get_type(descriptor: Descriptor, field: str) -> Descriptor:
    found = descriptor.fields_by_name[field].message_type
    if found is None:
        raise TypeError(f"{descriptor.full_name}.{field} is no message")
    return found


def _copy(source: Any, target: Any) -> None:
    target.CopyFrom(source)
