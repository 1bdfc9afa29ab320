"""A unary call that takes long, as its client hears it."""

import asyncio
from typing import Any

import orjson

from gateway.contract.envelopes import Envelope, encode_envelope
from gateway.mcp.exchange import Exchange
from gateway.mcp.ports import Metadata
from gateway.transcoding.rpc_status import RpcStatus
from tests.virtual_time import run_virtually


class Outlet:
    def __init__(self) -> None:
        self.told: list[tuple[float, Any]] = []

    async def notify(self, envelope: Envelope) -> None:
        params = orjson.loads(encode_envelope(envelope))["params"]
        self.told.append((asyncio.get_running_loop().time(), params["progress"]))


async def answer_late(request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
    await asyncio.sleep(80)
    return b"{}"


def listen(kit: Any, **meta: Any) -> list[tuple[float, Any]]:
    """What the client hears of a call of 80 s, and when."""
    outlet = Outlet()

    async def call() -> None:
        message = kit.make_request("tools/call", {"name": "echo"}, **meta)
        dispatcher = kit.make_dispatcher(kit.make_tool(call=answer_late))
        envelope = await dispatcher.dispatch(message, Exchange(front="test", outlet=outlet))
        assert envelope is not None
        assert "result" in envelope.body
        assert asyncio.get_running_loop().time() == 80
        await asyncio.sleep(60)

    run_virtually(call())
    return outlet.told


def test_a_caller_that_asked_for_progress_hears_that_the_work_goes_on(kit: Any) -> None:
    assert listen(kit, progressToken=5) == [(15, 0), (30, 0.001), (45, 0.002), (60, 0.003), (75, 0.004)]


def test_another_hears_nothing(kit: Any) -> None:
    assert listen(kit) == []
