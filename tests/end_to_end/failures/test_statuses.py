"""How a failed RPC is told: by its status, in its dialect, in bounded and readable words."""

import asyncio
import logging

import grpc
import pytest
from google.rpc import error_details_pb2 as details_pb2
from google.rpc.status_pb2 import Status

PROTO = "message M { string t = 1; repeated M inner = 2; } service S { rpc Do(M) returns (M); }"
RPC = "t.S/Do"
FRAME = b"\x00\x00\x00\x00\x00"
CODES = list(grpc.StatusCode)[1:]
PROTOCOL_CODES = {"CANCELLED": -31001, "UNIMPLEMENTED": -31012, "INTERNAL": -32603, "DATA_LOSS": -31015}
PROTOCOL_CODES |= {"UNAUTHENTICATED": -31016}


def abort(code, message="", *details):
    sent = Status(code=code.value[0], message=message)
    for detail in details:
        sent.details.add().Pack(detail)
    trailers = (("grpc-status-details-bin", sent.SerializeToString()),) if details else ()

    async def answer(request, context):
        await context.abort(code, message, trailers)

    return answer


def read(envelope):
    """The line that a caller sees first, in either dialect."""
    if "error" in envelope:
        return envelope["error"]["message"]
    assert envelope["result"]["isError"] is True
    return envelope["result"]["content"][0]["text"]


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.name)
async def test_a_status_without_a_message_is_told_by_its_name(make_stage, code):
    stage = await make_stage(PROTO)
    stage.backend.answers[RPC] = abort(code)
    answer = await stage.post(stage.make_call(RPC, {}))
    line = read(answer.json)
    assert answer.status == 200
    assert line.startswith(f"{code.name}: ")
    assert len(line) > len(code.name) + 10
    assert answer.json.get("error", {}).get("code") == PROTOCOL_CODES.get(code.name)


@pytest.mark.parametrize("size", [9_000, 60_000])
async def test_details_of_many_kilobytes_do_not_cost_the_status(make_stage, size):
    stage = await make_stage(PROTO)
    bad = details_pb2.BadRequest(field_violations=[{"field": "inner[0].t", "description": "x" * size}])
    stage.backend.answers[RPC] = abort(grpc.StatusCode.NOT_FOUND, "big", bad)
    text = await stage.refusal(RPC, {})
    assert text == f"NOT_FOUND: big\n/inner/0/t: {'x' * 199}…"


async def test_details_beyond_the_limit_say_so_and_name_no_other_cause(make_stage):
    stage = await make_stage(PROTO)
    details = details_pb2.DebugInfo(detail="x" * 1_000_000)
    stage.backend.answers[RPC] = abort(grpc.StatusCode.NOT_FOUND, "big", details)
    assert await stage.refusal(RPC, {}) == (
        'RESOURCE_EXHAUSTED: backend "mock" sent more headers, trailers or error details than the 131072 bytes that '
        "this gateway reads; the status in them is lost"
    )


async def test_what_a_backend_says_of_arguments_is_told_by_their_published_places(make_stage):
    stage = await make_stage(PROTO)
    stage.backend.answers[RPC] = abort(
        grpc.StatusCode.INVALID_ARGUMENT,
        "no",
        details_pb2.BadRequest(
            field_violations=[
                {"field": "inner[3].t", "description": "is too odd"},
                {"field": "there.is_no.such[1]", "description": "is unknown"},
            ]
        ),
        details_pb2.ErrorInfo(reason="ODD", domain="shop.example"),
        details_pb2.RetryInfo(retry_delay={"seconds": 1, "nanos": 500_000_000}),
    )
    result = await stage.call(RPC, {})
    assert result["content"][0]["text"] == (
        "INVALID_ARGUMENT: no\n/inner/3/t: is too odd\n/there/is_no/such/1: is unknown\nretry after 1.5 s"
    )
    status = result["_meta"]["dev.propylon/status"]
    assert (status["reason"], status["domain"], status["retryAfterMs"]) == ("ODD", "shop.example", 1500)


async def test_who_ran_out_of_time_is_told(make_stage):
    stage = await make_stage(PROTO)
    ended = asyncio.Event()

    async def hang(request, context):
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    stage.backend.answers[RPC] = hang
    request = stage.make_call(RPC, {})
    request["params"]["_meta"] = {**request["params"]["_meta"], "dev.propylon/timeoutMs": 100}
    assert read(await stage.answer(request)) == "DEADLINE_EXCEEDED: no answer within 0.1 s (this gateway's limit)"
    await asyncio.wait_for(ended.wait(), 5)
    stage.backend.answers[RPC] = abort(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")
    assert await stage.refusal(RPC, {}) == "DEADLINE_EXCEEDED: Deadline Exceeded (from the backend)"
    stage.backend.answers[RPC] = abort(grpc.StatusCode.CANCELLED, "stopped")
    assert read(await stage.answer(stage.make_call(RPC, {}))) == "CANCELLED: stopped (from the backend)"


TRACE = "java.lang.IllegalStateException: no pool\n" + "".join(
    f"\tat com.shop.Db.open(db-prod-7.internal:{line})\n" for line in range(200)
)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (grpc.StatusCode.UNKNOWN, "UNKNOWN: java.lang.IllegalStateException: no pool\nreference: {}"),
        (
            grpc.StatusCode.INTERNAL,
            "INTERNAL: the backend failed inside; its own message is withheld (reference {})",
        ),
    ],
)
async def test_a_stack_trace_stays_in_the_log_under_the_reference(make_stage, caplog, code, line):
    stage = await make_stage(PROTO)
    stage.backend.answers[RPC] = abort(code, TRACE, details_pb2.DebugInfo(detail=TRACE, stack_entries=["at com.x.Y"]))
    caplog.clear()
    answer = await stage.post(stage.make_call(RPC, {}))
    (record,) = [record for record in caplog.records if record.name == "propylon.mcp"]
    assert read(answer.json) == line.format(record.__dict__["reference"])
    assert "db-prod-7" in record.__dict__["said"]
    assert b"db-prod-7" not in answer.body
    assert b"at com." not in answer.body


