"""One burst of load: wrk against a server, and what it saw."""

import json
import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rig.installs import CACHE, HERE
from rig.processes import Server

MARGIN_SECONDS = 20.0


class WrongAnswer(Exception):
    """A server that does not answer the workload as it should; one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent again and again."""

    path: str
    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """What came of one burst. Latencies in microseconds; `cpu_us` is the server's processor time for each request."""

    per_second: float
    p50_us: float
    p99_us: float
    cpu_us: float
    failed: int
    requests: int = field(default=0)


def make_call(tool: str, *, path: str = "/mcp", revision: str = "2026-07-28") -> Request:
    """A tools/call of GetOrder with three lines, as MCP 2026-07-28 has it over Streamable HTTP.

    `revision` is what the header says, for a peer that does not know that revision yet.
    """
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": tool,
            "arguments": {"orderId": "o1", "lines": 3},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": revision,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    return Request(path=path, body=json.dumps(message, separators=(",", ":")).encode(), headers=headers)


def ask(server: Server, request: Request) -> bytes:
    """One answer, whatever its status."""
    url = f"http://127.0.0.1:{server.port}{request.path}"
    asked = urllib.request.Request(url, request.body, dict(request.headers), method="POST")
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return answer.read()
    except urllib.error.HTTPError as answer:
        return answer.read()


def burst(wrk: Path, server: Server, request: Request, *, connections: int, seconds: float) -> Burst:
    """Loads a server for a while; `seconds` are taken whole by wrk, a second at least."""
    folder = CACHE / "load"
    folder.mkdir(exist_ok=True)
    body, headers = folder / f"{server.name}.body", folder / f"{server.name}.headers"
    body.write_bytes(request.body)
    headers.write_text("".join(f"{name}: {value}\n" for name, value in request.headers.items()))
    before = server.cpu_seconds()
    done = subprocess.run(
        (wrk, "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "-s", HERE / "peers" / "send.lua",
         f"http://127.0.0.1:{server.port}{request.path}"),
        env={**os.environ, "SEND_BODY": str(body), "SEND_HEADERS": str(headers)},
        capture_output=True, text=True, timeout=seconds + MARGIN_SECONDS,
    )  # fmt: skip
    used = server.cpu_seconds() - before
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        raise WrongAnswer(f"wrk failed against {server.name}: {(done.stderr or done.stdout).strip()[-200:]}")
    seen = json.loads(lines[-1])
    if not seen["requests"]:
        raise WrongAnswer(f"{server.name} answered nothing")
    return Burst(
        per_second=seen["requests"] / (seen["duration_us"] / 1e6),
        p50_us=seen["p50_us"],
        p99_us=seen["p99_us"],
        cpu_us=used / seen["requests"] * 1e6,
        failed=seen["failed"],
        requests=seen["requests"],
    )
