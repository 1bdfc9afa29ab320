import asyncio
import logging
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MakeRequest = Callable[..., dict[str, Any]]


async def test_a_call_is_answered_with_one_json_object(client: Any, make_request: MakeRequest) -> None:
    answer = await client.post(make_request("tools/call", {"name": "echo", "arguments": {"a": "é"}}, request_id="x"))
    assert answer.status == 200
    assert answer.headers == {"content-type": "application/json", "content-length": str(len(answer.body))}
    assert answer.json["id"] == "x"
    assert answer.json["result"]["structuredContent"] == {"a": "é"}


async def test_a_notification_is_accepted_without_a_body(client: Any) -> None:
    for changes in ({}, {"MCP-Protocol-Version": None, "Mcp-Method": None}):
        answer = await client.post({"jsonrpc": "2.0", "method": "notifications/cancelled"}, changes)
        assert (answer.status, answer.body, answer.headers) == (202, b"", {"content-length": "0"})


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_a_slash_at_the_end_of_the_path_makes_no_difference(
    client: Any, get_headers: Any, make_request: MakeRequest, path: str
) -> None:
    message = make_request("tools/list")
    answer = await client.send("POST", path, get_headers(message).items(), [orjson.dumps(message)])
    assert answer.status == 200


async def test_the_body_may_come_in_pieces(client: Any, get_headers: Any, make_request: MakeRequest) -> None:
    message = make_request("tools/call", {"name": "echo", "arguments": {"a": 1}})
    body = orjson.dumps(message)
    parts = [body[:10], b"", body[10:50], body[50:], b""]
    answer = await client.send("POST", "/mcp", get_headers(message).items(), parts)
    assert answer.json["result"]["structuredContent"] == {"a": 1}


async def test_what_other_eras_send_is_ignored(client: Any, make_request: MakeRequest) -> None:
    changes = {"Mcp-Session-Id": "stray", "Last-Event-ID": "7", "Connection": "keep-alive", "Cookie": "a=b"}
    answer = await client.post(make_request("tools/list"), changes)
    assert answer.status == 200
    assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD", "PUT", "OPTIONS", "PATCH"])
async def test_anything_but_post_is_not_allowed(client: Any, method: str) -> None:
    headers = [("Host", "localhost"), ("Accept", "text/event-stream"), ("Mcp-Session-Id", "stray")]
    answer = await client.send(method, "/mcp", headers)
    assert (answer.status, answer.headers["allow"]) == (405, "POST")
    assert answer.error == {"code": -32600, "message": f'"{method}" is not served here: POST one message'}


@pytest.mark.parametrize(
    ("changes", "status", "message"),
    [
        (
            {"Origin": "http://evil.example.com"},
            403,
            'origin "http://evil.example.com" may not call this endpoint; http.allowed_origins names those that may',
        ),
        (
            {"Origin": "null"},
            403,
            'origin "null" may not call this endpoint; http.allowed_origins names those that may',
        ),
        (
            {"Host": "evil.example.com"},
            421,
            'host "evil.example.com" is not served here; http.allowed_hosts names those that are',
        ),
        ({"Host": None}, 421, "host none is not served here; http.allowed_hosts names those that are"),
        ({"Content-Type": None}, 415, "the Content-Type must be application/json, got none"),
        ({"Content-Type": "text/plain"}, 415, 'the Content-Type must be application/json, got "text/plain"'),
        ({"Content-Encoding": "gzip"}, 415, 'the Content-Encoding "gzip" is not taken: send the body as it is'),
        ({"Accept": "text/html"}, 406, 'the answer is application/json, which Accept "text/html" leaves out'),
    ],
)
async def test_a_head_that_no_message_can_have_is_refused_in_one_sentence(
    client: Any, make_request: MakeRequest, changes: dict[str, str | None], status: int, message: str
) -> None:
    answer = await client.post(make_request("tools/list"), changes)
    assert answer.status == status
    assert answer.json == {"jsonrpc": "2.0", "error": {"code": -32600, "message": message}}


@pytest.mark.parametrize(("header", "status"), [("Host", 421), ("Origin", 403), ("Content-Type", 415)])
async def test_a_header_that_comes_twice_is_refused_though_both_say_the_same(
    client: Any, make_request: MakeRequest, header: str, status: int
) -> None:
    value = {"Host": "localhost", "Origin": "http://localhost", "Content-Type": "application/json"}[header]
    answer = await client.post(make_request("tools/list"), {header: value}, extra=[(header, value)])
    assert (answer.status, answer.error["code"]) == (status, -32600)


