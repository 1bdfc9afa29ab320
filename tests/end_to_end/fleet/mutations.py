"""Spoils descriptor files as broken generators and hostile servers do: any member, anywhere, set to anything."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.message import Message

_TEXTS = (
    "",
    ".",
    "..",
    "a.b",
    "x/y",
    "\x00",
    "a b",
    "é",
    "A" * 2000,
    "1a",
    ".google.protobuf.Timestamp",
    "key",
    "json",
)
_NUMBERS = (0, 1, -1, 2, 7, 15, 18_999, 19_000, 536_870_911, 536_870_912, 2**31 - 1, -(2**31))
_LIMIT_COPY_BYTES = 100_000


def spoil(files: Sequence[FileDescriptorProto], chance: random.Random) -> list[FileDescriptorProto]:
    """Copies of the files, one to thirty of their members changed, and now and then one file missing."""
    spoilt = [FileDescriptorProto.FromString(file.SerializeToString()) for file in files]
    for file in spoilt:
        file.ClearField("source_code_info")
    places = [place for file in spoilt for place in _walk(file)]
    for _ in range(chance.choice((1, 1, 2, 3, 5, 10, 30))):
        place = chance.choice(places)
        _spoil_member(place, chance.choice(place.DESCRIPTOR.fields), places, chance)
    if chance.random() < 0.2:
        del spoilt[chance.randrange(len(spoilt))]
    return spoilt


def _walk(message: Message) -> Iterable[Message]:
    yield message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for inner in value if field.is_repeated else [value]:
                yield from _walk(inner)


def _spoil_member(place: Message, field: FieldDescriptor, places: Sequence[Message], chance: random.Random) -> None:
    if chance.random() < 0.25:
        if field.is_repeated and (members := getattr(place, field.name)):
            del members[chance.randrange(len(members))]
        else:
            place.ClearField(field.name)
        return
    value = _make_value(field, places, chance)
    if field.is_repeated:
        getattr(place, field.name).append(value)
    elif isinstance(value, Message):
        getattr(place, field.name).CopyFrom(value)
    else:
        setattr(place, field.name, value)


def _make_value(field: FieldDescriptor, places: Sequence[Message], chance: random.Random) -> Any:
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_MESSAGE:
            alike = [place for place in places if place.DESCRIPTOR is field.message_type]
            model = chance.choice(alike) if alike else field.message_type._concrete_class()
            content = model.SerializeToString()
            return type(model).FromString(content if len(content) < _LIMIT_COPY_BYTES else b"")
        case FieldDescriptor.CPPTYPE_STRING if field.type == FieldDescriptor.TYPE_BYTES:
            return chance.randbytes(chance.randrange(8))
        case FieldDescriptor.CPPTYPE_STRING:
            names = [str(getattr(place, "name", "")) for place in places]
            return chance.choice((*_TEXTS, *chance.choices(names, k=len(_TEXTS))))
        case FieldDescriptor.CPPTYPE_BOOL:
            return chance.random() < 0.5
        case FieldDescriptor.CPPTYPE_ENUM:
            return chance.choice(field.enum_type.values).number
        case FieldDescriptor.CPPTYPE_DOUBLE:
            return chance.choice((0.0, 1e300, float("nan"), float("inf")))
        case FieldDescriptor.CPPTYPE_UINT64:
            return abs(chance.choice(_NUMBERS))
        case _:
            return chance.choice(_NUMBERS)
