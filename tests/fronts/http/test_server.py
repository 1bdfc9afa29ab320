"""The front under the server that it runs on: real sockets, and clients that behave badly."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest

MakeRequest = Callable[..., dict[str, Any]]
GetHeaders = Callable[[Any], dict[str, str]]


class Connection:
    """One HTTP/1.1 connection, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def read_answer(self) -> tuple[int, dict[str, str], bytes]:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await self.reader.readexactly(int(headers["content-length"]))
        return int(head[0].split()[1]), headers, body

    async def is_closed(self) -> bool:
        return await self.reader.read(1) == b""


@asynccontextmanager
async def connect(port: int) -> AsyncIterator[Connection]:
    async with asyncio.timeout(20):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            yield Connection(reader, writer)
        finally:
            writer.transport.abort()


def write_head(headers: Mapping[str, str], length: int | None) -> bytes:
    lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@pytest.fixture(autouse=True)
def _nothing_goes_wrong_unseen(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.fixture
def write_request(get_headers: GetHeaders, make_request: MakeRequest) -> Callable[..., bytes]:
    def write(name: str = "echo", **changes: str) -> bytes:
        message = make_request("tools/call", {"name": name, "arguments": {"a": 1}})
        body = orjson.dumps(message)
        return write_head({**get_headers(message), **changes}, len(body)) + body

    return write


async def test_a_connection_serves_one_request_after_the_other(port: int, write_request: Callable[..., bytes]) -> None:
    async with connect(port) as connection:
        for _ in range(3):
            await connection.write(write_request())
            status, headers, body = await connection.read_answer()
            assert (status, headers["content-type"]) == (200, "application/json")
            assert orjson.loads(body)["result"]["structuredContent"] == {"a": 1}
        await connection.write(write_request() + write_request())
        assert [(await connection.read_answer())[0] for _ in range(2)] == [200, 200]


async def test_header_names_in_any_case_and_values_among_blanks_are_read(port: int, make_request: MakeRequest) -> None:
    body = orjson.dumps(make_request("tools/call", {"name": "echo"}))
    lines = [
        "POST /mcp HTTP/1.1",
        "hOST:localhost",
        "CONTENT-TYPE:application/json",
        "mcp-protocol-version: 2026-07-28 ",
        "MCP-METHOD:\t tools/call\t",
        "mcp-NAME:   echo   ",
        f"content-length: {len(body)}",
    ]
    async with connect(port) as connection:
        await connection.write(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
        assert (await connection.read_answer())[0] == 200


async def test_a_doubled_routing_header_is_a_mismatch(port: int, write_request: Callable[..., bytes]) -> None:
    doubled = write_request().replace(b"Mcp-Name: echo\r\n", b"Mcp-Name: echo\r\nmcp-name: echo\r\n")
    async with connect(port) as connection:
        await connection.write(doubled)
        status, _, body = await connection.read_answer()
        assert (status, orjson.loads(body)["error"]["code"]) == (400, -32020)
        await connection.write(write_request())
        assert (await connection.read_answer())[0] == 200


async def test_a_client_that_vanishes_during_a_call_cancels_it(
    port: int, write_request: Callable[..., bytes], backend: Any
) -> None:
    async with connect(port) as connection:
        await connection.write(write_request("hang"))
        await backend.wait_for(begun=1)
    async with asyncio.timeout(1):
        await backend.wait_for(cancelled=1)
    async with connect(port) as connection:
        await connection.write(write_request())
        assert (await connection.read_answer())[0] == 200


@pytest.mark.parametrize("kept", [0, 20, -1, -40, -400])
async def test_a_client_that_vanishes_within_its_request_leaves_nothing_behind(
    port: int, write_request: Callable[..., bytes], kept: int
) -> None:
    request = write_request()
    async with connect(port) as connection:
        await connection.write(request[:kept])
    async with connect(port) as connection:
        await connection.write(request)
        assert (await connection.read_answer())[0] == 200


async def test_a_body_in_pieces_is_read_whole(port: int, write_request: Callable[..., bytes]) -> None:
    request = write_request()
    async with connect(port) as connection:
        for start in range(0, len(request), 100):
            await connection.write(request[start : start + 100])
            await asyncio.sleep(0)
        assert (await connection.read_answer())[0] == 200


async def test_a_body_over_the_limit_is_refused_and_the_connection_survives(
    port: int, get_headers: GetHeaders, write_request: Callable[..., bytes]
) -> None:
    async with connect(port) as connection:
        for size in (100_001, 250_000):
            await connection.write(write_head(get_headers(b""), size) + b"x" * size)
            status, headers, body = await connection.read_answer()
            assert (status, orjson.loads(body)["error"]["code"]) == (413, -32600)
            assert "connection" not in headers
        await connection.write(write_request())
        assert (await connection.read_answer())[0] == 200


async def test_the_refusal_is_there_before_the_body_is(
    port: int, get_headers: GetHeaders, write_request: Callable[..., bytes]
) -> None:
    async with connect(port) as connection:
        await connection.write(write_head(get_headers(b""), 250_000) + b"x" * 10)
        assert (await connection.read_answer())[0] == 413
        await connection.write(b"x" * 249_990 + write_request())
        assert (await connection.read_answer())[0] == 200


async def test_a_body_far_over_the_limit_is_refused_and_the_connection_ends(port: int, get_headers: GetHeaders) -> None:
    async with connect(port) as connection:
        await connection.write(write_head(get_headers(b""), 10_000_000) + b"x" * 350_000)
        status, headers, _ = await connection.read_answer()
        assert (status, headers["connection"]) == (413, "close")
        assert await connection.is_closed()


async def test_a_body_of_unknown_length_over_the_limit_is_refused(port: int, get_headers: GetHeaders) -> None:
    async with connect(port) as connection:
        await connection.write(write_head({**get_headers(b""), "Transfer-Encoding": "chunked"}, None))
        chunk = b"4e20\r\n" + b"x" * 20_000 + b"\r\n"
        await connection.write(chunk * 6)
        status, headers, _ = await connection.read_answer()
        assert (status, headers["connection"]) == (413, "close")
        await connection.write(b"0\r\n\r\n")
        assert await connection.is_closed()


async def test_a_body_of_unknown_length_over_the_limit_that_ends_leaves_the_connection(
    port: int, get_headers: GetHeaders, write_request: Callable[..., bytes]
) -> None:
    async with connect(port) as connection:
        await connection.write(write_head({**get_headers(b""), "Transfer-Encoding": "chunked"}, None))
        await connection.write((b"4e20\r\n" + b"x" * 20_000 + b"\r\n") * 6 + b"0\r\n\r\n")
        status, headers, body = await connection.read_answer()
        assert (status, orjson.loads(body)["error"]["code"]) == (413, -32600)
        assert "connection" not in headers
        await connection.write(write_request())
        assert (await connection.read_answer())[0] == 200


async def test_a_client_that_asks_first_never_sends_a_body_over_the_limit(port: int, get_headers: GetHeaders) -> None:
    async with connect(port) as connection:
        await connection.write(write_head({**get_headers(b""), "Expect": "100-continue"}, 100_001))
        status, headers, _ = await connection.read_answer()
        assert (status, headers["connection"]) == (413, "close")
        assert await connection.is_closed()


async def test_a_client_that_asks_first_is_let_go_on_within_the_limit(
    port: int, write_request: Callable[..., bytes]
) -> None:
    head, body = write_request(Expect="100-continue").split(b"\r\n\r\n")
    async with connect(port) as connection:
        await connection.write(head + b"\r\n\r\n")
        assert await connection.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        await connection.write(body)
        assert (await connection.read_answer())[0] == 200


async def test_refusals_of_the_head_leave_the_connection_usable(port: int, write_request: Callable[..., bytes]) -> None:
    async with connect(port) as connection:
        for changes, expected in [({"Accept": "text/html"}, 406), ({"Host": "evil.example.com"}, 421), ({}, 200)]:
            await connection.write(write_request(**changes))
            assert (await connection.read_answer())[0] == expected


async def test_hundreds_of_aborted_requests_disturb_nobody(
    port: int, write_request: Callable[..., bytes], backend: Any
) -> None:
    dice = random.Random(7)

    async def abort(number: int) -> None:
        request = write_request("hang" if number % 2 else "echo")
        kept = dice.choice([len(request), len(request), dice.randrange(len(request)), request.index(b"\r\n\r\n") + 4])
        async with connect(port) as connection:
            await connection.write(request[:kept])
            for _ in range(dice.randrange(20)):
                await asyncio.sleep(0)

    async def behave() -> None:
        async with connect(port) as connection:
            for _ in range(50):
                await connection.write(write_request())
                assert (await connection.read_answer())[0] == 200

    before = {task for task in asyncio.all_tasks() if "run_asgi" in repr(task)}
    async with asyncio.TaskGroup() as group:
        for number in range(500):
            group.create_task(abort(number))
        group.create_task(behave())
    await backend.wait_for(cancelled=backend.begun)
    async with asyncio.timeout(5):
        while {task for task in asyncio.all_tasks() if "run_asgi" in repr(task)} - before:  # noqa: ASYNC110
            await asyncio.sleep(0)
    assert backend.cancelled == backend.begun > 0
