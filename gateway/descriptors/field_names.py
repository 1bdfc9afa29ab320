"""Which names a message's fields carry in JSON: in a tool's input, in what the parser takes, and in what is printed.

Schemas and converters both read this table, so they cannot disagree. It knows nothing of either.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from google.protobuf.descriptor import Descriptor, FieldDescriptor

LIMIT_CHARACTERS = 64

# Gemini's rule for parameter names; it lies within those of every other provider known to refuse names.
_SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldNames:
    """The names of one message's fields, extensions aside.

    `published`: the property name in input schemas to its field, in the order of declaration.
    `accepted`: every spelling that a parser takes; a spelling with two owners belongs to the one that prints it.
    `printed`: the field's number to its name in output.
    """

    published: Mapping[str, FieldDescriptor]
    accepted: Mapping[str, FieldDescriptor]
    printed: Mapping[int, str]


def get_field_names(descriptor: Descriptor) -> FieldNames:
    """The names of the message's fields.

    A field's name is its json_name (ProtoJSON). Where two fields share one, which protoc lets pass in proto2, both go
    by their proto names. A name that some model provider would refuse is published under a safe alias, the same on
    every start; in output it stands as it is.
    """
    fields = list(descriptor.fields)
    names = _unambiguous_names(fields)
    printed = {field.number: name for field, name in zip(fields, names, strict=True)}
    spellings = {name: field for field, name in zip(fields, names, strict=True)}
    shares = Counter(field.json_name for field in fields)
    for field in fields:
        if shares[field.json_name] == 1:
            spellings.setdefault(field.json_name, field)
    for field in fields:
        spellings.setdefault(field.name, field)

    published: dict[str, FieldDescriptor] = {}
    for field, name in zip(fields, names, strict=True):
        alias = name if _SAFE_NAME.fullmatch(name) else _make_alias(field, spellings)
        published[alias] = field
        spellings[alias] = field
    return FieldNames(
        published=MappingProxyType(published),
        accepted=MappingProxyType(spellings),
        printed=MappingProxyType(printed),
    )


def _unambiguous_names(fields: list[FieldDescriptor]) -> list[str]:
    names = [field.json_name for field in fields]
    while len(set(names)) < len(names):
        count = Counter(names)
        # Proto names are unique within a message, so each round settles at least one field for good.
        names = [field.name if count[name] > 1 else name for field, name in zip(fields, names, strict=True)]
    return names


def _make_alias(field: FieldDescriptor, taken: Mapping[str, FieldDescriptor]) -> str:
    """The proto name where that is free and short enough, else its beginning with a hash of the whole name."""
    if _SAFE_NAME.fullmatch(field.name) and taken.get(field.name, field) is field:
        return field.name
    stem = re.sub(r"[^A-Za-z0-9_]", "_", field.name)
    salt = 0
    while True:
        digest = hashlib.sha256(f"{field.full_name}#{salt}".encode()).hexdigest()[:8]
        alias = f"{stem[: LIMIT_CHARACTERS - 9]}_{digest}"
        if taken.get(alias, field) is field:
            return alias
        salt += 1
