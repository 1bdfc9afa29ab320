import asyncio
import logging
from typing import Any

import orjson
import pytest

from gateway.contract.envelopes import Envelope, encode_envelope
from gateway.contract.validation import PER_REQUEST_REVISION, SchemaValidator, load_protocol_schema
from gateway.mcp.dispatch import Dispatcher
from gateway.mcp.exchange import Exchange
from gateway.mcp.tool_calls.collector import StreamLimits
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

SCHEMA = load_protocol_schema(PER_REQUEST_REVISION)
RESULT = SchemaValidator({**SCHEMA, "$ref": "#/$defs/CallToolResult"}, subject="result")
NOTIFICATION = SchemaValidator({**SCHEMA, "$ref": "#/$defs/ProgressNotification"}, subject="notification")
LATE = RpcStatus(code=4, message="no answer within 2 s (this gateway's limit)", origin=StatusOrigin.GATEWAY)


class Outlet:
    def __init__(self) -> None:
        self.told: list[Any] = []

    async def notify(self, envelope: Envelope) -> None:
        self.told.append(orjson.loads(encode_envelope(envelope)))


async def call(
    kit: Any, dispatcher: Dispatcher, arguments: Any = None, *, outlet: Outlet | None = None, **meta: Any
) -> Any:
    """The result of one call of the stream, or its error."""
    message = kit.make_request("tools/call", {"name": "watch", "arguments": arguments or {}}, **meta)
    envelope = await dispatcher.dispatch(message, Exchange(front="test", outlet=outlet))
    assert envelope is not None
    body = orjson.loads(encode_envelope(envelope))
    if "error" in body:
        return body["error"]
    assert RESULT.validate(body["result"]) is None
    return body["result"]


def read(result: Any) -> tuple[list[str], Any, Any]:
    """The texts of a result, its structured content, and what `_meta` says of a cut."""
    texts = [block["text"] for block in result["content"]]
    return texts, result.get("structuredContent"), result["_meta"].get("dev.propylon/truncated")


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, logger="propylon.mcp")
    return caplog


async def test_the_messages_of_a_stream_are_one_result(kit: Any, heard: pytest.LogCaptureFixture) -> None:
    stream = kit.FakeStream(b'{"a":1}', b"{}", b'{"a":"\xc3\xa9"}')
    result = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=stream)), {"x": 1})
    text = '{"messages":[{"a":1},{},{"a":"é"}],"truncated":false}'
    assert read(result) == ([text], {"messages": [{"a": 1}, {}, {"a": "é"}], "truncated": False}, None)
    assert "isError" not in result
    assert (stream.calls, stream.open) == ([((b'{"x":1}',), 30.0, ())], 0)
    assert heard.records == []


async def test_a_stream_without_messages_is_an_empty_list(kit: Any) -> None:
    result = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=kit.FakeStream())))
    assert result["structuredContent"] == {"messages": [], "truncated": False}


async def test_a_stream_is_cut_after_so_many_messages_and_says_so(kit: Any, heard: pytest.LogCaptureFixture) -> None:
    stream = kit.FakeStream(*(b"%d" % number for number in range(100_000)))
    limits = StreamLimits(messages=3)
    result = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=stream), stream_limits=limits))
    assert read(result) == (
        [
            '{"messages":[0,1,2],"truncated":true}',
            "stream cut after 3 messages: that is this gateway's limit; more may follow",
        ],
        {"messages": [0, 1, 2], "truncated": True},
        {"messages": 3, "reason": "messages", "limit": 3},
    )
    assert "isError" not in result
    assert (stream.given, stream.open) == (4, 0)
    assert [record.getMessage() for record in heard.records] == ["stream cut"]


async def test_a_stream_of_just_the_limit_is_whole(kit: Any) -> None:
    dispatcher = kit.make_dispatcher(
        kit.make_stream_tool(stream=kit.FakeStream(b"0", b"1")), stream_limits=StreamLimits(messages=2)
    )
    assert (await call(kit, dispatcher))["structuredContent"] == {"messages": [0, 1], "truncated": False}