async def test_a_fault_of_the_gateway_is_told_by_a_reference_alone(make_stage, caplog, monkeypatch):
    stage = await make_stage(PROTO)
    request = stage.make_request("tools/call", {"name": "nope"})

    def fail(*_):
        raise ZeroDivisionError("secret words")

    with monkeypatch.context() as broken:
        broken.setattr("gateway.mcp.methods.tools_call.find_nearest_name", fail)
        (over_stdio,) = await stage.talk(request)
        answer = await stage.post(request)
    references = [record.__dict__["reference"] for record in caplog.records if record.exc_info]
    for envelope, reference in zip([over_stdio, answer.json], references, strict=True):
        message = f"the gateway failed inside (reference {reference})"
        assert envelope == {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": message}}
    assert answer.status == 200
    caplog.clear()


@pytest.mark.parametrize(
    ("trailers", "line"),
    [
        ([(b"grpc-status", b"42"), (b"grpc-message", b"odd")], "UNKNOWN: odd"),
        ([(b"grpc-status", b"999")], "UNKNOWN: the backend gave no message"),
        (
            [(b"grpc-status", b"-1")],
            'UNKNOWN: backend "mock" ended the call with a grpc-status that is not a number from 0 to 16',
        ),
        (
            [(b"grpc-status", b"abc")],
            'UNKNOWN: backend "mock" ended the call with a grpc-status that is not a number from 0 to 16',
        ),
        ([(b"x", b"y")], 'UNKNOWN: backend "mock" ended the call without a gRPC status'),
        (
            [(b"grpc-status", b"0")],
            'INTERNAL: backend "mock" ended the call well but without a whole reply',
        ),
        (
            [(b"grpc-status", b"5"), (b"grpc-status-details-bin", b"!!!")],
            'INTERNAL: backend "mock" sent metadata that cannot be read, under the name grpc-status-details-bin',
        ),
        ([(b"grpc-status", b"3"), (b"grpc-message", b"caf%C3%A9%0Aline2")], "INVALID_ARGUMENT: café line2"),
        ([(b"grpc-status", b"3"), (b"grpc-message", b"100%")], "INVALID_ARGUMENT: 100%"),
        ([(b"grpc-status", b"3"), (b"grpc-message", b"%C3")], "INVALID_ARGUMENT: Ã"),
        ([(b"grpc-status", b"3"), (b"grpc-message", b"\xe9")], "INVALID_ARGUMENT: é"),
        ([(b"grpc-status", b"3"), (b"grpc-message", b"x" * 20_000)], f"INVALID_ARGUMENT: {'x' * 999}…"),
    ],
)
async def test_what_no_server_of_grpc_would_send_is_told_too(make_stage, start_raw, trailers, line):
    target = await start_raw(lambda connection, stream_id: connection.send(stream_id, *trailers))
    stage = await make_stage(PROTO, target=target)
    answer = await stage.post(stage.make_call(RPC, {}))
    told = read(answer.json).partition("\nreference: ")[0].partition(" (reference ")[0]
    assert told == line
    assert len(answer.body) < 12_000


@pytest.mark.parametrize("how", ["closed", "reset"])
async def test_a_connection_that_breaks_during_a_call_is_unavailable(make_stage, start_raw, how):
    def answer(connection, stream_id):
        if how == "closed":
            connection.transport.abort()
        else:
            connection.h2.reset_stream(stream_id, 7)

    stage = await make_stage(PROTO, target=await start_raw(answer))
    text = await stage.refusal(RPC, {})
    broken = (
        'the connection to backend "mock" broke before its answer',
        'backend "mock" reset the call without a status',
    )
    assert text.removeprefix("UNAVAILABLE: ").startswith(broken)
    assert "127.0.0.1" not in text


async def test_a_backend_that_is_not_there_is_unavailable_and_named_without_its_address(make_stage, caplog):
    caplog.set_level(logging.DEBUG)
    stage = await make_stage(PROTO, target="127.0.0.1:9")
    text = await stage.refusal(RPC, {})
    assert text.startswith('UNAVAILABLE: backend "mock" cannot be reached')
    assert "127.0.0.1" not in text
    reference = text.rpartition("reference: ")[2]
    assert reference in [record.__dict__.get("reference") for record in caplog.records]
