"""What annotations and configuration say of RPCs, as a client sees it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gateway.app.catalogue_builder import find_idle_paths, find_idle_patterns
from gateway.app.settings.loader import default_settings
from gateway.app.settings.model import Settings
from gateway.descriptors.rpc_facts import RpcEntry
from tests.end_to_end.typed_fields.conftest import HEAD, call

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"address": {"$ref": "#/$defs/address"}, "region": {"type": "string", "x-mcp-header": "Region"}},
    "$defs": {"address": {"$anchor": "addressDef", "type": "object"}},
    "allOf": [{"anyOf": [{"required": ["region"]}, {}]}],
    "if": {"required": ["region"]},
    "then": {"properties": {"region": {"minLength": 1}}},
    "else": True,
    "additionalProperties": False,
}

PROTO = (
    HEAD
    + """
message Place {
  string city = 1 [(gateway.v1.field).header = "City"];
  double height = 2 [(gateway.v1.field).header = "Height"];
}
message Q {
  string region = 1 [(gateway.v1.field).header = "Region"];
  int64 tenant = 2 [(gateway.v1.field).header = "Tenant"];
  bool dry = 3 [(gateway.v1.field).header = "Dry"];
  Place place = 4;
  repeated Place others = 5;
  string password = 6 [(gateway.v1.field).sensitive = true, (gateway.v1.field).header = "Password"];
  int32 pin = 7 [(gateway.v1.field).sensitive = true];
  map<string, string> secrets = 8 [(gateway.v1.field).sensitive = true];
}
message R { string text = 1; int32 code = 2 [(gateway.v1.field).sensitive = true]; }
service S {
  // Not this.
  rpc Paint(Q) returns (R) {
    option (gateway.v1.method) = {
      name: "paint"
      title: "Paint\\na wall"
      description: "Paints.\u200b"
      hints { destructive: false idempotent: true open_world: false }
    };
  }
  rpc Ask(Q) returns (R) {
    option (gateway.v1.method) = {
      name: "ask"
      required_capabilities: CLIENT_CAPABILITY_SAMPLING
      required_capabilities: CLIENT_CAPABILITY_TASKS
    };
  }
  rpc Hidden(Q) returns (R) { option (gateway.v1.method).hidden = true; }
  rpc Prompt(Q) returns (R) { option (gateway.v1.method).prompt = { name: "p" }; }
  rpc Both(Q) returns (R) { option (gateway.v1.method) = { prompt { name: "p" } also_tool: true }; }
  rpc Given(Q) returns (R) { option (gateway.v1.method).input_schema_json = SCHEMA; }
  rpc Bad(Q) returns (R) {
    option (gateway.v1.method) = { name: "no good" input_schema_json: '{"type": "array"}' output_schema_json: "[" };
  }
  rpc Plain(Q) returns (R);
}
""".replace("SCHEMA", json.dumps(json.dumps(SCHEMA)))
)


@pytest.fixture
async def stage(make_stage: Any) -> Any:
    return await make_stage(PROTO)


def configure(*entries: RpcEntry) -> Any:
    def change(settings: Settings) -> Settings:
        return replace(settings, rpcs=entries)

    return change


async def test_names_texts_and_hints_are_those_of_the_annotation(stage: Any) -> None:
    tool = stage.get_tool("t.S/Paint")
    assert (tool["name"], tool["title"]) == ("paint", "Paint a wall")
    assert tool["description"] == "Paints.\n\nA field absent from the result has its zero value (0, false, empty)."
    assert tool["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


async def test_the_configuration_says_it_otherwise_and_adds_names(make_stage: Any) -> None:
    entry = RpcEntry(match="t.S/Paint", facts={"name": "draw", "aliases": ["paint", "sketch"], "title": "Draw"})
    stage = await make_stage(PROTO, settings=configure(entry))
    tool = stage.get_tool("t.S/Paint")
    assert (tool["name"], tool["title"], tool["description"].split("\n")[0]) == ("draw", "Draw", "Paints.")
    message = stage.make_request("tools/call", {"name": "sketch", "arguments": {"region": "eu"}})
    answer = await stage.post(message, {"mcp-param-region": "eu"})
    assert answer.json["result"]["structuredContent"] == {"text": "eu"}
    assert stage.requests("t.S/Paint") == [stage.make("t.Q", region="eu").SerializeToString()]


async def test_what_is_hidden_or_something_else_is_no_tool(stage: Any) -> None:
    rpcs = {tool["_meta"]["dev.propylon/rpc"] for tool in await stage.list_tools()}
    assert rpcs == {*(f"t.S/{name}" for name in ("Paint", "Ask", "Both", "Given", "Bad", "Plain")), "plain.Plain/Say"}
    (offer,) = stage.gateway.discovery.offers()
    assert {one.name: one.reason for one in offer.findings.left_out} == {
        "t.S/Hidden": "hidden",
        "t.S/Prompt": "offered as a prompt and not as a tool; also_tool makes it both",
    }


async def test_legal_headers_are_in_the_schema_and_illegal_ones_are_told(stage: Any) -> None:
    properties = stage.get_tool("t.S/Plain")["inputSchema"]["properties"]
    place = properties["place"]["properties"]
    assert {
        name: schema.get("x-mcp-header") for name, schema in {**properties, **place}.items() if "x-mcp-header" in schema
    } == {"region": "Region", "tenant": "Tenant", "dry": "Dry", "city": "City"}
    (offer,) = stage.gateway.discovery.offers()
    told = [line.removeprefix("t.S/Plain: ") for line in offer.findings.warnings if line.startswith("t.S/Plain: ")]
    assert told == [
        'the header "Height" of "place.height" is left out: only a string, integer or boolean can be mirrored',
        (
            'the header "Password" of "password" is left out: the argument is sensitive, and headers are seen and '
            "logged under way"
        ),
    ]


async def test_headers_and_arguments_must_agree(stage: Any) -> None:
    arguments = {"region": "eu", "tenant": "9007199254740993", "dry": True, "place": {"city": "Bern"}}
    headers = {
        "mcp-param-region": "eu",
        "mcp-param-tenant": "9007199254740993",
        "mcp-param-dry": "true",
        "mcp-param-city": "Bern",
    }
    message = stage.make_call("t.S/Plain", arguments)
    assert (await stage.post(message, headers)).json["result"]["structuredContent"]
    answer = await stage.post(stage.make_call("t.S/Plain", arguments), {**headers, "mcp-param-city": "Basel"})
    assert (answer.status, answer.json["error"]["code"]) == (400, -32020)
    stage.requests("t.S/Plain")


async def test_a_client_without_a_capability_is_refused_before_the_backend_is_called(stage: Any) -> None:
    answer = await call(stage, "t.S/Ask", {})
    assert (answer.status, answer.json["error"]) == (
        400,
        {
            "code": -32021,
            "message": (
                'the tool "ask" needs the client capabilities io.modelcontextprotocol/tasks and sampling, which this '
                "request does not declare"
            ),
            "data": {
                "requiredCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}, "sampling": {}},
            },
        },
    )
    declared = {"sampling": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
    answer = await call(stage, "t.S/Ask", {}, **{"io.modelcontextprotocol/clientCapabilities": declared})
    assert answer.json["result"]["structuredContent"] == {}
    assert len(stage.requests("t.S/Ask")) == 1


async def test_a_given_schema_is_listed_as_it_is_and_the_converter_judges_all_the_same(stage: Any) -> None:
    assert stage.get_tool("t.S/Given")["inputSchema"] == SCHEMA
    assert await stage.refusal("t.S/Given", {"address": {}}) == (
        "INVALID_ARGUMENT: arguments: /address is not a field of this message; it has `region`, `tenant`, `dry`, "
        "`place`, `others`, `password`, `pin`, `secrets`"
    )
    answer = await stage.post(stage.make_call("t.S/Given", {"region": "eu"}))
    assert answer.json["error"]["code"] == -32020  # a header of the given schema


async def test_what_cannot_be_used_is_told_and_the_tool_stays(stage: Any) -> None:
    (offer,) = stage.gateway.discovery.offers()
    told = [line for line in offer.findings.warnings if line.startswith("t.S/Bad: ")]
    assert told[:3] == [
        "t.S/Bad: output_schema_json of its annotation is no JSON: unexpected end of data at line 1 column 2",
        't.S/Bad: the name "no good" is not used: it must be of A-Z, a-z, 0-9, _ and -, at most 64',
        't.S/Bad: its input_schema is not used: its root must have "type": "object", and has "array"',
    ]
    tool = stage.get_tool("t.S/Bad")
    assert (tool["name"], tool["inputSchema"]["properties"]["region"]["x-mcp-header"]) == ("t_S_Bad", "Region")


async def test_sensitive_values_are_never_quoted_and_never_logged(stage: Any, caplog: Any) -> None:
    arguments = {
        "password": {"old": "hunter2"},
        "pin": "12x4",
        "secrets": {"hunter3": 5, "b": "hunter4"},
        "dry": "hunter2",
    }
    message = stage.make_call("t.S/Plain", arguments)
    answer = await stage.post(message, {"mcp-param-dry": "hunter2"})
    result = answer.json["result"]
    assert result["content"][0]["text"] == (
        "INVALID_ARGUMENT: arguments: /dry is not valid; what was given is not shown (and 3 more)\n"
        "/dry: is not valid; what was given is not shown\n"
        "/password: must be a string\n"
        "/pin: must be an integer\n"
        "/secrets: must be a string"
    )
    for secret in ("hunter2", "hunter3", "hunter4", "12x4"):
        assert secret not in answer.body.decode()
        assert secret not in caplog.text


async def test_a_reply_that_breaks_the_schema_is_logged_by_its_places_alone(make_stage: Any, caplog: Any) -> None:
    schema = {"type": "object", "properties": {"code": {"type": "string"}, "text": {"type": "string"}}}
    stage = await make_stage(PROTO, settings=configure(RpcEntry(match="t.S/Plain", facts={"output_schema": schema})))
    stage.backend.answers["t.S/Plain"] = stage.make("t.R", code=424242)
    error = (await stage.answer(stage.make_call("t.S/Plain", {})))["error"]
    assert error["message"].startswith("the backend's reply breaks the tool's output schema (reference ")
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert record.__dict__["reason"] == "at /code"
    stage.requests("t.S/Plain")


async def test_globs_and_paths_that_fit_nothing_are_told(make_stage: Any) -> None:
    entries = (
        RpcEntry(match="t.S/*", facts={"sensitive": ["region", "nothing"]}),
        RpcEntry(match="t.S/Nothing", facts={"title": "x"}),
    )
    stage = await make_stage(PROTO, settings=configure(*entries))
    offers = stage.gateway.discovery.offers()
    assert find_idle_paths(offers, entries) == ("/rpcs/0/sensitive/1",)
    assert find_idle_patterns(default_settings().tools, offers, entries) == ("t.S/Nothing",)