async def test_a_stream_is_cut_where_the_next_message_would_make_it_too_large(kit: Any) -> None:
    stream = kit.FakeStream(*[b'"%s"' % (b"x" * 100)] * 9)
    limits = StreamLimits(bytes=300)
    result = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=stream), stream_limits=limits))
    texts, structured, cut = read(result)
    assert texts[1] == (
        "stream cut after 2 messages: the next would be over this gateway's limit of 300 bytes; more may follow"
    )
    assert (len(structured["messages"]), structured["truncated"]) == (2, True)
    assert cut == {"messages": 2, "reason": "bytes", "limit": 300}


async def test_a_stream_whose_time_is_up_is_cut(kit: Any) -> None:
    stream = kit.FakeStream(b"1", LATE)
    tool = kit.make_stream_tool(stream=stream, deadline_seconds=2.0)
    assert read(await call(kit, kit.make_dispatcher(tool))) == (
        ['{"messages":[1],"truncated":true}', "stream cut after 1 message: its time of 2 s was up; more may follow"],
        {"messages": [1], "truncated": True},
        {"messages": 1, "reason": "seconds", "limit": 2},
    )


async def test_a_stream_that_said_nothing_in_its_time_has_failed(kit: Any) -> None:
    result = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=kit.FakeStream(LATE))))
    assert result["isError"] is True
    assert read(result)[0] == ["DEADLINE_EXCEEDED: no answer within 2 s (this gateway's limit)"]


async def test_a_backend_that_gives_up_in_time_of_its_own_has_failed(kit: Any) -> None:
    late = RpcStatus(code=4, message="the database is slow")
    result = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=kit.FakeStream(b"1", late))))
    assert (result["isError"], read(result)[0][0]) == (
        True,
        "DEADLINE_EXCEEDED: the database is slow (from the backend)",
    )


@pytest.mark.parametrize(("code", "first"), [(9, "FAILED_PRECONDITION: gone"), (8, "RESOURCE_EXHAUSTED: gone")])
async def test_what_came_before_a_failure_is_kept(
    kit: Any, code: int, first: str, heard: pytest.LogCaptureFixture
) -> None:
    stream = kit.FakeStream(b'{"a":1}', b'{"a":2}', RpcStatus(code=code, message="gone"))
    result = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=stream)))
    assert result["isError"] is True
    assert read(result) == (
        [first, "2 messages came before the failure:", '{"messages":[{"a":1},{"a":2}],"truncated":true}'],
        None,
        None,
    )
    assert result["_meta"]["dev.propylon/status"]["code"] == code
    (record,) = heard.records
    assert record.__dict__["messages"] == 2


async def test_what_came_before_an_internal_failure_is_kept_and_its_words_are_withheld(kit: Any) -> None:
    stream = kit.FakeStream(b"1", RpcStatus(code=13, message="at Db.java:12 secret"))
    result = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=stream)))
    assert result["isError"] is True
    texts = read(result)[0]
    assert texts[0].startswith("INTERNAL: ")
    assert "secret" not in str(result)
    assert texts[1:] == ["1 message came before the failure:", '{"messages":[1],"truncated":true}']


async def test_an_internal_failure_before_any_message_is_a_protocol_error(kit: Any) -> None:
    stream = kit.FakeStream(RpcStatus(code=13, message="secret"))
    error = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=stream)))
    assert (error["code"], "secret" in str(error)) == (-32603, False)


async def test_a_message_that_cannot_be_read_ends_the_call(kit: Any) -> None:
    stream = kit.FakeStream(b"1", b"no JSON", b"2")
    error = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=stream)))
    assert (error["code"], stream.given, stream.open) == (-32603, 2, 0)
    assert error["message"].startswith("the backend's reply could not be read (reference ")


