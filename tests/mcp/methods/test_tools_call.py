import asyncio
import logging
import re
from typing import Any

import orjson
import pytest

from gateway.contract.distilled import Problem
from gateway.contract.statuses import STATUSES, Dialect
from gateway.contract.validation import PER_REQUEST_REVISION, SchemaValidator, load_protocol_schema
from gateway.mcp.dispatch import Dispatcher
from gateway.transcoding.printed import Body, Printed
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


async def call(kit: Any, dispatcher: Dispatcher, arguments: Any = ..., name: str = "echo", **meta: Any) -> Any:
    """The HTTP status and the envelope of one call; an ellipsis leaves the arguments out."""
    params = {"name": name} if arguments is ... else {"name": name, "arguments": arguments}
    message = kit.make_request("tools/call", params, **meta)
    return await kit.ask(dispatcher, message, kit.mirror(message))


def only_record(caplog: pytest.LogCaptureFixture) -> logging.LogRecord:
    records = [record for record in caplog.records if record.name == "propylon.mcp"]
    assert len(records) == 1
    return records[0]


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, logger="propylon.mcp")
    return caplog


async def test_a_call_answers_with_text_and_structured_content(kit: Any, heard: pytest.LogCaptureFixture) -> None:
    rpc = kit.FakeRpc()
    answer = await call(kit, kit.make_dispatcher(kit.make_tool(call=rpc)), {"a": [1, "é"]})
    assert answer == (
        200,
        {
            "jsonrpc": "2.0",
            "id": 1,
            "result": {
                "resultType": "complete",
                "content": [{"type": "text", "text": '{"a":[1,"é"]}'}],
                "structuredContent": {"a": [1, "é"]},
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "propylon", "version": "1.2.3"}},
            },
        },
    )
    assert rpc.calls == [('{"a":[1,"é"]}'.encode(), 30.0, ())]
    assert heard.records == []


@pytest.mark.parametrize("reply", [b"[1,2]", b'"text"', b"5", b"null", b'{"a":1}'])
async def test_a_tool_without_an_output_schema_answers_in_text_alone(kit: Any, reply: bytes) -> None:
    tool = kit.make_tool(call=kit.FakeRpc(reply), output_validator=None)
    _, body = await call(kit, kit.make_dispatcher(tool), {})
    assert body["result"]["content"] == [{"type": "text", "text": reply.decode()}]
    assert "structuredContent" not in body["result"]


@pytest.mark.parametrize("arguments", [..., None, {}])
async def test_absent_and_null_arguments_are_empty_ones(kit: Any, arguments: Any) -> None:
    rpc = kit.FakeRpc()
    status, _ = await call(kit, kit.make_dispatcher(kit.make_tool(call=rpc)), arguments)
    assert (status, [request for request, _, _ in rpc.calls]) == (200, [b"{}"])


async def test_an_alias_calls_the_tool_it_stands_for(kit: Any) -> None:
    catalogue = kit.make_catalogue(kit.make_tool(), aliases={"old_echo": "echo"})
    _, body = await call(kit, kit.make_dispatcher(catalogue=catalogue), {"a": 1}, name="old_echo")
    assert body["result"]["structuredContent"] == {"a": 1}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nope", 'Unknown tool: "nope"; tools/list names those that there are'),
        ("", 'Unknown tool: ""; tools/list names those that there are'),
        ("Shop_Get_Order", 'Unknown tool: "Shop_Get_Order"; did you mean "shop_get_order"?'),
        ("shop_get_ordr", 'Unknown tool: "shop_get_ordr"; did you mean "shop_get_order"?'),
        ("a\u202eb\n", 'Unknown tool: "a\\u202eb\\n"; tools/list names those that there are'),
    ],
)
async def test_an_unknown_tool_is_a_protocol_error_with_the_nearest_name(kit: Any, name: str, message: str) -> None:
    message_in = kit.make_request("tools/call", {"name": name}, request_id="same")
    status, body = await kit.ask(kit.make_dispatcher(kit.make_tool("shop_get_order")), message_in)
    assert (status, body) == (
        200,
        {"jsonrpc": "2.0", "id": "same", "error": {"code": -32602, "message": message}},
    )


async def test_a_name_of_ten_kilobytes_is_cut(kit: Any) -> None:
    _, body = await call(kit, kit.make_dispatcher(kit.make_tool()), name="x" * 10_000)
    assert body["error"]["code"] == -32602
    assert len(body["error"]["message"]) <= 200
    assert "10000 characters" in body["error"]["message"]


