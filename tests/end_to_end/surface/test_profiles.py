"""Clients of a model provider: what they are listed, what they may send, and what they are told."""

import jsonschema_rs
import pytest

from tests.end_to_end.surface.configured import configure

PROTO = """
message Line { string sku = 1; map<string, int32> counts = 2; }
message Ask {
  string id = 1; map<string, string> labels = 2; google.protobuf.Struct settings = 3; google.protobuf.Value any = 4;
  repeated Line lines = 5; Ask nested = 6; int32 level = 7; bool flag = 8;
}
message Told { string text = 1; Told more = 2; }
message Wide { FIELDS }
service S {
  rpc Do(Ask) returns (Told); rpc Plain(Told) returns (Told); rpc Free(google.protobuf.Struct) returns (Told);
  rpc Big(Wide) returns (Told); rpc Send(stream Line) returns (Told);
}
""".replace("FIELDS", " ".join(f"string f{number} = {number};" for number in range(1, 41)))
RPC = "t.S/Do"
PATHS = ("openai", "gemini", "anthropic", "bedrock")
GIVEN = {
    "id": "o1",
    "labels": [{"key": "a/b", "value": "1"}],
    "settings": '{"deep":{"x":[1,null]}}',
    "any": '"text"',
    "lines": [{"sku": "s", "counts": [{"key": "k", "value": 3}]}],
    "nested": None,
    "level": None,
    "flag": None,
}


@pytest.fixture
def open_stage(make_stage):
    async def open_answering(proto=PROTO, **options):
        stage = await make_stage(proto, **options)
        stage.backend.answers |= dict.fromkeys((RPC, "t.S/Free"), b"")
        return stage

    return open_answering


async def list_tools(stage, path):
    answer = await stage.post(stage.make_request("tools/list"), path=f"/mcp/{path}")
    return {tool["_meta"]["dev.propylon/rpc"]: tool for tool in answer.json["result"]["tools"]}


async def call(stage, path, arguments, rpc=RPC):
    return (await stage.post(stage.make_call(rpc, arguments), path=path)).json["result"]


def make_expected(stage):
    return stage.make(
        "t.Ask",
        id="o1",
        labels={"a/b": "1"},
        settings={"deep": {"x": [1, None]}},
        any={"string_value": "text"},
        lines=[{"sku": "s", "counts": {"k": 3}}],
    )


async def test_a_call_in_the_strict_form_is_the_call_that_it_means(open_stage):
    stage = await open_stage()
    schema = (await list_tools(stage, "openai"))[RPC]["inputSchema"]
    jsonschema_rs.Draft202012Validator(schema, offline=True).validate(GIVEN)
    for path in ("/mcp/openai", "/mcp/openai/"):
        result = await call(stage, path, GIVEN)
        assert not result.get("isError"), result
        assert stage.received(RPC, "t.Ask") == make_expected(stage)
    neutral = {"id": "o1", "labels": {"a/b": "1"}, "lines": [{"sku": "s", "counts": {"k": 3}}], "any": "text"}
    neutral["settings"] = {"deep": {"x": [1, None]}}
    assert not (await call(stage, "/mcp", neutral)).get("isError")
    assert stage.received(RPC, "t.Ask") == make_expected(stage)


@pytest.mark.parametrize("path", PATHS)
async def test_each_endpoint_lists_schemas_of_its_provider(open_stage, path):
    stage = await open_stage()
    tools = await list_tools(stage, path)
    assert RPC in tools or path == "anthropic"
    for tool in tools.values():
        jsonschema_rs.validator_for(tool["inputSchema"], offline=True)
    assert ("$ref" in str(tools)) is (path != "bedrock")
    plain = {tool["_meta"]["dev.propylon/rpc"]: tool for tool in await stage.list_tools()}
    assert plain.keys() >= tools.keys()
    assert "null" not in str(plain)


