import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

import orjson
import pytest

from gateway.contract.distilled import Distilled, Problem, distil
from gateway.contract.envelopes import Envelope, encode_envelope
from gateway.contract.status_report import StatusReport
from gateway.contract.validation import PER_REQUEST_REVISION, MessageValidator, SchemaValidator, load_protocol_schema
from gateway.mcp.catalogue import Catalogue, Tool
from gateway.mcp.dispatch import Dispatcher, ServerIdentity
from gateway.mcp.exchange import Exchange, MirroredHeaders
from gateway.mcp.mirroring.agreement import NAME_SOURCES
from gateway.mcp.ports import Metadata
from gateway.transcoding.errors import BadReply
from gateway.transcoding.printed import Printed
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

Reply = bytes | RpcStatus | Callable[[bytes], bytes | RpcStatus]


class FakeRpc:
    """Answers with what it was given, and remembers what it was called with."""

    def __init__(self, reply: Reply = lambda request: request) -> None:
        self.reply = reply
        self.calls: list[tuple[bytes, float, tuple[tuple[str, str | bytes], ...]]] = []
        self.is_cancelled = False

    async def __call__(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        self.calls.append((request, timeout_seconds, tuple(metadata)))
        return self.reply(request) if callable(self.reply) else self.reply


class HangingRpc(FakeRpc):
    """Never answers; says when it has begun."""

    def __init__(self) -> None:
        super().__init__()
        self.has_begun = asyncio.Event()

    async def __call__(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        self.has_begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise
        raise AssertionError("unreachable")


class FakeStream:
    """Gives these replies, then hangs if asked to; remembers its calls and whether each was left behind."""

    def __init__(self, *replies: bytes | RpcStatus, hangs: bool = False) -> None:
        self.replies = replies
        self.hangs = hangs
        self.calls: list[tuple[tuple[bytes, ...], float, tuple[tuple[str, str | bytes], ...]]] = []
        self.has_begun = asyncio.Event()
        self.given = 0
        self.open = 0

    async def __call__(
        self, requests: Sequence[bytes], *, timeout_seconds: float, metadata: Metadata
    ) -> AsyncGenerator[bytes | RpcStatus, None]:
        self.calls.append((tuple(requests), timeout_seconds, tuple(metadata)))
        self.open += 1
        try:
            for reply in self.replies:
                self.given += 1
                yield reply
            self.has_begun.set()
            if self.hangs:
                await asyncio.Event().wait()
        finally:
            self.open -= 1


class JsonTranscoder:
    """Requests and replies are JSON text; an argument `refused` is refused. A client's stream lists `messages`."""

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        if "refused" in arguments:
            return distil([Problem(at="/refused", text="must not be there")], subject="arguments")
        return orjson.dumps(dict(arguments))

    def encode_requests(self, arguments: Mapping[str, Any]) -> Sequence[bytes] | Distilled:
        if "messages" in arguments:
            return [orjson.dumps(message) for message in arguments["messages"]]
        request = self.encode_arguments(arguments)
        return request if isinstance(request, Distilled) else (request,)

    def read_reply(self, reply: bytes) -> Printed:
        try:
            return Printed(value=orjson.loads(reply))
        except ValueError as error:
            raise BadReply("it is no JSON") from error

    def report_status(self, status: RpcStatus) -> StatusReport:
        is_ours = status.origin is StatusOrigin.GATEWAY
        return StatusReport(code=status.code, message=status.message, is_own_wording=is_ours)


class ReadingTranscoder(JsonTranscoder):
    """Every reply is read as this."""

    def __init__(self, printed: Printed) -> None:
        self._printed = printed

    def read_reply(self, reply: bytes) -> Printed:
        return self._printed


class Kit:
    """What the tests of this room are built from."""

    FakeRpc = FakeRpc
    FakeStream = FakeStream
    HangingRpc = HangingRpc
    ReadingTranscoder = ReadingTranscoder

    def __init__(self, validator: MessageValidator) -> None:
        self.validator = validator

    def make_tool(self, name: str = "echo", **options: Any) -> Tool:
        settings: dict[str, Any] = {
            "rpc": f"test.v1.Test/{name}",
            "backend": "test",
            "listing": {"name": name, "description": "Gives back.", "inputSchema": {"type": "object"}},
            "output_validator": SchemaValidator({"type": "object"}),
            "transcoder": JsonTranscoder(),
            "call": FakeRpc(),
            "deadline_seconds": 30.0,
        }
        return Tool(name=name, **{**settings, **options})

    def make_stream_tool(self, name: str = "watch", *, has_many_replies: bool = True, **options: Any) -> Tool:
        """A tool over a stream, of many replies by default."""
        defaults = {"call": None, "has_many_replies": has_many_replies, "output_validator": None}
        return self.make_tool(name, **{**defaults, **options})

    def make_catalogue(self, *tools: Tool, **options: Any) -> Catalogue:
        return Catalogue(tools={tool.name: tool for tool in tools}, version="1", **options)

    def make_dispatcher(self, *tools: Tool, catalogue: Catalogue | None = None, **options: Any) -> Dispatcher:
        served = catalogue or self.make_catalogue(*tools)
        identity = ServerIdentity(name="propylon", version="1.2.3")
        return Dispatcher(catalogue=lambda: served, validator=self.validator, server=identity, **options)

    def make_request(
        self, method: str, params: Mapping[str, Any] | None = None, *, request_id: Any = 1, **meta: Any
    ) -> dict[str, Any]:
        """A whole request; keywords become keys of `_meta`."""
        stated = {
            "io.modelcontextprotocol/protocolVersion": PER_REQUEST_REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        }
        body = {**(params or {}), "_meta": {**stated, **meta}}
        return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": body}

    def mirror(self, message: Mapping[str, Any], **changes: Any) -> MirroredHeaders:
        """The headers that a faithful client sends with a message, but for `changes`."""
        params = message.get("params", {})
        faithful = {
            "version": params.get("_meta", {}).get("io.modelcontextprotocol/protocolVersion"),
            "method": message["method"],
            "name": params.get(NAME_SOURCES.get(message["method"], "")),
        }
        return MirroredHeaders(**{**faithful, **changes})

    async def dispatch(
        self, dispatcher: Dispatcher, message: dict[str, Any], mirrored: MirroredHeaders | None = None
    ) -> Envelope | None:
        return await dispatcher.dispatch(message, Exchange(front="test", mirrored=mirrored))

    async def ask(
        self, dispatcher: Dispatcher, message: dict[str, Any], mirrored: MirroredHeaders | None = None
    ) -> tuple[int, dict[str, Any]]:
        """The HTTP status and the envelope as a client reads it."""
        envelope = await self.dispatch(dispatcher, message, mirrored)
        assert envelope is not None
        return envelope.http_status, orjson.loads(encode_envelope(envelope))


@pytest.fixture(scope="session")
def validator() -> MessageValidator:
    return MessageValidator(load_protocol_schema(PER_REQUEST_REVISION))


@pytest.fixture
def kit(validator: MessageValidator) -> Kit:
    return Kit(validator)
