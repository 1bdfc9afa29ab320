"""All that the protocol offers, as its own Python client has it: in both eras, over both fronts, from one gRPC server.

What is asked back is answered by the client itself, from the same callbacks in both eras.
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ListenNotSupportedError, PromptsListChanged, ToolsListChanged
from mcp.types import (
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    Root,
    TextContent,
)

from tests.conformance.fixture.blocks import PNG, WAV

LOG_LEVEL = "io.modelcontextprotocol/logLevel"
MODES = ("auto", "2026-07-28", "legacy")
SECONDS = 10.0
# What the user fills in, by the name of the field.
ANSWERS = {"name": "Ada", "color": "blue", "ok": True, "context": "the moon", "username": "ada", "email": "a@b.example"}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]


@dataclass(slots=True, kw_only=True)
class Talk:
    """A client in one era that is connected by one front, and what it heard and was asked during one test."""

    server: Any
    mode: str
    client: Client = field(init=False)
    action: Any = "accept"
    questions: list[Any] = field(default_factory=list)
    logged: list[Any] = field(default_factory=list)
    changes: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    @property
    def is_legacy(self) -> bool:
        return self.mode == "legacy"

    async def ask_user(self, _: Any, params: Any) -> ElicitResult:
        self.questions.append((params.message, params.requested_schema))
        if self.action != "accept":
            return ElicitResult(action=self.action)
        filled_in = {name: ANSWERS[name] for name in params.requested_schema["properties"] if name in ANSWERS}
        return ElicitResult(action="accept", content=filled_in)

    async def ask_model(self, _: Any, params: Any) -> CreateMessageResult:
        self.questions.append([dump(message) for message in params.messages])
        return CreateMessageResult(role="assistant", content=TextContent(text="Paris"), model="tiny")

    async def list_roots(self, _: Any) -> ListRootsResult:
        self.questions.append("roots")
        return ListRootsResult(roots=[Root(uri="file:///home/ada", name="home"), Root(uri="file:///srv")])

    async def hear_log(self, params: Any) -> None:
        self.logged.append(dump(params))

    async def hear_message(self, message: Any) -> None:
        if type(message).__name__.endswith("ListChangedNotification"):
            self.changes.put_nowait(message.method)

    async def call(self, name: str, arguments: dict[str, Any] | None = None, **more: Any) -> Any:
        """All that matters of a tool's result."""
        result = await self.client.call_tool(name, arguments, read_timeout_seconds=SECONDS, **more)
        assert not result.is_error, result.content
        return [dump(block) for block in result.content]

    async def want_log_lines(self, level: Any) -> dict[str, Any]:
        """Has this level of log lines sent; what a call needs to carry for it."""
        if not self.is_legacy:
            return {LOG_LEVEL: level}
        await self.client.set_logging_level(level)
        return {}


def dump(model: Any) -> Any:
    return model.model_dump(by_alias=True, exclude_none=True, mode="json")


def text(line: str) -> dict[str, Any]:
    return {"type": "text", "text": line}


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[(front, mode) for front in ("http", "stdio") for mode in MODES],
    ids="-".join,
)
async def connected(
    request: pytest.FixtureRequest, everything: str, everything_on_stdio: list[str]
) -> AsyncIterator[Talk]:
    """One connection for all tests; a task of its own opens and closes it, which the client insists on."""
    front, mode = request.param
    command, *arguments = everything_on_stdio
    server = everything if front == "http" else StdioServerParameters(command=command, args=arguments)
    talk = Talk(server=server, mode=mode)
    opened, is_over = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with Client(
            server,
            mode=mode,
            elicitation_callback=talk.ask_user,
            sampling_callback=talk.ask_model,
            list_roots_callback=talk.list_roots,
            logging_callback=talk.hear_log,
            message_handler=talk.hear_message,
        ) as talk.client:
            opened.set()
            await is_over.wait()

    holding, opening = asyncio.create_task(hold()), asyncio.create_task(opened.wait())
    await asyncio.wait((holding, opening), return_when=asyncio.FIRST_COMPLETED)
    if holding.done():
        opening.cancel()
        await holding
    yield talk
    is_over.set()
    await holding