@pytest.mark.parametrize(
    "changes",
    [
        {"Origin": "http://127.0.0.1:8080"},
        {"Host": "localhost", "Origin": "http://localhost"},
        {"Accept": None},
        {"Accept": "*/*"},
        {"Accept": "application/*, text/*"},
        {"Accept": "text/event-stream;q=0.5, application/json"},
        {"Accept": "APPLICATION/JSON, TEXT/EVENT-STREAM"},
        {"Content-Type": "application/json; charset=utf-8"},
        {"Content-Encoding": "identity"},
        {"MCP-Protocol-Version": "  2026-07-28\t"},
        {"mcp-METHOD": " tools/call "},
        {"Mcp-Name": "  echo  "},
        {"Mcp-Name": "=?base64?ZWNobw==?="},
    ],
)
async def test_a_head_that_says_the_same_in_other_words_is_served(
    client: Any, make_request: MakeRequest, changes: dict[str, str | None]
) -> None:
    if "mcp-METHOD" in changes:
        changes = {**changes, "Mcp-Method": None}
    answer = await client.post(make_request("tools/call", {"name": "echo"}), changes)
    assert answer.status == 200
    assert "result" in answer.json


async def test_accept_may_come_in_several_lines(client: Any, make_request: MakeRequest) -> None:
    message = make_request("tools/list")
    answer = await client.post(message, {"Accept": "text/event-stream"}, extra=[("Accept", "application/json")])
    assert answer.status == 200


@pytest.mark.parametrize(
    ("changes", "extra"),
    [
        ({"Mcp-Method": None}, []),
        ({"Mcp-Method": "tools/list"}, []),
        ({"Mcp-Method": "Tools/Call"}, []),
        ({"Mcp-Name": None}, []),
        ({"Mcp-Name": "hang"}, []),
        ({"Mcp-Name": "=?base64?ZWNobw?="}, []),
        ({"MCP-Protocol-Version": None}, []),
        ({"MCP-Protocol-Version": "2025-11-25"}, []),
        ({}, [("Mcp-Method", "tools/call")]),
        ({}, [("Mcp-Name", "echo")]),
        ({}, [("MCP-Protocol-Version", "2026-07-28")]),
    ],
)
async def test_routing_headers_that_do_not_agree_with_the_body_are_a_mismatch(
    client: Any, make_request: MakeRequest, changes: dict[str, str | None], extra: list[tuple[str, str]]
) -> None:
    answer = await client.post(make_request("tools/call", {"name": "echo"}, request_id=9), changes, extra=extra)
    assert (answer.status, answer.error["code"], answer.json["id"]) == (400, -32020, 9)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"   ", -32700),
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc":"2.0","id":NaN}', -32700),
        (b'{"a":"\\ud800"}', -32600),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/list"}', -32600),
        (b"[" * 20_000 + b"]" * 20_000, None),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"tools/list"}', None),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', -32600),
        (b"5", -32600),
        (b"null", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"a","params":' + b'{"a":' * 20_000 + b"1" + b"}" * 20_000 + b"}", None),
    ],
)
async def test_a_body_that_is_no_message_is_refused_without_an_id(
    client: Any, caplog: pytest.LogCaptureFixture, body: bytes, code: int | None
) -> None:
    answer = await client.post(body)
    assert answer.status == 400
    assert answer.error["code"] in ((-32700, -32600) if code is None else (code,))
    assert "id" not in answer.json
    assert len(answer.body) < 1000
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert (await client.post({"jsonrpc": "2.0", "method": "notifications/ok"})).status == 202


async def test_a_handshake_is_told_the_revision_that_is_served(client: Any) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    answer = await client.post(message, {"MCP-Protocol-Version": None, "Mcp-Method": None})
    assert (answer.status, answer.error["code"]) == (400, -32022)
    assert "2026-07-28" in answer.error["message"]


async def test_an_unknown_method_is_404_with_an_envelope(client: Any, make_request: MakeRequest) -> None:
    answer = await client.post(make_request("prompts/lists", request_id="p"))
    assert (answer.status, answer.error["code"], answer.json["id"]) == (404, -32601, "p")


