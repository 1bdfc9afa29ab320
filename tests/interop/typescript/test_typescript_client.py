"""The protocol's own TypeScript client in the handshake era: scenarios.mjs plays, this file judges."""

import base64
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.fixture.blocks import PNG, WAV

SCENARIOS = Path(__file__).with_name("scenarios.mjs")
SECONDS = 60
IMAGE = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ASKED_FOR_NAME = [{"message": "What is your name?", "schema": NAME}]

Play = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def play(built: Path) -> Play:
    """Plays all scenarios of a kind on a gateway, and gives what came of each."""
    script = built / "typescript" / SCENARIOS.name  # beside the modules that it imports
    shutil.copyfile(SCENARIOS, script)

    def play_on(kind: str, front: str, *server: str) -> dict[str, Any]:
        command = ["node", str(script), kind, front, *server]
        played = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
        assert played.returncode == 0, played.stderr
        outcomes = json.loads(played.stdout)
        assert isinstance(outcomes, dict)
        return outcomes

    return play_on


@pytest.fixture(scope="session", params=["http", "stdio"])
def outcomes(request: pytest.FixtureRequest, play: Play, everything: str, everything_on_stdio: list[str]) -> Any:
    """By scenario, on the gateway in front of the fixture of the conformance suite."""
    return play("everything", request.param, *([everything] if request.param == "http" else everything_on_stdio))


@pytest.fixture(scope="session", params=["http", "stdio"])
def in_the_shop(request: pytest.FixtureRequest, play: Play, serve: Callable[..., str], propylon: list[str]) -> Any:
    """By scenario, on the demo's shop."""
    if request.param == "http":
        return play("shop", "http", serve("--demo"))
    return play("shop", "stdio", *propylon, "serve", "--demo", "--stdio")


def text(line: str) -> dict[str, Any]:
    return {"type": "text", "text": line}


def said(line: str, *questions: Any) -> dict[str, Any]:
    return {"content": [text(line)], "questions": list(questions)}


def make_resource(uri: str, held: str, mime_type: str = "text/plain") -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": held}}


