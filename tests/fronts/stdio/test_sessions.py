"""The handshake era over lines: one session a connection, and questions between the answers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from gateway.contract.validation import MessageValidator, load_protocol_schema
from gateway.fronts.stdio import StdioSettings, serve_stdio
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.dispatch import Dispatcher, ServerIdentity
from gateway.mcp.revisions import HANDSHAKE_SERVED
from gateway.mcp.subscriptions.hub import SubscriptionHub

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "test", "version": "0"},
}


class Pipe:
    """Both ends of a connection: what the client sends, and the lines that come back."""

    def __init__(self) -> None:
        self.sent: asyncio.Queue[bytes] = asyncio.Queue()
        self.came: asyncio.Queue[Any] = asyncio.Queue()

    async def read(self) -> bytes:
        return await self.sent.get()

    async def write(self, data: bytes) -> None:
        self.came.put_nowait(orjson.loads(data))

    def send(self, method: str, params: Any = None, request_id: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})
        self.answer(message if request_id is None else message | {"id": request_id})

    def answer(self, message: Any) -> None:
        self.sent.put_nowait(orjson.dumps(message) + b"\n")

    async def next(self) -> Any:
        async with asyncio.timeout(10):
            return await self.came.get()


@pytest.fixture
def hub() -> SubscriptionHub:
    return SubscriptionHub()


@pytest.fixture
async def pipe(backend: Any, validator: Any, hub: SubscriptionHub) -> AsyncIterator[Pipe]:
    tools = backend.make_tools()
    tools["delete"] = replace(tools["echo"], name="delete", wants_confirmation=True)
    served = Catalogue(tools=tools, version="1")
    dispatcher = Dispatcher(
        catalogue=lambda: served,
        validator=validator,
        server=ServerIdentity(name="propylon", version="0"),
        session_validators={name: MessageValidator(load_protocol_schema(name)) for name in HANDSHAKE_SERVED},
        subscriptions=hub,
    )
    pipe = Pipe()
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(serve_stdio(dispatcher, StdioSettings(closing_grace_seconds=0.0), streams=(pipe, pipe)))
        yield pipe
        pipe.sent.put_nowait(b"")


async def shake_hands(pipe: Pipe) -> Any:
    pipe.send("initialize", HELLO, 0)
    result = (await pipe.next())["result"]
    pipe.send("notifications/initialized")
    return result


async def test_a_connection_is_a_session(pipe: Pipe) -> None:
    assert (await shake_hands(pipe))["protocolVersion"] == "2025-06-18"
    pipe.send("ping", request_id="p")
    assert await pipe.next() == {"jsonrpc": "2.0", "id": "p", "result": {}}
    pipe.send("tools/call", {"name": "echo", "arguments": {"a": 1}}, 2)
    text = {"type": "text", "text": '{"a":1}'}
    assert (await pipe.next())["result"] == {"content": [text], "structuredContent": {"a": 1}}


async def test_before_the_handshake_only_a_ping_is_answered(pipe: Pipe) -> None:
    pipe.send("ping", request_id=1)
    assert (await pipe.next())["result"] == {}
    pipe.send("tools/list", request_id=2)
    assert (await pipe.next())["error"]["code"] == -32602


async def test_both_eras_share_a_connection(pipe: Pipe, make_request: Callable[..., dict[str, Any]]) -> None:
    await shake_hands(pipe)
    pipe.answer(make_request("tools/list", request_id=5))
    assert (await pipe.next())["result"]["resultType"] == "complete"
    pipe.send("tools/list", request_id=6)
    assert list((await pipe.next())["result"]) == ["tools"]


async def test_a_question_is_a_line_and_so_is_its_answer(pipe: Pipe) -> None:
    await shake_hands(pipe)
    pipe.send("tools/call", {"name": "delete", "arguments": {"a": 1}}, 2)
    question = await pipe.next()
    assert question["method"] == "elicitation/create"
    answer = {"action": "accept", "content": {"confirm": True}}
    pipe.answer({"jsonrpc": "2.0", "id": question["id"], "result": answer})
    assert (await pipe.next())["result"]["structuredContent"] == {"a": 1}


async def test_a_cancelled_call_has_no_answer(pipe: Pipe, backend: Any) -> None:
    await shake_hands(pipe)
    pipe.send("tools/call", {"name": "hang"}, 2)
    await backend.wait_for(begun=1)
    pipe.send("notifications/cancelled", {"requestId": 2})
    await backend.wait_for(cancelled=1)
    pipe.send("ping", request_id=3)
    assert (await pipe.next())["id"] == 3


async def test_changes_are_told_once_the_client_is_ready(pipe: Pipe, hub: SubscriptionHub) -> None:
    await shake_hands(pipe)
    pipe.send("ping", request_id=1)
    await pipe.next()
    hub.publish(Catalogue(tools={}, version="1"), Catalogue(tools={}, version="2"))
    assert await pipe.next() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
