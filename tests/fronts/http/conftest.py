import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest
import uvicorn
import uvloop
from starlette.types import ASGIApp

from gateway.fronts.http import HttpSettings, Readiness, build_http_app
from gateway.mcp.dispatch import Dispatcher

NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@dataclass
class Health:
    """A process whose state the test decides."""

    readiness: Readiness = field(default_factory=lambda: Readiness(is_ready=True))

    def get_readiness(self) -> Readiness:
        return self.readiness


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        """The error of an answer that refuses, which must be JSON and say so."""
        assert self.headers["content-type"] == "application/json"
        return self.json["error"]


class Client:
    """Speaks ASGI to an application, without sockets."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def post(
        self, message: Any, changes: Mapping[str, str | None] | None = None, *, extra: Sequence[tuple[str, str]] = ()
    ) -> Answer:
        """Posts a message as a faithful client does, but for `changes` (None leaves a header out) and `extra` ones."""
        body = message if isinstance(message, bytes) else orjson.dumps(message)
        headers = {**faithful_headers(message), **(changes or {})}
        lines = [(name, value) for name, value in headers.items() if value is not None]
        return await self.send("POST", "/mcp", [*lines, *extra], [body])

    async def send(
        self, method: str, path: str, headers: Iterable[tuple[str, str]] = (), parts: Sequence[bytes] = (b"",)
    ) -> Answer:
        events = [
            {"type": "http.request", "body": part, "more_body": position < len(parts) - 1}
            for position, part in enumerate(parts)
        ]
        answer = await self.exchange(method, path, headers, events)
        assert answer is not None
        return answer

    async def exchange(
        self,
        method: str,
        path: str,
        headers: Iterable[tuple[str, str]],
        events: Sequence[Mapping[str, Any]],
        *,
        then: Callable[[], Any] | None = None,
    ) -> Answer | None:
        """One request whose body comes as these events; behind them `then` is awaited, or nothing ever comes."""
        coming = iter(events)
        sent: list[dict[str, Any]] = []

        async def receive() -> Mapping[str, Any]:
            event = next(coming, None)
            if event is None:
                await (then() if then else asyncio.Event().wait())
                return {"type": "http.disconnect"}
            return event

        async def send(event: Any) -> None:
            sent.append(dict(event))

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        await self.app(scope, receive, send)
        return read_answer(sent)


def read_answer(sent: list[dict[str, Any]]) -> Answer | None:
    if not sent:
        return None
    start, *bodies = sent
    assert start["type"] == "http.response.start"
    assert all(event["type"] == "http.response.body" for event in bodies)
    assert [event.get("more_body", False) for event in bodies] == [True] * (len(bodies) - 1) + [False]
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    body = b"".join(event.get("body", b"") for event in bodies)
    assert headers["content-length"] == str(len(body))
    return Answer(start["status"], headers, body)


def faithful_headers(message: Any) -> dict[str, str]:
    headers = {
        "Host": "127.0.0.1:8080",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
    }
    if isinstance(message, dict) and isinstance(message.get("method"), str):
        headers["Mcp-Method"] = message["method"]
        name = (message.get("params") or {}).get(NAMED.get(message["method"], ""))
        if isinstance(name, str):
            headers["Mcp-Name"] = name
    return headers


@pytest.hookimpl(optionalhook=True)
def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """What meets the server is tried on both loops that it may run on."""
    if item.path.name in ("test_server.py", "test_streamed_answers.py"):
        return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
    return {"asyncio": asyncio.new_event_loop}


@pytest.fixture
def health() -> Health:
    return Health()


@pytest.fixture
def make_client(dispatcher: Dispatcher, health: Health) -> Callable[..., Client]:
    return lambda **settings: Client(build_http_app(dispatcher, HttpSettings(**settings), health))


@pytest.fixture
def client(make_client: Callable[..., Client]) -> Client:
    return make_client()


@pytest.fixture
def get_headers() -> Callable[[Any], dict[str, str]]:
    return faithful_headers


@pytest.fixture
async def start_server(dispatcher: Dispatcher, health: Health) -> AsyncIterator[Callable[..., Awaitable[int]]]:
    """Starts a real server on a loopback port, with these settings of the front; gives the port.

    `send_buffer_bytes` is what the kernel may hold for a client that does not read.
    """
    async with AsyncExitStack() as stack:

        async def start(*, send_buffer_bytes: int | None = None, **settings: Any) -> int:
            app = build_http_app(dispatcher, HttpSettings(**settings), health)
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            if send_buffer_bytes is not None:
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer_bytes)
            config = uvicorn.Config(app, http="httptools", lifespan="off", log_config=None, access_log=False)
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve([listening]))

            async def stop() -> None:
                server.should_exit = True
                await serving

            stack.push_async_callback(stop)
            while not server.started:  # noqa: ASYNC110 - the server offers nothing to wait for
                await asyncio.sleep(0)
            return int(listening.getsockname()[1])

        yield start


@pytest.fixture
async def port(start_server: Callable[..., Awaitable[int]]) -> int:
    """A real server on a loopback port, with a body limit of 100,000 bytes and 200,000 more to be drained."""
    return await start_server(body_limit_bytes=100_000, drain_limit_bytes=200_000)
