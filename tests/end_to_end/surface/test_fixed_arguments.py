"""Arguments that the operator sets or hides: out of the schema, out of the callers' reach, in every request."""

import pytest

from tests.end_to_end.surface.configured import configure

PROTO = """
message Who { string tenant = 1; string user_name = 2; int64 level = 3; bool trusted = 4; }
message Ask {
  Who who = 1; string text = 2; string region_code = 3; Who other = 4;
  oneof target { string file = 5; string url = 6; }
  google.protobuf.Struct extra = 7; repeated string words = 8;
}
message Told { string text = 1; }
service S { rpc Do(Ask) returns (Told); rpc Plain(Ask) returns (Told); }
"""
RPC = "t.S/Do"


def fix(**arguments):
    return configure(
        {"match": RPC, "arguments": {path.replace("__", "."): source for path, source in arguments.items()}}
    )


async def call(stage, arguments, **headers):
    """The request that reached the backend, or the text of the refusal."""
    answer = await stage.post(stage.make_call(RPC, arguments), headers)
    result = answer.json["result"]
    if result.get("isError"):
        assert stage.requests(RPC) == []
        return result["content"][0]["text"]
    return stage.received(RPC, "t.Ask")


def listed(stage, rpc=RPC):
    return stage.get_tool(rpc)["inputSchema"]["properties"]


async def test_a_constant_is_not_offered_and_is_in_every_request(make_stage):
    stage = await make_stage(PROTO, settings=fix(who__tenant={"constant": "acme"}, words={"constant": ["a", "b"]}))
    assert listed(stage).keys() == {"who", "text", "regionCode", "other", "file", "url", "extra"}
    assert listed(stage)["who"]["properties"].keys() == {"userName", "level", "trusted"}
    assert listed(stage)["other"]["properties"].keys() == {"tenant", "userName", "level", "trusted"}
    request = await call(stage, {"text": "hi", "who": {"userName": "eve"}})
    assert request == stage.make("t.Ask", text="hi", who={"tenant": "acme", "user_name": "eve"}, words=["a", "b"])
    assert await call(stage, {}) == stage.make("t.Ask", who={"tenant": "acme"}, words=["a", "b"])
    assert await call(stage, {"who": None}) == stage.make("t.Ask", who={"tenant": "acme"}, words=["a", "b"])


async def test_another_rpc_with_the_same_messages_is_left_as_it_is(make_stage):
    stage = await make_stage(PROTO, settings=fix(who__tenant={"constant": "acme"}))
    assert listed(stage, "t.S/Plain")["who"]["properties"].keys() == {"tenant", "userName", "level", "trusted"}


@pytest.mark.parametrize(
    "arguments",
    [
        {"who": {"tenant": "evil"}},
        {"who": {"tenant": "acme"}},
        {"who": {"tenant": 5}},
        {"who": {"tenant": ""}},
    ],
)
async def test_a_caller_cannot_set_a_fixed_argument(make_stage, arguments):
    stage = await make_stage(PROTO, settings=fix(who__tenant={"constant": "acme"}))
    assert await call(stage, arguments) == (
        "INVALID_ARGUMENT: arguments: /who/tenant is set by the gateway and is no argument"
    )


@pytest.mark.parametrize("spelling", ["regionCode", "region_code"])
async def test_no_spelling_of_a_fixed_argument_gets_through(make_stage, spelling):
    stage = await make_stage(PROTO, settings=fix(region_code={"constant": "eu"}))
    assert await call(stage, {spelling: "us"}) == (
        f"INVALID_ARGUMENT: arguments: /{spelling} is set by the gateway and is no argument"
    )
    assert (await call(stage, {spelling: None})).region_code == "eu"


async def test_every_fixed_argument_that_was_given_is_told_at_once(make_stage):
    settings = fix(region_code={"constant": "eu"}, who__tenant={"constant": "acme"})
    stage = await make_stage(PROTO, settings=settings)
    text = await call(stage, {"regionCode": "us", "who": {"tenant": "x"}})
    assert text.splitlines()[1:] == [
        "/regionCode: is set by the gateway and is no argument",
        "/who/tenant: is set by the gateway and is no argument",
    ]


async def test_a_hidden_argument_stays_unset(make_stage):
    stage = await make_stage(PROTO, settings=fix(who__trusted={}, other={}))
    assert "other" not in listed(stage)
    assert "trusted" not in listed(stage)["who"]["properties"]
    assert await call(stage, {"who": {"userName": "eve"}}) == stage.make("t.Ask", who={"user_name": "eve"})
    assert await call(stage, {}) == stage.make("t.Ask")
    assert "no argument" in await call(stage, {"who": {"trusted": True}})


async def test_a_header_of_the_callers_request_is_the_value(make_stage):
    settings = fix(
        who__tenant={"header": "X-Tenant"}, who__level={"header": "X-Level"}, who__trusted={"header": "X-Ok"}
    )
    stage = await make_stage(PROTO, settings=settings)
    headers = {"X-Tenant": "acme", "X-Level": "7", "X-Ok": "true"}
    for _ in range(2):  # the second time the head is one that came before
        request = await call(stage, {"who": {"userName": "eve"}}, **headers)
        assert request == stage.make("t.Ask", who={"tenant": "acme", "user_name": "eve", "level": 7, "trusted": True})
    assert (await call(stage, {}, **{**headers, "X-Tenant": "other"})).who.tenant == "other"


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({}, "the HTTP header x-level, which who.level is taken from, is missing"),
        ({"X-Level": ["1", "2"]}, "the HTTP header x-level, which who.level is taken from, came more than once"),
        ({"X-Level": "seven"}, "the HTTP header x-level has no value that can be used"),
        ({"X-Level": ""}, "the HTTP header x-level has no value that can be used"),
    ],
)
async def test_a_header_that_has_no_value_to_use_is_told(make_stage, headers, told):
    stage = await make_stage(PROTO, settings=fix(who__level={"header": "X-Level"}))
    assert await call(stage, {}, **headers) == f"INVALID_ARGUMENT: arguments: {told}"


