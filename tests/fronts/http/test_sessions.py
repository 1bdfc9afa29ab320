"""The handshake era over real sockets: sessions, what is asked of a client, and streams that are no request's own."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import orjson
import pytest

from gateway.contract.validation import MessageValidator, load_protocol_schema
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.dispatch import Dispatcher, ServerIdentity
from gateway.mcp.revisions import HANDSHAKE_SERVED
from gateway.mcp.subscriptions.hub import SubscriptionHub

ACCEPT = "application/json, text/event-stream"
ELICITATION = {"elicitation": {}}


@pytest.fixture(scope="session")
def session_validators() -> dict[str, MessageValidator]:
    return {name: MessageValidator(load_protocol_schema(name)) for name in HANDSHAKE_SERVED}


@pytest.fixture
def hub() -> SubscriptionHub:
    return SubscriptionHub(limit_listeners=2)


@pytest.fixture
def dispatcher(backend: Any, validator: Any, session_validators: Any, hub: SubscriptionHub) -> Dispatcher:
    tools = backend.make_tools()
    tools["delete"] = replace(tools["echo"], name="delete", wants_confirmation=True)
    served = Catalogue(tools=tools, version="1")
    return Dispatcher(
        catalogue=lambda: served,
        validator=validator,
        server=ServerIdentity(name="propylon", version="0", title="Propylon"),
        session_validators=session_validators,
        subscriptions=hub,
    )


class Client:
    """One client of a server; what it sends goes within its session once it has one."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http
        self.headers: dict[str, str] = {}

    async def post(self, method: str, params: Any = None, *, request_id: Any = 1, **headers: str) -> httpx.Response:
        message = {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})
        if request_id is not None:
            message["id"] = request_id
        return await self.send(message, **headers)

    async def send(self, message: Any, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.post("/mcp", json=message, headers={"accept": ACCEPT, **self.headers, **named})

    async def initialize(self, revision: str = "2025-11-25", capabilities: Any = None) -> dict[str, Any]:
        answer = await self.post("initialize", hello(revision, capabilities))
        assert answer.status_code == 200
        self.headers = {"mcp-session-id": answer.headers["mcp-session-id"]}
        assert (await self.post("notifications/initialized", request_id=None)).status_code == 202
        result: dict[str, Any] = answer.json()["result"]
        return result

    @asynccontextmanager
    async def stream(self, http_method: str, message: Any = None) -> AsyncIterator["Events"]:
        content = {} if message is None else {"json": message}
        headers = {"accept": ACCEPT, **self.headers}
        async with (
            asyncio.timeout(10),
            self.http.stream(http_method, "/mcp", headers=headers, **content) as response,
        ):
            assert (response.status_code, response.headers["content-type"]) == (200, "text/event-stream")
            yield Events(response)


class Events:
    """The messages of one stream, as they come."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = response.aiter_lines()

    async def read(self) -> Any:
        """The next message; None at the end."""
        async for line in self._lines:
            assert not line.startswith("id:")
            if line.startswith("data: "):
                return orjson.loads(line[6:])
        return None

    async def read_comment(self) -> str:
        return await anext(self._lines)


def hello(revision: Any = "2025-11-25", capabilities: Any = None) -> dict[str, Any]:
    client = {"name": "test", "version": "0"}
    return {"protocolVersion": revision, "capabilities": capabilities or {}, "clientInfo": client}


def call(name: str, arguments: Any = None, request_id: Any = 1) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments or {}}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


@pytest.fixture
async def client(start_server: Callable[..., Awaitable[int]]) -> AsyncIterator[Client]:
    port = await start_server()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=10) as http:
        yield Client(http)


@pytest.mark.parametrize(
    ("asked", "settled"),
    [(name, name) for name in HANDSHAKE_SERVED] + [("2024-11-05", "2025-11-25"), ("2026-07-28", "2025-11-25")],
)
async def test_a_handshake_opens_a_session(client: Client, asked: str, settled: str) -> None:
    result = await client.initialize(asked)
    assert result["protocolVersion"] == settled
    assert result["capabilities"]["tools"] == {"listChanged": True}
    assert result["capabilities"]["logging"] == {}
    assert "extensions" not in result["capabilities"]
    assert result["serverInfo"]["name"] == "propylon"
    assert ("title" in result["serverInfo"]) is (settled != "2025-03-26")
    assert all(0x21 <= ord(letter) <= 0x7E for letter in client.headers["mcp-session-id"])
    assert (await client.post("ping")).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert (await client.post("logging/setLevel", {"level": "info"})).json()["result"] == {}


async def test_results_say_what_the_revision_knows_and_no_more(client: Client) -> None:
    for revision, members in (
        ("2025-11-25", {"inputSchema", "name", "outputSchema"}),
        ("2025-03-26", {"inputSchema", "name"}),
    ):
        await client.initialize(revision)
        listed = (await client.post("tools/list")).json()["result"]
        assert list(listed) == ["tools"]
        assert {key for tool in listed["tools"] for key in tool} == members
        result = (await client.send(call("echo", {"a": 1}))).json()["result"]
        text = {"type": "text", "text": '{"a":1}'}
        structured = {} if revision == "2025-03-26" else {"structuredContent": {"a": 1}}
        assert result == {"content": [text], **structured}


async def test_a_request_needs_no_session_where_it_says_its_revision(client: Client) -> None:
    answer = await client.send(call("echo", {"a": 1}), mcp_protocol_version="2025-06-18")
    assert answer.json()["result"]["structuredContent"] == {"a": 1}
    refused = await client.send(call("delete"), mcp_protocol_version="2025-06-18")
    assert refused.json()["error"]["code"] == -32021
    level = await client.post("logging/setLevel", {"level": "info"}, mcp_protocol_version="2025-06-18")
    assert (level.status_code, level.json()["error"]["code"]) == (400, -32600)


async def test_a_request_of_no_revision_and_no_session_is_told_what_is_missing(client: Client) -> None:
    answer = await client.post("tools/list")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32602)


async def test_a_stray_session_means_nothing_to_the_per_request_era(client: Client, make_request: Any) -> None:
    message = make_request("tools/list")
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/list", "mcp_session_id": "x"}
    answer = await client.send(message, last_event_id="5", **headers)
    assert answer.json()["result"]["resultType"] == "complete"


async def test_the_version_header_must_be_the_sessions(client: Client) -> None:
    await client.initialize("2025-06-18")
    assert (await client.post("ping", mcp_protocol_version="2025-06-18")).status_code == 200
    for version, code in (("2025-11-25", -32600), ("2024-11-05", -32022)):
        answer = await client.post("ping", mcp_protocol_version=version)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("server/discover", None, -32601),
        ("subscriptions/listen", {}, -32601),
        ("tasks/get", {"taskId": "x"}, -32601),
        ("tools/call", {}, -32602),
        ("tools/call", {"name": "none"}, -32602),
        ("logging/setLevel", {"level": "loud"}, -32602),
    ],
)
async def test_errors_are_answers_that_succeed(client: Client, method: str, params: Any, code: int) -> None:
    await client.initialize()
    answer = await client.post(method, params)
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["id"]) == (200, code, 1)


async def test_a_fault_of_ours_is_told_by_its_reference_alone(client: Client, caplog: Any) -> None:
    await client.initialize()
    answer = await client.send(call("fail"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, -32603)
    assert "secret" not in answer.text
    assert [record.name for record in caplog.records if record.exc_info] == ["propylon.http"]


async def test_a_batch_is_refused(client: Client) -> None:
    await client.initialize("2025-03-26")
    answer = await client.send([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "batches are not supported; send each message on its own"


async def test_an_ended_session_is_gone(client: Client) -> None:
    await client.initialize()
    ended = await client.http.delete("/mcp", headers=client.headers)
    assert ended.status_code == 204
    for answer in (
        await client.post("ping"),
        await client.http.get("/mcp", headers={"accept": ACCEPT, **client.headers}),
        await client.http.delete("/mcp", headers=client.headers),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32600)


async def test_get_and_delete_exist_within_a_session_alone(client: Client) -> None:
    for headers in ({}, {"mcp-session-id": "x"}):
        for method in ("GET", "DELETE"):
            answer = await client.http.request(method, "/mcp", headers={"accept": ACCEPT, **headers})
            assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert (await client.post("ping", mcp_session_id="x")).status_code == 404
    await client.initialize()
    answer = await client.http.get("/mcp", headers={"accept": "application/json", **client.headers})
    assert answer.status_code == 406
    assert (await client.http.put("/mcp", headers=client.headers)).status_code == 405


async def test_a_question_goes_out_on_the_requests_own_stream(client: Client) -> None:
    await client.initialize(capabilities=ELICITATION)
    async with client.stream("POST", call("delete", {"a": 1}, "c1")) as events:
        question = await events.read()
        assert (question["method"], question["params"]["mode"]) == ("elicitation/create", "form")
        answer = {"action": "accept", "content": {"confirm": True}}
        late = await client.send({"jsonrpc": "2.0", "id": "stranger", "result": answer})
        taken = await client.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})
        assert (late.status_code, taken.status_code, taken.content) == (202, 202, b"")
        result = await events.read()
        assert (result["id"], result["result"]["structuredContent"]) == ("c1", {"a": 1})
        assert await events.read() is None


async def test_a_revision_without_modes_is_asked_without_one(client: Client) -> None:
    await client.initialize("2025-06-18", ELICITATION)
    async with client.stream("POST", call("delete")) as events:
        question = await events.read()
        assert "mode" not in question["params"]
        await client.send({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}})
        assert (await events.read())["result"]["isError"] is True


async def test_a_revision_without_a_capability_does_not_hear_it_declared(client: Client) -> None:
    await client.initialize("2025-03-26", ELICITATION)
    assert (await client.send(call("delete"))).json()["error"]["code"] == -32021


async def test_an_error_as_the_answer_ends_the_call(client: Client) -> None:
    await client.initialize(capabilities=ELICITATION)
    async with client.stream("POST", call("delete")) as events:
        question = await events.read()
        error = {"code": -1, "message": "no\nwindow"}
        await client.send({"jsonrpc": "2.0", "id": question["id"], "error": error})
        told = (await events.read())["error"]
        assert (told["code"], told["message"]) == (-31009, "the client did not answer elicitation/create: no window")


async def test_a_client_without_a_stream_is_asked_on_the_one_that_it_keeps(client: Client) -> None:
    await client.initialize(capabilities=ELICITATION)
    refused = await client.send(call("delete"), accept="application/json")
    assert refused.json()["error"]["code"] == -31009
    async with client.stream("GET") as events:
        calling = asyncio.create_task(client.send(call("delete", {"a": 1}), accept="application/json"))
        question = await events.read()
        answer = {"action": "accept", "content": {"confirm": True}}
        await client.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})
        assert (await calling).json()["result"]["structuredContent"] == {"a": 1}


async def test_a_cancelled_call_is_ended_and_the_backend_told(client: Client, backend: Any) -> None:
    await client.initialize()
    calling = asyncio.create_task(client.send(call("hang", request_id="h")))
    await backend.wait_for(begun=1)
    await client.post("notifications/cancelled", {"requestId": "other"}, request_id=None)
    await client.post("notifications/cancelled", {"requestId": "h", "reason": "x"}, request_id=None)
    await backend.wait_for(cancelled=1)
    answer = await calling
    assert (answer.status_code, answer.headers["content-type"], answer.text) == (200, "text/event-stream", "")


async def test_a_connection_that_ends_cancels_nothing(client: Client, backend: Any) -> None:
    await client.initialize()
    calling = asyncio.create_task(client.send(call("hang", request_id=9)))
    await backend.wait_for(begun=1)
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    assert (await client.post("ping")).status_code == 200
    assert backend.cancelled == 0
    await client.http.delete("/mcp", headers=client.headers)
    await backend.wait_for(cancelled=1)


async def test_without_a_session_it_cancels(client: Client, backend: Any) -> None:
    calling = asyncio.create_task(client.send(call("hang"), mcp_protocol_version="2025-11-25"))
    await backend.wait_for(begun=1)
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    await backend.wait_for(cancelled=1)


async def test_changes_are_told_once_on_the_stream_that_a_client_keeps(client: Client, hub: SubscriptionHub) -> None:
    await client.initialize()
    async with client.stream("GET") as events:
        assert (await events.read_comment()).startswith(":")
        hub.publish(Catalogue(tools={}, version="1"), Catalogue(tools={}, version="2"))
        assert await events.read() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        async with client.stream("GET") as later:
            assert (await later.read_comment()).startswith(":")
            assert await events.read() is None
            hub.publish(Catalogue(tools={}, version="2"), Catalogue(tools={}, version="3"))
            assert (await later.read())["method"] == "notifications/tools/list_changed"
            hub.close()
            assert await later.read() is None


async def test_streams_beyond_the_limit_are_refused(client: Client, hub: SubscriptionHub) -> None:
    await client.initialize()
    with hub.listen(frozenset()), hub.listen(frozenset()):
        answer = await client.http.get("/mcp", headers={"accept": ACCEPT, **client.headers})
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, -32600)
