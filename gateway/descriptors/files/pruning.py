"""A descriptor file without the parts that cannot be built or that another file declares."""

from collections.abc import Collection, Set
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto

from gateway.descriptors.files.symbols import get_scope


def prune_file(
    data: bytes, *, declared_elsewhere: Set[str], broken: Collection[str], imports: list[str]
) -> FileDescriptorProto:
    """The file of that serialised form, importing exactly `imports`.

    Left out are declarations and extensions by full name (`declared_elsewhere`) and broken parts: messages, extensions,
    and RPCs as "pkg.Service/Method"; a service without an RPC left goes too. A broken message stays as an empty shell
    where a type nested in it can be built, for others may use that.
    """
    file = FileDescriptorProto.FromString(data)
    _set_imports(file, imports)
    scope = get_scope(file)
    _prune_messages(file, scope, declared_elsewhere, broken)
    _delete(file.enum_type, [f"{scope}{enum.name}" in declared_elsewhere for enum in file.enum_type])
    _prune_extensions(file.extension, scope, declared_elsewhere, broken)
    _prune_services(file, scope, declared_elsewhere, broken)
    return file


def allow_json_name_conflicts(data: bytes) -> FileDescriptorProto:
    """The file of that serialised form, in which fields of one message may share a json_name.

    protoc only warns of that in proto2, upb refuses the file unless the message carries this option (descriptor.proto).
    """
    file = FileDescriptorProto.FromString(data)
    pending = list(file.message_type)
    while pending:
        message = pending.pop()
        message.options.deprecated_legacy_json_field_conflicts = True
        pending.extend(message.nested_type)
    return file


def _set_imports(file: FileDescriptorProto, imports: list[str]) -> None:
    public = {file.dependency[index] for index in file.public_dependency if 0 <= index < len(file.dependency)}
    for field in ("dependency", "public_dependency", "weak_dependency", "option_dependency"):
        file.ClearField(field)
    file.dependency.extend(imports)
    file.public_dependency.extend(index for index, name in enumerate(imports) if name in public)


def _prune_messages(
    file: FileDescriptorProto, scope: str, declared_elsewhere: Set[str], broken: Collection[str]
) -> None:
    places: list[tuple[Any, int, DescriptorProto, str]] = []
    for index, message in enumerate(file.message_type):
        places.append((file.message_type, index, message, f"{scope}{message.name}"))
    at = 0
    while at < len(places):
        _, _, message, name = places[at]
        at += 1
        for index, nested in enumerate(message.nested_type):
            places.append((message.nested_type, index, nested, f"{name}.{nested.name}"))
    # Later places are deeper or further along their list, so nothing that is still to come moves.
    for container, index, message, name in reversed(places):
        _prune_extensions(message.extension, f"{name}.", declared_elsewhere, broken)
        if name in declared_elsewhere:
            del container[index]
        elif name in broken:
            _delete(message.nested_type, [nested.options.map_entry for nested in message.nested_type])
            if message.nested_type or message.enum_type or message.extension:
                for field in ("field", "oneof_decl"):
                    message.ClearField(field)
            else:
                del container[index]


def _prune_extensions(extensions: Any, scope: str, declared_elsewhere: Set[str], broken: Collection[str]) -> None:
    names = [f"{scope}{extension.name}" for extension in extensions]
    _delete(extensions, [name in declared_elsewhere or name in broken for name in names])


def _prune_services(
    file: FileDescriptorProto, scope: str, declared_elsewhere: Set[str], broken: Collection[str]
) -> None:
    gone: list[bool] = []
    for service in file.service:
        name = f"{scope}{service.name}"
        had_methods = bool(service.method)
        _delete(service.method, [f"{name}/{method.name}" in broken for method in service.method])
        gone.append(name in declared_elsewhere or (had_methods and not service.method))
    _delete(file.service, gone)


def _delete(container: Any, flags: list[bool]) -> None:
    for index in range(len(flags) - 1, -1, -1):
        if flags[index]:
            del container[index]
