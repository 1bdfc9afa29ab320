"""The committed code of the shop says what its .proto files say. `.ci/generate` writes both."""

import importlib.resources
from pathlib import Path

import pytest
from google import api
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_tools import protoc

from gateway.demo.server import demo_descriptor_set
from gateway.gen.demo.shop.v1 import customers_pb2, diagnostics_pb2, money_pb2, orders_pb2, stock_pb2

ROOT = Path(__file__).parents[2]
PROTO = ROOT / "proto"
GENERATED = (customers_pb2, diagnostics_pb2, money_pb2, orders_pb2, stock_pb2)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FileDescriptorProto]:
    """The shop's files and their imports by name, as proto/ says now, with comments."""
    target = tmp_path_factory.mktemp("compiled") / "shop.binpb"
    includes = (
        PROTO,
        importlib.resources.files("grpc_tools") / "_proto",
        Path(next(iter(api.__path__))).parents[1],
    )
    arguments = [
        "protoc",
        *(f"--proto_path={include}" for include in includes),
        f"--descriptor_set_out={target}",
        "--include_imports",
        "--include_source_info",
        *(str(path) for path in sorted((PROTO / "demo").rglob("*.proto"))),
    ]
    assert protoc.main(arguments) == 0
    return {file.name: file for file in FileDescriptorSet.FromString(target.read_bytes()).file}


def test_the_descriptor_set_is_fresh(compiled: dict[str, FileDescriptorProto]) -> None:
    committed = {file.name: file for file in demo_descriptor_set()}
    assert set(committed) == set(compiled)
    for name, file in compiled.items():
        if name.startswith("demo/"):
            assert committed[name] == file, f"{name}: run .ci/generate"


def test_the_generated_code_is_fresh(compiled: dict[str, FileDescriptorProto]) -> None:
    assert {module.DESCRIPTOR.name for module in GENERATED} == {name for name in compiled if name.startswith("demo/")}
    generated = {
        module.DESCRIPTOR.name: FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb) for module in GENERATED
    }
    committed, expected = link(compiled | generated), link(compiled)
    for name in generated:
        assert committed[name] == expected[name], f"{name}: run .ci/generate"


def link(files: dict[str, FileDescriptorProto]) -> dict[str, FileDescriptorProto]:
    """The same files as a pool of their own tells them: with every default filled in, without comments."""
    pool = DescriptorPool()
    for file in files.values():
        pool.AddSerializedFile(file.SerializeToString())
    linked = {}
    for name in files:
        linked[name] = FileDescriptorProto()
        pool.FindFileByName(name).CopyToProto(linked[name])
    return linked
