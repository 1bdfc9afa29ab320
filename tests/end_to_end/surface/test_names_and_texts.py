"""What the operator says of a tool's name and texts: it is what clients see."""

from tests.end_to_end.surface.configured import configure

PROTO = """
message Ask { string text = 1; }
// Says it.
message Told { string text = 1; }
service S { rpc Say(Ask) returns (Told); rpc Shout(Ask) returns (Told); }
"""
RPC = "t.S/Say"


async def test_a_tool_goes_by_its_given_name_and_by_its_old_ones(make_stage):
    stage = await make_stage(PROTO, settings=configure({"match": RPC, "name": "say", "aliases": ["t_S_Say", "tell"]}))
    names = [tool["name"] for tool in await stage.list_tools()]
    assert names == ["plain_Plain_Say", "say", "t_S_Shout"]
    for name in ("say", "t_S_Say", "tell"):
        message = stage.make_request("tools/call", {"name": name, "arguments": {"text": name}})
        assert (await stage.answer(message))["result"]["structuredContent"] == {"text": name}


async def test_examples_are_told_in_the_description(make_stage):
    entry = {"match": RPC, "title": "Say it", "description": "Says something.", "examples": [{"text": "hi"}, {}]}
    stage = await make_stage(PROTO, settings=configure(entry))
    tool = stage.get_tool(RPC)
    assert (tool["title"], tool["description"]) == (
        "Say it",
        'Says something.\n\nExamples of arguments:\n{"text":"hi"}\n{}',
    )
    stage = await make_stage(PROTO, settings=configure({"match": RPC, "examples": [{"text": "hi"}]}))
    assert stage.get_tool(RPC)["description"].endswith('\n\nExample of arguments:\n{"text":"hi"}')


async def test_an_example_that_would_be_refused_is_left_out_and_told(make_stage):
    settings = configure(
        {"match": "t.S/*", "examples": [{"text": 5}, {"text": "a"}]},
        {"match": "*/Shout", "arguments": {"text": {"constant": "x"}}, "examples": [{"text": "a"}, {}]},
    )
    stage = await make_stage(PROTO, settings=settings)
    assert stage.get_tool(RPC)["description"].endswith('\n\nExample of arguments:\n{"text":"a"}')
    assert stage.get_tool("t.S/Shout")["description"].endswith("\n\nExample of arguments:\n{}")
    (offer,) = stage.gateway.discovery.offers()
    told = "its example 1 is left out, since it would be refused: arguments: /text"
    assert offer.findings.warnings == (
        f"{RPC}: {told} must be a string, got 5",
        f"t.S/Shout: {told} is set by the gateway and is no argument",
    )


async def test_hints_deadlines_and_what_is_hidden_are_as_configured(make_stage):
    settings = configure(
        {"match": "t.S/*", "hints": {"read_only": True}, "deadline_seconds": 1.5}, {"match": "*/Shout", "hidden": True}
    )
    stage = await make_stage(PROTO, settings=settings)
    tools = {tool.rpc: tool for tool in stage.gateway.discovery.catalogue.tools.values()}
    assert tools.keys() == {RPC, "plain.Plain/Say"}
    assert tools[RPC].deadline_seconds == 1.5
    assert tools[RPC].listing["annotations"]["readOnlyHint"] is True
