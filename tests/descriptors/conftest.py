"""Protos for the tests of this room: compiled from text by protoc, or made by hand where protoc would refuse them."""

from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

import pytest
from google.api import annotations_pb2
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from grpc_tools import protoc

Compile = Callable[..., list[FileDescriptorProto]]

_INCLUDES = (files("grpc_tools") / "_proto", Path(annotations_pb2.__file__).parents[2])


@pytest.fixture
def compile_protos(tmp_path: Path) -> Compile:
    """Compiles {file name: proto text} with comments; the files in the order of their imports.

    With `imports=False` only the named files are given, as by a server that serves nothing else.
    """

    def compile_texts(texts: Mapping[str, str], *, imports: bool = True) -> list[FileDescriptorProto]:
        folder = tmp_path / "protos"
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        out = tmp_path / "set.pb"
        includes = [f"-I{include}" for include in (folder, *_INCLUDES)]
        flags = ["--include_source_info", f"--descriptor_set_out={out}", *(["--include_imports"] if imports else [])]
        assert protoc.main(["protoc", *includes, *flags, *texts]) == 0
        return list(FileDescriptorSet.FromString(out.read_bytes()).file)

    return compile_texts


def make_message(name: str, /, **fields: str) -> DescriptorProto:
    """A message by hand: field name to "string", "int32" or a message's full name with its leading dot."""
    message = DescriptorProto(name=name)
    for number, (field, kind) in enumerate(fields.items(), 1):
        made = message.field.add(name=field, number=number, label=FieldDescriptorProto.LABEL_OPTIONAL)
        if kind in ("string", "int32"):
            made.type = FieldDescriptorProto.TYPE_STRING if kind == "string" else FieldDescriptorProto.TYPE_INT32
        else:
            made.type = FieldDescriptorProto.TYPE_MESSAGE
            made.type_name = kind
    return message


def make_file(
    name: str,
    *messages: DescriptorProto,
    package: str = "p",
    imports: tuple[str, ...] = (),
    rpcs: Mapping[str, tuple[str, str]] | None = None,
) -> FileDescriptorProto:
    """A proto3 file by hand; `rpcs` maps "Service/Method" to the full names of request and response."""
    file = FileDescriptorProto(name=name, package=package, syntax="proto3", dependency=imports, message_type=messages)
    services = {
        service: file.service.add(name=service)
        for service in dict.fromkeys(rpc.partition("/")[0] for rpc in rpcs or {})
    }
    for rpc, (request, response) in (rpcs or {}).items():
        service, _, method = rpc.partition("/")
        services[service].method.add(name=method, input_type=request, output_type=response)
    return file


class Hand:
    """The two makers of protos by hand, for tests to take as a fixture."""

    message = staticmethod(make_message)
    file = staticmethod(make_file)


@pytest.fixture
def hand() -> type[Hand]:
    return Hand
