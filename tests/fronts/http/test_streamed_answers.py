"""Streamed answers on real sockets: the bytes, the headers, and clients that go away or do not read."""

import asyncio
import logging
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest

MakeRequest = Callable[..., dict[str, Any]]
StartServer = Callable[..., Awaitable[int]]
Write = Callable[..., bytes]

# What any reader of server-sent events takes, and no more than that.
STREAM = re.compile(rb"(?::[^\n\r]*\n\n|(?:event: message\n)?data: [^\n\r]*\n\n)*")
HEADERS = {"content-type": "text/event-stream", "cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}


class Answer:
    """One answer as it comes over a connection, chunk by chunk."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def read_head(self) -> tuple[int, dict[str, str]]:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        lines = (line.partition(":") for line in head[1:] if line)
        return int(head[0].split()[1]), {name.lower(): value.strip() for name, _, value in lines}

    async def read_chunk(self) -> bytes:
        """The next chunk; b"" is the end of the answer."""
        size = int(await self.reader.readuntil(b"\r\n"), 16)
        return (await self.reader.readexactly(size + 2))[:-2]

    async def read_rest(self) -> bytes:
        chunks = []
        while chunk := await self.read_chunk():
            chunks.append(chunk)
        return b"".join(chunks)


def read_messages(stream: bytes) -> list[dict[str, Any]]:
    """The messages of a stream, every byte of which must be in place."""
    assert STREAM.fullmatch(stream)
    return [orjson.loads(line[6:]) for line in stream.split(b"\n") if line.startswith(b"data: ")]


@asynccontextmanager
async def post(port: int, request: bytes, *, window_bytes: int | None = None) -> AsyncIterator[Answer]:
    connection = socket.socket()
    if window_bytes is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window_bytes)
    connection.setblocking(False)
    async with asyncio.timeout(20):
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", port))
        reader, writer = await asyncio.open_connection(sock=connection, limit=2**22 if window_bytes is None else 1024)
        writer.write(request)
        try:
            yield Answer(reader, writer)
        finally:
            writer.transport.abort()


@pytest.fixture(autouse=True)
def _nothing_goes_wrong_unseen(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    bad = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert [text for text in bad if "without completing" not in text] == []


@pytest.fixture
def write_request(get_headers: Callable[[Any], dict[str, str]], make_request: MakeRequest) -> Write:
    def write(
        name: str = "watch", *, token: Any = None, accept: str = "application/json, text/event-stream", **arguments: Any
    ) -> bytes:
        message = make_request("tools/call", {"name": name, "arguments": arguments})
        if token is not None:
            message["params"]["_meta"]["progressToken"] = token
        body = orjson.dumps(message)
        headers = {**get_headers(message), "Accept": accept, "Content-Length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body

    return write


async def test_progress_and_result_are_events_of_one_stream(port: int, write_request: Write) -> None:
    async with post(port, write_request(token="p", count=3)) as answer:
        status, headers = await answer.read_head()
        assert status == 200
        assert headers.items() >= HEADERS.items()
        assert headers["transfer-encoding"] == "chunked"
        *told, last = read_messages(await answer.read_rest())
        assert [(each["method"], each["params"]["progress"]) for each in told] == [
            ("notifications/progress", number) for number in (1, 2, 3)
        ]
        assert (last["id"], len(last["result"]["structuredContent"]["messages"])) == (1, 3)
        # The connection is as good as before.
        answer.writer.write(write_request("echo", a=1))
        assert (await answer.read_head())[1]["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("token", "accept"),
    [
        (None, "application/json, text/event-stream"),
        ("p", "application/json"),
        ("p", "*/*"),
        ("p", "application/json, text/event-stream;q=0"),
    ],
)
async def test_an_answer_is_json_where_there_is_nothing_to_stream_or_nobody_takes_it(
    port: int, write_request: Write, token: str | None, accept: str
) -> None:
    async with post(port, write_request(token=token, accept=accept, count=3)) as answer:
        status, headers = await answer.read_head()
        assert (status, headers["content-type"]) == (200, "application/json")
        body = orjson.loads(await answer.reader.readexactly(int(headers["content-length"])))
        assert len(body["result"]["structuredContent"]["messages"]) == 3


@pytest.mark.parametrize("accept", ["text/event-stream;q=0.5, application/json", "APPLICATION/JSON, TEXT/*"])
async def test_a_client_names_server_sent_events_as_it_likes(port: int, write_request: Write, accept: str) -> None:
    async with post(port, write_request(token="p", accept=accept, count=1)) as answer:
        assert (await answer.read_head())[1]["content-type"] == "text/event-stream"


async def test_an_event_is_there_when_it_is_sent(port: int, write_request: Write, backend: Any) -> None:
    async with post(port, write_request(token="p", count=2, hangs=True)) as answer:
        await answer.read_head()
        chunks = [await answer.read_chunk(), await answer.read_chunk()]
        await backend.wait_for(begun=1)
    assert [read_messages(chunk)[0]["params"]["progress"] for chunk in chunks] == [1, 2]


async def test_an_error_behind_progress_is_an_event_and_one_before_it_is_not(
    port: int, write_request: Write, caplog: pytest.LogCaptureFixture
) -> None:
    async with post(port, write_request(token="p", count=0, fails=True)) as answer:
        status, headers = await answer.read_head()
        body = orjson.loads(await answer.reader.readexactly(int(headers["content-length"])))
        assert (status, headers["content-type"], body["error"]["code"]) == (200, "application/json", -32603)
    async with post(port, write_request(token="p", count=1, fails=True)) as answer:
        status, headers = await answer.read_head()
        told, last = read_messages(await answer.read_rest())
        assert (status, headers["content-type"]) == (200, "text/event-stream")
        assert (told["method"], last["id"], last["error"]["code"]) == ("notifications/progress", 1, -32603)
        assert "secret" not in str(last)
    caplog.clear()


async def test_a_large_result_is_one_event(port: int, write_request: Write) -> None:
    async with post(port, write_request(token="p", count=3, size=100_000)) as answer:
        await answer.read_head()
        *_, last = read_messages(await answer.read_rest())
        assert len(last["result"]["content"][0]["text"]) > 300_000


async def test_quiet_calls_are_kept_alive_by_comments(
    start_server: StartServer, write_request: Write, backend: Any
) -> None:
    port = await start_server(keep_alive_seconds=0.05)
    async with post(port, write_request("hang")) as answer:
        status, headers = await answer.read_head()
        assert status == 200
        assert headers.items() >= HEADERS.items()
        comments = [await answer.read_chunk() for _ in range(3)]
        assert STREAM.fullmatch(b"".join(comments))
        assert all(comment.startswith(b":") for comment in comments)
    async with asyncio.timeout(1):
        await backend.wait_for(cancelled=1)
    async with post(port, write_request("hang", accept="application/json")) as answer:
        await backend.wait_for(begun=2)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await answer.read_head()


async def test_a_client_that_leaves_a_stream_cancels_the_call(port: int, write_request: Write, backend: Any) -> None:
    async with post(port, write_request(token="p", count=1, hangs=True)) as answer:
        await answer.read_head()
        await answer.read_chunk()
        await backend.wait_for(begun=1)
    async with asyncio.timeout(1):
        await backend.wait_for(cancelled=1)


async def test_a_client_that_does_not_read_is_given_up_and_its_call_cancelled(
    start_server: StartServer, write_request: Write, backend: Any
) -> None:
    port = await start_server(send_buffer_bytes=1024, keep_alive_seconds=0, write_timeout_seconds=0.3)
    async with post(port, write_request("hang"), window_bytes=1024):
        await backend.wait_for(begun=1)
        async with asyncio.timeout(15):
            await backend.wait_for(cancelled=1)
    async with post(port, write_request("echo", a=1)) as answer:
        assert (await answer.read_head())[0] == 200
