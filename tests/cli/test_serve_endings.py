"""How `propylon serve` ends while a call is running: the backend is in the test, so it knows when the call is there."""

import asyncio
import json
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.demo.server import start_demo
from gateway.demo.services.diagnostics import DiagnosticsService
from gateway.gen.demo.shop.v1 import diagnostics_pb2 as pb

Start = Callable[..., Any]

URL = r"(http://127\.0\.0\.1:\d+/mcp)"
WAIT = "demo_shop_v1_DiagnosticsService_Wait"
MESSAGE = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {
        "name": WAIT,
        "arguments": {"duration": "60s"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    },
}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": WAIT,
}


@dataclass(slots=True)
class Backend:
    """A shop whose Wait answers when the test says so."""

    target: str = ""
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)


@pytest.fixture
async def backend(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Backend]:
    state = Backend()

    async def wait(_: DiagnosticsService, request: pb.WaitRequest, context: object) -> pb.WaitResponse:
        state.arrived.set()
        try:
            await state.release.wait()
        except asyncio.CancelledError:
            state.cancelled.set()
            raise
        return pb.WaitResponse(waited=request.duration)

    monkeypatch.setattr(DiagnosticsService, "Wait", wait)
    server = await start_demo()
    state.target = server.target
    yield state
    await server.stop(0)


async def post_wait(url: str) -> httpx.Response:
    async with httpx.AsyncClient(timeout=20) as client:
        return await client.post(url, json=MESSAGE, headers=HEADERS)


def assert_cut_off(answer: httpx.Response) -> None:
    result = answer.json()["result"]
    assert result["isError"]
    assert result["content"][0]["text"].startswith("UNAVAILABLE: ")


async def test_a_running_call_is_finished_before_the_end(start: Start, backend: Backend) -> None:
    gateway = start("serve", backend.target, "--listen", "127.0.0.1:0")
    url = await asyncio.to_thread(gateway.wait_for, URL)
    async with httpx.AsyncClient() as client:
        health = url.removesuffix("/mcp") + "/readyz"
        assert (await client.get(health)).status_code == 200
        call = asyncio.create_task(post_wait(url))
        await asyncio.wait_for(backend.arrived.wait(), 20)
        gateway.process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(gateway.wait_for, "stopping: running calls may finish")
    backend.release.set()
    answer = (await asyncio.wait_for(call, 20)).json()
    assert answer["result"]["structuredContent"] == {"waited": "60s"}
    assert await asyncio.to_thread(gateway.wait) == 0
    assert not backend.cancelled.is_set()


async def test_a_call_that_outlasts_the_drain_time_is_cancelled(start: Start, backend: Backend, tmp_path: Path) -> None:
    config = tmp_path / "propylon.yaml"
    config.write_text("listen: 127.0.0.1:0\nshutdown: {drain_seconds: 0.2}\n")
    gateway = start("serve", backend.target, "-c", str(config))
    url = await asyncio.to_thread(gateway.wait_for, URL)
    call = asyncio.create_task(post_wait(url))
    await asyncio.wait_for(backend.arrived.wait(), 20)
    started = time.monotonic()
    gateway.process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(backend.cancelled.wait(), 20)
    assert await asyncio.to_thread(gateway.wait) == 0
    assert time.monotonic() - started < 5
    assert_cut_off(await asyncio.wait_for(call, 20))
    assert "Traceback" not in "".join(gateway.errors)


async def test_a_client_that_never_ends_its_request_does_not_hold_up_the_end(
    start: Start, backend: Backend, tmp_path: Path
) -> None:
    config = tmp_path / "propylon.yaml"
    config.write_text("listen: 127.0.0.1:0\nshutdown: {drain_seconds: 0.2}\n")
    gateway = start("serve", backend.target, "-c", str(config))
    url = await asyncio.to_thread(gateway.wait_for, URL)
    host, port = url.split("/")[2].split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
    )
    await writer.drain()
    async with httpx.AsyncClient() as client:  # its answer says that what was sent before has been read
        await client.get(url.removesuffix("/mcp") + "/healthz")
    started = time.monotonic()
    gateway.process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(gateway.wait) == 0
    assert time.monotonic() - started < 5
    assert "Traceback" not in "".join(gateway.errors)
    writer.close()


