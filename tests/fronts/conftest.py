import asyncio
from collections.abc import Callable, Mapping
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

    def read_reply(self, reply: bytes) -> Printed:
        return Printed(value=orjson.loads(reply))

    def report_status(self, status: RpcStatus) -> StatusReport:
        return StatusReport(code=status.code, message=status.message)


class Backend:
    """Three RPCs: one gives its request back, one hangs until it is cancelled, one is broken on our side."""

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

    async def _count(self, name: str) -> None:
        async with self._changed:
            setattr(self, name, getattr(self, name) + 1)
            self._changed.notify_all()

    async def wait_for(self, **counts: int) -> None:
        """Until that many calls have begun or were cancelled."""
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: all(getattr(self, name) >= count for name, count in counts.items()))

    def make_tools(self) -> dict[str, Tool]:
        return {
            name: Tool(
                name=name,
                rpc=f"test.v1.Test/{name}",
                backend="test",
                listing={"name": name, "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}},
                output_validator=SchemaValidator({"type": "object"}),
                transcoder=JsonTranscoder(),
                call=rpc,
                deadline_seconds=30,
            )
            for name, rpc in {"echo": self.echo, "hang": self.hang, "fail": self.fail}.items()
        }


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