async def test_a_fault_of_ours_is_told_by_its_reference_alone(
    client: Any, make_request: MakeRequest, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await client.post(make_request("tools/call", {"name": "fail"}, request_id=3))
    records = [record for record in caplog.records if record.name == "propylon.http"]
    assert len(records) == 1
    reference = records[0].__dict__["reference"]
    assert (answer.status, answer.json) == (
        200,
        {
            "jsonrpc": "2.0",
            "id": 3,
            "error": {"code": -32603, "message": f"the gateway failed inside (reference {reference})"},
        },
    )
    assert records[0].exc_info is not None
    assert (await client.post(make_request("tools/call", {"name": "echo"}))).status == 200


async def test_a_stated_length_over_the_limit_is_refused_before_the_body_is_read(
    make_client: Any, get_headers: Any
) -> None:
    client = make_client(body_limit_bytes=1000)
    headers = [*get_headers(b"").items(), ("Content-Length", "1001"), ("Expect", "100-continue")]
    answer = await client.exchange("POST", "/mcp", headers, [])
    assert (answer.status, answer.headers["connection"]) == (413, "close")
    assert answer.error["message"] == "the body is larger than the 1000 bytes that are taken"


async def test_a_body_that_grows_over_the_limit_is_refused_and_read_on_within_bounds(
    make_client: Any, get_headers: Any
) -> None:
    client = make_client(body_limit_bytes=1000, drain_limit_bytes=3000)
    taken = []

    def bring() -> Any:
        for number in range(100):
            taken.append(number)
            yield {"type": "http.request", "body": b"x" * 500, "more_body": True}

    answer = await client.exchange("POST", "/mcp", get_headers(b"").items(), bring())
    assert (answer.status, answer.headers["connection"]) == (413, "close")
    assert len(taken) == 3 + 6


@pytest.mark.parametrize(("size", "status"), [(1000, 400), (1001, 413)])
async def test_the_limit_itself_is_still_taken(make_client: Any, size: int, status: int) -> None:
    assert (await make_client(body_limit_bytes=1000).post(b" " * size)).status == status


async def test_a_body_that_never_ends_is_given_up(make_client: Any, get_headers: Any) -> None:
    client = make_client(body_timeout_seconds=0.01)
    events = [{"type": "http.request", "body": b"{", "more_body": True}]
    answer = await client.exchange("POST", "/mcp", get_headers(b"").items(), events)
    assert (answer.status, answer.headers["connection"]) == (408, "close")


@pytest.mark.parametrize("events", [[], [{"type": "http.request", "body": b"{", "more_body": True}]])
async def test_a_client_that_goes_before_its_body_is_there_gets_no_answer(
    client: Any, get_headers: Any, events: list[dict[str, Any]]
) -> None:
    gone = [*events, {"type": "http.disconnect"}]
    assert await client.exchange("POST", "/mcp", get_headers(b"").items(), gone) is None


async def test_a_client_that_goes_during_a_call_cancels_it_and_gets_no_answer(
    client: Any, get_headers: Any, make_request: MakeRequest, backend: Any
) -> None:
    message = make_request("tools/call", {"name": "hang"})
    events = [{"type": "http.request", "body": orjson.dumps(message), "more_body": False}]
    answer = await client.exchange(
        "POST", "/mcp", get_headers(message).items(), events, then=lambda: backend.wait_for(begun=1)
    )
    assert answer is None
    assert backend.cancelled == 1
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_server_that_shuts_down_cancels_the_call_and_passes_the_cancellation_on(
    client: Any, make_request: MakeRequest, backend: Any
) -> None:
    task = asyncio.create_task(client.post(make_request("tools/call", {"name": "hang"})))
    await backend.wait_for(begun=1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert backend.cancelled == 1


ODD_HEADERS = st.lists(
    st.tuples(
        st.sampled_from(["Host", "Origin", "Content-Type", "Accept", "Content-Length", "Content-Encoding", "Expect",
                         "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Param-A", "X-Odd"]),
        st.text(st.characters(max_codepoint=255), max_size=20)
        | st.sampled_from(["localhost", "application/json", "2026-07-28", "tools/call", "99999999", "*/*"]),
    ),
    max_size=4,
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.just(1) | JSON,
        "method": st.sampled_from(["tools/call", "tools/list", "server/discover", "initialize", "x"]) | JSON,
        "params": JSON
        | st.fixed_dictionaries(
            {},
            optional={
                "name": st.just("echo") | JSON,
                "arguments": JSON,
                "cursor": JSON,
                "_meta": JSON
                | st.fixed_dictionaries(
                    {
                        "io.modelcontextprotocol/protocolVersion": st.just("2026-07-28") | JSON,
                        "io.modelcontextprotocol/clientCapabilities": st.just({}) | JSON,
                    },
                    optional={"traceparent": JSON, "dev.propylon/timeoutMs": JSON},
                ),
            },
        ),
    },
)
BODIES = st.binary(max_size=200) | JSON.map(orjson.dumps) | MESSAGES.map(orjson.dumps)


@given(body=BODIES, extra=ODD_HEADERS, is_bare=st.booleans())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_whatever_comes_is_answered_with_an_envelope_or_an_http_error(
    client: Any, caplog: pytest.LogCaptureFixture, body: bytes, extra: list[tuple[str, str]], is_bare: bool
) -> None:
    if is_bare:
        answer = await client.send("POST", "/mcp", extra, [body])
    else:
        answer = await client.post(body, extra=extra)
    if answer.status == 202:
        assert answer.body == b""
    else:
        envelope = answer.json
        assert envelope["jsonrpc"] == "2.0"
        assert ("result" in envelope) != ("error" in envelope)
        assert (answer.status == 200) or "error" in envelope
        if "error" in envelope:
            assert len(envelope["error"]["message"]) <= 200
            assert "\n" not in envelope["error"]["message"]
    assert [record for record in caplog.records if record.exc_info] == []