async def test_refused_arguments_are_a_tool_error_and_no_call(kit: Any, heard: pytest.LogCaptureFixture) -> None:
    rpc = kit.FakeRpc()
    status, body = await call(kit, kit.make_dispatcher(kit.make_tool(call=rpc)), {"refused": "private words"})
    result = body["result"]
    assert (status, result["isError"], result["resultType"]) == (200, True, "complete")
    assert result["content"][0]["text"] == "INVALID_ARGUMENT: arguments: /refused must not be there"
    assert result["_meta"]["dev.propylon/status"]["errors"] == [{"at": "/refused", "problems": ["must not be there"]}]
    assert "structuredContent" not in result
    assert rpc.calls == []
    record = only_record(heard)
    assert (record.levelno, record.__dict__["tool"], record.__dict__["places"]) == (logging.INFO, "echo", ["/refused"])
    assert "private words" not in str(record.__dict__)


@pytest.mark.parametrize("row", STATUSES[1:], ids=lambda row: row.name)
async def test_every_status_is_told_in_its_dialect_and_by_name(
    kit: Any, heard: pytest.LogCaptureFixture, row: Any
) -> None:
    tool = kit.make_tool(call=kit.FakeRpc(RpcStatus(code=row.number, message="")))
    status, body = await call(kit, kit.make_dispatcher(tool), {"secret": "hunter2"})
    assert status == 200
    if row.dialect is Dialect.TOOL:
        assert body["result"]["isError"] is True
        text = body["result"]["content"][0]["text"]
    else:
        text = body["error"]["message"]
    assert row.name in text
    record = only_record(heard)
    assert record.__dict__["status"] == row.name
    assert "hunter2" not in str(record.__dict__)


@pytest.mark.parametrize("code", [42, 999, -1])
async def test_a_status_without_a_name_is_unknown_and_shows_its_number(kit: Any, code: int) -> None:
    tool = kit.make_tool(call=kit.FakeRpc(RpcStatus(code=code, message="odd")))
    _, body = await call(kit, kit.make_dispatcher(tool), {})
    assert body["result"]["isError"] is True
    assert body["result"]["content"][0]["text"].startswith(f"UNKNOWN: odd (status {code})")


@pytest.mark.parametrize(
    "status",
    [
        RpcStatus(code=13, message="panic at db-prod-7.internal:5432"),
        RpcStatus(code=15, message="panic at db-prod-7.internal:5432"),
        RpcStatus(code=2, message="Oops\n\tat com.shop.Db.open(Db.java:12)\n\tat db-prod-7.internal"),
    ],
)
async def test_what_is_withheld_is_in_the_log_under_the_reference_in_the_answer(
    kit: Any, heard: pytest.LogCaptureFixture, status: RpcStatus
) -> None:
    _, body = await call(kit, kit.make_dispatcher(kit.make_tool(call=kit.FakeRpc(status))), {})
    told = orjson.dumps(body).decode()
    assert "db-prod-7" not in told
    found = re.search(r"reference:? ([0-9a-f]{16})", told)
    assert found is not None
    record = only_record(heard)
    assert record.__dict__["reference"] == found[1]
    assert "db-prod-7" in record.__dict__["said"]
    assert "\n" not in record.__dict__["said"]


async def test_an_operator_may_let_internal_failures_be_told(kit: Any) -> None:
    tool = kit.make_tool(call=kit.FakeRpc(RpcStatus(code=13, message="table is locked")))
    _, body = await call(kit, kit.make_dispatcher(tool, forward_internal=True), {})
    assert body["error"]["message"].startswith("INTERNAL: table is locked")


async def test_the_callers_trace_id_is_the_reference(kit: Any, heard: pytest.LogCaptureFixture) -> None:
    tool = kit.make_tool(call=kit.FakeRpc(RpcStatus(code=13, message="x")))
    _, body = await call(kit, kit.make_dispatcher(tool), {}, traceparent=PARENT)
    assert f"(reference {TRACE})" in body["error"]["message"]
    assert only_record(heard).__dict__["reference"] == TRACE


async def test_a_broken_connection_has_a_reference_and_a_plain_not_found_has_none(kit: Any) -> None:
    lost = RpcStatus(code=14, message="the backend is not there", origin=StatusOrigin.CONNECTION)
    _, body = await call(kit, kit.make_dispatcher(kit.make_tool(call=kit.FakeRpc(lost))), {})
    assert "reference: " in body["result"]["content"][0]["text"]
    missing = RpcStatus(code=5, message="no order 7")
    _, body = await call(kit, kit.make_dispatcher(kit.make_tool(call=kit.FakeRpc(missing))), {})
    assert body["result"]["content"][0]["text"] == "NOT_FOUND: no order 7"


