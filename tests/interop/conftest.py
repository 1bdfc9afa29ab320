import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import grpc
import pytest
from mcp import Client
from mcp.types import Tool

ROOT = Path(__file__).parents[2]
EVERYTHING = ROOT / "tests" / "conformance" / "everything"
START_SECONDS = 30.0
STOP_SECONDS = 15.0


@dataclass(slots=True)
class Started:
    """A process of the suite's own, and every line it has printed."""

    process: subprocess.Popen[str]
    printed: list[str] = field(default_factory=list)
    _lines: Queue[str | None] = field(default_factory=Queue)
    _reader: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._reader = threading.Thread(target=self.read, daemon=True)
        self._reader.start()

    def read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stdout:
            for line in stdout:
                self.printed.append(line)
                self._lines.put(line)
        self._lines.put(None)

    def wait_for(self, pattern: str) -> str:
        """The first group of `pattern` in the first line that it is found in."""
        while True:
            try:
                line = self._lines.get(timeout=START_SECONDS)
            except Empty:
                line = None
            if line is None:
                pytest.fail(f"{self.process.args} printed nothing like {pattern!r}:\n{''.join(self.printed)}")
            if found := re.search(pattern, line):
                return found[1]

    def stop(self) -> int | None:
        """The exit code after SIGTERM; None where it had to be killed after a while."""
        self.process.terminate()
        try:
            code: int | None = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        self._reader.join()
        return code


def start(command: Sequence[str]) -> Started:
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return Started(process=process)


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder that .ci/install-interop fills."""
    subprocess.run([ROOT / ".ci" / "install-interop"], check=True)
    return ROOT / ".cache" / "interop"


@pytest.fixture(scope="session")
def propylon() -> list[str]:
    """The command, as an operator has it."""
    return [str(Path(sys.executable).with_name("propylon"))]


@pytest.fixture(scope="session")
def serve(propylon: list[str]) -> Iterator[Callable[..., str]]:
    """Starts a gateway with these arguments and gives its URL; each must stop well and tell no traceback."""
    gateways: list[Started] = []

    def serve_these(*arguments: str) -> str:
        gateways.append(start([*propylon, "serve", *arguments, "--listen", "127.0.0.1:0"]))
        return gateways[-1].wait_for(r"(http://127\.0\.0\.1:\d+/mcp)")

    yield serve_these
    codes = [gateway.stop() for gateway in gateways]
    told = "".join(line for gateway in gateways for line in gateway.printed)
    assert not re.search(r"^Traceback", told, re.MULTILINE), told  # a backend's own may be quoted in a line
    assert codes == [0] * len(gateways), told


@pytest.fixture(scope="session")
def everything_on_stdio() -> list[str]:
    """The command that serves all that the protocol offers, from one gRPC server, on standard input and output."""
    return [sys.executable, str(EVERYTHING), "--stdio"]


@pytest.fixture(scope="session")
def everything() -> Iterator[str]:
    """Where the same is served over HTTP."""
    server = start([sys.executable, str(EVERYTHING), "--port", "0"])
    yield server.wait_for(r"(http://127\.0\.0\.1:\d+/mcp)")
    assert server.stop() == 0, server.printed
    assert not any(line.startswith("Traceback") for line in server.printed), server.printed


@pytest.fixture(scope="session")
def showcase(built: Path) -> Iterator[str]:
    """Where gapic-showcase serves gRPC, with reflection."""
    server = start([str(built / "bin" / "showcase")])
    yield server.wait_for(r"^(127\.0\.0\.1:\d+)$")
    server.stop()


@pytest.fixture(scope="session")
def etcd(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where etcd serves gRPC, without reflection."""
    data = tmp_path_factory.mktemp("etcd")
    server = start(
        [
            str(built / "bin" / "etcd"),
            f"--data-dir={data / 'data'}",
            "--listen-client-urls=http://127.0.0.1:0",
            "--advertise-client-urls=http://127.0.0.1:0",
            "--listen-peer-urls=http://127.0.0.1:0",
            "--initial-advertise-peer-urls=http://127.0.0.1:0",
            "--initial-cluster=default=http://127.0.0.1:0",
        ]
    )
    target = server.wait_for(r'serving client traffic insecurely.*"address":"(127\.0\.0\.1:\d+)"')
    with grpc.insecure_channel(target) as channel:
        grpc.channel_ready_future(channel).result(START_SECONDS)
    yield target
    server.stop()


@pytest.fixture(scope="session")
def find_tool() -> Callable[..., Any]:
    """Gives the tool that a client lists for an RPC, such as "pkg.Service/Method"."""

    async def find(client: Client, rpc: str) -> Tool:
        tools = (await client.list_tools()).tools
        found = [tool for tool in tools if (tool.meta or {}).get("dev.propylon/rpc") == rpc]
        assert len(found) == 1, f"{rpc} is not one of {[tool.name for tool in tools]}"
        return found[0]

    return find
