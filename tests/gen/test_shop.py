"""The committed code of the shop says what its .proto files say. `.ci/generate` writes both."""

import importlib.resources
import re
from pathlib import Path

import pytest
from google import api
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto, FileDescriptorSet
from grpc_tools import protoc

from gateway.demo.server import demo_descriptor_set
from gateway.gen.demo.shop.v1 import customers_pb2, diagnostics_pb2, money_pb2, orders_pb2, stock_pb2

ROOT = Path(__file__).parents[2]
PROTO = ROOT / "proto"
GENERATED = (customers_pb2, diagnostics_pb2, money_pb2, orders_pb2, stock_pb2)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FileDescriptorProto]:
    """The shop's files by name, as proto/ says now, with comments."""
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
        "--include_source_info",
        *(str(path) for path in sorted((PROTO / "demo").rglob("*.proto"))),
    ]
    assert protoc.main(arguments) == 0
    return {file.name: file for file in FileDescriptorSet.FromString(target.read_bytes()).file}


def test_the_descriptor_set_is_fresh(compiled: dict[str, FileDescriptorProto]) -> None:
    committed = {file.name: file for file in demo_descriptor_set() if file.name.startswith("demo/")}
    assert set(committed) == set(compiled)
    for name, file in compiled.items():
        assert committed[name] == file, f"{name}: run .ci/generate"


def test_the_generated_code_is_fresh(compiled: dict[str, FileDescriptorProto]) -> None:
    assert {module.DESCRIPTOR.name for module in GENERATED} == set(compiled)
    for module in GENERATED:
        committed = FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        expected = FileDescriptorProto()
        expected.CopyFrom(compiled[committed.name])
        expected.ClearField("source_code_info")
        for message in expected.message_type:
            drop_implied_names(message)
        assert committed == expected, f"{committed.name}: run .ci/generate"


def drop_implied_names(message: DescriptorProto) -> None:
    """Takes out the JSON names that follow from field names: a descriptor set holds them, generated code does not."""
    for field in message.field:
        if field.json_name == re.sub(r"_(.)", lambda match: match[1].upper(), field.name):
            field.ClearField("json_name")
    for nested in message.nested_type:
        drop_implied_names(nested)
