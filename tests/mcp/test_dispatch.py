from typing import Any

import pytest

from gateway.mcp.exchange import MirroredHeaders

REVISION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
AT_REVISION = "/params/_meta/io.modelcontextprotocol~1protocolVersion"
AT_CAPABILITIES = "/params/_meta/io.modelcontextprotocol~1clientCapabilities"


def error_of(answer: tuple[int, dict[str, Any]]) -> tuple[int, int, Any]:
    """HTTP status, code, and the id that was echoed."""
    status, body = answer
    return status, body["error"]["code"], body.get("id")


async def test_every_result_names_the_server(kit: Any) -> None:
    dispatcher = kit.make_dispatcher(kit.make_tool())
    for message in (
        kit.make_request("server/discover"),
        kit.make_request("tools/list"),
        kit.make_request("tools/call", {"name": "echo"}),
        kit.make_request("tools/call", {"name": "echo", "arguments": {"refused": 1}}),
    ):
        status, body = await kit.ask(dispatcher, message, kit.mirror(message))
        identity = body["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]
        assert (status, identity) == (200, {"name": "propylon", "version": "1.2.3"})


@pytest.mark.parametrize("request_id", [1, 0, -5, "a", "", "é\n"])
async def test_the_id_comes_back_as_it_was(kit: Any, request_id: Any) -> None:
    message = kit.make_request("tools/list", request_id=request_id)
    _, body = await kit.ask(kit.make_dispatcher(), message)
    assert body["id"] == request_id
    assert type(body["id"]) is type(request_id)


@pytest.mark.parametrize(
    ("message", "echoed"),
    [
        ({}, None),
        ({"jsonrpc": "2.0"}, None),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, None),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}, None),
        ({"jsonrpc": "1.0", "id": 1, "method": "tools/list"}, 1),
        ({"id": 1, "method": "tools/list"}, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, None),
        ({"jsonrpc": "2.0", "id": 1, "method": ["tools/list"]}, None),
        ({"jsonrpc": "2.0", "id": None, "method": "tools/list"}, None),
        ({"jsonrpc": "2.0", "id": {}, "method": "foo"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "tools/list"}, None),
        ({"jsonrpc": "2.0", "id": 1.0, "method": "tools/list"}, None),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []}, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "foo", "params": None}, 1),
        ({"jsonrpc": "2.0", "method": "tools/call", "params": {}}, None),
        ({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 5}, None),
    ],
)
async def test_what_is_no_request_is_an_invalid_request(kit: Any, message: dict[str, Any], echoed: Any) -> None:
    answer = await kit.ask(kit.make_dispatcher(), message)
    assert error_of(answer) == (400, -32600, echoed)
    error = answer[1]["error"]
    assert error["message"].startswith("request: /")
    assert error["data"]["errors"]


async def test_garbage_is_answered_within_435_bytes(kit: Any) -> None:
    from gateway.contract.envelopes import encode_envelope

    envelope = await kit.dispatch(kit.make_dispatcher(), {"jsonrpc": "1.0", "id": {}, "method": 5, "params": []})
    assert len(encode_envelope(envelope)) <= 435


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "anything/else", "params": {"a": 1}},
    ],
)
async def test_a_notification_has_no_answer(kit: Any, message: dict[str, Any]) -> None:
    assert await kit.dispatch(kit.make_dispatcher(), message) is None
    assert await kit.dispatch(kit.make_dispatcher(), message, MirroredHeaders()) is None


