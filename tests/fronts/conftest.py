import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

import orjson
import pytest

from gateway.contract.distilled import Distilled
from gateway.contract.status_report import StatusReport
from gateway.contract.validation import PER_REQUEST_REVISION, MessageValidator, SchemaValidator, load_protocol_schema
from gateway.mcp.catalogue import Catalogue, Tool
from gateway.mcp.dispatch import Dispatcher, ServerIdentity
from gateway.mcp.ports import Metadata
from gateway.transcoding.printed import Printed
from gateway.transcoding.rpc_status import RpcStatus

MakeDispatcher = Callable[..., Dispatcher]


class JsonTranscoder:
    """Requests and replies are JSON text."""

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        return orjson.dumps(dict(arguments))

    def encode_requests(self, arguments: Mapping[str, Any]) -> Sequence[bytes] | Distilled:
        return [orjson.dumps(dict(arguments))]

    def read_reply(self, reply: bytes) -> Printed:
        return Printed(value=orjson.loads(reply))

    def report_status(self, status: RpcStatus) -> StatusReport:
        return StatusReport(code=status.code, message=status.message)


class Backend:
    """Four RPCs: one gives its request back, one hangs until it is cancelled, one is broken on our side, one streams.

    The stream gives `count` messages with `size` characters in each, and then hangs if `hangs` or breaks if
    `fails`.
    """

    def __init__(self) -> None:
        self.begun = 0
        self.cancelled = 0
        self._changed = asyncio.Condition()

    async def echo(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        return request

    async def hang(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        await self._count("begun")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await self._count("cancelled")
            raise
        raise AssertionError("unreachable")

    async def fail(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        raise ZeroDivisionError("secret words")

    async def watch(
        self, requests: Sequence[bytes], *, timeout_seconds: float, metadata: Metadata
    ) -> AsyncGenerator[bytes | RpcStatus, None]:
        asked = orjson.loads(requests[0])
        for number in range(asked["count"]):
            yield orjson.dumps({"n": number, "text": "x" * asked.get("size", 0)})
            await asyncio.sleep(0)
        if asked.get("fails"):
            raise ZeroDivisionError("secret words")
        if asked.get("hangs"):
            await self.hang(b"", timeout_seconds=timeout_seconds, metadata=metadata)

    async def _count(self, name: str) -> None:
        async with self._changed:
            setattr(self, name, getattr(self, name) + 1)
            self._changed.notify_all()

    async def wait_for(self, **counts: int) -> None:
        """Until that many calls have begun or were cancelled."""
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: all(getattr(self, name) >= count for name, count in counts.items()))

    def make_tools(self) -> dict[str, Tool]:
        unary = {"echo": self.echo, "hang": self.hang, "fail": self.fail}
        tools = [self._make_tool(name, call=rpc) for name, rpc in unary.items()]
        tools.append(self._make_tool("watch", stream=self.watch, has_many_replies=True))
        return {tool.name: tool for tool in tools}

    def _make_tool(self, name: str, **options: Any) -> Tool:
        return Tool(
            name=name,
            rpc=f"test.v1.Test/{name}",
            backend="test",
            listing={"name": name, "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}},
            transcoder=JsonTranscoder(),
            deadline_seconds=30,
            output_validator=SchemaValidator({"type": "object"}, subject="result"),
            **options,
        )


def make_request(method: str, params: Mapping[str, Any] | None = None, *, request_id: Any = 1) -> dict[str, Any]:
    """A whole request of the per-request era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": PER_REQUEST_REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    }
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {**(params or {}), "_meta": meta}}


@pytest.fixture(scope="session")
def validator() -> MessageValidator:
    return MessageValidator(load_protocol_schema(PER_REQUEST_REVISION))


@pytest.fixture
def backend() -> Backend:
    return Backend()


@pytest.fixture
def dispatcher(validator: MessageValidator, backend: Backend) -> Dispatcher:
    catalogue = Catalogue(tools=backend.make_tools(), version="1")
    identity = ServerIdentity(name="propylon", version="0")
    return Dispatcher(catalogue=lambda: catalogue, validator=validator, server=identity)


@pytest.fixture(name="make_request")
def make_request_fixture() -> Callable[..., dict[str, Any]]:
    return make_request
