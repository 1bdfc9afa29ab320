"""What a descriptor file declares, and what each of its parts needs of others.

Linking reasons over these names and not over import lists: a pool resolves a type wherever it stands, and an import
list may name files that nothing needs. This module knows one file at a time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    ServiceDescriptorProto,
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
    full names of the messages and enums in it.
    """

    name: str
    file: str
    proto: TopLevelProto
    types: tuple[str, ...] = ()
    needs: Mapping[str, tuple[str, ...]]
    slots: tuple[ExtensionSlot, ...] = ()


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
    pending = [(top, scope)]
    while pending:
        message, outer = pending.pop()
        name = f"{outer}{message.name}"
        inner = f"{name}."
        references: dict[str, None] = {}
        for field in message.field:
            if field.type_name:
                references[field.type_name] = None
        types.append(name)
        needs[name] = tuple(references)
        types.extend(f"{inner}{enum.name}" for enum in message.enum_type)
        for extension in message.extension:
            node, extension_needs, slot = _read_extension(extension, inner)
            needs[node] = extension_needs
            slots.append(slot)
        pending.extend((nested, inner) for nested in message.nested_type)
    return Declaration(
        name=f"{scope}{top.name}", file=file_name, proto=top, types=tuple(types), needs=needs, slots=tuple(slots)
    )


def _read_extension(extension: FieldDescriptorProto, scope: str) -> tuple[str, tuple[str, ...], ExtensionSlot]:
    node = f"{scope}{extension.name}"
    references = (extension.extendee, extension.type_name) if extension.type_name else (extension.extendee,)
    return node, references, ExtensionSlot(node=node, extendee=extension.extendee, number=extension.number)
