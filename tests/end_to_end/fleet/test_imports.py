"""Files that a server tells of itself only in part, one by one, twice, or under odd names."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import timestamp_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import Default

from tests.backends.reflection_table import ReflectionTable
from tests.end_to_end.fleet.kit import Backend, compile_protos, make_types, name_backends, run_gateway, write_set

Start = Callable[[Backend], Awaitable[Backend]]


async def test_an_import_that_is_not_served_and_not_needed_costs_one_warning(start: Start, log: Any) -> None:
    text = """syntax = "proto3"; package shop; message GetReq { string id = 1; } message Order { string id = 1; }
        service Orders { rpc Get(GetReq) returns (Order); }"""
    files = compile_protos({"orders.proto": text})
    files[0].dependency.append("docs/annotations.proto")
    backend = await start(Backend.of(files))
    async with run_gateway(name_backends(backend)) as agent:
        assert await agent.map_rpcs() == {"shop.Orders/Get": "shop_Orders_Get"}
        result = await agent.call("shop.Orders/Get", {"id": "o-1"})
    assert result["structuredContent"] == {"id": "o-1"}
    assert sum("docs/annotations.proto" in line for line in log.warnings) == 1


PLACES = {
    "location/location.proto": 'syntax = "proto3"; package location; message Place { string city = 1; }',
    "find.proto": """syntax = "proto3"; package find; import "location/location.proto";
        message Req { location.Place near = 1; } message Res { string found = 1; }
        service Finder { rpc Find(Req) returns (Res); }
        service Pinger { rpc Ping(Res) returns (Res); }""",
}


async def test_a_descriptor_set_makes_up_for_a_file_that_reflection_does_not_give(
    start: Start, tmp_path: Path, log: Any
) -> None:
    files = compile_protos(PLACES)
    req, res = make_types(files, "find.Req", "find.Res")

    async def find(request: bytes, _: grpc.aio.ServicerContext) -> bytes:
        return res(found=req.FromString(request).near.city).SerializeToString()

    backend = await start(Backend.of(files[1:], {"find.Finder/Find": find}))
    async with run_gateway(name_backends(backend)) as agent:
        assert list(await agent.map_rpcs()) == ["find.Pinger/Ping"]
    assert list(log.skipped) == ["find.Finder"]
    assert "location/location.proto" in log.skipped["find.Finder"]
    assert any("descriptors can supply it (--descriptors or --protos)" in line for line in log.warnings)
    log.clear()
    sets = [write_set(tmp_path / "set.binpb", files)]
    async with run_gateway(name_backends(backend, descriptors=sets)) as agent:
        assert list(await agent.map_rpcs()) == ["find.Finder/Find", "find.Pinger/Ping"]
        result = await agent.call("find.Finder/Find", {"near": {"city": "Bern"}})
    assert result["structuredContent"] == {"found": "Bern"}
    assert (log.warnings, len(backend.calls)) == ([], 1)


async def test_odd_copies_of_protobufs_and_reflections_own_files_are_served(start: Start) -> None:
    stamp = FileDescriptorProto.FromString(timestamp_pb2.DESCRIPTOR.serialized_pb)
    stamp.options.go_package = "zzz"
    files = compile_protos(
        {
            "at.proto": """syntax = "proto3"; package at; import "google/protobuf/timestamp.proto";
                message When { google.protobuf.Timestamp at = 1; } service Clock { rpc Set(When) returns (When); }""",
            "reflection/reflection.proto": """syntax = "proto3"; package grpc.reflection.v1alpha; message Ask {}
                service ServerReflection { rpc ServerReflectionInfo(stream Ask) returns (stream Ask); }""",
        }
    )
    backend = await start(Backend.of([*files, stamp]))
    async with run_gateway(name_backends(backend)) as agent:
        assert list(await agent.map_rpcs()) == ["at.Clock/Set"]
        result = await agent.call("at.Clock/Set", {"at": "2026-01-02T03:04:05Z"})
    assert result["structuredContent"] == {"at": "2026-01-02T03:04:05Z"}
    (when,) = make_types([stamp, files[0]], "at.When")
    assert when.FromString(backend.calls[0].request).at.seconds == 1767323045
    for name in ("at.proto", "reflection/reflection.proto"):
        with pytest.raises(KeyError):
            Default().FindFileByName(name)


async def test_a_chain_of_imports_is_followed_one_file_an_answer_each_asked_for_once(start: Start) -> None:
    texts = {
        "c.proto": 'syntax = "proto3"; package c; message C { string v = 1; }',
        "b.proto": 'syntax = "proto3"; package b; import "c.proto"; message B { c.C c = 1; }',
        "a.proto": """syntax = "proto3"; package a; import "b.proto"; message A { b.B b = 1; }
            service S { rpc Do(A) returns (A); }""",
    }
    backend = await start(Backend.of(compile_protos(texts)))
    async with run_gateway(name_backends(backend)) as agent:
        result = await agent.call("a.S/Do", {"b": {"c": {"v": "deep"}}})
    assert result["structuredContent"] == {"b": {"c": {"v": "deep"}}}
    assert backend.table.asked == ["*", "a.S", "b.proto", "c.proto"]


FACADE = {
    "core.proto": 'syntax = "proto3"; package core; message Id { string id = 1; } message Item { string label = 1; }',
    "facade.proto": 'syntax = "proto3"; package facade; import public "core.proto";',
    "api.proto": """syntax = "proto3"; package api; import "facade.proto";
        service Items { rpc Get(core.Id) returns (core.Item); }""",
}


@pytest.mark.parametrize("by_set", [False, True])
async def test_types_behind_a_public_import_are_found(start: Start, tmp_path: Path, by_set: bool) -> None:
    files = compile_protos(FACADE)
    _, item = make_types(files, "core.Id", "core.Item")
    answers = {"api.Items/Get": item(label="cup").SerializeToString()}
    backend = await start(Backend(answers=dict(answers)) if by_set else Backend.of(files, answers))
    sets = [write_set(tmp_path / "set.binpb", reversed(files))] if by_set else []
    async with run_gateway(name_backends(backend, descriptors=sets, reflection=not by_set)) as agent:
        (tool,) = await agent.list_tools()
        result = await agent.call("api.Items/Get", {"id": "1"})
    assert (list(tool["inputSchema"]["properties"]), list(tool["outputSchema"]["properties"])) == (["id"], ["label"])
    assert result["structuredContent"] == {"label": "cup"}


async def test_a_well_known_type_under_another_path_is_the_same_type(start: Start) -> None:
    stamp = FileDescriptorProto.FromString(timestamp_pb2.DESCRIPTOR.serialized_pb)
    odd = FileDescriptorProto()
    odd.CopyFrom(stamp)
    odd.name = "third_party/google/protobuf/timestamp.proto"
    texts = {
        f"{name}.proto": f"""syntax = "proto3"; package {name}; import "google/protobuf/timestamp.proto";
            message When {{ google.protobuf.Timestamp at = 1; }} service Clock {{ rpc Set(When) returns (When); }}"""
        for name in ("x", "y")
    }
    x, y = compile_protos(texts)
    x.dependency[0] = odd.name
    table = ReflectionTable(services=["x.Clock", "y.Clock"], files=[x, y, odd, stamp])
    backend = await start(Backend(reflection=table))
    async with run_gateway(name_backends(backend)) as agent:
        formats = [tool["inputSchema"]["properties"]["at"].get("format") for tool in await agent.list_tools()]
        results = [await agent.call(rpc, {"at": "2026-01-02T03:04:05Z"}) for rpc in ("x.Clock/Set", "y.Clock/Set")]
    assert formats == ["date-time", "date-time"]
    assert [one["structuredContent"] for one in results] == [{"at": "2026-01-02T03:04:05Z"}] * 2
