"""Servers whose reflection is endless, slow, huge or nonsense, beside one that is healthy."""

import functools
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse

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
    healthy = await start(Backend.of(compile_echo()))
    async with run_gateway(name_backends(endless, healthy)) as agent:
        assert await agent.map_rpcs() == {"Echo/Say": "Echo_Say"}
        assert (await agent.call_tool("Echo_Say", {"t": "hi"}))["structuredContent"] == {"t": "hi"}
        _, body = await agent.probe("/readyz")
    assert body["reasons"] == [f"backend b0: {cap.format(target=endless.target)}"]


CHAIN = {
    "c.proto": 'syntax = "proto3"; package c; message C { string v = 1; }',
    "b.proto": 'syntax = "proto3"; package b; import "c.proto"; message B { c.C c = 1; }',
    "a.proto": """syntax = "proto3"; package a; import "b.proto"; message A { b.B b = 1; }
        service S { rpc Do(A) returns (A); }""",
}
STATUSES = tuple(grpc.StatusCode)[1:]


class Erratic(ReflectionTable):
    """Answers now well, now with something else; by chance, which is the same for the same seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(services=["a.S", "nowhere.T"], files=compile_chain())
        self._chance = random.Random(seed)
        self._share = self._chance.choice((0.1, 0.3, 0.7))

    async def serve(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext) -> AsyncIterator[bytes]:
        async for content in requests:
            request = ServerReflectionRequest.FromString(content)
            kind = request.WhichOneof("message_request")
            good = self._reply(kind, "*" if kind == "list_services" else getattr(request, kind or ""))
            if self._chance.random() > self._share:
                yield good.SerializeToString()
                continue
            answers = self._spoil(good)
            if answers is None:
                await context.abort(self._chance.choice(STATUSES), self._chance.choice(("", "x" * 3000, "a\nb\x1b")))
            elif not answers:
                return
            for answer in answers:
                yield answer

    def _spoil(self, good: ServerReflectionResponse) -> list[bytes] | None:
        """What is sent in the place of a good answer; None: the stream fails, empty: it ends."""
        files, listing, refusal = ServerReflectionResponse(), ServerReflectionResponse(), ServerReflectionResponse()
        unreadable = FileDescriptorProto.FromString(b"\x0a\x01b\x1a\x02i\x93").SerializeToString()
        files.file_descriptor_response.file_descriptor_proto.extend(
            [self._chance.randbytes(20), b"", unreadable, self._chance.choice(self.files).SerializeToString()]
        )
        for name in ("", ".", "a.S", "a.S/", "\x00", "grpc.health.v1.Health", "é", "x" * 3000):
            listing.list_services_response.service.add(name=name)
        refusal.error_response.error_code = self._chance.choice((0, 5, 12, 13, 16, 17, -1, 2**31 - 1))
        whole = good.SerializeToString()
        cut = whole[: self._chance.randrange(len(whole) + 1)]
        others = [files.SerializeToString(), listing.SerializeToString(), refusal.SerializeToString(), cut, b"\xff"]
        return self._chance.choice([None, [], [whole, whole], *([other] for other in others)])


@functools.cache
def compile_chain() -> list[FileDescriptorProto]:
    return compile_protos(CHAIN)


@pytest.mark.parametrize("seed", range(40))
async def test_whatever_reflection_answers_the_others_are_served_and_reasons_are_told(start: Start, seed: int) -> None:
    erratic = await start(Backend(Erratic(seed)))
    healthy = await start(Backend.of(compile_echo()))
    async with run_gateway(name_backends(erratic, healthy)) as agent:
        await agent.discovery.run_once()
        rpcs = await agent.map_rpcs()
        first, second = agent.discovery.states()
        assert set(rpcs) - {"a.S/Do"} == {"Echo/Say"}
        assert second.reason is None
        assert first.tools == ("a.S/Do" in rpcs)
        if first.reason is not None:
            assert first.reason.isprintable()
            assert "inside the gateway" not in first.reason


@functools.cache
def compile_echo() -> list[FileDescriptorProto]:
    return compile_protos({"echo.proto": ECHO})
