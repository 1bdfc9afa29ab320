"""Servers to call: gRPC ones that answer from a table, and one that speaks bare HTTP/2."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import grpc
import h2.config
import h2.connection
import h2.events
import h2.exceptions
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse

Answer = Callable[["RawConnection", int], None]
Unary = Callable[[bytes, grpc.aio.ServicerContext], Awaitable[bytes]]

V1 = "grpc.reflection.v1.ServerReflection"
V1ALPHA = "grpc.reflection.v1alpha.ServerReflection"


class RawConnection(asyncio.Protocol):
    """The server's end of one HTTP/2 connection; `answer` is called with it and the id of each complete request."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.transport: asyncio.Transport
        self.headers: dict[bytes, bytes] = {}
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding=None, validate_outbound_headers=False)
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.h2.initiate_connection()
        transport.write(self.h2.data_to_send())

    def data_received(self, data: bytes) -> None:
        for event in self.h2.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                self.headers = dict(event.headers)
            if isinstance(event, h2.events.StreamEnded):
                self._answer(self, event.stream_id)
        self.transport.write(self.h2.data_to_send())

    def send(self, stream_id: int, *trailers: tuple[bytes, bytes], body: bytes | None = None) -> None:
        """Headers, a body where there is one, and the trailers (without any, the stream just ends)."""
        self.h2.send_headers(stream_id, [(b":status", b"200"), (b"content-type", b"application/grpc")])
        if body is not None:
            self.h2.send_data(stream_id, body)
        if trailers:
            self.h2.send_headers(stream_id, list(trailers), end_stream=True)
        else:
            self.h2.end_stream(stream_id)


@pytest.fixture
async def start_raw() -> AsyncIterator[Callable[[Answer], Awaitable[str]]]:
    """Starts a bare HTTP/2 server; gives its HOST:PORT."""
    async with contextlib.AsyncExitStack() as stack:
        loop = asyncio.get_running_loop()

        async def start(answer: Answer) -> str:
            connections: list[RawConnection] = []

            def connect() -> RawConnection:
                connections.append(RawConnection(answer))
                return connections[-1]

            server = await loop.create_server(connect, "127.0.0.1", 0)

            def stop() -> None:
                server.close()
                for connection in connections:
                    connection.transport.abort()

            stack.callback(stop)
            return f"127.0.0.1:{server.sockets[0].getsockname()[1]}"

        yield start
    await asyncio.sleep(0)  # lets aborted transports close their sockets


class _Table(grpc.GenericRpcHandler):
    def __init__(self, handlers: Mapping[str, grpc.RpcMethodHandler]) -> None:
        self._handlers = handlers

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        return self._handlers.get(handler_call_details.method)


@pytest.fixture
async def start_server() -> AsyncIterator[Callable[..., Awaitable[str]]]:
    """Starts a gRPC server with handlers by path, such as {"/pkg.Service/Method": handler}; gives its HOST:PORT."""
    async with contextlib.AsyncExitStack() as stack:

        async def start(
            unary: Mapping[str, Unary] | None = None,
            streams: Mapping[str, Any] | None = None,
            *,
            port: int = 0,
            options: Iterable[tuple[str, Any]] = (),
        ) -> str:
            handlers = {path: grpc.unary_unary_rpc_method_handler(handler) for path, handler in (unary or {}).items()}
            handlers |= {path: grpc.stream_stream_rpc_method_handler(one) for path, one in (streams or {}).items()}
            server = grpc.aio.server(options=list(options))
            server.add_generic_rpc_handlers((_Table(handlers),))
            bound = server.add_insecure_port(f"127.0.0.1:{port}")
            await server.start()
            stack.push_async_callback(server.stop, 0)
            return f"127.0.0.1:{bound}"

        yield start


Reply = ServerReflectionResponse | Callable[[grpc.aio.ServicerContext], Awaitable[Any]] | None


