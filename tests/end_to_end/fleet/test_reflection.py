"""What a server says of itself by reflection, and how: refusals, doubles, odd names, streams and their ends."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionResponse

from gateway.contract.conditions import CONDITIONS, Condition
from tests.backends.reflection_table import ReflectionTable
from tests.end_to_end.fleet.kit import Backend, compile_protos, name_backends, run_gateway, write_set

Start = Callable[[Backend], Awaitable[Backend]]

ECHO = 'syntax="proto3"; message Msg{string t=1;} service Echo{ rpc Say(Msg) returns(Msg);}'


def make_service(package: str, service: str, method: str = "Do") -> FileDescriptorProto:
    name = f"{package}/{service}.proto"
    text = f"""syntax = "proto3"; package {package}; message {service}Msg {{ string t = 1; }}
        service {service} {{ rpc {method}({service}Msg) returns ({service}Msg); }}"""
    return compile_protos({name: text})[0]


async def test_a_discovery_header_opens_reflection_and_is_never_told(start: Start, log: Any) -> None:
    guarded = await start(Backend.of([make_service("a.v1", "A")], metadata=("x-disco", "s3cret-s3cret")))
    healthy = await start(Backend.of([make_service("b.v1", "B")]))
    first, second = name_backends(guarded, healthy)
    async with run_gateway([first | {"discovery_metadata": {"x-disco": "s3cret-s3cret"}}, second]) as agent:
        assert list(await agent.map_rpcs()) == ["a.v1.A/Do", "b.v1.B/Do"]
        assert (await agent.call("a.v1.A/Do", {"t": "hi"}))["structuredContent"] == {"t": "hi"}
    assert "x-disco" not in guarded.calls[0].metadata
    async with run_gateway([first, second]) as agent:
        assert list(await agent.map_rpcs()) == ["b.v1.B/Do"]
        _, body = await agent.probe("/readyz")
    refused = f"{guarded.target} refused reflection with UNAUTHENTICATED"
    advice = "check the metadata for discovery, or give descriptors by --descriptors or --protos"
    assert body["reasons"] == [f"backend b0: {refused}: {advice}"]
    assert "s3cret-s3cret" not in log.text


async def test_a_service_without_a_package_is_called_at_its_bare_path(start: Start) -> None:
    backend = await start(Backend.of(compile_protos({"echo.proto": ECHO})))
    async with run_gateway(name_backends(backend)) as agent:
        assert await agent.map_rpcs() == {"Echo/Say": "Echo_Say"}
        result = await agent.call_tool("Echo_Say", {"t": "hi"})
    assert result["structuredContent"] == {"t": "hi"}
    assert [call.rpc for call in backend.calls] == ["Echo/Say"]


async def test_a_service_that_is_listed_twice_is_one_and_the_list_is_the_same_each_time(start: Start) -> None:
    files = [make_service("a.v1", "A"), make_service("b.v1", "B")]
    backend = await start(Backend.of(files, services=["a.v1.A", "b.v1.B", "a.v1.A"]))
    lists = []
    for _ in range(2):
        async with run_gateway(name_backends(backend)) as agent:
            for _ in range(2):
                answer = await agent.post("tools/list")
                lists.append(answer["result"])
    assert [tool["name"] for tool in lists[0]["tools"]] == ["a_v1_A_Do", "b_v1_B_Do"]
    assert lists[1:] == lists[:1] * 3


async def test_three_ways_to_fail_for_a_service_are_told_apart(start: Start, log: Any) -> None:
    async def fail(context: grpc.aio.ServicerContext) -> None:
        await context.abort(grpc.StatusCode.DATA_LOSS, "the disk is gone")

    def refuse(code: int, message: str) -> ServerReflectionResponse:
        answer = ServerReflectionResponse()
        answer.error_response.error_code, answer.error_response.error_message = code, message
        return answer

    table = ReflectionTable(
        services=["t.X", "t.Y", "t.Z", "a.v1.A"],
        files=[make_service("a.v1", "A")],
        answers={"t.X": refuse(5, "no such symbol"), "t.Y": refuse(13, "oops"), "t.Z": fail},
    )
    backend = await start(Backend(table))
    async with run_gateway(name_backends(backend)) as agent:
        assert list(await agent.map_rpcs()) == ["a.v1.A/Do"]
    assert log.skipped == {
        "t.X": "reflection does not find it (NOT_FOUND)",
        "t.Y": "reflection answered INTERNAL: oops",
        "t.Z": "the reflection stream broke: DATA_LOSS: the disk is gone",
    }


async def test_every_reflection_stream_is_ended_by_half_close_over_many_rounds(start: Start) -> None:
    backend = await start(Backend.of([make_service("a.v1", "A")]))
    async with run_gateway(name_backends(backend)) as agent:
        for _ in range(3):
            await agent.discovery.run_once()
    assert backend.table.ended == ["OK"] * 4
    assert len(backend.table.seen_metadata) == 4
    assert backend.table.asked == ["*", "a.v1.A"] * 4


async def test_a_server_that_the_descriptor_set_promises_too_much_of_is_named_in_the_error(
    start: Start, tmp_path: Path
) -> None:
    files = [make_service("a", "A"), make_service("b", "B")]
    backend = await start(Backend(serves=["a.A"]))
    described = {"reflection": False, "descriptors": [write_set(tmp_path / "set.binpb", files)]}
    async with run_gateway(name_backends(backend, **described)) as agent:
        refused = await agent.call("b.B/Do")
        served = await agent.call("a.A/Do", {"t": "x"})
    assert served["structuredContent"] == {"t": "x"}
    error = refused["error"]
    assert (error["code"], error["data"]["status"]) == (-31012, "UNIMPLEMENTED")
    assert "does not serve /b.B/Do" in error["message"]
    async with run_gateway(name_backends(backend, **described, include=["a.A"])) as agent:
        assert await agent.map_rpcs() == {"a.A/Do": "a_A_Do"}
        assert (await agent.call_tool("b_B_Do"))["error"]["code"] == CONDITIONS[Condition.INVALID_PARAMS].code


COMMENTED = """
syntax = "proto3";
package shop;
message Req {
  //   The customer's number.
  string id = 1;
  // How many at most.
  int32 limit = 2;
}
message Res { string name = 1; }
service Shop {
  // Finds a customer by number.
  //
  rpc Find(Req) returns (Res);
}
"""


async def test_comments_come_with_a_descriptor_set_and_change_nothing_else(start: Start, tmp_path: Path) -> None:
    texts = {"shop.proto": COMMENTED}
    backend = await start(Backend.of(compile_protos(texts)))
    async with run_gateway(name_backends(backend)) as agent:
        (bare,) = await agent.list_tools()
    sets = [write_set(tmp_path / "set.binpb", compile_protos(texts, source_info=True))]
    async with run_gateway(name_backends(backend, descriptors=sets)) as agent:
        (rich,) = await agent.list_tools()
    assert bare["description"].startswith("Find")
    assert rich["description"].startswith("Finds a customer by number.")
    described = {name: one.pop("description", None) for name, one in rich["inputSchema"]["properties"].items()}
    bare_ones = {name: one.pop("description", None) for name, one in bare["inputSchema"]["properties"].items()}
    assert described == {"id": "The customer's number.", "limit": "How many at most."}
    assert bare_ones == {"id": None, "limit": None}
    assert bare["inputSchema"] == rich["inputSchema"]