async def test_where_everything_is_required_the_description_says_what_null_means(open_stage):
    stage = await open_stage()
    tool = (await list_tools(stage, "openai"))["t.S/Plain"]
    assert tool["description"].endswith("\n\nAn argument that is not needed is null.")
    assert tool["inputSchema"]["required"] == ["text", "more"]


async def test_a_refusal_has_the_places_of_the_form_that_was_given(open_stage):
    stage = await open_stage()
    given = {
        **GIVEN,
        "labels": [{"key": "a", "value": "1"}, {"key": "b", "value": 5}],
        "lines": [{"sku": "s", "counts": [{"key": "k", "value": "x"}]}],
        "settings": "{",
    }
    result = await call(stage, "/mcp/openai", given)
    assert result["content"][0]["text"].startswith("INVALID_ARGUMENT: arguments: /settings must be JSON as text")
    result = await call(stage, "/mcp/openai", {**given, "settings": "[1]"})
    errors = {error["at"]: error["problems"] for error in result["_meta"]["dev.propylon/status"]["errors"]}
    assert errors == {
        "/labels/1": ["must be a string, got 5"],
        "/lines/0/counts/0": ['must be an integer, got "x"'],
        "/settings": ["must be an object, got [1]"],
    }
    result = await call(stage, "/mcp/openai", {**GIVEN, "unknown": None})
    assert "/unknown" in result["content"][0]["text"]
    assert stage.requests(RPC) == []


async def test_what_is_wrong_inside_of_a_json_text_is_told_beside_its_place(open_stage):
    proto = """
    message Ask { google.protobuf.Any any = 1; Deep deep = 2; }
    message Deep { Deep deep = 1; int32 number = 2; }
    service S { rpc Do(Ask) returns (Ask); }
    """
    stage = await open_stage(proto)
    text = '{"@type":"type.googleapis.com/t.Deep","number":"x"}'
    result = await call(stage, "/mcp/openai", {"any": text, "deep": None})
    assert result["content"][0]["text"] == (
        'INVALID_ARGUMENT: arguments: /any inside of its JSON, at /number: must be an integer, got "x"'
    )


@pytest.mark.parametrize(
    "text", ["[" * 900 + "]" * 900, '{"a":' * 5000 + "1" + "}" * 5000, '{"a": NaN}', "\\ud800", ""]
)
async def test_a_text_that_is_hostile_is_refused_like_any_other(open_stage, text):
    stage = await open_stage()
    for name in ("settings", "any"):
        result = await call(stage, "/mcp/openai", {**GIVEN, name: text})
        assert result["isError"] is True
        assert len(result["content"][0]["text"]) < 500
    assert stage.requests(RPC) == []


async def test_arguments_that_are_any_object_are_one_text(open_stage):
    stage = await open_stage()
    assert not (await call(stage, "/mcp/openai", {"json": '{"a":1}'}, "t.S/Free")).get("isError")
    assert stage.received("t.S/Free", "google.protobuf.Struct")["a"] == 1


async def test_a_tool_that_does_not_fit_is_not_there_and_the_log_says_why(open_stage, caplog):
    stage = await open_stage()
    assert "t.S/Big" in await list_tools(stage, "openai")
    tools = await list_tools(stage, "anthropic")
    assert {"t.S/Big"} == {"t.S/Big", RPC, "t.S/Plain", "t.S/Free", "t.S/Send", "plain.Plain/Say"} - tools.keys()
    told = [record for record in caplog.records if record.name == "propylon.profiles"]
    assert [(record.profile, record.tool, record.reason) for record in told] == [
        ("anthropic-strict", "t_S_Big", "it has 40 optional properties, and the limit is 24")
    ]
    await list_tools(stage, "anthropic")
    assert len([record for record in caplog.records if record.name == "propylon.profiles"]) == 1
    error = (await stage.post(stage.make_call("t.S/Big", {}), path="/mcp/anthropic")).json["error"]
    assert error["message"].startswith('Unknown tool: "t_S_Big"')


