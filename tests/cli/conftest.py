import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "gateway"]
PATIENCE_SECONDS = 20.0

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(slots=True)
class Running:
    """A process of a test's own; `output` and `errors` hold the lines that it has printed."""

    process: subprocess.Popen[str]
    output: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    _lines: Queue[str | None] = field(default_factory=Queue)
    _readers: list[threading.Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        for stream, kept in ((self.process.stdout, self.output), (self.process.stderr, self.errors)):
            self._readers.append(threading.Thread(target=self._read, args=(stream, kept), daemon=True))
            self._readers[-1].start()

    def _read(self, stream: Iterator[str], kept: list[str]) -> None:
        for line in stream:
            kept.append(line)
            self._lines.put(line)
        self._lines.put(None)

    def wait_for(self, pattern: str) -> str:
        """The first group of the pattern, in the first line on either stream that it is found in."""
        ended = 0
        while ended < 2:
            line = self._lines.get(timeout=PATIENCE_SECONDS)
            if line is None:
                ended += 1
            elif found := re.search(pattern, line):
                return found[1] if found.groups() else found[0]
        pytest.fail(f"it ended and printed nothing like {pattern!r}: {self.output} {self.errors}")

    def wait(self) -> int:
        """The exit code; every line is in `output` and `errors` then."""
        code = self.process.wait(PATIENCE_SECONDS)
        for reader in self._readers:
            reader.join()
        return code

    def close(self) -> None:
        self.process.kill()
        self.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def make_environment(extra: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")} | extra


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs the command to its end, as an operator does: `run("tools", "--demo", given="{}", TOKEN="a")`."""

    def run_it(*arguments: str, given: str = "", folder: Path = ROOT, **environment: str) -> object:
        return subprocess.run(
            [*COMMAND, *arguments],
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            cwd=folder,
            env=make_environment({"PYTHONPATH": str(ROOT), **environment}),
            check=False,
        )

    return run_it  # type: ignore[return-value]


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    """Starts the command and leaves it running; it is killed at the end of the test where it has not ended."""
    started: list[Running] = []

    def start_it(*arguments: str, stdin: int = subprocess.DEVNULL, **environment: str) -> Running:
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=make_environment({"PYTHONUNBUFFERED": "1", **environment}),
        )
        started.append(Running(process=process))
        return started[-1]

    yield start_it
    for running in started:
        running.close()


@pytest.fixture(scope="session")
def shop() -> Iterator[str]:
    """Where the demo's shop listens, as a process of its own with reflection."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gateway.demo", "--port", "0"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    with process.stdout as printed:
        target = printed.readline().split()[-1]
        yield target
        process.terminate()
        process.wait(PATIENCE_SECONDS)


@pytest.fixture
def closed_port() -> int:
    """A port of loopback on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