def make_error(code: int, message: str, **data: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": f"MCP error {code}: {message}", **({"data": data} if data else {})}}


def list_broken(outcomes: dict[str, Any]) -> list[str]:
    return [
        f"{name}: {one['threw']}" for name, one in outcomes.items() if isinstance(one, dict) and one.keys() == {"threw"}
    ]


def test_every_scenario_comes_to_an_end(outcomes: Any) -> None:
    assert list_broken(outcomes) == []


def test_every_scenario_comes_to_an_end_in_the_shop(in_the_shop: Any) -> None:
    assert list_broken(in_the_shop) == []


def test_it_learns_whom_it_talks_to_and_what_there_is(outcomes: Any) -> None:
    introduction = outcomes["introduction"]
    assert introduction["hasSession"] in (True, None)  # None: there are no session ids on stdio
    assert introduction == {
        "hasSession": introduction["hasSession"],
        "name": "propylon",
        "capabilities": {
            "completions": {},
            "logging": {},
            "prompts": {"listChanged": True},
            "resources": {"listChanged": True, "subscribe": True},
            "tools": {"listChanged": True},
        },
    }
    assert outcomes["ping"] == {}


def test_it_lists_the_tools(outcomes: Any) -> None:
    names = outcomes["tools"]
    assert names == sorted(names)
    assert {"add_numbers", "greet", "test_simple_text", "test_sampling", "slow_compute"} <= set(names)
    assert "test_passing_tool" not in names


@pytest.mark.parametrize(
    ("scenario", "content"),
    [
        ("simple_text", [text("This is a simple text response for testing.")]),
        ("image", [IMAGE]),
        ("audio", [{"type": "audio", "data": base64.b64encode(WAV).decode(), "mimeType": "audio/wav"}]),
        ("embedded_resource", [make_resource("test://embedded-resource", "This is an embedded resource content.")]),
        (
            "mixed",
            [
                text("Multiple content types test:"),
                IMAGE,
                make_resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
            ],
        ),
    ],
)
def test_it_gets_content_of_every_kind(outcomes: Any, scenario: str, content: Any) -> None:
    assert outcomes[scenario] == {"content": content}


def test_it_gets_structured_content_that_its_text_says_too(outcomes: Any) -> None:
    assert outcomes["structured"] == {"content": [text('{"sum":5.5}')], "structuredContent": {"sum": 5.5}}


def test_it_sees_a_failure_as_a_result(outcomes: Any) -> None:
    message = "This tool intentionally returns an error for testing"
    assert outcomes["failure"] == {
        "content": [text(f"FAILED_PRECONDITION: {message}")],
        "isError": True,
        "_meta": {"dev.propylon/status": {"code": 9, "status": "FAILED_PRECONDITION", "message": message}},
    }


def test_what_is_not_there_is_told_so(outcomes: Any) -> None:
    assert [outcomes[f"unknown_{kind}"] for kind in ("tool", "resource", "prompt")] == [
        make_error(-32602, 'Unknown tool: "no_such_tool"; tools/list names those that there are'),
        make_error(-32602, 'Resource not found: "test://nowhere"', uri="test://nowhere"),
        make_error(-32602, 'Unknown prompt: "nothing"; prompts/list names those that there are'),
    ]


def test_it_hears_of_progress_in_order(outcomes: Any) -> None:
    assert outcomes["progress"] == {
        "content": [text("All steps are completed.")],
        "told": [{"progress": done, "total": 100, "message": f"Completed step {done} of 100"} for done in (0, 50, 100)],
    }


def test_it_gets_the_log_lines_of_the_level_it_wants(outcomes: Any) -> None:
    lines = ("Tool execution started", "Tool processing data", "Tool execution completed")
    assert outcomes["logs"] == {
        "content": [text("Three lines were written to the log.")],
        "lines": [{"level": "info", "logger": "everything", "data": line} for line in lines],
        "lines_of_errors": [],
    }


def test_its_model_is_asked(outcomes: Any) -> None:
    question = {"messages": [{"role": "user", "content": text("Capital of France?")}], "maxTokens": 100}
    assert outcomes["sampling"] == said("LLM response: Paris", question)


@pytest.mark.parametrize(
    ("scenario", "line"),
    [
        ("elicitation", "Hello, Ada!"),
        ("declined", "Hello, whoever you are!"),
        ("cancelled", "Hello, whoever you are!"),
        ("by_a_stream", 'User response: action=accept, content={"name": "Ada"}'),
    ],
)
def test_its_user_is_asked_and_may_refuse(outcomes: Any, scenario: str, line: str) -> None:
    assert outcomes[scenario] == said(line, *ASKED_FOR_NAME)


def test_it_is_asked_for_its_roots(outcomes: Any) -> None:
    assert outcomes["roots"] == said("The client's roots: file:///home/ada", "roots")


def test_all_three_are_asked_at_once(outcomes: Any) -> None:
    answer = outcomes["all_at_once"]
    assert answer["content"] == [text("3 answers came: client_roots, greeting, user_name")]
    sampling = {"messages": [{"role": "user", "content": text("Generate a greeting")}], "maxTokens": 100}
    assert sorted(answer["questions"], key=str) == sorted([*ASKED_FOR_NAME, sampling, "roots"], key=str)


def test_its_user_is_asked_again_after_an_answer(outcomes: Any) -> None:
    answer = outcomes["twice"]
    assert answer["content"] == [text("Ada likes blue")]
    assert [question["message"] for question in answer["questions"]] == [
        "Step 1: What is your name?",
        "Step 2: What is your favorite color?",
    ]


def test_its_user_gets_forms_with_defaults_and_choices(outcomes: Any) -> None:
    (chosen,), (filled_in,) = (outcomes[name]["questions"] for name in ("choices", "defaults"))
    assert sorted(chosen["schema"]["properties"]) == [
        *("legacyEnum", "titledMulti", "titledSingle", "untitledMulti", "untitledSingle")
    ]
    assert {name: row["default"] for name, row in filled_in["schema"]["properties"].items()} == {
        "name": "John Doe",
        "age": 30,
        "score": 95.5,
        "status": "active",
        "verified": True,
    }


def test_many_questions_at_once_find_their_calls(outcomes: Any) -> None:
    assert outcomes["many_at_once"] == {
        "texts": ["LLM response: Paris"] * 8,
        "asked": [f"question {number}" for number in range(8)],
    }


def test_what_it_cannot_be_asked_is_not_called(outcomes: Any) -> None:
    mute = outcomes["mute"]
    assert mute["neither"] == {"content": [text("Hello, Ada!")]}
    assert [(mute[name]["error"]["code"], mute[name]["error"]["data"]) for name in ("model", "user")] == [
        (-32021, {"requiredCapabilities": {"sampling": {}}}),
        (-32021, {"requiredCapabilities": {"elicitation": {}}}),
    ]


def test_it_lists_and_reads_resources(outcomes: Any) -> None:
    assert [(one["uri"], one["mimeType"]) for one in outcomes["resources"]["resources"]] == [
        ("test://static-binary", "image/png"),
        ("test://static-text", "text/plain"),
        ("test://watched-resource", "text/plain"),
    ]
    line = "This is the content of the static text resource."
    assert outcomes["read_text"] == {
        "contents": [{"uri": "test://static-text", "mimeType": "text/plain", "text": line}]
    }
    assert outcomes["read_binary"] == {
        "contents": [{"uri": "test://static-binary", "mimeType": "image/png", "blob": IMAGE["data"]}]
    }


def test_it_reads_what_a_template_stands_for(outcomes: Any) -> None:
    (template,) = outcomes["templates"]["resourceTemplates"]
    assert (template["uriTemplate"], template["mimeType"]) == ("test://template/{id}/data", "application/json")
    (contents,) = outcomes["read_template"]["contents"]
    assert (contents["uri"], contents["mimeType"]) == ("test://template/7/data", "application/json")
    assert json.loads(contents["text"]) == {"id": "7", "templateTest": True, "data": "Data for ID: 7"}


def test_it_subscribes_to_resources_that_there_are(outcomes: Any) -> None:
    assert outcomes["subscribe"] == {
        "known": {},
        "unknown": make_error(-32602, 'Resource not found: "test://nowhere"', uri="test://nowhere"),
        "undone": {},
    }


def test_it_lists_prompts_with_their_arguments(outcomes: Any) -> None:
    listed = {one["name"]: one["arguments"] for one in outcomes["prompts"]["prompts"]}
    assert listed == {
        "test_input_required_result_prompt": [],
        "test_prompt_with_arguments": [
            {"name": "arg1", "description": "The first text."},
            {"name": "arg2", "description": "The second text."},
        ],
        "test_prompt_with_embedded_resource": [{"name": "resourceUri", "description": "Its URI."}],
        "test_prompt_with_image": [],
        "test_simple_prompt": [],
    }


@pytest.mark.parametrize(
    ("scenario", "content"),
    [
        ("prompt", [text("Prompt with arguments: arg1='é', arg2='b'")]),
        ("prompt_with_image", [IMAGE, text("Please analyze the image above.")]),
        (
            "prompt_with_resource",
            [
                make_resource("test://other", "Embedded resource content for testing."),
                text("Please process the embedded resource above."),
            ],
        ),
        ("prompt_that_asks", [text("Use the following context: the moon")]),
    ],
)
def test_it_gets_prompts_of_every_kind(outcomes: Any, scenario: str, content: Any) -> None:
    prompt = outcomes[scenario]
    assert prompt["messages"] == [{"role": "user", "content": one} for one in content]
    asked = ["What context should the prompt use?"] if scenario == "prompt_that_asks" else []
    assert prompt.get("questions", []) == asked


def test_it_completes_arguments(outcomes: Any) -> None:
    assert outcomes["completion"] == {"completion": {"values": ["paris", "park", "party"], "total": 3}}


def test_it_hears_of_each_change_once_and_sees_it(outcomes: Any) -> None:
    assert outcomes["changes"] == [
        {"changes": [f"notifications/{kind}/list_changed"], "is_there": is_there}
        for is_there in (True, False)
        for kind in ("tools", "prompts")
    ]


def test_a_call_that_it_gives_up_leaves_the_session_as_it_was(outcomes: Any) -> None:
    assert outcomes["given_up"] == {"timed_out": -32001, "abandoned": True, "after": [text("x took 0.1 s")]}


def test_a_session_that_it_ends_is_gone(outcomes: Any) -> None:
    assert outcomes["farewell"] in ({"status": 404}, None)  # None: there are no session ids on stdio


def test_it_holds_results_to_their_output_schemas(in_the_shop: Any) -> None:
    results = dict(in_the_shop["results"])
    absent = results.pop("absent")
    assert results == {
        "order": {"currencyCode": "EUR", "minorUnits": "44930"},
        "tree": ["root"],
        "customers": 2,
        "movements": 3,
    }
    assert (absent["isError"], absent["content"]) == (True, [text('NOT_FOUND: there is no order "o-9"')])
    assert absent["_meta"]["dev.propylon/status"]["reason"] == "ORDER_NOT_FOUND"


def test_it_is_told_what_is_wrong_with_its_arguments(in_the_shop: Any) -> None:
    line = "INVALID_ARGUMENT: arguments: /order is not a field of this message; it has `id`"
    assert in_the_shop["wrong_argument"]["content"] == [text(line)]
    assert in_the_shop["wrong_argument"]["isError"] is True


def test_it_learns_nothing_of_a_crash(in_the_shop: Any) -> None:
    error = in_the_shop["crash"]["error"]
    assert (error["code"], error["data"]) == (-32603, {"status": "INTERNAL"})
    assert error["message"].startswith("MCP error -32603: INTERNAL: the backend failed inside")
