"""Calls that become tasks: creation, looking, answering, cancelling, and who may."""

import json
import re
from dataclasses import replace
from typing import Any

import grpc
import pytest

from gateway.app.settings.model import SealingSection, Settings
from tests.end_to_end.stage import META
from tests.end_to_end.tasks.conftest import CAPABILITIES, DECLARED, GET, NAME, PROTO, TASKS, Work

INFO = "io.modelcontextprotocol/serverInfo"
NEEDS = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


async def create(work: Any, rpc: str = "t.S/Scan", **more: Any) -> str:
    result = (await work.call(rpc, **more))["result"]
    assert result["resultType"] == "task", result
    return str(result["taskId"])


async def look(work: Any, task_id: str) -> Any:
    """The task without what is the same in all of them."""
    result = (await work.ask_task("get", task_id))["result"]
    assert (result.pop("taskId"), result.pop("resultType")) == (task_id, "complete")
    for name in ("createdAt", "lastUpdatedAt"):
        assert TIME.fullmatch(result.pop(name))
    assert list(result.pop("_meta")) == [INFO]
    return {key: value for key, value in result.items() if key not in ("ttlMs", "pollIntervalMs")}


async def test_the_extension_is_discovered(work: Any) -> None:
    answer = await work.stage.answer(work.stage.make_request("server/discover"))
    assert answer["result"]["capabilities"]["extensions"] == {TASKS: {}}


async def test_a_call_becomes_a_flat_task_with_the_terms_of_its_rpc(work: Any) -> None:
    work.begin(work.work(status_message="Scanning"))
    result = (await work.call("t.S/Must"))["result"]
    assert list(result.pop("_meta")) == [INFO]
    assert len(result.pop("taskId")) > 100
    assert TIME.fullmatch(result.pop("createdAt"))
    assert TIME.fullmatch(result.pop("lastUpdatedAt"))
    assert result == {
        "resultType": "task",
        "status": "working",
        "statusMessage": "Scanning",
        "ttlMs": 60_000,
        "pollIntervalMs": 200,
    }


async def test_a_task_is_followed_from_work_to_the_result_of_the_call(work: Any) -> None:
    task_id = await create(work)
    assert await look(work, task_id) == {"status": "working"}
    work.begin(work.work(progress={"progress": 3, "total": 10}))
    assert await look(work, task_id) == {"status": "working", "statusMessage": "3 of 10"}
    work.begin(work.end(title="Dune", pages=412))
    assert await look(work, task_id) == {
        "status": "completed",
        "result": {
            "content": [{"type": "text", "text": '{"title":"Dune","pages":412}'}],
            "structuredContent": {"title": "Dune", "pages": 412},
            "resultType": "complete",
        },
    }


async def test_what_a_tool_lists_is_what_its_operations_end_in(work: Any) -> None:
    assert work.stage.get_tool("t.S/Scan")["outputSchema"]["properties"].keys() == {"title", "pages"}
    assert "outputSchema" not in work.stage.get_tool("t.S/Never")
    assert work.stage.get_tool("t.S/Open")["outputSchema"]["type"] == "object"


async def test_a_failure_that_a_model_can_mend_completes_the_task_and_others_fail_it(work: Any) -> None:
    task_id = await create(work)
    work.begin(work.fail(5, "no such shelf"))
    completed = await look(work, task_id)
    assert completed["status"] == "completed"
    assert completed["result"]["isError"] is True
    assert completed["result"]["content"][0]["text"] == "NOT_FOUND: no such shelf"
    work.begin(work.fail(16, "the scanner knows nobody"))
    assert await look(work, task_id) == {
        "status": "failed",
        "error": {
            "code": -31016,
            "message": "UNAUTHENTICATED: the scanner knows nobody",
            "data": {"status": "UNAUTHENTICATED"},
        },
    }


async def test_an_operation_that_was_cancelled_is_a_cancelled_task(work: Any) -> None:
    task_id = await create(work)
    assert (await work.ask_task("cancel", task_id))["result"].keys() == {"resultType", "_meta"}
    assert work.cancelled == [NAME]
    work.begin(work.fail(1, "stopped"))
    assert await look(work, task_id) == {"status": "cancelled"}
    assert (await work.ask_task("cancel", task_id))["result"]["resultType"] == "complete"


