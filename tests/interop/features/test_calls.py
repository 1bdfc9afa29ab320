"""Calls of tools by the protocol's own Python client, in both eras: content, progress, log lines, giving up."""

import asyncio
from typing import Any

import pytest
from mcp import MCPError

from tests.interop.features.talk import AUDIO, IMAGE, Talk, dump, make_resource, text

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]


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


async def test_a_call_that_it_gives_up_leaves_the_connection_as_it_was(talk: Talk) -> None:
    with pytest.raises(MCPError) as given_up:
        await talk.client.call_tool("slow_compute", {"seconds": 60}, read_timeout_seconds=0.3)
    assert given_up.value.code == -32001
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await talk.client.call_tool("slow_compute", {"seconds": 60})
    assert await talk.call("slow_compute", {"seconds": 0.1, "label": "x"}) == [text("x took 0.1 s")]
