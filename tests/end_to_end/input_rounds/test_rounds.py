"""Calls that cannot go on without an answer: what is asked, what comes back, and what a client cannot do."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gateway.app.settings.model import SealingSection, Settings
from gateway.descriptors.facts.entries import RpcEntry
from tests.end_to_end.typed_fields.conftest import HEAD

PROTO = (
    HEAD
    + """
message Q { string text = 1; gateway.v1.CallContext context = 2; }
message Reply { string text = 1; gateway.v1.InputRequired asks = 2; }
message Plain { string text = 1; }
service S {
  rpc Get(Q) returns (Reply);
  rpc Deaf(Plain) returns (Reply);
  rpc Drop(Plain) returns (Plain) { option (gateway.v1.method).confirmation = CONFIRMATION_ALWAYS; }
}
"""
)
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
ASKABLE = {"elicitation": {}, "sampling": {}, "roots": {}}
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer", "default": 30}}}
NAME = {"method": "elicitation/create", "params": {"mode": "form", "message": "Who?", "requestedSchema": SCHEMA}}
HANDSHAKE = {"mcp-protocol-version": None, "mcp-method": None, "mcp-name": None}
ADA = {"action": "accept", "content": {"name": "Ada"}}


@pytest.fixture
async def stage(make_stage: Any) -> Any:
    return await make_stage(PROTO)


async def ask(stage: Any, rpc: str, arguments: Any = None, *, declared: Any = ASKABLE, **params: Any) -> Any:
    """The envelope that answers a call; `params` go beside its arguments."""
    message = stage.make_call(rpc, arguments or {})
    message["params"] |= params
    message["params"]["_meta"] = {**message["params"]["_meta"], CAPABILITIES: declared}
    return await stage.answer(message)


def make_question(stage: Any, state: bytes = b"s1", **questions: Any) -> Any:
    elicitation = {"message": "Who?", "requested_schema_json": json.dumps(SCHEMA)}
    requests = {
        key: {"elicitation": elicitation} if kind == "elicitation" else {kind: {}} for key, kind in questions.items()
    }
    return stage.make("t.Reply", asks={"requests": requests, "state": state})


async def test_a_question_goes_out_and_its_answer_comes_back_with_the_state(stage: Any) -> None:
    stage.backend.answers["t.S/Get"] = make_question(stage, who="elicitation")
    asked = (await ask(stage, "t.S/Get", {"text": "a"}))["result"]
    assert asked["resultType"] == "input_required"
    assert asked["inputRequests"] == {"who": NAME}
    stage.requests("t.S/Get")
    stage.backend.answers["t.S/Get"] = stage.make("t.Reply", text="Hello Ada")
    answers = {"who": ADA, "stranger": {"action": "cancel"}}
    done = await ask(stage, "t.S/Get", {"text": "a"}, inputResponses=answers, requestState=asked["requestState"])
    assert done["result"]["structuredContent"] == {"text": "Hello Ada"}
    context = stage.received("t.S/Get", "t.Q").context
    assert context.state == b"s1"
    assert list(context.answers) == ["who"]
    assert json.loads(context.answers["who"].result_json) == ADA


async def test_a_missing_answer_is_asked_for_again_and_the_backend_is_left_alone(stage: Any) -> None:
    stage.backend.answers["t.S/Get"] = make_question(stage, who="elicitation", where="roots")
    first = (await ask(stage, "t.S/Get"))["result"]
    stage.requests("t.S/Get")
    again = (await ask(stage, "t.S/Get", inputResponses={"who": ADA}, requestState=first["requestState"]))["result"]
    assert again["inputRequests"] == {"where": {"method": "roots/list", "params": {}}}
    assert stage.requests("t.S/Get") == []
    stage.backend.answers["t.S/Get"] = stage.make("t.Reply", text="done")
    roots = {"roots": [{"uri": "file:///work"}]}
    done = await ask(stage, "t.S/Get", inputResponses={"where": roots}, requestState=again["requestState"])
    assert done["result"]["structuredContent"] == {"text": "done"}
    assert sorted(stage.received("t.S/Get", "t.Q").context.answers) == ["where", "who"]


async def test_a_state_opens_for_its_own_call_alone(stage: Any) -> None:
    stage.backend.answers["t.S/Get"] = make_question(stage, who="elicitation")
    state = (await ask(stage, "t.S/Get", {"text": "a"}))["result"]["requestState"]
    stage.requests("t.S/Get")
    for arguments, spoilt in (({"text": "b"}, state), ({"text": "a"}, state + "-TAMPERED"), ({"text": "a"}, "x")):
        answer = await ask(stage, "t.S/Get", arguments, inputResponses={"who": ADA}, requestState=spoilt)
        assert answer["error"] == {
            "code": -32602,
            "message": "request: /params/requestState is not one that was given for this call, or has expired; "
            "call again without it",
            "data": {
                "errors": [
                    {
                        "at": "/params/requestState",
                        "problems": ["is not one that was given for this call, or has expired; call again without it"],
                    }
                ]
            },
        }
    assert stage.requests("t.S/Get") == []


async def test_only_what_the_client_declared_is_asked(stage: Any) -> None:
    stage.backend.answers["t.S/Get"] = make_question(stage, who="elicitation", where="roots")
    asked = (await ask(stage, "t.S/Get", declared={"roots": {}}))["result"]
    assert list(asked["inputRequests"]) == ["where"]
    refused = (await ask(stage, "t.S/Get", declared={"sampling": {}}))["error"]
    assert refused["code"] == -32021
    assert refused["data"] == {"requiredCapabilities": {"elicitation": {}, "roots": {}}}


async def test_a_state_without_questions_has_the_call_made_again(stage: Any) -> None:
    stage.backend.answers["t.S/Get"] = make_question(stage, state=b"later")
    asked = (await ask(stage, "t.S/Get"))["result"]
    assert sorted(asked) == ["_meta", "requestState", "resultType"]
    stage.requests("t.S/Get")
    stage.backend.answers["t.S/Get"] = stage.make("t.Reply", text="done")
    done = await ask(stage, "t.S/Get", requestState=asked["requestState"])
    assert done["result"]["structuredContent"] == {"text": "done"}
    assert stage.received("t.S/Get", "t.Q").context.state == b"later"


async def test_a_backend_that_asks_for_ever_is_given_up(stage: Any) -> None:
    stage.backend.answers["t.S/Get"] = make_question(stage, who="elicitation")
    result = (await ask(stage, "t.S/Get"))["result"]
    rounds = 1
    while result["resultType"] == "input_required":
        answer = await ask(stage, "t.S/Get", inputResponses={"who": ADA}, requestState=result["requestState"])
        result, rounds = answer["result"], rounds + 1
    assert rounds == 21
    assert result["content"][0]["text"] == (
        "FAILED_PRECONDITION: the backend asked for input 20 times; the call is given up"
    )


async def test_a_backend_without_a_place_for_answers_is_not_asked_twice(stage: Any) -> None:
    stage.backend.answers["t.S/Deaf"] = make_question(stage, who="elicitation")
    error = (await ask(stage, "t.S/Deaf"))["error"]
    assert error["code"] == -32603
    assert error["message"].startswith("the backend asks for input and has no place for the answers (reference ")


async def test_malformed_answers_are_refused(stage: Any) -> None:
    error = (await ask(stage, "t.S/Get", inputResponses={"who": 12345}))["error"]
    assert (error["code"], error["data"]["errors"][0]["at"]) == (-32602, "/params/inputResponses/who")
    assert stage.requests("t.S/Get") == []


async def test_the_user_is_asked_before_a_call_that_wants_it(stage: Any) -> None:
    asked = (await ask(stage, "t.S/Drop", {"text": "all"}))["result"]
    (key,) = asked["inputRequests"]
    question = asked["inputRequests"][key]["params"]
    assert question["message"] == 'Drop (S) may change or destroy something for good. Call it with {"text":"all"}?'
    assert question["requestedSchema"]["required"] == ["confirm"]
    assert stage.requests("t.S/Drop") == []

    async def answer(response: Any) -> Any:
        responses = {key: response}
        state = asked["requestState"]
        return await ask(stage, "t.S/Drop", {"text": "all"}, inputResponses=responses, requestState=state)

    refusals = ({"action": "decline"}, {"action": "accept"}, {"action": "accept", "content": {"confirm": False}})
    for no in refusals:
        result = (await answer(no))["result"]
        assert result["isError"] is True
        assert result["content"][0]["text"] == (
            "PERMISSION_DENIED: the user did not agree to this call, so it was not made"
        )
    assert stage.requests("t.S/Drop") == []
    done = await answer({"action": "accept", "content": {"confirm": True}})
    assert done["result"]["structuredContent"] == {"text": "all"}
    assert len(stage.requests("t.S/Drop")) == 1


async def test_a_confirmation_that_nobody_asked_for_confirms_nothing(stage: Any) -> None:
    yes = {"dev.propylon/confirm": {"action": "accept", "content": {"confirm": True}}}
    asked = (await ask(stage, "t.S/Drop", {"text": "all"}, inputResponses=yes))["result"]
    assert asked["resultType"] == "input_required"
    assert stage.requests("t.S/Drop") == []


async def test_where_the_client_cannot_ask_its_user_the_call_is_refused(stage: Any) -> None:
    refused = (await ask(stage, "t.S/Drop", {"text": "all"}, declared={}))["error"]
    assert refused["code"] == -32021
    assert refused["data"] == {"requiredCapabilities": {"elicitation": {}}}
    assert stage.requests("t.S/Drop") == []


async def test_destructive_tools_are_confirmed_where_that_is_configured(make_stage: Any) -> None:
    def confirm(settings: Settings) -> Settings:
        trusted = RpcEntry(match="plain.Plain", facts={"confirmation": "never"})
        return replace(settings, tools=replace(settings.tools, confirm_destructive=True), rpcs=(trusted,))

    stage = await make_stage(PROTO, settings=confirm)
    asked = (await ask(stage, "t.S/Deaf", {"text": "a"}))["result"]
    assert asked["resultType"] == "input_required"


async def test_another_replica_with_the_same_keys_goes_on(make_stage: Any) -> None:
    def share(settings: Settings) -> Settings:
        return replace(settings, sealing=SealingSection(keys=("k" * 32,)))

    one, other = await make_stage(PROTO, settings=share), await make_stage(PROTO, settings=share)
    one.backend.answers["t.S/Get"] = make_question(one, who="elicitation")
    other.backend.answers["t.S/Get"] = other.make("t.Reply", text="done")
    state = (await ask(one, "t.S/Get"))["result"]["requestState"]
    done = await ask(other, "t.S/Get", inputResponses={"who": ADA}, requestState=state)
    assert done["result"]["structuredContent"] == {"text": "done"}


async def test_a_client_that_can_be_asked_is_asked_while_its_call_waits(stage: Any) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": ASKABLE, "clientInfo": {"name": "t", "version": "0"}}
    opened = await stage.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}, HANDSHAKE)
    assert opened.status == 200
    session = {**HANDSHAKE, "mcp-session-id": opened.headers["mcp-session-id"]}
    asked = iter([b"s1", b"s2", None])

    async def reply(_request: bytes, _context: Any) -> bytes:
        state = next(asked)
        answer = stage.make("t.Reply", text="done") if state is None else make_question(stage, state=state)
        return bytes(answer.SerializeToString())

    stage.backend.answers["t.S/Get"] = reply
    call = stage.make_call("t.S/Get", {"text": "a"})
    del call["params"]["_meta"]
    result = (await stage.post(call, session)).json["result"]
    assert result == {"content": [{"type": "text", "text": '{"text":"done"}'}], "structuredContent": {"text": "done"}}
    contexts = [stage.messages("t.Q").FromString(request).context for request in stage.requests("t.S/Get")]
    assert [context.state for context in contexts] == [b"", b"s1", b"s2"]
