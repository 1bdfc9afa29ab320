"""demo.shop.v1.DiagnosticsService."""

import asyncio
import time
import traceback

from google.protobuf.duration_pb2 import Duration
from google.rpc.code_pb2 import Code

from gateway.demo.failures import STATUS_CODES, Context, bad_request, make_refusal
from gateway.demo.services.answering import answering
from gateway.gen.demo.shop.v1 import diagnostics_pb2 as pb
from gateway.gen.demo.shop.v1.diagnostics_pb2_grpc import DiagnosticsServiceServicer

LONGEST_WAIT_SECONDS = 60


class DiagnosticsService(DiagnosticsServiceServicer):
    """Answers, waits and fails on request."""

    @answering
    async def Echo(self, request: pb.EchoRequest, context: Context) -> pb.EchoResponse:
        return pb.EchoResponse(specimen=request.specimen) if request.HasField("specimen") else pb.EchoResponse()

    @answering
    async def Wait(self, request: pb.WaitRequest, context: Context) -> pb.WaitResponse:
        seconds = request.duration.seconds + request.duration.nanos / 1e9
        if not request.HasField("duration") or not 0 <= seconds <= LONGEST_WAIT_SECONDS:
            raise bad_request({"duration": f"must be 0 to {LONGEST_WAIT_SECONDS} seconds"})
        started = time.monotonic_ns()
        await asyncio.sleep(seconds)
        waited = Duration()
        waited.FromNanoseconds(time.monotonic_ns() - started)
        return pb.WaitResponse(waited=waited)

    @answering
    async def Fail(self, request: pb.FailRequest, context: Context) -> pb.FailResponse:
        if request.code == Code.OK or request.code not in STATUS_CODES:
            raise bad_request(
                {"code": f"must be the number of a status that is a failure, 1 to 16, got {request.code}"}
            )
        raise make_refusal(request.code, request.message)

    @answering
    async def Crash(self, request: pb.CrashRequest, context: Context) -> pb.CrashResponse:
        raise make_refusal(Code.INTERNAL, _break_inside())


def _break_inside() -> str:
    """The stack trace of an error that happens here."""
    try:
        shelves: dict[str, str] = {}
        return shelves["shelf-9"]
    except KeyError:
        return traceback.format_exc()