@pytest.fixture
def talk(connected: Talk) -> Talk:
    """The connection, with nothing heard and nothing asked yet."""
    connected.action = "accept"
    connected.questions.clear()
    connected.logged.clear()
    return connected


async def test_it_settles_on_a_revision_and_learns_what_there_is(talk: Talk) -> None:
    assert talk.client.protocol_version == ("2025-11-25" if talk.is_legacy else "2026-07-28")
    if talk.mode == "2026-07-28":
        return  # it was told the revision and asked nothing
    offered = {
        "completions": {},
        "logging": {},
        "prompts": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
        "tools": {"listChanged": True},
    }
    if not talk.is_legacy:
        offered["extensions"] = {"io.modelcontextprotocol/tasks": {}}
    assert dump(talk.client.server_capabilities) == offered
    assert talk.client.server_info is not None
    assert talk.client.server_info.name == "propylon"


IMAGE = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": base64.b64encode(WAV).decode(), "mimeType": "audio/wav"}


def make_resource(uri: str, held: str, mime_type: str = "text/plain") -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": held}}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("test_simple_text", [text("This is a simple text response for testing.")]),
        ("test_image_content", [IMAGE]),
        ("test_audio_content", [AUDIO]),
        (
            "test_embedded_resource",
            [make_resource("test://embedded-resource", "This is an embedded resource content.")],
        ),
        (
            "test_multiple_content_types",
            [
                text("Multiple content types test:"),
                IMAGE,
                make_resource(
                    "test://mixed-content-resource", '{"test":"data","value":123}', mime_type="application/json"
                ),
            ],
        ),
    ],
)
async def test_it_gets_content_of_every_kind(talk: Talk, name: str, content: Any) -> None:
    assert await talk.call(name) == content


async def test_it_gets_structured_content_that_its_text_says_too(talk: Talk) -> None:
    result = await talk.client.call_tool("add_numbers", {"a": 2, "b": 3.5})
    assert result.structured_content == {"sum": 5.5}
    assert [dump(block) for block in result.content] == [text('{"sum":5.5}')]


async def test_it_sees_a_failure_as_a_result(talk: Talk) -> None:
    result = await talk.client.call_tool("test_error_handling")
    message = "This tool intentionally returns an error for testing"
    assert result.is_error
    assert [dump(block) for block in result.content] == [text(f"FAILED_PRECONDITION: {message}")]
    assert result.meta["dev.propylon/status"] == {"code": 9, "status": "FAILED_PRECONDITION", "message": message}


async def test_it_sends_an_argument_as_a_header_too_where_it_is_asked_to(talk: Talk) -> None:
    await talk.client.list_tools()
    assert await talk.call("test_x_mcp_header", {"region": "süd 1"}) == [text("Region: süd 1")]
    assert await talk.call("test_x_mcp_header", {}) == [text("No region")]


async def test_it_hears_of_progress_in_order(talk: Talk) -> None:
    heard: list[Any] = []

    async def hear(*told: Any) -> None:
        heard.append(told)

    assert await talk.call("test_tool_with_progress", progress_callback=hear) == [text("All steps are completed.")]
    assert heard == [(done, 100, f"Completed step {done} of 100") for done in (0, 50, 100)]


async def test_it_gets_the_log_lines_of_the_level_it_wants(talk: Talk) -> None:
    wanted = await talk.want_log_lines("info")
    await talk.call("test_tool_with_logging", meta=wanted)
    assert talk.logged == [
        {"level": "info", "logger": "everything", "data": line}
        for line in ("Tool execution started", "Tool processing data", "Tool execution completed")
    ]
    talk.logged.clear()
    wanted = await talk.want_log_lines("error")
    await talk.call("test_tool_with_logging", meta=wanted)
    assert talk.logged == []


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


