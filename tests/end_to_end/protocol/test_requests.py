"""What a client may send and what it is told, by the specification's own rungs."""

import time

import pytest

PROTO = "message M { string t = 1; } service S { rpc Do(M) returns (M); }"
RPC = "t.S/Do"
REVISION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"


def with_meta(request, **changes):
    meta = {**request["params"]["_meta"], **changes}
    request["params"]["_meta"] = {key: value for key, value in meta.items() if value is not None}
    return request


async def test_the_first_message_may_ask_what_is_served(make_stage):
    stage = await make_stage(PROTO)
    client = {"name": "x", "version": "1", "description": "d", "websiteUrl": "https://x.example", "odd": [1]}
    request = with_meta(stage.make_request("server/discover"), **{"io.modelcontextprotocol/clientInfo": client})
    began = time.process_time()
    answer = await stage.post(request)
    assert time.process_time() - began < 0.1
    result = answer.json["result"]
    assert (answer.status, result["resultType"], result["cacheScope"]) == (200, "complete", "public")
    assert result["ttlMs"] >= 0
    assert "2026-07-28" in result["supportedVersions"]
    assert "tools" in result["capabilities"]
    assert "io.modelcontextprotocol/serverInfo" in result["_meta"]
    (over_stdio,) = await stage.talk(request)
    assert over_stdio["result"]["supportedVersions"] == result["supportedVersions"]


@pytest.mark.parametrize("revision", ["2024-11-05", "2027-01-01", "x", "", "é" * 1000])
async def test_a_revision_that_is_not_served_is_refused_with_those_that_are(make_stage, revision):
    stage = await make_stage(PROTO)
    request = with_meta(stage.make_request("tools/list"), **{REVISION_KEY: revision})
    header = revision if revision.isascii() else None
    answer = await stage.post(request, {"mcp-protocol-version": header})
    if header is None:
        assert answer.json["error"]["code"] == -32020
        (over_stdio,) = await stage.talk(request)
        error = over_stdio["error"]
    else:
        error = answer.json["error"]
    assert answer.status == 400
    assert error["code"] == -32022
    assert len(error["message"]) <= 200
    for served in error["data"]["supported"]:
        again = with_meta(stage.make_request("tools/list"), **{REVISION_KEY: served})
        assert (await stage.post(again, {"mcp-protocol-version": served})).status == 200


@pytest.mark.parametrize(
    ("meta", "headers", "code", "message"),
    [
        ({}, {"mcp-protocol-version": None}, -32020, "header MCP-Protocol-Version is missing"),
        ({}, {"mcp-protocol-version": "2025-06-18"}, -32020, "header MCP-Protocol-Version differs from the body"),
        ({}, {"mcp-method": None}, -32020, "header Mcp-Method is missing"),
        ({}, {"mcp-method": "tools/list"}, -32020, "header Mcp-Method differs from the body"),
        ({}, {"mcp-name": None}, -32020, "header Mcp-Name is missing"),
        ({}, {"mcp-name": "other"}, -32020, "header Mcp-Name differs from the body"),
        ({}, {"mcp-name": ["t_S_Do", "t_S_Do"]}, -32020, "header Mcp-Name came more than once"),
        ({}, {"mcp-name": "=?base64?!!?="}, -32020, "header Mcp-Name is malformed"),
        ({}, {"mcp-name": "t_S_D\xe9"}, -32020, "header Mcp-Name is malformed"),
        ({REVISION_KEY: None}, {}, -32602, "request: /params/_meta/io.modelcontextprotocol~1protocolVersion is requ"),
        ({CAPABILITIES_KEY: None}, {}, -32602, "request: /params/_meta/io.modelcontextprotocol~1clientCapabilities"),
        ({REVISION_KEY: 5}, {}, -32602, "request: /params/_meta/io.modelcontextprotocol~1protocolVersion must be a st"),
    ],
)
async def test_a_request_states_itself_twice_and_the_same(make_stage, meta, headers, code, message):
    stage = await make_stage(PROTO)
    answer = await stage.post(with_meta(stage.make_call(RPC, {}), **meta), headers)
    assert (answer.status, answer.json["error"]["code"]) == (400, code)
    assert answer.json["error"]["message"].startswith(message)
    assert stage.requests(RPC) == []