@pytest.mark.parametrize(
    ("params", "errors"),
    [
        (None, [AT_CAPABILITIES, AT_REVISION]),
        ({}, [AT_CAPABILITIES, AT_REVISION]),
        ({"_meta": {}}, [AT_CAPABILITIES, AT_REVISION]),
        ({"_meta": None}, ["/params/_meta"]),
        ({"_meta": [1]}, ["/params/_meta"]),
        ({"_meta": {REVISION_KEY: "2026-07-28"}}, [AT_CAPABILITIES]),
        ({"_meta": {CAPABILITIES_KEY: {}}}, [AT_REVISION]),
        ({"_meta": {CAPABILITIES_KEY: {}, REVISION_KEY: 5}}, [AT_REVISION]),
    ],
)
@pytest.mark.parametrize("method", ["server/discover", "tools/list", "foo/bar"])
async def test_a_request_without_a_sound_meta_is_told_what_is_missing(
    kit: Any, method: str, params: Any, errors: list[str]
) -> None:
    message = {"jsonrpc": "2.0", "id": 7, "method": method} | ({} if params is None else {"params": params})
    headers = MirroredHeaders(version="2026-07-28", method=method)
    for mirrored in (headers, None):
        answer = await kit.ask(kit.make_dispatcher(), dict(message), mirrored)
        assert error_of(answer) == (400, -32602, 7)
        assert [location["at"] for location in answer[1]["error"]["data"]["errors"]] == errors


async def test_client_info_may_be_left_out_or_say_more_than_it_must(kit: Any) -> None:
    dispatcher = kit.make_dispatcher()
    message = kit.make_request("server/discover")
    del message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]
    assert (await kit.ask(dispatcher, message))[0] == 200
    info = {"name": "t", "version": "0", "description": "d", "websiteUrl": "https://example.com", "more": [1]}
    message = kit.make_request("server/discover", **{"io.modelcontextprotocol/clientInfo": info})
    assert (await kit.ask(dispatcher, message))[0] == 200


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-11-25", "2027-01-01", "x", "", "v999.0.0"])
async def test_a_revision_that_is_not_served_is_refused_with_those_that_are(kit: Any, revision: str) -> None:
    dispatcher = kit.make_dispatcher()
    message = kit.make_request("server/discover", **{REVISION_KEY: revision})
    answer = await kit.ask(dispatcher, message, kit.mirror(message))
    assert error_of(answer) == (400, -32022, 1)
    data = answer[1]["error"]["data"]
    assert data["requested"] == revision
    for served in data["supported"]:
        message = kit.make_request("server/discover", **{REVISION_KEY: served})
        status, body = await kit.ask(dispatcher, message, kit.mirror(message))
        assert status == 200
        assert body["result"]["supportedVersions"] == data["supported"]


async def test_a_header_that_contradicts_the_body_wins_over_an_unknown_revision(kit: Any) -> None:
    message = kit.make_request("server/discover", **{REVISION_KEY: "v999.0.0"})
    answer = await kit.ask(kit.make_dispatcher(), message, kit.mirror(message, version="2026-07-28"))
    assert error_of(answer) == (400, -32020, 1)


async def test_a_missing_version_header_is_a_mismatch_where_the_body_states_a_revision(kit: Any) -> None:
    message = kit.make_request("server/discover")
    answer = await kit.ask(kit.make_dispatcher(), message, kit.mirror(message, version=None))
    assert error_of(answer) == (400, -32020, 1)


async def test_headers_are_held_against_the_body_before_the_method_is_looked_up(kit: Any) -> None:
    message = kit.make_request("foo/bar")
    answer = await kit.ask(kit.make_dispatcher(), message, kit.mirror(message, method="tools/list"))
    assert error_of(answer) == (400, -32020, 1)


@pytest.mark.parametrize("header", [None, "2025-06-18"])
async def test_a_handshake_is_refused_with_the_revision_that_is_served(kit: Any, header: str | None) -> None:
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    for mirrored in (MirroredHeaders(version=header), None):
        answer = await kit.ask(kit.make_dispatcher(), dict(message), mirrored)
        assert error_of(answer) == (400, -32022, 0)
        error = answer[1]["error"]
        assert "2026-07-28" in error["message"]
        assert error["data"] == {"supported": ["2026-07-28"], "requested": "2025-06-18"}


async def test_a_request_within_a_handshake_session_is_refused_with_its_revision(kit: Any) -> None:
    message = {"jsonrpc": "2.0", "id": 0, "method": "tools/list"}
    answer = await kit.ask(kit.make_dispatcher(), message, MirroredHeaders(version="2025-11-25"))
    assert error_of(answer) == (400, -32022, 0)
    assert answer[1]["error"]["data"]["requested"] == "2025-11-25"


