import asyncio
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from gateway.fronts.stdio.streams import FileSink, FileSource

ROOT = Path(__file__).parents[3]


@pytest.fixture
def pipe() -> tuple[int, int]:
    return os.pipe()


async def test_bytes_go_through_whole_and_in_order(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    source, sink = FileSource(reading), FileSink(writing)
    data = [bytes([number]) * 100_000 for number in range(5)]

    async def write() -> None:
        for part in data:
            await sink.write(part)
        os.close(writing)

    read = bytearray()
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(write())
        while chunk := await source.read():
            read += chunk
    assert bytes(read) == b"".join(data)
    os.close(reading)


async def test_a_write_waits_for_its_reader(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    sink, source = FileSink(writing), FileSource(reading)
    write = asyncio.create_task(sink.write(b"x" * 1_000_000))
    read = 0
    async with asyncio.timeout(10):
        assert len(await source.read()) > 0
        assert not write.done()
        while not write.done():
            read += len(await source.read())
        await write
    os.close(writing)
    os.close(reading)


async def test_a_cancelled_write_is_still_whole(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    sink, source = FileSink(writing), FileSource(reading)
    first = asyncio.create_task(sink.write(b"a" * 200_000))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    second = asyncio.create_task(sink.write(b"b"))
    read = b""
    async with asyncio.timeout(10):
        while len(read) < 200_001:
            read += await source.read()
        await second
    assert read == b"a" * 200_000 + b"b"
    os.close(writing)
    os.close(reading)


async def test_a_closed_pipe_is_an_error_of_the_write(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        await FileSink(writing).write(b"x")
    os.close(writing)


SERVER = textwrap.dedent(
    """
    import asyncio, os, sys
    from gateway.contract.validation import MessageValidator, load_protocol_schema
    from gateway.fronts.stdio import serve_stdio
    from gateway.mcp.catalogue import Catalogue, Tool
    from gateway.mcp.dispatch import Dispatcher, ServerIdentity
    from gateway.transcoding.printed import Printed

    class Texts:
        def encode_arguments(self, arguments):
            print("a stray print"); sys.stdout.flush(); os.write(1, b"a stray write\\n")
            return b""
        def read_reply(self, reply): return Printed(value={})

    async def hang(request, *, timeout_seconds, metadata):
        await asyncio.sleep(60)

    async def reply(request, *, timeout_seconds, metadata):
        return b""

    calls = {"hang": hang, "reply": reply}
    tools = {
        name: Tool(name=name, rpc="a.B/C", backend="b", listing={}, transcoder=Texts(), call=call, deadline_seconds=60)
        for name, call in calls.items()
    }
    catalogue = Catalogue(tools=tools, version="1")
    validator = MessageValidator(load_protocol_schema("2026-07-28"))
    identity = ServerIdentity(name="propylon", version="0")
    dispatcher = Dispatcher(catalogue=lambda: catalogue, validator=validator, server=identity)
    asyncio.run(serve_stdio(dispatcher))
    print("done", file=sys.stderr)
    """
)
META = (
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
)


def call(name: str) -> bytes:
    return f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}",{META}}}}}\n'.encode()


def run(given: bytes | int) -> subprocess.CompletedProcess[bytes]:
    """The server as a process of its own, with this input, until it ends by itself."""
    data = {"input": given} if isinstance(given, bytes) else {"stdin": given}
    return subprocess.run(
        [sys.executable, "-c", SERVER], cwd=ROOT, capture_output=True, timeout=20, check=False, **data
    )


def test_standard_output_carries_the_protocol_alone() -> None:
    ended = run(call("reply"))
    assert ended.returncode == 0
    assert ended.stdout.count(b"\n") == 1
    assert ended.stdout.startswith(b'{"jsonrpc":"2.0","id":1,"result":')
    assert ended.stderr.splitlines() == [b"a stray print", b"a stray write", b"done"]


def test_a_call_in_flight_does_not_keep_the_process_after_the_end_of_its_input() -> None:
    ended = run(call("hang"))
    assert (ended.returncode, ended.stdout, ended.stderr.splitlines()[-1]) == (0, b"", b"done")


def test_an_input_that_is_empty_or_a_file_is_served_too(tmp_path: Path) -> None:
    assert run(subprocess.DEVNULL).returncode == 0
    file = tmp_path / "input"
    file.write_bytes(call("reply"))
    with file.open("rb") as opened:
        ended = run(opened.fileno())
    assert (ended.returncode, ended.stdout.count(b"\n")) == (0, 1)


def test_a_process_whose_output_nobody_reads_any_more_ends() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(call("reply"))
        process.stdin.flush()
        assert process.wait(timeout=20) == 0
        assert b"Traceback" not in process.stderr.read()
