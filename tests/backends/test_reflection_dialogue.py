"""What is true only of servers that end a stream before the question on it has gone out, as Go's do."""

import asyncio
from collections.abc import AsyncIterator

import grpc
import h2.config
import h2.connection
import h2.events
import pytest
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest

from gateway.backends.channels import ChannelLimits
from gateway.backends.reflection_dialogue import ReflectionDialogue, Unanswered

UNIMPLEMENTED = ((b":status", b"200"), (b"content-type", b"application/grpc"), (b"grpc-status", b"12"))


class HastyConnection(asyncio.Protocol):
    """Answers UNIMPLEMENTED as soon as a stream begins."""

    def __init__(self) -> None:
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding=None))
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.h2.initiate_connection()
        transport.write(self.h2.data_to_send())

    def data_received(self, data: bytes) -> None:
        for event in self.h2.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                self.h2.send_headers(event.stream_id, UNIMPLEMENTED, end_stream=True)
        self.transport.write(self.h2.data_to_send())


@pytest.fixture
async def hasty_target() -> AsyncIterator[str]:
    connections: list[HastyConnection] = []

    def connect() -> HastyConnection:
        connections.append(HastyConnection())
        return connections[-1]

    server = await asyncio.get_running_loop().create_server(connect, "127.0.0.1", 0)
    yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    for connection in connections:
        connection.transport.abort()


async def test_unimplemented_is_heard_however_early_it_comes(hasty_target: str) -> None:
    async with grpc.aio.insecure_channel(hasty_target) as channel:
        for _ in range(20):  # whether the question or the answer is first differs from one time to the next
            dialogue = ReflectionDialogue(
                channel, backend="hasty", metadata=(), limits=ChannelLimits(), deadline_seconds=10.0
            )
            async with dialogue:
                outcome = await dialogue.ask(ServerReflectionRequest(list_services="*"))
            assert isinstance(outcome, Unanswered)
            assert outcome.status.code == grpc.StatusCode.UNIMPLEMENTED.value[0]
