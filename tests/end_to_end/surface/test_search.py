"""Three tools in the place of many: found, described and called as if they were listed."""

import jsonschema_rs
import pytest

from tests.end_to_end.surface.configured import configure

PROTO = """
message Order { string id = 1; int64 total = 2; map<string, string> labels = 3; }
message Ask { string id = 1; string reason = 2; map<string, string> labels = 3; }
message Page { repeated Order orders = 1; }
service Orders {
  // Cancels an order that has not been shipped.
  rpc CancelOrder(Ask) returns (Order);
  // Gives one order by its id.
  rpc GetOrder(Ask) returns (Order);
  // Lists all orders.
  rpc ListOrders(Ask) returns (Page);
}
"""
RPC = "t.Orders/CancelOrder"
CANCEL = "t_Orders_CancelOrder"
SEARCHING = {"tools": {"surface": "search"}}


@pytest.fixture
def open_stage(make_stage):
    async def open_searching(*entries, proto=PROTO, **sections):
        return await make_stage(proto, settings=configure(*entries, **{**SEARCHING, **sections}))

    return open_searching


async def call(stage, name, arguments, path="/mcp", **headers):
    message = stage.make_request("tools/call", {"name": name, "arguments": arguments})
    answer = (await stage.post(message, headers, path=path)).json
    return answer.get("result") or answer["error"]


async def test_three_tools_are_listed_and_the_start_says_how_to_use_them(open_stage):
    stage = await open_stage()
    tools = {tool["name"]: tool for tool in await stage.list_tools()}
    assert list(tools) == ["call_tool", "describe_tool", "search_tools"]
    for tool in tools.values():
        jsonschema_rs.validator_for(tool["inputSchema"], offline=True)
    assert tools["search_tools"]["annotations"]["readOnlyHint"] is True
    assert tools["call_tool"]["annotations"]["destructiveHint"] is True
    discovered = await stage.answer(stage.make_request("server/discover"))
    assert discovered["result"]["instructions"].startswith("There are 4 tools.")


async def test_a_search_gives_the_tools_that_fit_the_best_first(open_stage):
    stage = await open_stage()
    result = await call(stage, "search_tools", {"query": "cancel an order", "limit": 2})
    schema = next(tool["outputSchema"] for tool in await stage.list_tools() if tool["name"] == "search_tools")
    jsonschema_rs.Draft202012Validator(schema, offline=True).validate(result["structuredContent"])
    assert result["structuredContent"] == {
        "tools": [
            {
                "name": CANCEL,
                "title": "Cancel order",
                "description": "Cancels an order that has not been shipped.",
                "arguments": ["id", "reason", "labels"],
            },
            {
                "name": "t_Orders_ListOrders",
                "title": "List orders",
                "description": "Lists all orders.",
                "arguments": ["id", "reason", "labels"],
            },
        ],
        "total": 3,
    }
    everything = await call(stage, "search_tools", {"query": ""})
    assert [tool["name"] for tool in everything["structuredContent"]["tools"]] == [
        "plain_Plain_Say", CANCEL, "t_Orders_GetOrder", "t_Orders_ListOrders",
    ]  # fmt: skip


async def test_a_description_is_the_entry_that_the_list_would_have(open_stage):
    stage = await open_stage()
    result = await call(stage, "describe_tool", {"name": CANCEL})
    assert result["structuredContent"] == dict(stage.get_tool(RPC))


async def test_a_call_goes_through_and_says_which_tool_it_was(open_stage):
    stage = await open_stage()
    stage.backend.answers[RPC] = stage.make("t.Order", id="o1", total=5)
    result = await call(stage, "call_tool", {"name": CANCEL, "arguments": {"id": "o1", "reason": "late"}})
    assert result["structuredContent"] == {"id": "o1", "total": "5"}
    assert result["_meta"]["dev.propylon/tool"] == CANCEL
    assert stage.received(RPC, "t.Ask") == stage.make("t.Ask", id="o1", reason="late")
    assert (await call(stage, "call_tool", {"name": CANCEL}))["structuredContent"] == {"id": "o1", "total": "5"}


