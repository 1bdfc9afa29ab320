"""What backends are told of a call, and what they ask and say while it goes on."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import grpc
import pytest

from gateway.app.settings.model import Settings
from tests.end_to_end.typed_fields.conftest import HEAD, call, read_messages

PROTO = (
    HEAD
    + """
message Q { string text = 1; gateway.v1.CallContext context = 2; }
message Reply { string text = 1; gateway.v1.InputRequired asks = 2; repeated gateway.v1.LogMessage logs = 3; }
message Step {
  int32 n = 1;
  gateway.v1.Progress progress = 2;
  gateway.v1.LogMessage log = 3;
  repeated gateway.v1.ContentBlock blocks = 4;
}
message News { gateway.v1.Progress progress = 1; gateway.v1.ContentBlock block = 2; }
service S {
  rpc Get(Q) returns (Reply);
  rpc Watch(Q) returns (stream Step);
  rpc Follow(Q) returns (stream News);
  rpc Work(Q) returns (stream gateway.v1.StreamEvent);
  rpc Upload(stream Q) returns (Reply);
}
"""
)
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"


@pytest.fixture
async def stage(make_stage: Any) -> Any:
    return await make_stage(PROTO)


def stream(stage: Any, rpc: str, *messages: Any) -> list[bytes]:
    """Lets the RPC answer with these messages; the requests that it gets are in the list."""
    requests: list[bytes] = []

    async def answer(incoming: AsyncIterator[bytes], _: Any) -> AsyncIterator[bytes]:
        requests.extend([request async for request in incoming])
        for message in messages:
            yield message.SerializeToString()

    stage.backend.streams[rpc] = answer
    return requests


async def test_the_context_is_no_argument(stage: Any) -> None:
    assert list(stage.get_tool("t.S/Get")["inputSchema"]["properties"]) == ["text"]
    assert await stage.refusal("t.S/Get", {"context": {"principal": "me"}, "text": 5, "nope": 1}) == (
        "INVALID_ARGUMENT: arguments: /context is filled in by the gateway and is no argument (and 2 more)\n"
        "/context: is filled in by the gateway and is no argument\n"
        "/nope: is not a field of this message; it has `text`\n"
        "/text: must be a string, got 5"
    )
    text = await stage.refusal("t.S/Upload", {"messages": [{"text": "a"}, {"context": {}}]})
    assert text == "INVALID_ARGUMENT: arguments: /messages/1/context is filled in by the gateway and is no argument"


async def test_a_backend_is_told_what_the_client_can_and_wants(stage: Any) -> None:
    declared = {"sampling": {}, "elicitation": {"url": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
    await call(stage, "t.S/Get", {"text": "a"}, **{CAPABILITIES: declared, LOG_LEVEL: "notice", "progressToken": 1})
    context = stage.make(
        "gateway.v1.CallContext",
        client={"sampling": True, "elicitation_url": True, "tasks": True},
        wants_progress=True,
        log_level="LOG_LEVEL_NOTICE",
    )
    assert stage.received("t.S/Get", "t.Q") == stage.make("t.Q", text="a", context=context)
    await call(stage, "t.S/Get", {}, **{CAPABILITIES: {"elicitation": {}, "roots": {}}})
    context = stage.make("gateway.v1.CallContext", client={"elicitation": True, "roots": True})
    assert stage.received("t.S/Get", "t.Q") == stage.make("t.Q", context=context)


async def test_of_a_client_stream_the_first_message_is_told(stage: Any) -> None:
    requests = stream(stage, "t.S/Upload", stage.make("t.Reply", text="done"))
    result = await stage.call("t.S/Upload", {"messages": [{"text": "a"}, {"text": "b"}]})
    assert result["structuredContent"] == {"text": "done"}
    first, second = [stage.messages("t.Q").FromString(request) for request in requests]
    assert (first.HasField("context"), second.HasField("context")) == (True, False)


async def test_log_lines_come_ahead_of_the_answer_from_the_wanted_level_on(stage: Any) -> None:
    logs = [
        {"level": "LOG_LEVEL_DEBUG", "data": {"string_value": "quiet"}},
        {"level": "LOG_LEVEL_ERROR", "logger": "db", "data": {"struct_value": {"a": 1}}},
        {"data": {"string_value": "x" * 20_000}},
    ]
    stage.backend.answers["t.S/Get"] = stage.make("t.Reply", text="done", logs=logs)
    *notifications, answer = read_messages(await call(stage, "t.S/Get", {}, **{LOG_LEVEL: "info"}))
    assert [(one["method"], one["params"]["level"]) for one in notifications] == [
        ("notifications/message", "error"),
        ("notifications/message", "info"),
    ]
    assert notifications[0]["params"] == {"level": "error", "logger": "db", "data": {"a": 1.0}}
    assert len(notifications[1]["params"]["data"]) <= 1_000
    assert answer["result"]["structuredContent"] == {"text": "done"}
    assert read_messages(await call(stage, "t.S/Get", {}))[:-1] == []


async def test_a_stream_tells_progress_and_content_and_its_values_are_the_result(stage: Any) -> None:
    stream(
        stage,
        "t.S/Watch",
        stage.make("t.Step", progress={"progress": 1, "total": 3, "message": "one"}),
        stage.make("t.Step", n=7, progress={"progress": 2, "total": 3}),
        stage.make("t.Step", log={"level": "LOG_LEVEL_WARNING", "data": {"string_value": "slow"}}),
        stage.make("t.Step", blocks=[{"text": {"text": "half"}}]),
        stage.make("t.Step", n=8, blocks=[{"text": {"text": "whole"}}]),
    )
    answer = await call(stage, "t.S/Watch", {}, **{LOG_LEVEL: "debug", "progressToken": "p"})
    *notifications, last = read_messages(answer)
    assert [one["params"] for one in notifications] == [
        {"progressToken": "p", "progress": 1.0, "total": 3.0, "message": "one"},
        {"progressToken": "p", "progress": 2.0, "total": 3.0},
        {"level": "warning", "data": "slow"},
    ]
    result = last["result"]
    assert result["structuredContent"] == {"messages": [{"n": 7}, {"n": 8}], "truncated": False}
    assert [block["text"] for block in result["content"][1:]] == ["half", "whole"]


async def test_a_stream_of_content_alone_is_content_alone(stage: Any) -> None:
    stream(
        stage,
        "t.S/Follow",
        stage.make("t.News", progress={"progress": 1}),
        stage.make("t.News", block={"text": {"text": "a"}}),
        stage.make("t.News", block={"text": {"text": "b"}}),
    )
    assert "outputSchema" not in stage.get_tool("t.S/Follow")
    result = await stage.call("t.S/Follow", {})
    assert result["content"] == [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert "structuredContent" not in result
    stream(stage, "t.S/Follow")
    assert (await stage.call("t.S/Follow", {}))["content"] == []


async def test_of_stream_events_the_last_structured_one_is_the_result(stage: Any) -> None:
    stream(
        stage,
        "t.S/Work",
        stage.make("gateway.v1.StreamEvent", structured={"part": 1}),
        stage.make("gateway.v1.StreamEvent", content={"image": {"data": b"GIF", "mime_type": "image/gif"}}),
        stage.make("gateway.v1.StreamEvent", structured={"part": 2}),
    )
    (message,) = read_messages(await call(stage, "t.S/Work", {}))
    assert message["result"]["structuredContent"] == {"part": 2.0}
    assert message["result"]["content"] == [
        {"type": "text", "text": '{"part":2}'},
        {"type": "image", "data": "R0lG", "mimeType": "image/gif"},
    ]


async def test_content_of_a_stream_is_cut_at_the_caps(make_stage: Any) -> None:
    def limit(settings: Settings) -> Settings:
        return replace(settings, limits=replace(settings.limits, stream_messages=2))

    stage = await make_stage(PROTO, settings=limit)
    stream(stage, "t.S/Follow", *(stage.make("t.News", block={"text": {"text": str(n)}}) for n in range(5)))
    result = await stage.call("t.S/Follow", {})
    assert [block["text"] for block in result["content"]] == [
        "0",
        "1",
        "stream cut after 2 messages: that is this gateway's limit; more may follow",
    ]
    assert result["_meta"]["dev.propylon/truncated"] == {"messages": 2, "reason": "messages", "limit": 2}


async def test_what_came_before_a_failure_is_kept(stage: Any) -> None:
    async def answer(incoming: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        yield stage.make("t.News", block={"text": {"text": "a"}}).SerializeToString()
        await context.abort(grpc.StatusCode.ABORTED, "broken")

    stage.backend.streams["t.S/Follow"] = answer
    result = await stage.call("t.S/Follow", {})
    assert [block["text"] for block in result["content"]] == [
        "ABORTED: broken",
        "1 message came before the failure:",
        "a",
    ]
