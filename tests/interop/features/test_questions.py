"""Questions to user, model and client, as the protocol's own Python client answers them in both eras."""

import asyncio
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import ElicitResult

from tests.interop.features.talk import Talk, dump, text

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    ("action", "said"), [("accept", "Hello, Ada!"), ("decline", "Hello, whoever you are!"), ("cancel", None)]
)
async def test_its_user_is_asked_and_may_refuse(talk: Talk, action: Any, said: str | None) -> None:
    talk.action = action
    content = await talk.call("test_input_required_result_elicitation")
    assert content == [text(said or "Hello, whoever you are!")]
    assert talk.questions == [("What is your name?", NAME)]


async def test_its_model_is_asked(talk: Talk) -> None:
    assert await talk.call("test_sampling", {"prompt": "Capital of France?"}) == [text("LLM response: Paris")]
    assert talk.questions == [[{"role": "user", "content": text("Capital of France?")}]]


async def test_it_is_asked_for_its_roots(talk: Talk) -> None:
    content = await talk.call("test_input_required_result_list_roots")
    assert content == [text("The client's roots: file:///home/ada, file:///srv")]
    assert talk.questions == ["roots"]


async def test_all_three_are_asked_at_once(talk: Talk) -> None:
    content = await talk.call("test_input_required_result_multiple_inputs")
    assert content == [text("3 answers came: client_roots, greeting, user_name")]
    assert sorted(map(str, talk.questions)) == sorted(
        map(str, [("What is your name?", NAME), [{"role": "user", "content": text("Generate a greeting")}], "roots"])
    )


async def test_its_user_is_asked_again_after_an_answer(talk: Talk) -> None:
    assert await talk.call("test_input_required_result_multi_round") == [text("Ada likes blue")]
    assert [message for message, _ in talk.questions] == [
        "Step 1: What is your name?",
        "Step 2: What is your favorite color?",
    ]


@pytest.mark.parametrize(("name", "said"), [("request_state", "state-ok"), ("tampered_state", "the state is whole")])
async def test_what_the_backend_told_itself_comes_back_with_the_answer(talk: Talk, name: str, said: str) -> None:
    assert await talk.call(f"test_input_required_result_{name}") == [text(said)]
    assert [message for message, _ in talk.questions] == ["Please confirm"]


async def test_its_user_is_asked_by_a_streaming_rpc(talk: Talk) -> None:
    (block,) = await talk.call("test_streaming_elicitation")
    assert block == text('User response: action=accept, content={"name": "Ada"}')
    assert talk.questions == [("What is your name?", NAME)]


async def test_its_user_gets_forms_with_defaults_and_choices(talk: Talk) -> None:
    await talk.call("test_elicitation_sep1034_defaults")
    await talk.call("test_elicitation_sep1330_enums")
    (_, filled_in), (_, chosen) = talk.questions
    assert {name: row["default"] for name, row in filled_in["properties"].items()} == {
        "name": "John Doe",
        "age": 30,
        "score": 95.5,
        "status": "active",
        "verified": True,
    }
    titled = [
        {"const": f"option{number}", "title": f"{title} Option"}
        for number, title in enumerate(("First", "Second", "Third"), start=1)
    ]
    options = [row["const"] for row in titled]
    assert chosen["properties"] == {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": options, "enumNames": [row["title"] for row in titled]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }


async def test_what_it_cannot_be_asked_is_not_called(talk: Talk) -> None:
    async with Client(talk.server, mode=talk.mode) as mute:
        with pytest.raises(MCPError) as model:
            await mute.call_tool("test_missing_capability")
        with pytest.raises(MCPError) as user:
            await mute.call_tool("test_input_required_result_elicitation")
        assert dump((await mute.call_tool("greet", {"name": "Ada"})).content[0]) == text("Hello, Ada!")
    assert (model.value.code, model.value.data) == (-32021, {"requiredCapabilities": {"sampling": {}}})
    assert (user.value.code, user.value.data) == (-32021, {"requiredCapabilities": {"elicitation": {}}})


async def test_many_questions_at_once_find_their_calls(talk: Talk) -> None:
    calls = (talk.call("test_sampling", {"prompt": f"question {number}"}) for number in range(8))
    assert await asyncio.gather(*calls) == [[text("LLM response: Paris")]] * 8
    asked = sorted(question[0]["content"]["text"] for question in talk.questions)
    assert asked == [f"question {number}" for number in range(8)]


async def test_an_answer_with_a_state_that_was_changed_is_refused(talk: Talk) -> None:
    if talk.is_legacy:
        return  # a server that asks within the call hands out no state
    name = "test_input_required_result_tampered_state"
    asked = await talk.client.session.call_tool(name, {}, allow_input_required=True)
    state, answers = asked.request_state, {"confirm": ElicitResult(action="accept", content={"ok": True})}
    middle = len(state) // 2
    changed = f"{state[:middle]}{'A' if state[middle] != 'A' else 'B'}{state[middle + 1 :]}"
    with pytest.raises(MCPError) as refused:
        await talk.client.call_tool(name, {}, input_responses=answers, request_state=changed)
    assert (refused.value.code, talk.questions) == (-32602, [])
    resumed = await talk.client.call_tool(name, {}, input_responses=answers, request_state=state)
    assert [dump(block) for block in resumed.content] == [text("the state is whole")]
