import asyncio
import logging
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.fronts.stdio import StdioSettings, serve_stdio
from gateway.mcp.dispatch import Dispatcher

MakeRequest = Callable[..., dict[str, Any]]


class Source:
    """Bytes that the test puts in; None ends them."""

    def __init__(self) -> None:
        self.chunks: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.reads = 0

    async def read(self) -> bytes:
        chunk = await self.chunks.get()
        self.reads += 1
        return chunk or b""


class Sink:
    """Keeps what is written; takes nothing while it is closed to it, and breaks when told so."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.open = asyncio.Event()
        self.open.set()
        self.is_broken = False
        self.came = asyncio.Condition()

    async def write(self, data: bytes) -> None:
        if self.is_broken:
            raise BrokenPipeError(32, "Broken pipe")
        await self.open.wait()
        async with self.came:
            self.written.append(data)
            self.came.notify_all()


class Peer:
    """A client of one session."""

    def __init__(self, dispatcher: Dispatcher, **options: Any) -> None:
        self.source, self.sink = Source(), Sink()
        serving = serve_stdio(dispatcher, StdioSettings(**options), streams=(self.source, self.sink))
        self.session = asyncio.create_task(serving)

    def send(self, *messages: Any, end: bytes = b"\n") -> None:
        for message in messages:
            line = message if isinstance(message, bytes) else orjson.dumps(message)
            self.source.chunks.put_nowait(line + end)

    async def wait_for(self, count: int) -> list[dict[str, Any]]:
        """The first answers, once there are so many."""
        async with asyncio.timeout(10), self.sink.came:
            await self.sink.came.wait_for(lambda: len(self.sink.written) >= count)
        return self.answers

    @property
    def answers(self) -> list[dict[str, Any]]:
        assert all(data.endswith(b"\n") and data.count(b"\n") == 1 for data in self.sink.written)
        return [orjson.loads(data) for data in self.sink.written]

    async def end(self) -> list[dict[str, Any]]:
        """All answers, once the input has ended and the session with it."""
        self.source.chunks.put_nowait(None)
        async with asyncio.timeout(10):
            await self.session
        return self.answers


@pytest.fixture
def make_peer(dispatcher: Dispatcher) -> Callable[..., Peer]:
    return lambda **options: Peer(dispatcher, **{"closing_grace_seconds": 0.0, **options})


def call(make_request: MakeRequest, name: str, request_id: Any = 1) -> dict[str, Any]:
    return make_request("tools/call", {"name": name, "arguments": {"a": 1}}, request_id=request_id)


def cancel(request_id: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}}


async def test_each_line_is_answered_by_a_line(make_peer: Any, make_request: MakeRequest) -> None:
    peer = make_peer()
    peer.send(make_request("server/discover", request_id="first"))
    assert (await peer.wait_for(1))[0]["result"]["supportedVersions"] == ["2026-07-28"]
    peer.send(call(make_request, "echo", 2), end=b"\r\n")
    answer = (await peer.wait_for(2))[1]
    assert (answer["id"], answer["result"]["structuredContent"]) == (2, {"a": 1})
    assert len(await peer.end()) == 2


async def test_no_headers_are_asked_for(make_peer: Any, make_request: MakeRequest) -> None:
    peer = make_peer()
    peer.send(make_request("foo/bar"), {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {}})
    codes = {answer["id"]: answer["error"]["code"] for answer in await peer.wait_for(2)}
    assert codes == {1: -32601, 2: -32022}
    await peer.end()


async def test_a_notification_and_a_blank_line_have_no_answer(make_peer: Any, make_request: MakeRequest) -> None:
    peer = make_peer()
    peer.send(b"", b"   ", {"jsonrpc": "2.0", "method": "notifications/initialized"}, cancel("unknown"), cancel([1]))
    peer.send({"jsonrpc": "2.0", "method": "notifications/cancelled"}, b"\r")
    peer.send(call(make_request, "echo", 7))
    assert [answer["id"] for answer in await peer.wait_for(1)] == [7]
    assert len(await peer.end()) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b"[" * 20_000 + b"]" * 20_000,
        b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":1,"method":"a","params":' + b'{"a":' * 20_000 + b"1" + b"}" * 20_000 + b"}",
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/list"}',
        b"\xff\xfe\x00",
        b"[]",
        b"{}",
    ],
)
async def test_a_line_that_is_no_message_is_answered_without_an_id_and_the_next_one_served(
    make_peer: Any, make_request: MakeRequest, caplog: pytest.LogCaptureFixture, line: bytes
) -> None:
    peer = make_peer()
    peer.send(line, call(make_request, "echo", 2))
    answers = await peer.wait_for(2)
    refused = next(answer for answer in answers if "error" in answer)
    assert refused["error"]["code"] in (-32700, -32600)
    assert "id" not in refused
    assert next(answer for answer in answers if "result" in answer)["id"] == 2
    await peer.end()
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_an_overlong_line_is_answered_and_the_next_one_served(make_peer: Any, make_request: MakeRequest) -> None:
    peer = make_peer(line_limit_bytes=1000)
    for _ in range(50):
        peer.send(b"x" * 100, end=b"")
    peer.send(b"", call(make_request, "echo", 2))
    first, second = await peer.wait_for(2)
    assert first == {
        "jsonrpc": "2.0",
        "error": {"code": -32600, "message": "the line is longer than the 1000 bytes that are taken"},
    }
    assert second["id"] == 2
    await peer.end()


async def test_requests_run_side_by_side(make_peer: Any, make_request: MakeRequest, backend: Any) -> None:
    peer = make_peer()
    peer.send(call(make_request, "hang", "slow"))
    await backend.wait_for(begun=1)
    peer.send(call(make_request, "echo", "quick"))
    assert [answer["id"] for answer in await peer.wait_for(1)] == ["quick"]
    assert len(await peer.end()) == 1


async def test_a_cancelled_request_is_stopped_and_never_answered(
    make_peer: Any, make_request: MakeRequest, backend: Any
) -> None:
    peer = make_peer()
    peer.send(call(make_request, "hang", 1), call(make_request, "hang", "1"))
    await backend.wait_for(begun=2)
    peer.send(cancel("1"))
    await backend.wait_for(cancelled=1)
    assert backend.cancelled == 1
    peer.send(cancel(1), cancel(1), call(make_request, "echo", 3))
    await backend.wait_for(cancelled=2)
    assert [answer["id"] for answer in await peer.wait_for(1)] == [3]
    peer.send(call(make_request, "echo", 1))
    assert [answer["id"] for answer in await peer.wait_for(2)] == [3, 1]
    await peer.end()


async def test_an_id_that_is_in_flight_is_not_taken_twice(
    make_peer: Any, make_request: MakeRequest, backend: Any
) -> None:
    peer = make_peer()
    peer.send(call(make_request, "hang", 5))
    await backend.wait_for(begun=1)
    peer.send(call(make_request, "echo", 5))
    [answer] = await peer.wait_for(1)
    assert (answer["id"], answer["error"]["code"]) == (5, -32600)
    peer.send(cancel(5))
    await backend.wait_for(cancelled=1)
    await peer.end()


async def test_the_end_of_the_input_cancels_what_is_in_flight(
    make_peer: Any, make_request: MakeRequest, backend: Any
) -> None:
    peer = make_peer()
    peer.send(call(make_request, "hang", 1), call(make_request, "hang", 2))
    await backend.wait_for(begun=2)
    assert await peer.end() == []
    assert backend.cancelled == 2


async def test_what_comes_before_the_end_of_the_input_is_still_answered(
    make_peer: Any, make_request: MakeRequest
) -> None:
    peer = make_peer(closing_grace_seconds=5)
    peer.send(call(make_request, "echo", 1), end=b"")
    assert [answer["id"] for answer in await peer.end()] == [1]


async def test_an_empty_input_ends_at_once(make_peer: Any) -> None:
    assert await make_peer(closing_grace_seconds=60).end() == []


async def test_a_client_that_reads_nothing_is_read_no_further(make_peer: Any, make_request: MakeRequest) -> None:
    peer = make_peer(in_flight_limit=10)
    peer.sink.open.clear()
    for number in range(1000):
        peer.send(call(make_request, "echo", number))
    while peer.source.reads < 11:  # noqa: ASYNC110
        await asyncio.sleep(0)
    for _ in range(100):
        await asyncio.sleep(0)
    assert peer.source.reads == 11
    peer.sink.open.set()
    answers = await peer.wait_for(1000)
    assert sorted(answer["id"] for answer in answers) == list(range(1000))
    await peer.end()


async def test_a_client_that_closed_its_end_ends_the_session_and_its_calls(
    make_peer: Any, make_request: MakeRequest, backend: Any, caplog: pytest.LogCaptureFixture
) -> None:
    peer = make_peer()
    peer.send(call(make_request, "hang", 1))
    await backend.wait_for(begun=1)
    peer.sink.is_broken = True
    peer.send(call(make_request, "echo", 2))
    async with asyncio.timeout(10):
        await peer.session
    assert backend.cancelled == 1
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_a_client_that_closed_its_end_is_noticed_by_a_refusal_too(make_peer: Any) -> None:
    peer = make_peer()
    peer.sink.is_broken = True
    peer.send(b"nonsense")
    async with asyncio.timeout(10):
        await peer.session


async def test_a_fault_of_ours_is_told_by_its_reference_alone(
    make_peer: Any, make_request: MakeRequest, caplog: pytest.LogCaptureFixture
) -> None:
    peer = make_peer()
    peer.send(call(make_request, "fail", 3))
    [answer] = await peer.wait_for(1)
    [record] = [record for record in caplog.records if record.name == "propylon.stdio"]
    reference = record.__dict__["reference"]
    assert answer == {
        "jsonrpc": "2.0",
        "id": 3,
        "error": {"code": -32603, "message": f"the gateway failed inside (reference {reference})"},
    }
    assert len(await peer.end()) == 1


async def test_a_cancelled_session_cancels_its_calls(make_peer: Any, make_request: MakeRequest, backend: Any) -> None:
    peer = make_peer()
    peer.send(call(make_request, "hang", 1))
    await backend.wait_for(begun=1)
    peer.session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await peer.session
    assert backend.cancelled == 1


@given(st.lists(st.binary(max_size=40) | st.text(max_size=20).map(lambda text: orjson.dumps({"id": text})), max_size=6))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_whatever_comes_the_output_is_envelopes(
    make_peer: Any, make_request: MakeRequest, caplog: pytest.LogCaptureFixture, chunks: list[bytes]
) -> None:
    peer = make_peer(closing_grace_seconds=5)
    for chunk in chunks:
        if chunk:
            peer.source.chunks.put_nowait(chunk)
    peer.send(b"", call(make_request, "echo", "good"))
    answers = await peer.end()
    assert [answer["id"] for answer in answers if "result" in answer] == ["good"]
    assert all(answer["jsonrpc"] == "2.0" and ("result" in answer) != ("error" in answer) for answer in answers)
    assert [record for record in caplog.records if record.exc_info] == []


async def test_a_cancellation_is_heard_however_many_requests_are_in_flight(
    make_peer: Any, make_request: MakeRequest, backend: Any
) -> None:
    peer = make_peer(in_flight_limit=2)
    peer.send(*(call(make_request, "hang", number) for number in range(4)))
    await backend.wait_for(begun=2)
    peer.send(cancel(3), cancel(0))
    await backend.wait_for(begun=3, cancelled=1)
    peer.send(cancel(1), cancel(2), call(make_request, "echo", 9))
    await backend.wait_for(cancelled=3)
    assert [answer["id"] for answer in await peer.wait_for(1)] == [9]
    assert [answer["id"] for answer in await peer.end()] == [9]
    assert backend.begun == 3


async def test_one_request_too_many_is_refused_and_said_to_be(
    make_peer: Any, make_request: MakeRequest, backend: Any
) -> None:
    peer = make_peer(in_flight_limit=1, waiting_limit=2)
    peer.send(*(call(make_request, "hang", number) for number in range(4)))
    [answer] = await peer.wait_for(1)
    assert (answer["id"], answer["error"]["code"]) == (3, -31008)
    assert answer["error"]["message"] == "too many requests are in flight: wait for an answer, or cancel one"
    peer.send(call(make_request, "hang", 2))
    assert (await peer.wait_for(2))[1]["error"]["message"].startswith("request 2 is still in flight")
    await peer.end()
    assert (backend.begun, backend.cancelled) == (1, 1)


async def test_progress_is_told_in_lines_ahead_of_the_answer(make_peer: Any, make_request: MakeRequest) -> None:
    peer = make_peer()
    for token in ("p", 7):
        request = make_request("tools/call", {"name": "watch", "arguments": {"count": 3}}, request_id=token)
        request["params"]["_meta"]["progressToken"] = token
        peer.send(request)
    lines = await peer.wait_for(8)
    for token in ("p", 7):
        told = [line["params"] for line in lines if line.get("params", {}).get("progressToken") == token]
        assert [params["progress"] for params in told] == [1, 2, 3]
        last = max(position for position, line in enumerate(lines) if line.get("params") in told)
        assert last < next(position for position, line in enumerate(lines) if line.get("id") == token)
    await peer.end()


async def test_a_cancelled_stream_says_nothing_more(make_peer: Any, make_request: MakeRequest, backend: Any) -> None:
    peer = make_peer()
    request = make_request("tools/call", {"name": "watch", "arguments": {"count": 2, "hangs": True}})
    request["params"]["_meta"]["progressToken"] = "p"
    peer.send(request)
    await backend.wait_for(begun=1)
    peer.send(cancel(1))
    async with asyncio.timeout(1):
        await backend.wait_for(cancelled=1)
    assert [line["method"] for line in await peer.end()] == ["notifications/progress"] * 2