async def test_answers_reach_the_backend_and_others_are_ignored(work: Any) -> None:
    work.begin(work.ask("name"))
    created = (await work.call("t.S/Scan"))["result"]
    assert (created["status"], "inputRequests" in created) == ("input_required", False)
    task_id = created["taskId"]
    form = {"mode": "form", "message": "name?", "requestedSchema": {"type": "object", "properties": {}}}
    assert await look(work, task_id) == {
        "status": "input_required",
        "statusMessage": "waiting",
        "inputRequests": {"name": {"method": "elicitation/create", "params": form}},
    }
    stranger = {"stranger": {"action": "accept"}}
    assert (await work.ask_task("update", task_id, inputResponses=stranger))["result"].keys() == {"resultType", "_meta"}
    assert work.answers == []
    answer = {"action": "accept", "content": {"name": "Ada"}}
    assert "result" in await work.ask_task("update", task_id, inputResponses={"name": answer, **stranger})
    ((key, text),) = work.answers[0].items()
    assert (key, json.loads(text)) == ("name", answer)
    assert (await look(work, task_id))["status"] == "completed"


async def test_questions_before_there_is_an_operation_are_rounds_of_the_call(work: Any) -> None:
    questions = work.ask("name")
    questions.name = ""
    work.begin(questions)
    asked = (await work.call("t.S/Scan"))["result"]
    assert (asked["resultType"], list(asked["inputRequests"]), "taskId" in asked) == ("input_required", ["name"], False)
    work.stage.requests("t.S/Scan")
    work.begin(work.work())
    answers = {"name": {"action": "accept", "content": {"name": "Ada"}}}
    task_id = await create(work, inputResponses=answers, requestState=asked["requestState"])
    context = work.stage.received("t.S/Scan", "t.Q").context
    assert list(context.answers) == ["name"]
    assert await look(work, task_id) == {"status": "working"}


async def test_every_task_method_wants_the_extension_before_it_looks_at_the_id(work: Any) -> None:
    task_id = await create(work)
    for method in ("get", "update", "cancel"):
        for one in (task_id, "nonsense"):
            error = (await work.ask_task(method, one, declared={}))["error"]
            assert (error["code"], error["data"]) == (-32021, NEEDS)


async def test_a_tool_that_is_always_a_task_wants_the_extension(work: Any) -> None:
    error = (await work.call("t.S/Must", declared={}))["error"]
    assert (error["code"], error["data"]) == (-32021, NEEDS)
    assert work.stage.requests("t.S/Must") == []


async def test_one_that_is_always_a_task_is_one_even_when_it_is_done_at_once(work: Any) -> None:
    work.begin(work.end(title="Dune"))
    task_id = await create(work, "t.S/Must")
    assert (await look(work, task_id))["status"] == "completed"
    direct = (await work.call("t.S/Scan"))["result"]
    assert direct["structuredContent"] == {"title": "Dune"}


@pytest.mark.parametrize("method", ["get", "update", "cancel"])
async def test_ids_that_are_none_are_refused(work: Any, method: str) -> None:
    task_id = await create(work)
    for one in ("nonsense", task_id[:-2] + "AA", ""):
        error = (await work.ask_task(method, one, inputResponses={}))["error"]
        assert error["code"] == -32602
        assert error["message"] == ("request: /params/taskId is no task that was given to this caller, or has expired")
    assert (await work.ask_task(method, 5, inputResponses={}))["error"]["message"] == (
        "request: /params/taskId must be a string, got 5"
    )


