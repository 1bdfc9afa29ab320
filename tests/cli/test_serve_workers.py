"""`propylon serve --workers`: several processes behind one address, as an operator and a client see them."""

import os
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

Start = Callable[..., Any]
Run = Callable[..., Any]

ROOT = Path(__file__).parents[2]
READY = r"serves \d+ tools of 1 backend at (http://127\.0\.0\.1:\d+/mcp)"
LIST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/list",
}


def find_workers(parent: int) -> set[int]:
    """The processes that this one has started and that have not ended."""
    return {int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()}


def list_tools(url: str) -> int:
    """Over a connection of its own."""
    answer = httpx.post(url, json=LIST, headers=HEADERS, timeout=20)
    return len(answer.json()["result"]["tools"])


pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are looked at in /proc")


def test_workers_serve_one_address_and_one_that_dies_is_replaced(start: Start, shop: str) -> None:
    gateway = start("serve", shop, "--listen", "127.0.0.1:0", "--workers", "2")
    url = gateway.wait_for(READY)
    workers = find_workers(gateway.process.pid)
    assert len(workers) == 2
    tools = {list_tools(url) for _ in range(8)}
    assert len(tools) == 1

    victim = min(workers)
    os.kill(victim, signal.SIGKILL)
    killed = time.monotonic()
    gateway.wait_for("a worker ended; starting another")
    while len(find_workers(gateway.process.pid) - {victim}) < 2:
        assert time.monotonic() - killed < 2
        os.sched_yield()
    # Whichever worker a connection falls to: none is refused, those of the new one wait until it serves.
    assert {list_tools(url) for _ in range(8)} == tools

    gateway.process.send_signal(signal.SIGTERM)
    assert gateway.wait() == 0
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert len([line for line in gateway.output if "http://" in line]) == 1
    assert "Traceback" not in "".join(gateway.errors)
    with pytest.raises(httpx.ConnectError):
        list_tools(url)


def test_workers_end_with_a_parent_that_is_killed(start: Start, shop: str) -> None:
    gateway = start("serve", shop, "--listen", "127.0.0.1:0", "--workers", "2")
    gateway.wait_for(READY)
    workers = find_workers(gateway.process.pid)
    gateway.process.kill()
    assert gateway.wait() == -signal.SIGKILL  # which closes the streams, and those are the workers' too
    assert not any(Path(f"/proc/{pid}/exe").exists() for pid in workers)


def test_workers_are_refused_an_address_that_another_process_has(run: Run, shop: str) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run("serve", shop, "--listen", address, "--workers", "2")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"propylon: cannot listen on {address}: another process listens there; stop it, or choose a port with --listen "
        "(0: any free one)\n"
    )


def test_what_a_worker_cannot_serve_ends_all_with_one_line(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.binpb"
    broken.write_bytes(b"not descriptors")
    done = run("serve", "127.0.0.1:1", "--listen", "127.0.0.1:0", "--workers", "2", "--descriptors", str(broken))
    alone = run("serve", "127.0.0.1:1", "--listen", "127.0.0.1:0", "--descriptors", str(broken))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == alone.stderr.splitlines()[-1]
    assert done.stderr.splitlines()[-1].startswith("propylon: ")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--demo",), "the shop of --demo lives inside one process; leave out --workers"),
        (("127.0.0.1:1", "--stdio"), "--stdio is served by one process; leave out --workers"),
    ],
)
def test_what_one_process_alone_can_serve_is_refused(run: Run, arguments: tuple[str, ...], line: str) -> None:
    done = run("serve", *arguments, "--workers", "2")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"propylon: {line}\n")


def test_a_worker_that_cannot_even_start_ends_all_with_one_line(run: Run, tmp_path: Path) -> None:
    # A module of this name in front of the real one: the worker fails before it has read what it is to do.
    package = tmp_path / "uvloop"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import sys\n"
        "if 'gateway.app.serving.worker' in sys.orig_argv: sys.exit(9)\n"
        "from asyncio import new_event_loop\n"
    )
    done = run("serve", "127.0.0.1:1", "--listen", "127.0.0.1:0", "--workers", "2", PYTHONPATH=f"{tmp_path}:{ROOT}")
    line = "propylon: a worker ended with status 9 before any served; its own lines say why"
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (2, "", line)