async def test_it_lists_and_reads_resources(talk: Talk) -> None:
    listed = (await talk.client.list_resources()).resources
    assert [(one.uri, one.mime_type, one.description) for one in listed] == [
        ("test://static-binary", "image/png", "A picture."),
        ("test://static-text", "text/plain", "A text."),
        ("test://watched-resource", "text/plain", "A text that may change."),
    ]
    contents = [dump(one) for uri in listed for one in (await talk.client.read_resource(uri.uri)).contents]
    assert contents == [
        {"uri": "test://static-binary", "mimeType": "image/png", "blob": base64.b64encode(PNG).decode()},
        {
            "uri": "test://static-text",
            "mimeType": "text/plain",
            "text": "This is the content of the static text resource.",
        },
        {"uri": "test://watched-resource", "mimeType": "text/plain", "text": "Watched resource content"},
    ]


async def test_it_reads_what_a_template_stands_for(talk: Talk) -> None:
    (template,) = (await talk.client.list_resource_templates()).resource_templates
    assert dump(template) == {
        "name": "template",
        "title": "Read template",
        "uriTemplate": "test://template/{id}/data",
        "description": "The data of one record.",
        "mimeType": "application/json",
    }
    (contents,) = (await talk.client.read_resource("test://template/a%20b/data")).contents
    assert (contents.uri, contents.mime_type) == ("test://template/a%20b/data", "application/json")
    assert json.loads(contents.text) == {"id": "a b", "templateTest": True, "data": "Data for ID: a b"}


async def test_what_is_not_there_is_told_so(talk: Talk) -> None:
    with pytest.raises(MCPError) as resource:
        await talk.client.read_resource("test://nowhere")
    with pytest.raises(MCPError) as prompt:
        await talk.client.get_prompt("nothing")
    with pytest.raises(MCPError) as completion:
        await talk.client.complete(PromptReference(name="nothing"), {"name": "arg1", "value": ""})
    assert [(told.value.code, told.value.data) for told in (resource, prompt, completion)] == [
        (-32602, {"uri": "test://nowhere"}),
        (-32602, None),
        (-32602, None),
    ]
    assert "test://nowhere" in resource.value.message
    assert prompt.value.message.startswith('Unknown prompt: "nothing"')
    assert completion.value.message.startswith('Unknown prompt: "nothing"')


async def test_it_lists_prompts_with_their_arguments(talk: Talk) -> None:
    listed = {one.name: one for one in (await talk.client.list_prompts()).prompts}
    assert sorted(listed) == [
        "test_input_required_result_prompt",
        "test_prompt_with_arguments",
        "test_prompt_with_embedded_resource",
        "test_prompt_with_image",
        "test_simple_prompt",
    ]
    described = listed["test_prompt_with_arguments"]
    assert described.description == "A prompt that quotes its arguments."
    assert [dump(one) for one in described.arguments or ()] == [
        {"name": "arg1", "description": "The first text."},
        {"name": "arg2", "description": "The second text."},
    ]


RESOURCE = make_resource("test://other", "Embedded resource content for testing.")


@pytest.mark.parametrize(
    ("name", "arguments", "content"),
    [
        ("test_simple_prompt", {}, [text("This is a simple prompt for testing.")]),
        (
            "test_prompt_with_arguments",
            {"arg1": "é", "arg2": "b"},
            [text("Prompt with arguments: arg1='é', arg2='b'")],
        ),
        (
            "test_prompt_with_embedded_resource",
            {"resourceUri": "test://other"},
            [RESOURCE, text("Please process the embedded resource above.")],
        ),
        ("test_prompt_with_image", {}, [IMAGE, text("Please analyze the image above.")]),
        ("test_input_required_result_prompt", {}, [text("Use the following context: the moon")]),
    ],
)
async def test_it_gets_prompts_of_every_kind(talk: Talk, name: str, arguments: Any, content: Any) -> None:
    prompt = await talk.client.get_prompt(name, arguments)
    assert [dump(message) for message in prompt.messages] == [{"role": "user", "content": one} for one in content]
    asked = [message for message, _ in talk.questions]
    assert asked == (["What context should the prompt use?"] if "input_required" in name else [])


