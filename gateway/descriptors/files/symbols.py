"""What a descriptor file declares, and what each of its parts needs of others.

Linking reasons over these names and not over import lists: a pool resolves a type wherever it stands, and an import
list may name files that nothing needs. This module knows one file at a time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    ServiceDescriptorProto,
)

# What a field of a map entry is called, by its number (descriptor.proto, `map_entry`), and what a key cannot be.
_MAP_FIELDS = {1: "key", 2: "value"}
_NO_MAP_KEYS = frozenset(
    {
        FieldDescriptorProto.TYPE_DOUBLE,
        FieldDescriptorProto.TYPE_FLOAT,
        FieldDescriptorProto.TYPE_GROUP,
        FieldDescriptorProto.TYPE_MESSAGE,
        FieldDescriptorProto.TYPE_BYTES,
        FieldDescriptorProto.TYPE_ENUM,
    }
)

TopLevelProto = DescriptorProto | EnumDescriptorProto | ServiceDescriptorProto | FieldDescriptorProto


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionSlot:
    """The place that an extension takes in the message that it extends. `node` is the extension's full name."""

    node: str
    extendee: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One message, enum, service or extension at the top of a file, with all that is nested in it.

    `needs` has an entry for each part that stands or falls by itself: every message, "pkg.Service/Method" for every
    RPC, every extension; its references are as the file writes them, with a leading dot or relative. `types` are the
    full names of the messages and enums in it. `faults` says of parts that no pool could use as they are meant what is
    wrong with them, as the rest of "its …".
    """

    name: str
    file: str
    proto: TopLevelProto
    types: tuple[str, ...] = ()
    needs: Mapping[str, tuple[str, ...]]
    slots: tuple[ExtensionSlot, ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)


def read_declarations(file: FileDescriptorProto) -> tuple[Declaration, ...]:
    """What the file declares, in order."""
    return tuple(_walk(file, get_scope(file)))


def get_scope(file: FileDescriptorProto) -> str:
    """What stands before the file's names: "shop.v1.", or "" without a package."""
    return f"{file.package}." if file.package else ""


def _walk(file: FileDescriptorProto, scope: str) -> Iterator[Declaration]:
    for message in file.message_type:
        yield _read_message(message, scope, file.name)
    for enum in file.enum_type:
        name = f"{scope}{enum.name}"
        yield Declaration(name=name, file=file.name, proto=enum, types=(name,), needs={})
    for service in file.service:
        name = f"{scope}{service.name}"
        needs = {f"{name}/{method.name}": (method.input_type, method.output_type) for method in service.method}
        yield Declaration(name=name, file=file.name, proto=service, needs=needs)
    for extension in file.extension:
        node, references, slot = _read_extension(extension, scope)
        yield Declaration(name=node, file=file.name, proto=extension, needs={node: references}, slots=(slot,))


def _read_message(top: DescriptorProto, scope: str, file_name: str) -> Declaration:
    types: list[str] = []
    needs: dict[str, tuple[str, ...]] = {}
    slots: list[ExtensionSlot] = []
    faults: dict[str, str] = {}
    pending = [(top, scope)]
    while pending:
        message, outer = pending.pop()
        name = f"{outer}{message.name}"
        inner = f"{name}."
        references: dict[str, None] = {}
        for one in message.field:
            if one.type_name:
                references[one.type_name] = None
        if message.options.map_entry and not _is_map_entry(message):
            faults[name] = "fields are not the key and the value of a map"
        types.append(name)
        needs[name] = tuple(references)
        types.extend(f"{inner}{enum.name}" for enum in message.enum_type)
        for extension in message.extension:
            node, extension_needs, slot = _read_extension(extension, inner)
            needs[node] = extension_needs
            slots.append(slot)
        pending.extend((nested, inner) for nested in message.nested_type)
    return Declaration(
        name=f"{scope}{top.name}",
        file=file_name,
        proto=top,
        types=tuple(types),
        needs=needs,
        slots=tuple(slots),
        faults=faults,
    )


def _is_map_entry(message: DescriptorProto) -> bool:
    """Whether the message has what protoc gives the entry of a map."""
    named = {one.number: one.name for one in message.field}
    single = all(one.label != FieldDescriptorProto.LABEL_REPEATED for one in message.field)
    keys = [one.type for one in message.field if one.number == 1]
    return named == _MAP_FIELDS and len(message.field) == 2 and single and not _NO_MAP_KEYS.intersection(keys)


def _read_extension(extension: FieldDescriptorProto, scope: str) -> tuple[str, tuple[str, ...], ExtensionSlot]:
    node = f"{scope}{extension.name}"
    references = (extension.extendee, extension.type_name) if extension.type_name else (extension.extendee,)
    return node, references, ExtensionSlot(node=node, extendee=extension.extendee, number=extension.number)
