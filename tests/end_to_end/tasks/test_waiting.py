"""Calls whose client takes no task: they wait for the operation, and tell how it goes."""

import asyncio
from dataclasses import replace
from typing import Any

import grpc
import pytest

from gateway.app.settings.model import Settings
from gateway.descriptors.facts.entries import RpcEntry
from tests.end_to_end.tasks.conftest import DECLARED, NAME, PROTO, Work, pack
from tests.end_to_end.typed_fields.conftest import read_messages

PLAIN = {"elicitation": {}}


async def test_a_call_waits_until_the_operation_is_done(work: Any) -> None:
    work.after = {2: work.end(title="Dune")}
    result = (await work.call("t.S/Scan", declared={}))["result"]
    assert result["structuredContent"] == {"title": "Dune"}
    assert work.looks == 2
    assert work.cancelled == []


async def test_a_client_that_takes_tasks_waits_where_there_is_never_one(work: Any) -> None:
    work.after = {1: work.end("t.Page", content=[{"text": {"text": "page 1"}}])}
    result = (await work.call("t.S/Never"))["result"]
    assert (result["resultType"], result["content"]) == ("complete", [{"type": "text", "text": "page 1"}])


async def test_an_operation_of_no_known_end_answers_with_whatever_it_ends_in(work: Any) -> None:
    work.after = {1: work.end(title="Dune")}
    result = (await work.call("t.S/Open", declared={}))["result"]
    assert result["structuredContent"] == {"@type": "type.googleapis.com/t.Book", "title": "Dune"}


async def test_progress_is_told_while_a_call_waits(work: Any) -> None:
    work.begin(work.work(progress={"progress": 1, "total": 4, "message": "page 1"}))
    work.after = {
        1: work.work(progress={"progress": 3, "total": 4}, status_message="nearly"),
        2: work.end(title="Dune"),
    }
    answer = await work.post_call("t.S/Scan", declared={}, meta={"progressToken": "p"})
    *told, last = read_messages(answer)
    assert [one["params"] for one in told] == [
        {"progressToken": "p", "progress": 1.0, "total": 4.0, "message": "page 1"},
        {"progressToken": "p", "progress": 3.0, "total": 4.0, "message": "nearly"},
    ]
    assert last["result"]["structuredContent"] == {"title": "Dune"}


async def test_an_operation_that_takes_too_long_is_asked_to_stop(work: Any) -> None:
    result = (await work.call("t.S/Scan", declared={}, meta={"dev.propylon/timeoutMs": 250}))["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"] == (
        "DEADLINE_EXCEEDED: the operation was not done within 0.25 s, and is asked to stop"
    )
    await asyncio.wait_for(work.has_cancelled.wait(), 5)
    assert work.cancelled == [NAME]


async def test_a_client_that_leaves_has_the_operation_stopped(work: Any) -> None:
    calling = asyncio.create_task(work.call("t.S/Scan", declared={}))
    await asyncio.wait_for(work.has_looked.wait(), 5)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await asyncio.wait_for(work.has_cancelled.wait(), 5)
    assert work.cancelled == [NAME]


async def test_an_operation_that_fails_is_told_like_a_call_that_fails(work: Any) -> None:
    work.after = {1: work.fail(5, "no such shelf")}
    result = (await work.call("t.S/Scan", declared={}))["result"]
    assert (result["isError"], result["content"][0]["text"]) == (True, "NOT_FOUND: no such shelf")


async def test_questions_of_an_operation_are_rounds_of_the_call_that_waits_for_it(work: Any) -> None:
    work.after = {1: work.ask("name", "age")}
    asked = (await work.call("t.S/Scan", declared=PLAIN))["result"]
    assert (asked["resultType"], list(asked["inputRequests"])) == ("input_required", ["age", "name"])
    assert len(work.stage.requests("t.S/Scan")) == 1
    answers = {"name": {"action": "accept", "content": {}}, "age": {"action": "decline"}}
    done = await work.call("t.S/Scan", declared=PLAIN, inputResponses=answers, requestState=asked["requestState"])
    assert done["result"]["structuredContent"] == {"title": "Answered"}
    assert work.stage.requests("t.S/Scan") == []
    assert [sorted(one) for one in work.answers] == [["age", "name"]]


async def test_an_operation_that_asks_what_its_client_cannot_answer_is_stopped(work: Any) -> None:
    work.begin(work.ask("name"))
    error = (await work.call("t.S/Scan", declared={}))["error"]
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": {"elicitation": {}}})
    await asyncio.wait_for(work.has_cancelled.wait(), 5)


async def test_an_operation_that_is_none_or_ends_in_something_else_is_an_internal_error(work: Any) -> None:
    work.stage.backend.answers["t.S/Scan"] = b"\xff"
    error = (await work.call("t.S/Scan", declared={}))["error"]
    assert error["message"].startswith("the backend's operation could not be read (reference ")
    work.stage.backend.answers["t.S/Scan"] = b""
    error = (await work.call("t.S/Scan", declared={}))["error"]
    assert error["message"].startswith("the backend's operation has no name (reference ")
    work.stage.backend.answers["t.S/Scan"] = work._start
    work.begin(work.end("t.Page"))
    error = (await work.call("t.S/Scan", declared={}))["error"]
    assert (error["code"], error["message"][:44]) == (-32603, "the backend's operation could not be read (r")


async def test_a_backend_without_operations_is_told_of(make_stage: Any) -> None:
    stage = await make_stage(PROTO)
    work = Work(stage)
    work.begin(work.work())

    async def refuse(request: bytes, context: Any) -> bytes:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "")
        return b""

    stage.backend.answers["google.longrunning.Operations/GetOperation"] = refuse
    error = (await work.call("t.S/Scan", declared={}))["error"]
    assert error["message"].startswith("UNIMPLEMENTED: ")


async def test_metadata_that_is_a_task_state_itself_is_read_too(work: Any) -> None:
    state = work.stage.make("gateway.v1.TaskState", status_message="Scanning")
    operation = work.work()
    operation.metadata.CopyFrom(pack("gateway.v1.TaskState", state.SerializeToString()))
    work.begin(operation)
    assert (await work.call("t.S/Scan"))["result"]["statusMessage"] == "Scanning"


async def test_the_configuration_has_the_last_word_on_tasks(make_stage: Any) -> None:
    def configure(settings: Settings) -> Settings:
        entry = RpcEntry(match="t.S/Scan", facts={"task": {"support": "required", "ttl_seconds": 5}})
        return replace(settings, rpcs=(entry,))

    work = Work(await make_stage(PROTO, settings=configure))
    work.begin(work.work())
    assert (await work.call("t.S/Scan", declared={}))["error"]["code"] == -32021
    assert (await work.call("t.S/Scan", declared=DECLARED))["result"]["ttlMs"] == 5000


async def test_a_mark_on_an_rpc_that_starts_no_operation_is_told_of(make_stage: Any, caplog: Any) -> None:
    proto = """
    import "gateway/v1/annotations.proto";
    message M {}
    service S { rpc Get(M) returns (M) { option (gateway.v1.method).task.support = TASK_SUPPORT_OPTIONAL; } }
    """
    await make_stage('syntax = "proto3"; package t;' + proto)
    warnings = [record for record in caplog.records if "never goes on as a task" in str(record.__dict__)]
    assert len(warnings) == 1