@dataclass
class ReflectionTable:
    """A reflection service that answers from a table.

    `answers` come first, by what was asked ("*" for the list): a response, a coroutine function that ends the stream
    some way, or None to close it. What is not in it is answered out of `services` and `files`, one file an answer,
    or with all that it imports where `closures` is set. `asked` and `ended` record what came.
    """

    services: list[str] = field(default_factory=list)
    files: list[FileDescriptorProto] = field(default_factory=list)
    answers: dict[str, Reply] = field(default_factory=dict)
    closures: bool = False
    answers_a_stream: int = 1_000_000
    metadata: tuple[str, str] | None = None
    asked: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    seen_metadata: list[dict[str, str | bytes]] = field(default_factory=list)

    async def serve(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext) -> AsyncIterator[bytes]:
        self.seen_metadata.append(dict(context.invocation_metadata() or ()))
        end = "CANCELLED"
        try:
            if self.metadata is not None and self.metadata not in (context.invocation_metadata() or ()):
                end = "ABORTED"
                await context.abort(grpc.StatusCode.UNAUTHENTICATED, "who are you?")
            left = self.answers_a_stream
            async for content in requests:
                request = ServerReflectionRequest.FromString(content)
                kind = request.WhichOneof("message_request")
                question = "*" if kind == "list_services" else getattr(request, kind or "")
                self.asked.append(question)
                reply = self.answers[question] if question in self.answers else self._reply(kind, question)
                if callable(reply):
                    end = "ABORTED"
                    reply = await reply(context)
                if reply is None or not left:
                    end = "CLOSED"
                    return
                left -= 1
                yield reply if isinstance(reply, bytes) else reply.SerializeToString()
            end = "OK"
        finally:
            self.ended.append(end)

    def _reply(self, kind: str | None, question: str) -> ServerReflectionResponse:
        response = ServerReflectionResponse()
        if kind == "list_services":
            for name in self.services:
                response.list_services_response.service.add(name=name)
            return response
        found = [file for file in self.files if question == file.name or question in _services(file)][:1]
        if self.closures:
            for file in found:
                found += [one for one in self.files if one.name in file.dependency and one not in found]
        if not found:
            response.error_response.error_code = grpc.StatusCode.NOT_FOUND.value[0]
            return response
        response.file_descriptor_response.file_descriptor_proto.extend(file.SerializeToString() for file in found)
        return response


def _services(file: FileDescriptorProto) -> list[str]:
    return [f"{file.package}.{service.name}".lstrip(".") for service in file.service]


@pytest.fixture
def reflection_table() -> type[ReflectionTable]:
    return ReflectionTable


@pytest.fixture
def start_reflection(start_server: Callable[..., Awaitable[str]]) -> Callable[..., Awaitable[str]]:
    """Starts a server with a reflection table under v1, v1alpha or both; gives its HOST:PORT."""

    async def start(v1: ReflectionTable | None = None, v1alpha: ReflectionTable | None = None, **more: Any) -> str:
        tables = {V1: v1, V1ALPHA: v1alpha}
        streams = {
            f"/{service}/ServerReflectionInfo": table.serve for service, table in tables.items() if table is not None
        }
        return await start_server(streams=streams, **more)

    return start


@pytest.fixture
def make_file() -> Callable[..., FileDescriptorProto]:
    """Makes a file with one message and, where a service is named, one unary RPC over it."""

    def make(
        name: str,
        package: str = "",
        *,
        imports: Iterable[str] = (),
        message: str | None = None,
        service: str | None = None,
        methods: Iterable[str] = ("Get",),
        request: str | None = None,
    ) -> FileDescriptorProto:
        file = FileDescriptorProto(name=name, package=package, syntax="proto3", dependency=imports)
        scope = f".{package}" if package else ""
        if message is not None:
            one = file.message_type.add(name=message)
            one.field.add(name="a", number=1, type="TYPE_STRING", label="LABEL_OPTIONAL", json_name="a")
        if service is not None:
            offered = file.service.add(name=service)
            of = request or f"{scope}.{message}"
            for method in methods:
                offered.method.add(name=method, input_type=of, output_type=of)
        return file

    return make
