"""The fixture of MCP's conformance suite, started as it is for the suite and called without it."""

import itertools
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx
import pytest

from tests.end_to_end.stage import META, derive_headers

EVERYTHING = Path(__file__).with_name("everything")
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
# What the suite asks for by name: shared by all revisions, or of the one or the other.
TOOLS = {
    *("test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource"),
    *("test_multiple_content_types", "test_error_handling", "test_tool_with_progress", "test_tool_with_logging"),
    *("test_logging_tool", "test_missing_capability", "test_streaming_elicitation", "test_reconnection"),
    *("test_trigger_tool_change", "test_trigger_prompt_change", "json_schema_2020_12_tool", "test_x_mcp_header"),
    *("test_sampling", "test_elicitation", "test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums"),
    *(
        f"test_input_required_result_{name}"
        for name in (
            *("elicitation", "sampling", "list_roots", "request_state", "multiple_inputs", "multi_round"),
            *("tampered_state", "capabilities"),
        )
    ),
    *("greet", "slow_compute", "failing_job", "protocol_error_job", "confirm_delete", "multi_input"),
    "test_tool_with_task",
}
PROMPTS = {
    *("test_simple_prompt", "test_prompt_with_arguments", "test_prompt_with_embedded_resource"),
    *("test_prompt_with_image", "test_input_required_result_prompt"),
}

NOTHING: Mapping[str, Any] = MappingProxyType({})

Ask = Callable[..., Generator[dict[str, Any], None, None]]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Sends one request to the fixture; the messages that answer it as they come, the response last."""
    process = subprocess.Popen([sys.executable, EVERYTHING, "--port", "0"], stdout=subprocess.PIPE, text=True)
    numbers = itertools.count(1)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", url)
        with httpx.Client(timeout=20) as client:

            def post(method: str, *, declared: Any = NOTHING, meta: Any = NOTHING, **params: Any) -> Any:
                params["_meta"] = {**META, CAPABILITIES: dict(declared), **meta}
                message = {"jsonrpc": "2.0", "id": next(numbers), "method": method, "params": params}
                headers = {name: value for name, value in derive_headers(message).items() if name != "host" and value}
                name = params.get("uri") or params.get("taskId")
                headers |= {"mcp-name": name} if name else {}
                with client.stream("POST", url, json=message, headers=headers) as answer:
                    if answer.headers["content-type"] == "application/json":
                        yield json.loads(answer.read())
                    for line in answer.iter_lines():
                        if line.startswith("data: "):
                            yield json.loads(line[6:])

            yield post
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def get(ask: Ask, method: str, **params: Any) -> Any:
    """The result of a request."""
    *_, response = ask(method, **params)
    return response["result"]


def call(ask: Ask, name: str, arguments: Any = NOTHING, **more: Any) -> Any:
    """The result of a tool."""
    return get(ask, "tools/call", name=name, arguments=dict(arguments), **more)


def list_names(ask: Ask, kind: str) -> list[str]:
    return [one["name"] for one in get(ask, f"{kind}/list")[kind]]


def test_everything_that_the_suite_asks_for_is_there(ask: Ask) -> None:
    tools = list_names(ask, "tools")
    assert set(tools) >= TOOLS
    # The suite calls the first one without arguments, and wants no refusal.
    assert tools[0] == "add_numbers"
    assert set(list_names(ask, "prompts")) == PROMPTS
    listed = get(ask, "resources/list")["resources"]
    assert {one["uri"] for one in listed} >= {f"test://{name}" for name in ("static-text", "static-binary")}


def test_content_comes_as_it_was_made(ask: Ask) -> None:
    kinds = [block["type"] for block in call(ask, "test_multiple_content_types")["content"]]
    assert kinds == ["text", "image", "resource"]
    assert call(ask, "add_numbers", {"a": 2, "b": 3})["structuredContent"] == {"sum": 5}


def test_a_failure_is_a_result(ask: Ask) -> None:
    result = call(ask, "test_error_handling")
    assert result["isError"] is True
    assert result["content"][0]["text"] == "FAILED_PRECONDITION: This tool intentionally returns an error for testing"


def test_progress_comes_before_the_result(ask: Ask) -> None:
    *told, answer = ask("tools/call", name="test_tool_with_progress", meta={"progressToken": "p"})
    assert [one["params"]["progress"] for one in told] == [0, 50, 100]
    assert answer["result"]["content"] == [{"type": "text", "text": "All steps are completed."}]


def test_questions_are_answered_in_rounds(ask: Ask) -> None:
    name, declared = "test_input_required_result_multi_round", {"elicitation": {}}
    first = call(ask, name, declared=declared)
    answers = {"step1": {"action": "accept", "content": {"name": "Ada"}}}
    second = call(ask, name, declared=declared, inputResponses=answers, requestState=first["requestState"])
    assert list(second["inputRequests"]) == ["step2"]
    answers = {"step2": {"action": "accept", "content": {"color": "blue"}}}
    third = call(ask, name, declared=declared, inputResponses=answers, requestState=second["requestState"])
    assert third["content"] == [{"type": "text", "text": "Ada likes blue"}]


def test_prompts_and_resources_are_answered(ask: Ask) -> None:
    prompt = get(ask, "prompts/get", name="test_prompt_with_arguments", arguments={"arg1": "a", "arg2": "b"})
    assert prompt["messages"][0]["content"]["text"] == "Prompt with arguments: arg1='a', arg2='b'"
    (contents,) = get(ask, "resources/read", uri="test://template/123/data")["contents"]
    assert json.loads(contents["text"])["id"] == "123"


def test_work_becomes_a_task_that_can_be_stopped(ask: Ask) -> None:
    declared = {"elicitation": {}, **TASKS}
    task = call(ask, "slow_compute", {"seconds": 60}, declared=declared)
    assert (task["resultType"], task["status"]) == ("task", "working")
    assert get(ask, "tasks/cancel", taskId=task["taskId"], declared=declared)["resultType"] == "complete"
    assert get(ask, "tasks/get", taskId=task["taskId"], declared=declared)["status"] == "cancelled"


def test_a_change_of_the_backend_is_told_and_seen(ask: Ask) -> None:
    heard = ask("subscriptions/listen", notifications={"promptsListChanged": True})
    assert next(heard)["method"] == "notifications/subscriptions/acknowledged"
    for change, wanted in (("is there now", PROMPTS | {"test_passing_prompt"}), ("is gone", PROMPTS)):
        assert call(ask, "test_trigger_prompt_change")["content"][0]["text"] == f"test_passing_prompt {change}"
        assert next(heard)["method"] == "notifications/prompts/list_changed"
        assert set(list_names(ask, "prompts")) == wanted
    heard.close()