async def test_a_path_that_is_no_endpoint_names_those_that_there_are(open_stage):
    stage = await open_stage()
    answer = await stage.post(stage.make_request("tools/list"), path="/mcp/nobody")
    assert answer.status == 404
    assert answer.json["error"]["message"] == (
        'nothing is served at "/mcp/nobody": the MCP endpoint is /mcp, those of profiles are /mcp/openai, /mcp/gemini, '
        "/mcp/anthropic, /mcp/bedrock"
    )


async def test_the_endpoints_are_those_that_are_configured(open_stage):
    settings = configure(profiles={"paths": {"gpt": "openai-strict"}})
    stage = await open_stage(settings=settings)
    assert "t.S/Plain" in await list_tools(stage, "gpt")
    assert (await stage.post(stage.make_request("tools/list"), path="/mcp/openai")).status == 404


async def test_a_client_is_known_by_its_name(open_stage):
    settings = configure(profiles={"clients": {"openai-*": "openai-strict", "*": "gemini"}})
    stage = await open_stage(settings=settings)

    async def list_as(name):
        message = stage.make_request("tools/list")
        message["params"]["_meta"] = {
            **message["params"]["_meta"],
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
        }
        tools = (await stage.answer(message))["result"]["tools"]
        return next(tool["inputSchema"] for tool in tools if tool["name"] == "t_S_Plain")

    assert (await list_as("openai-agents"))["required"] == ["text", "more"]
    assert "required" not in await list_as("other")
    (answer,) = await stage.talk(stage.make_call(RPC, {"labels": {"a": "b"}}))
    assert not answer["result"].get("isError")


async def test_a_session_remembers_the_client_that_opened_it(open_stage):
    settings = configure(profiles={"clients": {"openai-*": "openai-strict"}})
    stage = await open_stage(settings=settings)
    initialize = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "openai-agents", "version": "1"},
        },
    }
    headers = {"mcp-protocol-version": None, "mcp-method": None}
    opened = await stage.post(initialize, headers)
    headers |= {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    listed = await stage.post({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, headers)
    schema = next(tool["inputSchema"] for tool in listed.json["result"]["tools"] if tool["name"] == "t_S_Plain")
    assert schema["required"] == ["text", "more"]


async def test_headers_fill_arguments_in_whatever_form_the_others_have(open_stage):
    settings = configure({"match": RPC, "arguments": {"id": {"header": "X-Id"}}})
    stage = await open_stage(settings=settings)
    given = {name: value for name, value in GIVEN.items() if name != "id"}
    for _ in range(2):
        message = stage.make_call(RPC, given)
        result = (await stage.post(message, {"X-Id": "o1"}, path="/mcp/openai")).json["result"]
        assert not result.get("isError"), result
        assert stage.received(RPC, "t.Ask") == make_expected(stage)


async def test_values_of_sensitive_fields_stay_out_of_refusals(open_stage):
    settings = configure({"match": RPC, "sensitive": ["any", "labels"]})
    stage = await open_stage(settings=settings)
    result = await call(
        stage, "/mcp/openai", {**GIVEN, "any": "s3cret-text", "labels": [{"key": "s3cret", "value": 5}]}
    )
    assert "s3cret" not in str(result)
    assert result["isError"] is True


async def test_a_stream_of_requests_is_restored_message_by_message(open_stage):
    stage = await open_stage()
    schema = (await list_tools(stage, "openai"))["t.S/Send"]["inputSchema"]
    given = {"messages": [{"sku": "a", "counts": [{"key": "k", "value": 1}]}, {"sku": None, "counts": None}]}
    jsonschema_rs.Draft202012Validator(schema, offline=True).validate(given)
    result = await call(stage, "/mcp/openai", {"messages": [{"sku": 5, "counts": None}]}, "t.S/Send")
    assert result["content"][0]["text"] == "INVALID_ARGUMENT: arguments: /messages/0/sku must be a string, got 5"