async def test_the_gate_the_aliases_and_the_fixed_arguments_are_the_same(open_stage):
    stage = await open_stage(
        {"match": RPC, "aliases": ["cancel"], "arguments": {"reason": {"header": "X-Why"}}, "deadline_seconds": 0.5}
    )
    stage.backend.answers[RPC] = b""
    result = await call(stage, "call_tool", {"name": "cancel", "arguments": {"id": "o1"}}, **{"X-Why": "late"})
    assert result["_meta"]["dev.propylon/tool"] == CANCEL
    assert stage.received(RPC, "t.Ask") == stage.make("t.Ask", id="o1", reason="late")
    result = await call(stage, "call_tool", {"name": "cancel", "arguments": {"id": 5, "reason": "x"}}, **{"X-Why": "y"})
    assert result["content"][0]["text"].splitlines()[1:] == [
        "/id: must be a string, got 5",
        "/reason: is set by the gateway and is no argument",
    ]
    assert result["_meta"]["dev.propylon/tool"] == CANCEL
    assert stage.requests(RPC) == []


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("call_tool", {"name": "t_Orders_Cancl"}, f'"t_Orders_Cancl"; did you mean "{CANCEL}"?'),
        ("call_tool", {"name": "zeppelin"}, '/name names no tool: "zeppelin"; search for those that there are'),
        ("call_tool", {"name": "call_tool"}, "/name names no tool"),
        ("call_tool", {}, "/name is required"),
        ("call_tool", {"name": 5}, "/name must be a string, got 5"),
        ("call_tool", {"name": CANCEL, "arguments": [1]}, "/arguments must be an object, got [1]"),
        ("call_tool", {"name": CANCEL, "id": "o1"}, "/id"),
        ("describe_tool", {"name": "zeppelin"}, '/name names no tool: "zeppelin"; search for those that there are'),
        ("search_tools", {}, "/query is required"),
        ("search_tools", {"query": "a", "limit": 0}, "/limit"),
    ],
)  # fmt: skip
async def test_what_a_model_can_mend_is_a_tool_error(open_stage, name, arguments, told):
    stage = await open_stage()
    result = await call(stage, name, arguments)
    assert result["isError"] is True
    assert told in result["content"][0]["text"]
    assert stage.backend.calls == []


async def test_a_tool_can_be_called_by_its_own_name_too(open_stage):
    stage = await open_stage()
    assert (await call(stage, "plain_Plain_Say", {"text": "hi"}))["structuredContent"] == {"text": "hi"}
    assert (await call(stage, "nobody", {}))["code"] == -32602


async def test_a_profile_has_the_three_tools_in_its_form(open_stage):
    stage = await open_stage()
    listed = (await stage.post(stage.make_request("tools/list"), path="/mcp/openai")).json["result"]["tools"]
    schema = next(tool["inputSchema"] for tool in listed if tool["name"] == "call_tool")
    given = {"name": CANCEL, "arguments": '{"id":"o1","labels":{"a":"b"}}'}
    jsonschema_rs.Draft202012Validator(schema, offline=True).validate(given)
    stage.backend.answers[RPC] = b""
    result = await call(stage, "call_tool", given, path="/mcp/openai")
    assert not result.get("isError")
    assert stage.received(RPC, "t.Ask") == stage.make("t.Ask", id="o1", labels={"a": "b"})
    result = await call(stage, "search_tools", {"query": "cancel", "limit": None}, path="/mcp/openai")
    assert result["structuredContent"]["total"] == 1
    assert (await call(stage, "call_tool", {**given, "arguments": "{"}, path="/mcp/openai"))["isError"] is True


async def test_what_another_round_needs_goes_through(open_stage):
    stage = await open_stage({"match": RPC, "confirmation": "always"})
    stage.backend.answers[RPC] = b""
    message = stage.make_request("tools/call", {"name": "call_tool", "arguments": {"name": CANCEL}})
    capabilities = {"elicitation": {"form": {}}}
    meta = {**message["params"]["_meta"], "io.modelcontextprotocol/clientCapabilities": capabilities}
    message["params"]["_meta"] = meta
    asked = (await stage.answer(message))["result"]
    assert asked["resultType"] == "input_required"
    (key,) = asked["inputRequests"]
    again = stage.make_request(
        "tools/call",
        {
            **message["params"],
            "requestState": asked["requestState"],
            "inputResponses": {key: {"action": "accept", "content": {"confirm": True}}},
        },
    )
    again["params"]["_meta"] = meta
    done = (await stage.answer(again))["result"]
    assert done["_meta"]["dev.propylon/tool"] == CANCEL
