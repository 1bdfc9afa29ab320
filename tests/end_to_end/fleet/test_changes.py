"""Backends that change, come late or go away while the gateway runs."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from tests.end_to_end.fleet.kit import Backend, compile_protos, name_backends, run_gateway

Start = Callable[..., Awaitable[Backend]]

NO_REFRESH = {"refresh_seconds": 0}


def make_query(*fields: str) -> list[FileDescriptorProto]:
    numbered = " ".join(f"{field} = {number};" for number, field in enumerate(fields, 1))
    return compile_protos(
        {
            "q.proto": f"""syntax = "proto3"; package q; message Q {{ {numbered} }}
                service S {{ rpc Ask(Q) returns (Q); }}"""
        }
    )


async def test_a_restarted_backend_brings_its_new_schema(start: Start) -> None:
    old = await start(Backend.of(make_query("string a")))
    async with run_gateway(name_backends(old)) as agent:
        (before,) = await agent.list_tools()
        await old.stop()
        new = await start(Backend.of(make_query("string a", "int32 limit")), old.target)
        await agent.discovery.run_once()
        (after,) = await agent.list_tools()
        result = await agent.call("q.S/Ask", {"a": "x", "limit": 3})
    assert list(before["inputSchema"]["properties"]) == ["a"]
    assert list(after["inputSchema"]["properties"]) == ["a", "limit"]
    assert result["structuredContent"] == {"a": "x", "limit": 3}
    assert (len(old.calls), len(new.calls)) == (0, 1)


def make_two_files(version: int) -> list[FileDescriptorProto]:
    more = "string note = 2; types.Extra extra = 3;" if version == 2 else ""
    extra = "message Extra { string e = 1; }" if version == 2 else ""
    return compile_protos(
        {
            "types.proto": f'syntax = "proto3"; package types; message Item {{ string id = 1; }} {extra}',
            "api.proto": f"""syntax = "proto3"; package api; import "types.proto";
                message Req {{ types.Item item = 1; {more} }}
                service Api {{ rpc Do(Req) returns (Req); rpc Ping(types.Item) returns (types.Item); }}""",
        }
    )


async def test_a_set_of_files_from_two_versions_is_never_published(start: Start, log: Any) -> None:
    (types_1, api_1), (types_2, api_2) = make_two_files(1), make_two_files(2)
    backend = await start(Backend.of([types_1, api_1]))
    async with run_gateway(name_backends(backend)) as agent:
        first = await agent.list_tools()
        assert [tool["name"] for tool in first] == ["api_Api_Do", "api_Api_Ping"]
        backend.table.files[:] = [types_1, api_2]
        await agent.discovery.run_once()
        assert await agent.list_tools() == first
        assert (await agent.call("api.Api/Do", {"item": {"id": "1"}}))["structuredContent"] == {"item": {"id": "1"}}
        (told,) = log.fields("backend cannot be asked again; its last good tools stay")
        backend.table.files[:] = [types_2, api_2]
        await agent.discovery.run_once()
        second = await agent.list_tools()
    assert "what it says of api.Api/Do no longer fits together" in told["reason"]
    assert list(second[0]["inputSchema"]["properties"]) == ["item", "note", "extra"]


async def test_a_call_that_runs_while_the_schema_changes_ends_by_the_old_one(start: Start) -> None:
    backend = await start(Backend.of(make_query("string a")))
    async with run_gateway(name_backends(backend)) as agent:

        async def change(request: bytes, _: grpc.aio.ServicerContext) -> bytes:
            backend.table.files[:] = make_query("int32 b")
            await agent.discovery.run_once()
            return request

        backend.answers["q.S/Ask"] = change
        during = await agent.call("q.S/Ask", {"a": "x"})
        after = await agent.call("q.S/Ask", {"b": 7})
    assert during["structuredContent"] == {"a": "x"}
    assert after["structuredContent"] == {"b": 7}


async def test_a_backend_that_comes_late_and_goes_again(start: Start) -> None:
    early = await start(Backend.of(make_query("string a")))
    other = compile_protos(
        {"o.proto": 'syntax = "proto3"; package o; message M {} service O { rpc Do(M) returns (M); }'}
    )
    late = await start(Backend.of(other))
    await late.stop()
    async with run_gateway(name_backends(early, late)) as agent:
        page = (await agent.post("tools/list"))["result"]
        assert ([tool["name"] for tool in page["tools"]], page["ttlMs"]) == (["q_S_Ask"], 0)
        assert (await agent.probe("/readyz"))[0] == 503
        await start(late, late.target)
        await agent.discovery.run_once()
        page = (await agent.post("tools/list"))["result"]
        assert ([tool["name"] for tool in page["tools"]], page["ttlMs"]) == (["o_O_Do", "q_S_Ask"], 60_000)
        assert (await agent.call("o.O/Do"))["structuredContent"] == {}
        await late.stop()
        await agent.discovery.run_once()
        assert (await agent.post("tools/list"))["result"] == page
        gone = await agent.call("o.O/Do")
        assert gone["isError"]
        assert gone["content"][0]["text"].startswith('UNAVAILABLE: backend "b1" cannot be reached')
        assert (await agent.call("q.S/Ask"))["structuredContent"] == {}
        status, body = await agent.probe("/readyz")
        assert (status, body["status"]) == (200, "ready")
        await start(late, late.target)
        async with asyncio.timeout(5):  # gRPC connects again within about a second
            while (await agent.call("o.O/Do")).get("isError"):  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.05)