async def test_a_reply_that_cannot_be_read_is_an_internal_error(kit: Any, heard: pytest.LogCaptureFixture) -> None:
    tool = kit.make_tool(call=kit.FakeRpc(b"\xff\xff garbage"))
    status, body = await call(kit, kit.make_dispatcher(tool), {})
    record = only_record(heard)
    assert (status, body["error"]["code"]) == (200, -32603)
    reference = record.__dict__["reference"]
    assert body["error"]["message"] == f"the backend's reply could not be read (reference {reference})"
    assert (record.levelno, record.__dict__["reason"]) == (logging.ERROR, "it is no JSON")


async def test_a_reply_that_breaks_the_output_schema_is_an_internal_error(
    kit: Any, heard: pytest.LogCaptureFixture
) -> None:
    validator = SchemaValidator({"type": "object", "properties": {"total": {"type": "integer"}}}, subject="result")
    tool = kit.make_tool(call=kit.FakeRpc(b'{"total":"secret words"}'), output_validator=validator)
    status, body = await call(kit, kit.make_dispatcher(tool), {})
    assert (status, body["error"]["code"]) == (200, -32603)
    assert body["error"]["message"].startswith("the backend's reply breaks the tool's output schema (reference ")
    assert "data" not in body["error"]
    assert "/total" in only_record(heard).__dict__["reason"]
    fitting = kit.make_tool(call=kit.FakeRpc(b'{"total":1}'), output_validator=validator)
    _, body = await call(kit, kit.make_dispatcher(fitting), {})
    assert body["result"]["structuredContent"] == {"total": 1}


async def test_a_result_over_the_limit_is_a_tool_error_that_names_it(kit: Any, heard: pytest.LogCaptureFixture) -> None:
    at_limit, over = b'{"t":"' + b"x" * 92 + b'"}', b'{"t":"' + b"x" * 93 + b'"}'
    dispatcher = kit.make_dispatcher(kit.make_tool(call=kit.FakeRpc(at_limit)), result_limit_bytes=100)
    assert "isError" not in (await call(kit, dispatcher, {}))[1]["result"]
    dispatcher = kit.make_dispatcher(kit.make_tool(call=kit.FakeRpc(over)), result_limit_bytes=100)
    _, body = await call(kit, dispatcher, {})
    assert body["result"]["isError"] is True
    assert body["result"]["content"][0]["text"] == (
        "RESOURCE_EXHAUSTED: the backend has answered, but the result of 101 bytes is over the gateway's limit of 100 "
        "bytes; ask for less: a smaller page size, a narrower filter or fewer fields"
    )
    assert only_record(heard).__dict__["bytes"] == 101


async def test_lists_of_a_result_over_the_limit_are_shortened_and_that_is_said(
    kit: Any, heard: pytest.LogCaptureFixture
) -> None:
    reply = orjson.dumps({"rows": list(range(10, 60)), "next": "p2"})
    dispatcher = kit.make_dispatcher(kit.make_tool(call=kit.FakeRpc(reply)), result_limit_bytes=60)
    _, body = await call(kit, dispatcher, {})
    rows = list(range(10, 22))
    text, remark = (block["text"] for block in body["result"]["content"])
    assert body["result"]["structuredContent"] == orjson.loads(text) == {"rows": rows, "next": "p2"}
    assert "isError" not in body["result"]
    assert remark == (
        "truncated to keep to the gateway's limit of 60 bytes: /rows shows the first 12 of 50 items, the other 38 are "
        "left out.\nNo page token leads to what is left out: to see it, ask for less at once, by a smaller page size, "
        "a narrower filter or fewer fields."
    )
    assert body["result"]["_meta"]["dev.propylon/truncated"] == {
        "reason": "bytes",
        "limit": 60,
        "lists": [{"at": "/rows", "kept": 12, "total": 50}],
    }
    record = only_record(heard)
    assert (record.getMessage(), record.__dict__["bytes"]) == ("tool result shortened", len(reply))


