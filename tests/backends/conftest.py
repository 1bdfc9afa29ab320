"""Servers to call: gRPC ones that answer from a table, and one that speaks bare HTTP/2."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any

import grpc
import h2.config
import h2.connection
import h2.events
import h2.exceptions
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from tests.backends.reflection_table import V1, V1ALPHA, ReflectionTable

Answer = Callable[["RawConnection", int], None]
Unary = Callable[[bytes, grpc.aio.ServicerContext], Awaitable[bytes]]


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
