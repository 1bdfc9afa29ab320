"""A whole gateway in one process: a real gRPC server behind it, and both fronts, bytes in and bytes out.

What a test sets up is protos and what the backend answers; what it sees is what a client would.
"""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc
import jsonschema_rs
import orjson
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from gateway.app.settings.loader import default_settings, make_backend
from gateway.app.settings.model import Settings
from gateway.app.wiring import Gateway, make_http_application, open_gateway
from gateway.contract.validation import PER_REQUEST_REVISION
from gateway.descriptors.api import describe_api
from gateway.fronts.http.health import Readiness
from gateway.fronts.stdio import serve_stdio
from tests.laws.compiled import compile_files

WELL_KNOWN = tuple(
    f"google/protobuf/{name}.proto"
    for name in ("any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers")
)
META = {
    "io.modelcontextprotocol/protocolVersion": PER_REQUEST_REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
}
# An ordinary service beside whatever the test is about; it must still work when the test is over.
_PLAIN = """
syntax = "proto3"; package plain;
message Text { string text = 1; }
service Plain { rpc Say(Text) returns (Text); }
"""

Answer = bytes | Message | Callable[[bytes, grpc.aio.ServicerContext], Awaitable[bytes]]

Stream = Callable[[AsyncIterator[bytes], grpc.aio.ServicerContext], AsyncIterator[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One RPC that reached the backend."""

    rpc: str
    request: bytes
    metadata: Mapping[str, str | bytes]


class MockBackend(grpc.GenericRpcHandler):
    """A gRPC server of bytes: `answers` by RPC, the request itself where there is none; `calls` are those that came.

    `streams` answers streaming RPCs of any kind: requests in, replies out.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.streams: dict[str, Stream] = {}
        self.calls: list[Call] = []

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        rpc = handler_call_details.method[1:]
        if rpc in self.streams:
            return grpc.stream_stream_rpc_method_handler(self.streams[rpc])

        async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
            metadata = dict(context.invocation_metadata() or ())
            self.calls.append(Call(rpc=rpc, request=request, metadata=metadata))
            match self.answers.get(rpc, request):
                case bytes() as reply:
                    return reply
                case Message() as message:
                    return type(message).SerializeToString(message)
                case handler:
                    return await handler(request, context)

        return grpc.unary_unary_rpc_method_handler(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """What came back over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One gateway with one mock backend."""

    gateway: Gateway
    backend: MockBackend
    messages: Callable[[str], type[Message]]
    serve: Callable[[Any, Any, Any], Awaitable[None]]
    numbers: "itertools.count[int]"

    def make(self, type_name: str, /, **fields: Any) -> Any:
        """A message of a type by its full name."""
        return self.messages(type_name)(**fields)

    def requests(self, rpc: str) -> list[bytes]:
        """The requests that reached this RPC, taken out of the record."""
        found = [call.request for call in self.backend.calls if call.rpc == rpc]
        self.backend.calls[:] = [call for call in self.backend.calls if call.rpc != rpc]
        return found

    def received(self, rpc: str, type_name: str) -> Any:
        """The one request that reached this RPC since it was last asked for."""
        (request,) = self.requests(rpc)
        return self.messages(type_name).FromString(request)

    def get_tool(self, rpc: str) -> Mapping[str, Any]:
        """The tool's entry in the list."""
        return next(tool.listing for tool in self.gateway.discovery.catalogue.tools.values() if tool.rpc == rpc)

    def make_request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A whole request of the per-request era."""
        return {
            "jsonrpc": "2.0",
            "id": next(self.numbers),
            "method": method,
            "params": {**(params or {}), "_meta": META},
        }

    def make_call(self, rpc: str, arguments: Any = None) -> dict[str, Any]:
        """The tools/call request of an RPC's tool; `arguments` None leaves them out."""
        params = {"name": self.get_tool(rpc)["name"]}
        return self.make_request("tools/call", params if arguments is None else {**params, "arguments": arguments})

    async def post(
        self,
        message: bytes | Mapping[str, Any],
        headers: Mapping[str, str | Sequence[str] | None] | None = None,
        *,
        http_method: str = "POST",
        path: str = "/mcp",
    ) -> HttpAnswer:
        """One HTTP request with the headers that its message asks for.

        `headers` replaces some of them: None leaves one out, a list sends one several times.
        """
        body = message if isinstance(message, bytes) else orjson.dumps(message)
        sent = {**derive_headers(message), **{name.lower(): value for name, value in (headers or {}).items()}}
        lines = [
            (name.encode("latin-1"), one.encode("latin-1"))
            for name, value in sent.items()
            for one in ([] if value is None else [value] if isinstance(value, str) else value)
        ]
        return await call_asgi(self.serve, http_method, path, lines, body)

    async def post_raw(self, message: Mapping[str, Any], written: Mapping[bytes, bytes]) -> HttpAnswer:
        """The same for a message in which some bytes are replaced, for what no writer of JSON would write."""
        body = orjson.dumps(message)
        for placeholder, replacement in written.items():
            body = body.replace(placeholder, replacement)
        return await self.post(body, derive_headers(message))

    async def answer(self, message: Mapping[str, Any]) -> Any:
        """The envelope that answers a request over HTTP."""
        return (await self.post(message)).json

    async def call(self, rpc: str, arguments: Any = None) -> Any:
        """The result of a tools/call. A structured one must fit the tool's output schema."""
        envelope = await self.answer(self.make_call(rpc, arguments))
        result = envelope["result"]
        if result.get("isError"):
            assert "structuredContent" not in result
        elif "structuredContent" in result:
            schema = self.get_tool(rpc)["outputSchema"]
            jsonschema_rs.Draft202012Validator(schema, offline=True).validate(result["structuredContent"])
        return result

    async def structured(self, rpc: str, arguments: Any = None) -> Any:
        """The structured content of a call that goes well."""
        result = await self.call(rpc, arguments)
        assert not result.get("isError"), result["content"][0]["text"]
        return result["structuredContent"]

    async def refusal(self, rpc: str, arguments: Any = None) -> str:
        """The text of a call that is answered with a tool error."""
        result = await self.call(rpc, arguments)
        assert result.get("isError") is True, result
        assert result["resultType"] == "complete"
        text: str = result["content"][0]["text"]
        return text

    async def list_tools(self) -> list[dict[str, Any]]:
        """All tools as tools/list gives them on one page."""
        envelope = await self.answer(self.make_request("tools/list"))
        tools: list[dict[str, Any]] = envelope["result"]["tools"]
        return tools

    async def talk(self, *lines: bytes | Mapping[str, Any]) -> list[Any]:
        """What the stdio front writes for these lines, in the order of its writing."""
        source, sink = _Lines(lines), _Sink()
        await serve_stdio(self.gateway.patient_dispatcher, streams=(source, sink))
        return [orjson.loads(line) for line in b"".join(sink.written).splitlines()]

    async def is_well(self) -> bool:
        """Whether an ordinary call still works."""
        return bool(await self.structured("plain.Plain/Say", {"text": "well"}) == {"text": "well"})


def derive_headers(message: bytes | Mapping[str, Any]) -> dict[str, str | Sequence[str] | None]:
    """The headers that a client sends with this message; without those that mirror it where it is no object."""
    headers: dict[str, str | Sequence[str] | None] = {
        "host": "localhost",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": PER_REQUEST_REVISION,
    }
    if isinstance(message, bytes):
        return headers
    params = message.get("params")
    stated = {
        "mcp-method": message.get("method"),
        "mcp-name": params.get("name") if isinstance(params, Mapping) else None,
    }
    headers |= {
        name: value
        for name, value in stated.items()
        if isinstance(value, str) and value.isascii() and value.isprintable()
    }
    return headers


async def call_asgi(
    application: Callable[[Any, Any, Any], Awaitable[None]],
    method: str,
    path: str,
    headers: Iterable[tuple[bytes, bytes]],
    body: bytes,
) -> HttpAnswer:
    """One request to an ASGI application whose client stays until it is answered."""
    scope = {"type": "http", "method": method, "path": path, "headers": list(headers), "query_string": b""}
    incoming = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Mapping[str, Any]] = []

    async def receive() -> Mapping[str, Any]:
        if incoming:
            return incoming.pop()
        return await asyncio.get_running_loop().create_future()

    async def send(event: Mapping[str, Any]) -> None:
        sent.append(event)

    await application(scope, receive, send)
    start, *parts = sent
    return HttpAnswer(
        status=start["status"],
        headers={name.decode(): value.decode() for name, value in start["headers"]},
        body=b"".join(part.get("body", b"") for part in parts),
    )


class _Lines:
    def __init__(self, lines: Iterable[bytes | Mapping[str, Any]]) -> None:
        self._chunks = [(line if isinstance(line, bytes) else orjson.dumps(line)) + b"\n" for line in lines]

    async def read(self) -> bytes:
        return self._chunks.pop(0) if self._chunks else b""


class _Sink:
    def __init__(self) -> None:
        self.written: list[bytes] = []

    async def write(self, data: bytes) -> None:
        self.written.append(data)


class _Healthy:
    def get_readiness(self) -> Readiness:
        return Readiness(is_ready=True)


@contextlib.asynccontextmanager
async def open_stage(
    folder: Path,
    proto: str,
    *,
    settings: Callable[[Settings], Settings] = lambda settings: settings,
    target: str | None = None,
    options: Sequence[tuple[str, Any]] = (),
    **more_protos: str,
) -> AsyncIterator[Stage]:
    """A stage over the services of this proto text (and of `more_protos`, by file name).

    The text's own head is added where it has none: proto3, package `t`, protobuf's own files imported. `target` puts
    another server in the place of the mock backend; `options` are the mock server's.
    """
    files = compile_files(plain=_PLAIN, t=complete_proto(proto), **more_protos)
    descriptors = folder / "descriptors.binpb"
    descriptors.write_bytes(FileDescriptorSet(file=files).SerializeToString())
    api = describe_api(files)
    backend = MockBackend()
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0), *options])
    server.add_generic_rpc_handlers((backend,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        section = replace(
            make_backend(name="mock", target=target or f"127.0.0.1:{port}", descriptors=(descriptors,)),
            reflection=False,
        )
        async with open_gateway(settings(replace(default_settings(), backends=(section,)))) as gateway:
            await gateway.discovery.run_once()
            yield Stage(
                gateway=gateway,
                backend=backend,
                messages=lambda name: GetMessageClass(api.pool.FindMessageTypeByName(name)),
                serve=make_http_application(gateway, _Healthy()),
                numbers=itertools.count(1),
            )
    finally:
        await server.stop(0)


def complete_proto(text: str) -> str:
    """The text of a whole proto file."""
    if text.lstrip().startswith(("syntax", "edition")):
        return text
    imports = "".join(f'import "{name}";\n' for name in WELL_KNOWN)
    return f'syntax = "proto3"; package t;\n{imports}{text}'
