from collections.abc import AsyncIterator, Awaitable, Callable

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc.status_pb2 import Status

from gateway.demo.failures import STATUS_DETAILS
from gateway.demo.server import start_demo


@pytest.fixture
async def channel() -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a shop that nobody else has touched."""
    demo = await start_demo()
    async with grpc.aio.insecure_channel(demo.target) as channel:
        yield channel
    await demo.stop()


@pytest.fixture
def refusal_of() -> Callable[[Awaitable[Message]], Awaitable[Status]]:
    """Awaits a call that must fail and gives its google.rpc.Status."""

    async def read_refusal(call: Awaitable[Message]) -> Status:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        error = caught.value
        details = dict(error.trailing_metadata() or ()).get(STATUS_DETAILS)
        status = Status(code=error.code().value[0], message=error.details() or "")
        if details is not None:
            assert isinstance(details, bytes)
            sent = Status.FromString(details)
            assert (sent.code, sent.message) == (status.code, status.message)
            status = sent
        return status

    return read_refusal
