from collections.abc import Awaitable, Callable

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from google.rpc.status_pb2 import Status

from gateway.gen.demo.shop.v1 import diagnostics_pb2 as pb
from gateway.gen.demo.shop.v1.diagnostics_pb2_grpc import DiagnosticsServiceStub

RefusalOf = Callable[[Awaitable[Message]], Awaitable[Status]]


async def test_an_echo_answers_with_what_it_was_sent(channel: grpc.aio.Channel) -> None:
    specimen = pb.Specimen(
        int64_value=-(2**63),
        double_value=float("inf"),
        bytes_value=b"\x00\xff",
        color=pb.SpecimenColor.SPECIMEN_COLOR_BLUE,
        optional_string="",
        children=[pb.Specimen(chosen_text="x")],
        children_by_number={2**64 - 1: pb.Specimen(bool_value=True)},
    )
    reply = await DiagnosticsServiceStub(channel).Echo(pb.EchoRequest(specimen=specimen))
    assert reply.specimen == specimen


async def test_a_wait_outlasts_its_deadline(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    request = pb.WaitRequest(duration=Duration(seconds=60))
    status = await refusal_of(DiagnosticsServiceStub(channel).Wait(request, timeout=0.05))
    assert status.code == Code.DEADLINE_EXCEEDED


async def test_a_wait_takes_as_long_as_it_is_told(channel: grpc.aio.Channel) -> None:
    reply = await DiagnosticsServiceStub(channel).Wait(pb.WaitRequest(duration=Duration(nanos=20_000_000)))
    assert reply.waited.ToNanoseconds() >= 20_000_000


@pytest.mark.parametrize("request_", [pb.WaitRequest(), pb.WaitRequest(duration=Duration(seconds=-1))])
async def test_a_wait_of_no_length_is_refused(
    channel: grpc.aio.Channel, refusal_of: RefusalOf, request_: pb.WaitRequest
) -> None:
    status = await refusal_of(DiagnosticsServiceStub(channel).Wait(request_))
    assert (status.code, status.message) == (Code.INVALID_ARGUMENT, "duration must be 0 to 60 seconds")


@pytest.mark.parametrize(("asked", "answered"), [*((code, code) for code in range(1, 17)), (0, 3), (17, 3), (-1, 3)])
async def test_a_failure_has_the_status_it_is_told(
    channel: grpc.aio.Channel, refusal_of: RefusalOf, asked: int, answered: int
) -> None:
    status = await refusal_of(DiagnosticsServiceStub(channel).Fail(pb.FailRequest(code=asked, message="as told")))
    assert status.code == answered
    assert (status.message == "as told") == (asked == answered)


async def test_a_crash_tells_its_stack_trace(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    status = await refusal_of(DiagnosticsServiceStub(channel).Crash(pb.CrashRequest()))
    assert status.code == Code.INTERNAL
    assert status.message.startswith("Traceback (most recent call last):\n")
    assert "KeyError: 'shelf-9'" in status.message