async def test_values_that_are_shown_otherwise_are_noted(kit: Any, heard: pytest.LogCaptureFixture) -> None:
    notes = (Problem(at="/t", text="is no valid timestamp"), Problem(at="", text="is odd"))
    printed = Printed(value={"t": "x"}, notes=notes)
    _, body = await call(kit, kit.make_dispatcher(kit.make_tool(transcoder=kit.ReadingTranscoder(printed))), {})
    result = body["result"]
    assert result["structuredContent"] == {"t": "x"}
    assert [block["text"] for block in result["content"]] == [
        '{"t":"x"}',
        "not shown as the backend sent it:\nis odd\n/t: is no valid timestamp",
    ]
    assert result["_meta"]["dev.propylon/notes"] == [
        {"at": "", "problems": ["is odd"]},
        {"at": "/t", "problems": ["is no valid timestamp"]},
    ]
    assert heard.records == []


async def test_a_reply_that_is_content_becomes_blocks(kit: Any) -> None:
    async def give(content_type: str, data: bytes, **options: Any) -> Any:
        printed = Printed(value=None, body=Body(content_type=content_type, data=data))
        tool = kit.make_tool(transcoder=kit.ReadingTranscoder(printed), output_validator=None)
        return (await call(kit, kit.make_dispatcher(tool, **options), {}))[1]["result"]

    result = await give("text/plain", "hé".encode())
    assert result["content"] == [{"type": "text", "text": "hé"}]
    assert "structuredContent" not in result
    assert (await give("application/pdf", b"%PDF"))["content"] == [
        {"type": "text", "text": "application/pdf, 4 bytes"},
        {
            "type": "resource",
            "resource": {"uri": "grpc:///test.v1.Test/echo", "mimeType": "application/pdf", "blob": "JVBERg=="},
        },
    ]
    assert [block["text"] for block in (await give("text/plain", b"\xffa"))["content"]] == [
        "\ufffda",
        "not shown as the backend sent it:\nis not text in its charset; \ufffd stands for what could not be read",
    ]
    assert (await give("application/zip", b"x" * 101, result_limit_bytes=100))["isError"] is True


@pytest.mark.parametrize(("asked", "seconds"), [(None, 30.0), (1500, 1.5), (0.5, 0.0005), (90_000, 30.0)])
async def test_the_callers_deadline_counts_where_it_is_the_shorter_one(kit: Any, asked: Any, seconds: float) -> None:
    rpc = kit.FakeRpc()
    status, _ = await call(kit, kit.make_dispatcher(kit.make_tool(call=rpc)), {}, **{"dev.propylon/timeoutMs": asked})
    assert (status, [timeout for _, timeout, _ in rpc.calls]) == (200, [seconds])


@pytest.mark.parametrize("asked", [0, -1, "5", True, [], {}])
async def test_a_deadline_that_is_none_is_malformed(kit: Any, asked: Any) -> None:
    rpc = kit.FakeRpc()
    dispatcher = kit.make_dispatcher(kit.make_tool(call=rpc))
    status, body = await call(kit, dispatcher, {}, **{"dev.propylon/timeoutMs": asked})
    assert (status, body["error"]["code"]) == (400, -32602)
    assert body["error"]["data"]["errors"][0]["at"] == "/params/_meta/dev.propylon~1timeoutMs"
    assert rpc.calls == []


async def test_the_trace_context_travels_as_metadata(kit: Any) -> None:
    rpc = kit.FakeRpc()
    meta = {"traceparent": PARENT, "tracestate": "a=1", "baggage": "k=v"}
    await call(kit, kit.make_dispatcher(kit.make_tool(call=rpc)), {}, **meta)
    assert rpc.calls[0][2] == tuple(meta.items())


async def test_cancelling_the_dispatch_cancels_the_call(kit: Any) -> None:
    rpc = kit.HangingRpc()
    dispatcher = kit.make_dispatcher(kit.make_tool(call=rpc))
    task = asyncio.create_task(kit.dispatch(dispatcher, kit.make_request("tools/call", {"name": "echo"})))
    await rpc.has_begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert rpc.is_cancelled


async def test_every_kind_of_answer_is_valid_by_the_protocol(kit: Any) -> None:
    schema = load_protocol_schema(PER_REQUEST_REVISION)
    validator = SchemaValidator({"$ref": "#/$defs/CallToolResult", "$defs": schema["$defs"]})
    tools = [
        kit.make_tool("good"),
        kit.make_tool("text", call=kit.FakeRpc(b'"x"'), output_validator=None),
        kit.make_tool("missing", call=kit.FakeRpc(RpcStatus(code=5, message="x"))),
    ]
    dispatcher = kit.make_dispatcher(*tools)
    for name, arguments in [("good", {}), ("text", {}), ("missing", {}), ("good", {"refused": 1})]:
        _, body = await call(kit, dispatcher, arguments, name=name)
        assert validator.validate(body["result"]) is None
