"""Prints the FileDescriptorSet of APIs whose Python packages are made with proto-plus.

`python proto_plus_process.py FOLDER,FOLDER MODULE...`, a module being a version of an API, "google.pubsub_v1".

These packages hold no descriptors: their messages are built when they are imported, and their services stand only in
the calls of their transports. Nothing of a package but its types is imported: the rest wants much that is not there.
"""

import ast
import importlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import google
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet, ServiceDescriptorProto

import proto


def main(folders: list[Path], modules: list[str]) -> bytes:
    files: dict[str, FileDescriptorProto] = {}
    for module in modules:
        home = next(found for folder in folders if (found := folder.joinpath(*module.split("."))).is_dir())
        _stand_in(module, home)
        listed = importlib.import_module(f"{module}.types")
        messages = [one for one in vars(listed).values() if isinstance(one, type) and issubclass(one, proto.Message)]
        package = ""
        for message in messages:
            file = message.meta.pb.DESCRIPTOR.file
            package = package or file.package
            _add_file(file, files)
        _add_services(module, home, package, files)
    return FileDescriptorSet(file=files.values()).SerializeToString()


def _stand_in(module: str, home: Path) -> None:
    """Puts an empty module in the package's place, so that its own code does not run."""
    package = types.ModuleType(module)
    package.__path__ = [str(home)]
    sys.modules[module] = package
    parent, _, name = module.rpartition(".")
    setattr(importlib.import_module(parent), name, package)
    # What the types read of their package.
    version = types.ModuleType(f"{module}.gapic_version")
    version.__version__ = "0"
    sys.modules[version.__name__] = version


def _add_file(file: FileDescriptor, files: dict[str, FileDescriptorProto]) -> None:
    if file.name in files:
        return
    for imported in file.dependencies:
        _add_file(imported, files)
    files[file.name] = FileDescriptorProto.FromString(file.serialized_pb)


def _add_services(module: str, home: Path, package: str, files: dict[str, FileDescriptorProto]) -> None:
    made = FileDescriptorProto(name=f"{module}.services.proto", package=package, syntax="proto3")
    for folder in sorted((home / "services").iterdir()):
        base = folder / "transports" / "base.py"
        if not base.is_file():
            continue
        grpc = base.with_name("grpc.py")
        methods = list(_read_grpc(grpc, package) if grpc.is_file() else _read_rest(base, package))
        by_service: dict[str, ServiceDescriptorProto] = {}
        for path, streams, request, response in methods:
            full_name, _, name = path.partition("/")
            service = by_service.setdefault(full_name, ServiceDescriptorProto(name=full_name.rpartition(".")[2]))
            for one in (request, response):
                _add_file(one.file, files)
                if one.file.name not in made.dependency:
                    made.dependency.append(one.file.name)
            service.method.add(
                name=name,
                input_type=f".{request.full_name}",
                output_type=f".{response.full_name}",
                client_streaming=streams.startswith("stream"),
                server_streaming=streams.endswith("stream"),
            )
        made.service.extend(by_service.values())
    files[made.name] = made


def _read_grpc(path: Path, package: str) -> Iterator[tuple[str, str, Any, Any]]:
    """Each call of a channel's `unary_unary("/service/method", request_serializer=…, response_deserializer=…)`."""
    tree = ast.parse(path.read_bytes())
    names = _Names(tree, path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            words = {word.arg: word.value for word in node.keywords}
            match node.args:
                # A transport calls services of others, too: operations, policies, locations.
                case [ast.Constant(value=str(rpc))] if rpc.startswith(f"/{package}."):
                    serializers = (words["request_serializer"], words["response_deserializer"])
                    request, response = (names.get_descriptor(one.value) for one in serializers)
                    yield rpc[1:], node.func.attr, request, response


def _read_rest(path: Path, package: str) -> Iterator[tuple[str, str, Any, Any]]:
    """Each property `-> Callable[[Request], Union[Response, …]]` of an API that is served over HTTP alone."""
    tree = ast.parse(path.read_bytes())
    names = _Names(tree, path)
    for transport in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        service = transport.name.removesuffix("Transport")
        for method in (node for node in transport.body if isinstance(node, ast.FunctionDef)):
            match method.returns:
                case ast.Subscript(
                    value=ast.Name(id="Callable"),
                    slice=ast.Tuple(
                        elts=[ast.List(elts=[request]), ast.Subscript(slice=ast.Tuple(elts=[response, *_]))]
                    ),
                ):
                    name = "".join(word.capitalize() for word in method.name.split("_"))
                    found = names.get_descriptor(request), names.get_descriptor(response)
                    yield f"{package}.{service}/{name}", "unary_unary", *found


class _Names:
    """What the names of a module mean, as far as it imports them."""

    def __init__(self, tree: ast.Module, path: Path) -> None:
        self._path = path
        self._modules: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._modules |= {alias.asname: alias.name for alias in node.names if alias.asname}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                self._modules |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}

    def get_descriptor(self, node: ast.expr) -> Any:
        """The descriptor of the message class that an expression such as `pubsub.Topic` names."""
        words = ast.unparse(node).split(".")
        found: Any = importlib.import_module(self._modules[words[0]])
        for word in words[1:]:
            found = getattr(found, word)
        return found.meta.pb.DESCRIPTOR if issubclass(found, proto.Message) else found.DESCRIPTOR


if __name__ == "__main__":
    paths = [Path(path) for path in sys.argv[1].split(",")]
    # Not by way of sys.path: one of the packages there makes `google` a package of its own.
    google.__path__ = [*google.__path__, *(str(path / "google") for path in paths)]
    sys.stdout.buffer.write(main(paths, sys.argv[2:]))
