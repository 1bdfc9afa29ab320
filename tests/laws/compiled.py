"""Compiles .proto text for tests, in process: several files, any syntax, with google's well-known and API protos."""

import tempfile
from functools import cache
from importlib import resources
from pathlib import Path

import grpc_tools
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_tools import protoc

from gateway.descriptors.api import Api, describe_api


@cache
def compile_files(**sources: str) -> tuple[FileDescriptorProto, ...]:
    """The descriptors of these files (`order="syntax = ..."` is order.proto) and of all they import, with comments."""
    installed = Path(str(resources.files(grpc_tools)))
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{stem}.proto" for stem in sources]
        for name, text in zip(names, sources.values(), strict=True):
            Path(folder, name).write_text(text, encoding="utf-8")
        target = Path(folder, "out.binpb")
        includes = [folder, str(installed / "_proto"), str(installed.parent)]
        arguments = [f"-I{include}" for include in includes]
        arguments += ["--include_imports", "--include_source_info", f"--descriptor_set_out={target}", *names]
        assert protoc.main(["protoc", *arguments]) == 0, f"protoc refuses one of {names}; what it said is on stderr"
        return tuple(FileDescriptorSet.FromString(target.read_bytes()).file)


@cache
def compile_api(**sources: str) -> Api:
    """The Api that these files describe."""
    return describe_api(compile_files(**sources))


def compile_body(body: str, *, head: str = 'syntax = "proto3";', imports: tuple[str, ...] = ()) -> Api:
    """The Api of one file in package `t`."""
    lines = [head, "package t;", *(f'import "{name}";' for name in imports), body]
    return compile_api(t="\n".join(lines))
