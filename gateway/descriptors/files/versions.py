"""Which of several versions of one descriptor file, or of one declaration, is the one to use.

The same file comes from reflection and from a descriptor set: reflection drops comments, some servers also leave out
json_name or options. Such versions have one shape, and the richest of them stands for all.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    ServiceDescriptorProto,
)

from gateway.descriptors.files.option_bytes import drop_field
from gateway.descriptors.files.symbols import TopLevelProto


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a file, and its serialised form without source info."""

    file: FileDescriptorProto
    data: bytes


def make_version(file: FileDescriptorProto, serialised: bytes) -> Version:
    """A version out of a file and all of its serialised form."""
    return Version(file=file, data=drop_field(serialised, FileDescriptorProto.SOURCE_CODE_INFO_FIELD_NUMBER))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The version to use; `differs` where another one has another shape."""

    version: Version
    differs: bool


def choose_version(versions: Sequence[Version]) -> Choice:
    """The first version, or the richest one of its shape: with comments before without, then the longest."""
    if len(versions) == 1:
        return Choice(version=versions[0], differs=False)
    alike = list(versions)
    if len({version.data for version in versions}) > 1:
        shape = _shape_file(versions[0].data)
        alike = [version for version in versions if _shape_file(version.data) == shape]
    best = max(alike, key=lambda version: (bool(version.file.source_code_info.location), len(version.data)))
    return Choice(version=best, differs=len(alike) < len(versions))


def is_same_shape(one: TopLevelProto, other: TopLevelProto) -> bool:
    """Whether two declarations say the same, options and explicit default json names aside."""
    if type(one) is not type(other):
        return False
    return one == other or _shape(one) == _shape(other)


def _shape_file(data: bytes) -> FileDescriptorProto:
    shape = FileDescriptorProto.FromString(data)
    shape.ClearField("options")
    shape.ClearField("option_dependency")
    if shape.syntax == "proto2":
        shape.ClearField("syntax")
    for message in shape.message_type:
        _strip_message(message)
    for enum in shape.enum_type:
        _strip_enum(enum)
    for service in shape.service:
        _strip_service(service)
    for extension in shape.extension:
        _strip_field(extension)
    return shape


def _shape(proto: TopLevelProto) -> TopLevelProto:
    match proto:
        case DescriptorProto():
            message = DescriptorProto()
            message.CopyFrom(proto)
            _strip_message(message)
            return message
        case EnumDescriptorProto():
            enum = EnumDescriptorProto()
            enum.CopyFrom(proto)
            _strip_enum(enum)
            return enum
        case ServiceDescriptorProto():
            service = ServiceDescriptorProto()
            service.CopyFrom(proto)
            _strip_service(service)
            return service
        case FieldDescriptorProto():
            field = FieldDescriptorProto()
            field.CopyFrom(proto)
            _strip_field(field)
            return field


def _strip_message(top: DescriptorProto) -> None:
    pending = [top]
    while pending:
        message = pending.pop()
        # map_entry is the one message option that changes what the message is.
        is_map_entry = message.options.map_entry
        message.ClearField("options")
        if is_map_entry:
            message.options.map_entry = True
        for field in [*message.field, *message.extension]:
            _strip_field(field)
        for oneof in message.oneof_decl:
            oneof.ClearField("options")
        for enum in message.enum_type:
            _strip_enum(enum)
        pending.extend(message.nested_type)


def _strip_field(field: FieldDescriptorProto) -> None:
    field.ClearField("options")
    if field.json_name == default_json_name(field.name):
        field.ClearField("json_name")


def _strip_enum(enum: EnumDescriptorProto) -> None:
    enum.ClearField("options")
    for value in enum.value:
        value.ClearField("options")


def _strip_service(service: ServiceDescriptorProto) -> None:
    service.ClearField("options")
    for method in service.method:
        method.ClearField("options")
        # Presence of `false` says nothing.
        for flag in ("client_streaming", "server_streaming"):
            if not getattr(method, flag):
                method.ClearField(flag)


def default_json_name(name: str) -> str:
    """The json_name of a field that declares none (protobuf.dev, "ProtoJSON"): lower camel case."""
    return re.sub(r"_+(.?)", lambda found: found.group(1).upper(), name)