async def test_each_message_is_held_to_the_schema_of_one(kit: Any) -> None:
    stream = kit.FakeStream(b'{"a":1}', b'{"a":"x"}')
    validator = SchemaValidator({"properties": {"a": {"type": "integer"}}}, subject="result")
    error = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=stream, output_validator=validator)))
    assert (error["code"], stream.open) == (-32603, 0)
    assert error["message"].startswith("the backend's reply breaks the tool's output schema")


async def test_refused_arguments_begin_no_call(kit: Any) -> None:
    stream = kit.FakeStream(b"1")
    result = await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=stream)), {"refused": 1})
    assert (result["isError"], stream.calls) == (True, [])
    assert read(result)[0] == ["INVALID_ARGUMENT: arguments: /refused must not be there"]


async def test_a_clients_stream_has_one_reply_as_its_result(kit: Any) -> None:
    stream = kit.FakeStream(b'{"sum":3}')
    output = SchemaValidator({"type": "object"}, subject="result")
    tool = kit.make_stream_tool(stream=stream, has_many_replies=False, output_validator=output)
    result = await call(kit, kit.make_dispatcher(tool), {"messages": [1, 2]})
    assert read(result) == (['{"sum":3}'], {"sum": 3}, None)
    assert (stream.calls, stream.open) == ([((b"1", b"2"), 30.0, ())], 0)


async def test_a_clients_stream_that_fails_is_told_like_any_call(kit: Any) -> None:
    stream = kit.FakeStream(RpcStatus(code=3, message="the second is odd"))
    tool = kit.make_stream_tool(stream=stream, has_many_replies=False)
    result = await call(kit, kit.make_dispatcher(tool), {"messages": [1, 2]})
    assert (result["isError"], read(result)[0]) == (True, ["INVALID_ARGUMENT: the second is odd"])


async def test_a_caller_may_shorten_the_time(kit: Any) -> None:
    stream = kit.FakeStream(b"1")
    await call(kit, kit.make_dispatcher(kit.make_stream_tool(stream=stream)), **{"dev.propylon/timeoutMs": 1500})
    assert stream.calls[0][1] == 1.5


async def test_each_message_is_progress_where_the_caller_wants_it(kit: Any) -> None:
    stream = kit.FakeStream(b'{"a":1}', b'{"a":2}')
    dispatcher = kit.make_dispatcher(kit.make_stream_tool(stream=stream))
    outlet = Outlet()
    await call(kit, dispatcher, outlet=outlet)
    assert outlet.told == []
    await call(kit, dispatcher, outlet=outlet, progressToken="p")
    assert all(NOTIFICATION.validate(told) is None for told in outlet.told)
    assert [told["params"] for told in outlet.told] == [
        {"progressToken": "p", "progress": 1, "message": '{"a":1}'},
        {"progressToken": "p", "progress": 2, "message": '{"a":2}'},
    ]


async def test_progress_of_calls_side_by_side_goes_each_its_own_way(kit: Any) -> None:
    dispatcher = kit.make_dispatcher(kit.make_stream_tool(stream=kit.FakeStream(b"1", b"2", b"3")))
    outlets = [Outlet() for _ in range(3)]
    await asyncio.gather(
        call(kit, dispatcher, outlet=outlets[0], progressToken="a"),
        call(kit, dispatcher, outlet=outlets[1], progressToken=1),
        call(kit, dispatcher, outlet=outlets[2]),
    )
    tokens = [[told["params"]["progressToken"] for told in outlet.told] for outlet in outlets]
    assert tokens == [["a"] * 3, [1] * 3, []]


@pytest.mark.parametrize("token", [{}, {"progressToken": "p"}])
async def test_cancelling_a_call_leaves_the_stream(kit: Any, token: dict[str, Any]) -> None:
    stream = kit.FakeStream(b"1", hangs=True)
    dispatcher = kit.make_dispatcher(kit.make_stream_tool(stream=stream))
    calling = asyncio.create_task(call(kit, dispatcher, outlet=Outlet(), **token))
    async with asyncio.timeout(5):
        await stream.has_begun.wait()
    assert stream.open == 1
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert stream.open == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}
