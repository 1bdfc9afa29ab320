"""Processes that the harness starts: how long until they answer, what they have used of the processor, their end."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

START_SECONDS = 30.0
END_SECONDS = 5.0
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class NotStarted(Exception):
    """A process that ended, or never answered; one line."""


class Server:
    """A process with its descendants."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], port: int) -> None:
        self.name = name
        self.port = port
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    def cpu_seconds(self) -> float:
        """User and system time of the process and all its descendants so far."""
        return sum(_read_ticks(pid) for pid in self._tree()) / _TICKS

    def resident_bytes(self) -> int:
        """Resident memory of the process and all its descendants, shared pages counted in each."""
        total = 0
        for pid in self._tree():
            with contextlib.suppress(OSError):
                total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
        return total

    def _tree(self) -> list[int]:
        tree, fresh = [], [self._process.pid]
        while fresh:
            tree += fresh
            fresh = [child for pid in fresh for child in _children(pid)]
        return tree


@contextlib.contextmanager
def running(
    name: str,
    command: Sequence[object],
    *,
    port: int,
    log: Path,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Iterator[Server]:
    """A server on a port of loopback, from the moment that it takes connections."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **(environment or {})},
            cwd=folder,
            start_new_session=True,
        )
    try:
        _wait_for(name, process, port, log)
        yield Server(name, process, port)
    finally:
        _end(process)


def find_free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _wait_for(name: str, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            said = log.read_text(errors="replace").strip().splitlines()
            raise NotStarted(f"{name} ended with {process.returncode}: {said[-1] if said else 'it said nothing'}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise NotStarted(f"{name} took no connection for {START_SECONDS:g} s")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    # The session is the process's own: whatever of it is left ends here.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read_ticks(pid: int) -> int:
    try:
        # proc(5): fields 14 and 15; the second field may hold spaces, and ends with the last parenthesis.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def _children(pid: int) -> list[int]:
    try:
        return [
            int(one) for task in Path(f"/proc/{pid}/task").iterdir() for one in (task / "children").read_text().split()
        ]
    except OSError:
        return []
