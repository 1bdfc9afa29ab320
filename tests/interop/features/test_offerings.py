"""Resources, templates, prompts and completion, as the protocol's own Python client has them, in both eras."""

import base64
import json
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import PromptReference, ResourceTemplateReference

from tests.conformance.fixture.blocks import PNG
from tests.interop.features.talk import IMAGE, Talk, dump, make_resource, text

RESOURCE = make_resource("test://other", "Embedded resource content for testing.")
pytestmark = pytest.mark.asyncio(loop_scope="session")


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
