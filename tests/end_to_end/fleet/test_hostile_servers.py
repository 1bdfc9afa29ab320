"""Servers whose reflection is endless, slow, huge or nonsense, beside one that is healthy."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionResponse

from tests.backends.reflection_table import ReflectionTable
from tests.end_to_end.fleet.kit import Backend, compile_protos, name_backends, run_gateway

Start = Callable[[Backend], Awaitable[Backend]]

ECHO = 'syntax="proto3"; message Msg{string t=1;} service Echo{ rpc Say(Msg) returns(Msg);}'


class Endless(ReflectionTable):
    """Each file imports the next, for ever."""

    def _reply(self, kind: str | None, question: str) -> ServerReflectionResponse:
        answer = ServerReflectionResponse()
        if kind == "list_services":
            answer.list_services_response.service.add(name="f.S")
            return answer
        number = 0 if kind == "file_containing_symbol" else int(question[1:-6])
        file = FileDescriptorProto(
            name=f"f{number}.proto", package="f", dependency=[f"f{number + 1}.proto"], syntax="proto3"
        )
        if number == 0:
            file.message_type.add(name="M")
            file.service.add(name="S").method.add(name="Do", input_type=".f.M", output_type=".f.M")
        answer.file_descriptor_response.file_descriptor_proto.append(file.SerializeToString())
        return answer


def make_large(methods: int, values: int) -> ReflectionTable:
    """One service with so many methods, each of which takes and gives an enum with so many values."""
    file = FileDescriptorProto(name="large.proto", package="w", syntax="proto3")
    message = file.message_type.add(name="M")
    if values:
        message.field.add(name="e", number=1, type="TYPE_ENUM", type_name=".w.E", label="LABEL_OPTIONAL")
        enum = file.enum_type.add(name="E")
        for number in range(values):
            enum.value.add(name=f"A_RATHER_LONG_NAME_FOR_A_VALUE_{number}", number=number)
    service = file.service.add(name="S")
    for number in range(methods):
        service.method.add(name=f"Do{number}", input_type=".w.M", output_type=".w.M")
    return ReflectionTable(services=["w.S"], files=[file])


TOOLS = (
    "more than 10,000 tools, or than 16,777,216 bytes of them in tools/list, the limits for one backend; choose fewer "
    "with include and exclude"
)


@pytest.mark.parametrize(
    ("table", "cap"),
    [
        (make_large(10_001, values=0), TOOLS),
        (make_large(30, values=20_000), TOOLS),
        (Endless(), "{target}: reflection gives more than 5000 files, the limit for one backend"),
        (
            ReflectionTable(services=[f"s.S{number}" for number in range(100_000)]),
            "{target}: reflection gives more than 2000 services, the limit for one backend",
        ),
    ],
    ids=["tools", "bytes of tools", "files", "services"],
)
async def test_what_has_no_end_stops_at_a_named_cap_beside_a_healthy_backend(
    start: Start, log: Any, table: ReflectionTable, cap: str
) -> None:
    endless = await start(Backend(table))
    healthy = await start(Backend.of(compile_protos({"echo.proto": ECHO})))
    async with run_gateway(name_backends(endless, healthy)) as agent:
        assert await agent.map_rpcs() == {"Echo/Say": "Echo_Say"}
        assert (await agent.call_tool("Echo_Say", {"t": "hi"}))["structuredContent"] == {"t": "hi"}
        _, body = await agent.probe("/readyz")
    assert body["reasons"] == [f"backend b0: {cap.format(target=endless.target)}"]