async def test_without_http_there_are_no_headers(make_stage):
    stage = await make_stage(PROTO, settings=fix(who__level={"header": "X-Level"}))
    (answer,) = await stage.talk(stage.make_call(RPC, {}))
    assert answer["result"]["isError"] is True
    assert "x-level" in answer["result"]["content"][0]["text"]


async def test_the_environment_has_the_value(make_stage, monkeypatch):
    monkeypatch.setenv("SHOP_TENANT", "acme-secret")
    settings = configure(
        {"match": RPC, "arguments": {"who.tenant": {"environment": "SHOP_TENANT"}}}, environ={"SHOP_TENANT": "x"}
    )
    stage = await make_stage(PROTO, settings=settings)
    assert (await call(stage, {})).who.tenant == "acme-secret"
    assert "acme-secret" in stage.gateway.settings.secrets()


async def test_a_member_of_a_oneof_that_is_fixed_leaves_no_choice(make_stage):
    stage = await make_stage(PROTO, settings=fix(file={"constant": "a.txt"}))
    assert {"file", "url"}.isdisjoint(listed(stage))
    assert (await call(stage, {})).file == "a.txt"
    assert await call(stage, {"url": "x"}) == (
        "INVALID_ARGUMENT: arguments: /url is set by the gateway and is no argument"
    )
    stage = await make_stage(PROTO, settings=fix(file={}))
    assert "description" not in listed(stage)["url"]


async def test_a_field_that_cannot_be_fixed_takes_its_tool_away(make_stage):
    """To leave the field to callers would be worse."""
    for source, reason in (
        ({"constant": 5}, "the constant for who.tenant cannot be its value: must be a string"),
        (
            {"constant": None},
            "the constant for who.tenant is null, which sets nothing; leave all sources out to hide it",
        ),
        ({"environment": "NOT_THERE"}, "the environment has no NOT_THERE, which who.tenant is taken from"),
    ):
        stage = await make_stage(
            PROTO,
            settings=configure({"match": RPC, "arguments": {"who.tenant": source}}, environ={"NOT_THERE": ""}),
        )
        (offer,) = stage.gateway.discovery.offers()
        assert [(one.name, one.reason) for one in offer.findings.skipped] == [(RPC, reason)]
        assert RPC not in {tool.rpc for tool in offer.tools}
    stage = await make_stage(PROTO, settings=fix(extra={"header": "x-extra"}))
    (offer,) = stage.gateway.discovery.offers()
    assert [one.reason for one in offer.findings.skipped] == [
        "extra is no single value, so it can only have a constant"
    ]


async def test_each_message_of_a_stream_is_filled_in(make_stage):
    proto = """
    message Item { string tenant = 1; string text = 2; }
    message Sent { int32 count = 1; }
    service S { rpc Send(stream Item) returns (Sent); }
    """
    entry = {"match": "t.S/Send", "arguments": {"tenant": {"constant": "acme"}}}
    stage = await make_stage(proto, settings=configure(entry))
    items = stage.get_tool("t.S/Send")["inputSchema"]["properties"]["messages"]["items"]
    assert items["properties"].keys() == {"text"}
    (tool,) = (one for one in stage.gateway.discovery.catalogue.tools.values() if one.rpc == "t.S/Send")
    requests = tool.transcoder.encode_requests({"messages": [{"text": "a"}, {}]})
    assert [stage.messages("t.Item").FromString(request) for request in requests] == [
        stage.make("t.Item", tenant="acme", text="a"),
        stage.make("t.Item", tenant="acme"),
    ]
    text = await stage.refusal("t.S/Send", {"messages": [{}, {"tenant": "x"}, {"text": 5}]})
    assert text.splitlines() == [
        "INVALID_ARGUMENT: arguments: /messages/1/tenant is set by the gateway and is no argument (and 1 more)",
        "/messages/1/tenant: is set by the gateway and is no argument",
        "/messages/2/text: must be a string, got 5",
    ]
    text = await stage.refusal("t.S/Send", {"messages": [{"text": 5}]})
    assert text == "INVALID_ARGUMENT: arguments: /messages/0/text must be a string, got 5"


RULED = """
import "buf/validate/validate.proto";
message Ask { string tenant = 1 [(buf.validate.field).string.min_len = 3]; string text = 2; }
service R { rpc Do(Ask) returns (Ask); }
"""


async def test_what_rules_have_against_a_value_of_the_gateway_is_told_without_it(make_stage):
    proto = 'syntax = "proto3"; package r;' + RULED
    settings = configure({"match": "r.R/Do", "arguments": {"tenant": {"constant": "zz"}}})
    stage = await make_stage(PROTO, settings=settings, r=proto)
    assert await stage.refusal("r.R/Do", {"text": "a"}) == (
        "INVALID_ARGUMENT: arguments: the gateway's own value for tenant is refused; its operator can mend that"
    )
    settings = configure({"match": "r.R/Do", "arguments": {"tenant": {"constant": "acme"}}})
    stage = await make_stage(PROTO, settings=settings, r=proto)
    assert stage.get_tool("r.R/Do")["inputSchema"] == {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "additionalProperties": False,
    }
    assert await stage.structured("r.R/Do", {}) == {"tenant": "acme"}
