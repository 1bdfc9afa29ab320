"""How backends are reached: addresses of all kinds, metadata, sizes, and networks that swallow everything."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.rpc import error_details_pb2, status_pb2

from gateway.app.operator_error import OperatorError
from tests.end_to_end.fleet.kit import Backend, compile_protos, name_backends, run_gateway

Start = Callable[..., Awaitable[Backend]]

ECHO = 'syntax="proto3"; message Msg{string t=1;} service Echo{ rpc Say(Msg) returns(Msg);}'


@pytest.fixture
def files() -> list[FileDescriptorProto]:
    return compile_protos({"echo.proto": ECHO})


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("127.0.0.1:0", "{}"),
        ("127.0.0.1:0", "http://{}"),
        ("127.0.0.1:0", "grpc://{}"),
        ("127.0.0.1:0", "dns:///{}"),
        ("127.0.0.1:0", "ipv4:{}"),
        ("[::1]:0", "{}"),
        ("[::1]:0", "ipv6:{}"),
        ("unix:FOLDER/s.sock", "{}"),
        ("unix-abstract:FOLDER", "{}"),
    ],
)
async def test_a_backend_is_reached_at_every_kind_of_address(
    start: Start, files: list[FileDescriptorProto], tmp_path: Path, address: str, target: str
) -> None:
    backend = await start(Backend.of(files), address.replace("FOLDER", str(tmp_path)))
    async with run_gateway([{"name": "b", "target": target.format(backend.target)}]) as agent:
        assert (await agent.call("Echo/Say", {"t": "hi"}))["structuredContent"] == {"t": "hi"}


async def test_metadata_that_grpc_would_not_send_is_refused_by_name_and_the_rest_arrives(
    start: Start, files: list[FileDescriptorProto]
) -> None:
    backend = await start(Backend.of(files))
    good = {"X-Tenant": "a", "x-flag-bin": "AAE="}
    bad = {"bad name": "x", "x-note": "é", "grpc-timeout": "1S", ":path": "/x"}
    with pytest.raises(OperatorError) as caught:
        async with run_gateway(name_backends(backend, metadata=good | bad)):
            pass
    printable = "must be printable ASCII, without line breaks; a key that ends in -bin takes any bytes as base64"
    assert caught.value.findings == (
        '/backends/0/metadata/:path: ":path" is no metadata key: take letters, digits, - _ and .',
        '/backends/0/metadata/bad name: "bad name" is no metadata key: take letters, digits, - _ and .',
        '/backends/0/metadata/grpc-timeout: "grpc-timeout" is written by gRPC itself and cannot be set',
        f"/backends/0/metadata/x-note: {printable}",
    )
    async with run_gateway(name_backends(backend, metadata=good)) as agent:
        await agent.call("Echo/Say")
    (call,) = backend.calls
    assert (call.metadata["x-tenant"], call.metadata["x-flag-bin"]) == ("a", b"\x00\x01")


async def test_a_descriptor_of_many_megabytes_is_read_and_a_call_of_them_is_refused_by_the_backend(
    start: Start, files: list[FileDescriptorProto]
) -> None:
    location = files[0].source_code_info.location.add(path=[4, 0], span=[0, 0, 0])
    location.leading_comments = "x" * 6 * 1024 * 1024
    backend = await start(Backend.of(files))
    async with run_gateway(name_backends(backend), limits={"body_bytes": 16 * 1024 * 1024}) as agent:
        refused = await agent.call("Echo/Say", {"t": "x" * 5 * 1024 * 1024})
        assert (await agent.call("Echo/Say", {"t": "hi"}))["structuredContent"] == {"t": "hi"}
    text = refused["content"][0]["text"]
    assert refused["isError"]
    assert text.startswith("RESOURCE_EXHAUSTED: ")
    assert "SERVER: Received message larger than max" in text


async def test_a_reply_over_the_gateways_own_limit_says_that_it_is_the_gateways(
    start: Start, files: list[FileDescriptorProto]
) -> None:
    backend = await start(Backend.of(files, {"Echo/Say": b"\x0a\x88\x27" + b"x" * 5000}))
    async with run_gateway(name_backends(backend, receive_limit_bytes=1024)) as agent:
        refused = await agent.call("Echo/Say")
    assert refused["content"][0]["text"] == (
        "RESOURCE_EXHAUSTED: the reply of 5003 bytes is larger than the 1024 bytes that this gateway takes from "
        'backend "b0": ask for less of it, for example by a smaller page'
    )


class Filter:
    """Stands between gateway and backend; while `is_open` is clear, what comes is kept and goes nowhere."""

    def __init__(self, target: str) -> None:
        self._host, _, self._port = target.rpartition(":")
        self.is_open = asyncio.Event()
        self.is_open.set()
        self.target = ""

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator["Filter"]:
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.target = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection(self._host, int(self._port))
        await asyncio.gather(self._pass(reader, there_writer), self._pass(there_reader, writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self.is_open.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


async def test_a_network_that_swallows_everything_costs_a_call_its_deadline_and_no_more(
    start: Start, files: list[FileDescriptorProto]
) -> None:
    hidden = await start(Backend.of(files))
    open_ = await start(Backend.of(compile_protos({"o.proto": ECHO.replace("service Echo", "service Open")})))
    async with Filter(hidden.target).run() as filtered:
        first = {"name": "first", "target": filtered.target, "deadline_seconds": 0.3}
        second = {"name": "second", "target": open_.target}
        async with run_gateway([first, second]) as agent:
            assert (await agent.call("Echo/Say", {"t": "a"}))["structuredContent"] == {"t": "a"}
            filtered.is_open.clear()
            swallowed, other = await asyncio.gather(agent.call("Echo/Say"), agent.call("Open/Say", {"t": "o"}))
            assert swallowed["content"][0]["text"] == (
                "DEADLINE_EXCEEDED: no answer within 0.3 s (this gateway's limit)"
            )
            assert other["structuredContent"] == {"t": "o"}
            filtered.is_open.set()
            assert (await agent.call("Echo/Say", {"t": "b"}))["structuredContent"] == {"t": "b"}


async def test_a_credential_that_a_backend_repeats_reaches_neither_callers_nor_probes(
    start: Start, files: list[FileDescriptorProto], log: Any
) -> None:
    async def repeat(context: grpc.aio.ServicerContext, code: grpc.StatusCode) -> None:
        told = dict(context.invocation_metadata() or ())
        status = status_pb2.Status(code=code.value[0], message=str(told))
        status.details.add().Pack(error_details_pb2.DebugInfo(detail=str(told)))
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        await context.abort(code, f"{told['authorization']} of {told['x-tenant']} is no longer good")

    async def refuse_call(_: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await repeat(context, grpc.StatusCode.FAILED_PRECONDITION)
        raise AssertionError

    async def refuse_list(context: grpc.aio.ServicerContext) -> None:
        await repeat(context, grpc.StatusCode.FAILED_PRECONDITION)

    metadata = {"Authorization": "Bearer s3cret-token", "X-Tenant": "acme-corp"}
    backend = await start(Backend.of(files, {"Echo/Say": refuse_call}))
    async with run_gateway(name_backends(backend, metadata=metadata, discovery_metadata=metadata)) as agent:
        result = await agent.call("Echo/Say")
    assert result["content"][0]["text"] == "FAILED_PRECONDITION: *** of acme-corp is no longer good"
    assert "s3cret" not in str(result)
    backend.table.answers["*"] = refuse_list
    async with run_gateway(name_backends(backend, discovery_metadata=metadata)) as agent:
        _, body = await agent.probe("/readyz")
    (reason,) = body["reasons"]
    assert reason.endswith("reflection failed with FAILED_PRECONDITION: *** of *** is no longer good")
    assert "s3cret" not in log.text