async def test_an_operation_that_the_backend_has_forgotten_is_an_unknown_task(work: Any) -> None:
    task_id = await create(work)

    async def forget(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await context.abort(grpc.StatusCode.NOT_FOUND, "gone")
        return b""

    work.stage.backend.answers[GET] = forget
    error = (await work.ask_task("get", task_id))["error"]
    assert error["code"] == -32602


async def test_the_name_header_must_be_the_task_id(work: Any) -> None:
    task_id = await create(work)
    message = work.stage.make_request("tasks/get", {"taskId": task_id})
    message["params"]["_meta"] = {**META, CAPABILITIES: DECLARED}
    for name in (None, "other"):
        answer = await work.stage.post(message, {"mcp-name": name})
        assert (answer.status, answer.json["error"]["code"]) == (400, -32020)


@pytest.mark.parametrize("method", ["tasks/result", "tasks/list"])
async def test_methods_of_the_older_tasks_are_gone(work: Any, method: str) -> None:
    answer = await work.stage.post(work.stage.make_request(method, {"taskId": "x"}), {"mcp-name": "x"})
    assert (answer.status, answer.json["error"]["code"]) == (404, -32601)


async def test_any_replica_with_the_keys_answers_for_a_task(make_stage: Any) -> None:
    def share_key(settings: Settings) -> Settings:
        return replace(settings, sealing=SealingSection(keys=("a key that replicas share, of 32 bytes",)))

    first = Work(await make_stage(PROTO, settings=share_key))
    second = Work(await make_stage(PROTO, settings=share_key))
    first.begin(first.work())
    second.begin(second.end(title="Dune"))
    task_id = await create(first)
    assert (await look(second, task_id))["status"] == "completed"
    stranger = Work(await make_stage(PROTO))
    assert (await stranger.ask_task("get", task_id))["error"]["code"] == -32602


async def test_answers_must_be_objects(work: Any) -> None:
    work.begin(work.ask("name"))
    task_id = await create(work)
    for given, text in (
        ({}, "/params/inputResponses is required"),
        ({"inputResponses": 5}, "/params/inputResponses must be an object, got 5"),
        ({"inputResponses": {"name": 5}}, "/params/inputResponses/name must be an object, got 5"),
    ):
        error = (await work.ask_task("update", task_id, **given))["error"]
        assert (error["code"], error["message"]) == (-32602, f"request: {text}")
    assert work.answers == []


async def test_a_backend_that_cannot_be_reached_ends_no_task(work: Any) -> None:
    async def fail(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await context.abort(grpc.StatusCode.UNAVAILABLE, "restarting")
        return b""

    task_id = await create(work)
    work.stage.backend.answers[GET] = fail
    error = (await work.ask_task("get", task_id))["error"]
    assert (error["code"], error["message"]) == (-31014, "UNAVAILABLE: restarting")


async def test_listening_for_tasks_wants_the_extension(work: Any) -> None:
    message = work.stage.make_request("subscriptions/listen", {"notifications": {"taskIds": ["x"]}})
    answer = await work.stage.post(message)
    assert (answer.status, answer.json["error"]["code"], answer.json["error"]["data"]) == (400, -32021, NEEDS)


async def test_a_task_asks_only_what_its_client_can_answer(work: Any) -> None:
    work.begin(
        work.work(
            input_required={"requests": {"who": {"elicitation": {"message": "Who?"}}, "where": {"roots": {}}}},
        )
    )
    task_id = await create(work)
    assert list((await look(work, task_id))["inputRequests"]) == ["who"]
    bare = {"extensions": {TASKS: {}}}
    error = (await work.ask_task("get", task_id, declared=bare))["error"]
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": {"elicitation": {}, "roots": {}}})
    assert "result" in await work.ask_task("cancel", task_id, declared=bare)


async def test_tasks_are_the_same_over_stdio(work: Any) -> None:
    def complete(message: dict[str, Any]) -> dict[str, Any]:
        message["params"]["_meta"] = {**META, CAPABILITIES: DECLARED}
        return message

    (created,) = await work.stage.talk(complete(work.stage.make_call("t.S/Scan", {})))
    work.begin(work.end(title="Dune"))
    params = {"taskId": created["result"]["taskId"]}
    (seen,) = await work.stage.talk(complete(work.stage.make_request("tasks/get", params)))
    assert seen["result"]["result"]["structuredContent"] == {"title": "Dune"}
