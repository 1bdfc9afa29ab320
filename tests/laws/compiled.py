"""Compiles .proto text for tests, in process: any syntax, several files, beside google's, buf.validate's and ours."""

import tempfile
from functools import cache
from importlib import resources
from pathlib import Path

import grpc_tools
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_tools import protoc

from gateway.descriptors.api import Api, describe_api
from gateway.descriptors.files.runtime_files import VALIDATE_FILE, find_runtime_file

OWN_PROTOS = Path(__file__).parents[2] / "proto"


@cache
def compile_files(**sources: str) -> tuple[FileDescriptorProto, ...]:
    """The descriptors of these files (`order="syntax = ..."` is order.proto) and of all they import, with comments."""
    installed = Path(str(resources.files(grpc_tools)))
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{stem}.proto" for stem in sources]
        for name, text in zip(names, sources.values(), strict=True):
            Path(folder, name).write_text(text, encoding="utf-8")
        target = Path(folder, "out.binpb")
        includes = [folder, str(installed / "_proto"), str(installed.parent), str(OWN_PROTOS)]
        arguments = [f"-I{include}" for include in includes]
        if any(VALIDATE_FILE in text for text in sources.values()):
            arguments.append(f"--descriptor_set_in={_write_validate_file(folder)}")
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


def _write_validate_file(folder: str) -> Path:
    """A descriptor set with buf/validate/validate.proto; there is no package with its text."""
    file = find_runtime_file(VALIDATE_FILE)
    assert file is not None
    target = Path(folder, "validate.binpb")
    target.write_bytes(FileDescriptorSet(file=[file]).SerializeToString())
    return target