async def test_it_completes_arguments(talk: Talk) -> None:
    prompt = PromptReference(name="test_prompt_with_arguments")
    known = await talk.client.complete(prompt, {"name": "arg1", "value": "par"})
    none = await talk.client.complete(prompt, {"name": "arg1", "value": "x"})
    template = ResourceTemplateReference(uri="test://template/{id}/data")
    without = await talk.client.complete(template, {"name": "id", "value": ""})
    assert [dump(answer.completion) for answer in (known, none, without)] == [
        {"values": ["paris", "park", "party"], "total": 3},
        {"values": [], "total": 0},
        {"values": []},
    ]


async def test_it_hears_of_each_change_once_and_sees_it(talk: Talk) -> None:
    triggers = (("tools", "test_trigger_tool_change"), ("prompts", "test_trigger_prompt_change"))
    heard: list[str] = []
    seen: list[bool] = []

    async def change(hear: Callable[[], Any]) -> None:
        for kind, trigger in triggers * 2:
            await talk.call(trigger)
            async with asyncio.timeout(SECONDS):
                heard.append(await hear())
            listed = await getattr(talk.client, f"list_{kind}")()
            seen.append(any("passing" in one.name for one in getattr(listed, kind)))

    if talk.is_legacy:
        await talk.client.list_tools()
        while not talk.changes.empty():
            talk.changes.get_nowait()  # of the first discovery
        await change(talk.changes.get)
        assert heard == ["notifications/tools/list_changed", "notifications/prompts/list_changed"] * 2
        assert talk.changes.empty()
    else:
        async with talk.client.listen(tools_list_changed=True, prompts_list_changed=True) as subscription:
            assert dump(subscription.honored) == {"toolsListChanged": True, "promptsListChanged": True}
            await change(lambda: anext(subscription))
        assert heard == [ToolsListChanged(), PromptsListChanged()] * 2
    assert seen == [True, True, False, False]


async def test_it_hears_only_of_what_it_listens_for(talk: Talk) -> None:
    if talk.is_legacy:
        with pytest.raises(ListenNotSupportedError):
            await talk.client.listen(prompts_list_changed=True).__aenter__()
        return
    async with talk.client.listen(prompts_list_changed=True, resource_subscriptions=["test://watched"]) as subscription:
        assert dump(subscription.honored) == {"promptsListChanged": True}
        for trigger in ("tool", "prompt") * 2:
            await talk.call(f"test_trigger_{trigger}_change")
            if trigger == "prompt":
                async with asyncio.timeout(SECONDS):
                    assert await anext(subscription) == PromptsListChanged()


async def test_a_call_that_it_gives_up_leaves_the_connection_as_it_was(talk: Talk) -> None:
    with pytest.raises(MCPError) as given_up:
        await talk.client.call_tool("slow_compute", {"seconds": 60}, read_timeout_seconds=0.3)
    assert given_up.value.code == -32001
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await talk.client.call_tool("slow_compute", {"seconds": 60})
    assert await talk.call("slow_compute", {"seconds": 0.1, "label": "x"}) == [text("x took 0.1 s")]


async def test_many_questions_at_once_find_their_calls(talk: Talk) -> None:
    calls = (talk.call("test_sampling", {"prompt": f"question {number}"}) for number in range(8))
    assert await asyncio.gather(*calls) == [[text("LLM response: Paris")]] * 8
    asked = sorted(question[0]["content"]["text"] for question in talk.questions)
    assert asked == [f"question {number}" for number in range(8)]