async def test_a_second_signal_does_not_wait(start: Start, backend: Backend) -> None:
    gateway = start("serve", backend.target, "--listen", "127.0.0.1:0")
    url = await asyncio.to_thread(gateway.wait_for, URL)
    call = asyncio.create_task(post_wait(url))
    await asyncio.wait_for(backend.arrived.wait(), 20)
    gateway.process.send_signal(signal.SIGTERM)
    await asyncio.to_thread(gateway.wait_for, "stopping: running calls may finish")
    started = time.monotonic()
    gateway.process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(gateway.wait) == 0
    assert time.monotonic() - started < 5
    await asyncio.wait_for(backend.cancelled.wait(), 20)
    assert_cut_off(await asyncio.wait_for(call, 20))


@pytest.mark.parametrize("ending", ["end of input", "SIGTERM"])
async def test_a_process_on_stdio_ends_soon_and_cancels_what_runs(start: Start, backend: Backend, ending: str) -> None:
    gateway = start("serve", backend.target, "--stdio", stdin=subprocess.PIPE)
    gateway.process.stdin.write(json.dumps(MESSAGE) + "\n")
    gateway.process.stdin.flush()
    await asyncio.wait_for(backend.arrived.wait(), 20)
    started = time.monotonic()
    if ending == "SIGTERM":
        gateway.process.send_signal(signal.SIGTERM)
    else:
        gateway.process.stdin.close()
    assert await asyncio.to_thread(gateway.wait) == 0
    assert time.monotonic() - started < 3
    await asyncio.wait_for(backend.cancelled.wait(), 20)
    assert "Traceback" not in "".join(gateway.errors)


async def test_every_line_on_standard_output_is_a_message_and_the_first_list_is_whole(
    start: Start, backend: Backend
) -> None:
    environment = {"PYTHONWARNINGS": "always", "GRPC_VERBOSITY": "debug"}
    gateway = start("serve", backend.target, "--stdio", stdin=subprocess.PIPE, **environment)
    params = {"_meta": MESSAGE["params"]["_meta"]}  # type: ignore[index]
    for request_id, method in enumerate(("server/discover", "tools/list"), start=1):
        request = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        gateway.process.stdin.write(json.dumps(request) + "\n")
    gateway.process.stdin.write("no message\n")
    gateway.process.stdin.flush()
    await asyncio.to_thread(gateway.wait_for, '"tools":')
    gateway.process.stdin.close()
    assert await asyncio.to_thread(gateway.wait) == 0
    answers = {answer.get("id"): answer for answer in map(json.loads, gateway.output)}
    assert answers.keys() == {1, 2, None}
    assert len(answers[2]["result"]["tools"]) == 23
    assert answers[None]["error"]["code"] == -32700
    assert any("Propylon serves 23 tools of 1 backend on standard input and output" in line for line in gateway.errors)


def test_without_input_a_process_on_stdio_ends_at_once(start: Start, closed_port: int) -> None:
    gateway = start("serve", f"127.0.0.1:{closed_port}", "--stdio")
    started = time.monotonic()
    assert gateway.wait() == 0
    assert time.monotonic() - started < 3
    assert gateway.output == []


@pytest.mark.parametrize("fronts", [("--listen", "127.0.0.1:0"), ("--stdio",)])
def test_a_process_that_waits_for_a_silent_backend_ends_at_the_first_signal(
    start: Start, fronts: tuple[str, ...]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        target = f"127.0.0.1:{silent.getsockname()[1]}"
        gateway = start("serve", target, *fronts, stdin=subprocess.PIPE)
        silent.accept()[0].close()  # it has come so far as to ask
        started = time.monotonic()
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.wait() == 0
    assert time.monotonic() - started < 5
    assert "Traceback" not in "".join(gateway.errors)