@pytest.mark.parametrize("name", ["=?base64?dF9TX0Rv?=", " t_S_Do\t"])
async def test_a_name_may_come_encoded_and_padded(make_stage, name):
    stage = await make_stage(PROTO)
    answer = await stage.post(stage.make_call(RPC, {"t": "x"}), {"mcp-name": name})
    assert answer.json["result"]["structuredContent"] == {"t": "x"}


@pytest.mark.parametrize("method", ["prompts/list/all", "foo/bar", "tools/call2", "TOOLS/LIST", "", "x" * 5000])
async def test_a_method_that_there_is_not_is_not_found(make_stage, method):
    stage = await make_stage(PROTO)
    request = stage.make_request(method)
    answer = await stage.post(request)
    assert (answer.status, answer.headers["content-type"]) == (404, "application/json")
    (over_stdio,) = await stage.talk(request)
    for envelope in (answer.json, over_stdio):
        assert (envelope["id"], envelope["error"]["code"]) == (request["id"], -32601)
        assert envelope["error"]["message"].startswith('Method not found: "')
        assert len(envelope["error"]["message"]) <= 200


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("nope", 200, 'Unknown tool: "nope"; tools/list names those that there are'),
        ("T_S_DO", 200, 'Unknown tool: "T_S_DO"; did you mean "t_S_Do"?'),
        ("", 200, 'Unknown tool: ""; tools/list names those that there are'),
        ("x" * 10_000, 200, f'Unknown tool: "{"x" * 62}…" (10000 characters); tools/list names those that there are'),
        (5, 400, "request: /params/name must be a string, got 5"),
        (None, 400, "request: /params/name is required"),
    ],
)
async def test_a_tool_that_there_is_not_is_an_error_of_the_protocol(make_stage, name, status, message):
    stage = await make_stage(PROTO)
    request = stage.make_request("tools/call", {} if name is None else {"name": name})
    answer = await stage.post(request)
    assert (answer.status, answer.json["id"]) == (status, request["id"])
    assert (answer.json["error"]["code"], answer.json["error"]["message"]) == (-32602, message)


@pytest.mark.parametrize("http_method", ["GET", "DELETE", "PUT", "HEAD"])
async def test_only_post_is_served(make_stage, http_method):
    stage = await make_stage(PROTO)
    headers = {"mcp-session-id": "x", "accept": "text/event-stream"}
    answer = await stage.post(b"", headers, http_method=http_method)
    assert (answer.status, answer.headers["allow"]) == (405, "POST")
    assert answer.json["error"]["code"] == -32600


async def test_headers_of_earlier_revisions_are_ignored(make_stage):
    stage = await make_stage(PROTO)
    answer = await stage.post(stage.make_request("tools/list"), {"mcp-session-id": "x", "last-event-id": "5"})
    assert answer.status == 200


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("accept", "*/*", 200),
        ("accept", "application/*, text/*", 200),
        ("accept", "text/event-stream;q=0.5, application/json", 200),
        ("accept", "APPLICATION/JSON, TEXT/EVENT-STREAM", 200),
        ("accept", None, 200),
        ("accept", "application/json", 200),
        ("accept", ["text/event-stream", "application/json"], 200),
        ("accept", "text/html", 406),
        ("accept", "application/json;q=0, */*", 406),
        ("content-type", "application/json; charset=utf-8", 200),
        ("content-type", "Application/JSON", 200),
        ("content-type", "text/plain", 415),
        ("content-type", "application/json; charset=latin-1", 415),
        ("content-type", None, 415),
        ("content-encoding", "gzip", 415),
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("host", "evil.example", 421),
        ("host", None, 421),
    ],
)
async def test_what_the_headers_offer_and_ask_for_is_held_to(make_stage, header, value, status):
    stage = await make_stage(PROTO)
    answer = await stage.post(stage.make_request("tools/list"), {header: value})
    assert (answer.status, answer.headers["content-type"]) == (status, "application/json")
    assert ("error" in answer.json) == (status != 200)
