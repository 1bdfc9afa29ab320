"""Gateways on real sockets, and a client that reads answers as they come."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import orjson
import pytest

from gateway.app.serving.http_server import HttpServer, get_address, open_listening_socket
from gateway.app.settings.model import ListenAddress
from tests.end_to_end.stage import Stage, derive_headers

PROTO = """
message Ask { int32 count = 1; string text = 2; }
message Tick { int32 n = 1; string text = 2; }
service S {
  rpc Get(Ask) returns (Tick);
  rpc Watch(Ask) returns (stream Tick);
  rpc Upload(stream Tick) returns (Tick);
  rpc Chat(stream Tick) returns (stream Tick);
}
"""
# What any reader of server-sent events takes, and no more than that.
STREAM = re.compile(rb"(?::[^\n\r]*\n\n|(?:event: message\n)?data: [^\n\r]*\n\n)*")


@dataclass
class Answer:
    """One answer as it comes."""

    response: httpx.Response
    chunks: list[tuple[float, bytes]] = field(default_factory=list)

    @property
    def is_stream(self) -> bool:
        return self.response.headers["content-type"] == "text/event-stream"

    async def read(self) -> list[dict[str, Any]]:
        """All messages of the answer, the result last; every byte of a stream must be in place."""
        async for chunk in self.response.aiter_raw():
            self.chunks.append((time.monotonic(), chunk))
        body = b"".join(chunk for _, chunk in self.chunks)
        if not self.is_stream:
            return [orjson.loads(body)]
        assert STREAM.fullmatch(body)
        return [orjson.loads(line[6:]) for line in body.split(b"\n") if line.startswith(b"data: ")]

    async def result(self) -> Any:
        """The result of the call."""
        return (await self.read())[-1]["result"]


class Client:
    """Posts to a gateway."""

    def __init__(self, stage: Stage, http: httpx.AsyncClient, url: str) -> None:
        self.stage = stage
        self.http = http
        self.url = url

    @contextlib.asynccontextmanager
    async def post(
        self,
        rpc: str,
        arguments: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        **meta: Any,
    ) -> AsyncIterator[Answer]:
        """A call of an RPC's tool; leaving the context leaves the answer."""
        message = self.stage.make_call(rpc, arguments or {})
        message["params"]["_meta"] = {**message["params"]["_meta"], **meta}
        derived = {name: str(value) for name, value in derive_headers(message).items() if name != "host"}
        sent = {**derived, **(headers or {})}
        async with self.http.stream("POST", self.url, content=orjson.dumps(message), headers=sent) as response:
            yield Answer(response)

    async def call(self, rpc: str, arguments: Any = None, **meta: Any) -> Any:
        """The result of a call."""
        async with self.post(rpc, arguments, **meta) as answer:
            return await answer.result()


@pytest.fixture
async def connect() -> AsyncIterator[Callable[[Stage], Awaitable[Client]]]:
    """Serves a stage on a loopback port, as the command does; gives a client of it."""
    async with contextlib.AsyncExitStack() as stack:

        async def make(stage: Stage) -> Client:
            listening = stack.enter_context(open_listening_socket(ListenAddress(host="127.0.0.1", port=0)))
            server = HttpServer(stage.serve, listening)
            serving = asyncio.create_task(server.run())

            async def stop() -> None:
                server.stop()
                await serving

            stack.push_async_callback(stop)
            http = await stack.enter_async_context(httpx.AsyncClient(timeout=60))
            return Client(stage, http, f"http://{get_address(listening)}/mcp")

        yield make


@pytest.fixture
async def stage(make_stage: Callable[..., Awaitable[Stage]]) -> Stage:
    return await make_stage(PROTO)


@pytest.fixture
async def client(stage: Stage, connect: Callable[[Stage], Awaitable[Client]]) -> Client:
    return await connect(stage)