@pytest.mark.parametrize(
    "method",
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "roots/list", "TOOLS/LISTS", ""],
)
async def test_an_unknown_method_is_not_found(kit: Any, method: str) -> None:
    message = kit.make_request(method, {"name": "x"}, request_id="q")
    for mirrored in (kit.mirror(message), None):
        answer = await kit.ask(kit.make_dispatcher(), dict(message), mirrored)
        assert error_of(answer) == (404, -32601, "q")
        assert answer[1]["error"]["message"].startswith("Method not found: ")


async def test_a_method_that_is_nearly_one_is_told_which(kit: Any) -> None:
    answer = await kit.ask(kit.make_dispatcher(), kit.make_request("tools/call2"))
    assert answer[1]["error"]["message"] == 'Method not found: "tools/call2"; did you mean "tools/call"?'


@pytest.mark.parametrize(
    ("params", "at"),
    [
        ({"name": 5}, "/params/name"),
        ({}, "/params/name"),
        ({"name": "echo", "arguments": []}, "/params/arguments"),
        ({"name": "echo", "arguments": "x"}, "/params/arguments"),
        ({"name": "echo", "arguments": 5}, "/params/arguments"),
    ],
)
async def test_parameters_of_the_wrong_shape_are_malformed(kit: Any, params: dict[str, Any], at: str) -> None:
    rpc = kit.FakeRpc()
    message = kit.make_request("tools/call", params)
    answer = await kit.ask(kit.make_dispatcher(kit.make_tool(call=rpc)), message, kit.mirror(message))
    assert error_of(answer) == (400, -32602, 1)
    assert [location["at"] for location in answer[1]["error"]["data"]["errors"]] == [at]
    assert rpc.calls == []


async def test_capabilities_of_the_wrong_shape_are_malformed(kit: Any) -> None:
    message = kit.make_request("tools/list", **{CAPABILITIES_KEY: []})
    answer = await kit.ask(kit.make_dispatcher(), message)
    assert error_of(answer) == (400, -32602, 1)


async def test_arguments_are_held_against_their_headers(kit: Any) -> None:
    schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    rpc = kit.FakeRpc()
    dispatcher = kit.make_dispatcher(kit.make_tool(listing={"name": "echo", "inputSchema": schema}, call=rpc))
    message = kit.make_request("tools/call", {"name": "echo", "arguments": {"region": "eu"}})
    answer = await kit.ask(dispatcher, message, kit.mirror(message))
    assert error_of(answer) == (400, -32020, 1)
    answer = await kit.ask(dispatcher, message, kit.mirror(message, parameters={"region": "us"}))
    assert error_of(answer) == (400, -32020, 1)
    assert rpc.calls == []
    status, body = await kit.ask(dispatcher, message, kit.mirror(message, parameters={"region": "eu"}))
    assert (status, body["result"]["structuredContent"]) == (200, {"region": "eu"})
    status, _ = await kit.ask(dispatcher, message)
    assert status == 200
    assert len(rpc.calls) == 2


async def test_arguments_of_the_wrong_type_are_malformed_whatever_their_headers(kit: Any) -> None:
    schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    dispatcher = kit.make_dispatcher(kit.make_tool(listing={"name": "echo", "inputSchema": schema}))
    message = kit.make_request("tools/call", {"name": "echo", "arguments": [1]})
    answer = await kit.ask(dispatcher, message, kit.mirror(message, parameters={"region": "eu"}))
    assert error_of(answer) == (400, -32602, 1)


async def test_an_exception_in_a_method_is_left_to_the_front(kit: Any) -> None:
    def fail(_: bytes) -> bytes:
        raise KeyError("inside")

    dispatcher = kit.make_dispatcher(kit.make_tool(call=kit.FakeRpc(fail)))
    with pytest.raises(KeyError):
        await kit.dispatch(dispatcher, kit.make_request("tools/call", {"name": "echo"}))
