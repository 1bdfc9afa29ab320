"""The process's standard streams as something that can be awaited.

Each stream has a thread of its own that does the blocking call, for nothing else works for pipes, terminals, files and
`/dev/null` alike, and a pipe made non-blocking would be so for every process that shares it. The threads are daemons:
one that hangs in a read or a write keeps nobody from exiting.
"""

import asyncio
import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Protocol

_CHUNK_BYTES = 65_536


class ByteSource(Protocol):
    """Where bytes come from."""

    async def read(self) -> bytes:
        """The next bytes, at least one; b"" at the end. Raises OSError."""
        ...


class ByteSink(Protocol):
    """Where bytes go."""

    async def write(self, data: bytes) -> None:
        """Writes all of it, in the order of the calls, whole even when the caller is cancelled meanwhile.

        Returns once it is out, which is the back-pressure. Raises OSError where nobody reads any more.
        """
        ...


class _Worker:
    """One daemon thread that makes blocking calls, one after the other."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    async def run(self, job: Callable[[], bytes]) -> bytes:
        """What the call gives or raises. A cancelled wait leaves the call running."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[bytes] = loop.create_future()

        def work() -> None:
            try:
                outcome: bytes | OSError = job()
            except OSError as error:
                outcome = error
            # The loop may be closed by the time that a hanging call returns.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, done, outcome)

        self._jobs.put(work)
        return await done

    def _work(self) -> None:
        while True:
            self._jobs.get()()


def _settle(done: asyncio.Future[bytes], outcome: bytes | OSError) -> None:
    if done.done():
        return
    if isinstance(outcome, OSError):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)


class FileSource:
    """Bytes from a file descriptor of any kind."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._worker = _Worker("propylon-stdin")

    async def read(self) -> bytes:
        """The next bytes, b"" at the end."""
        return await self._worker.run(lambda: os.read(self._descriptor, _CHUNK_BYTES))


class FileSink:
    """Bytes to a file descriptor of any kind."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._worker = _Worker("propylon-stdout")

    async def write(self, data: bytes) -> None:
        """Writes all of it; raises OSError where nobody reads any more."""
        await self._worker.run(lambda: self._write_all(data))

    def _write_all(self, data: bytes) -> bytes:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        return b""


@contextlib.contextmanager
def claim_standard_streams() -> Iterator[tuple[ByteSource, ByteSink]]:
    """The process's standard input and output, for this front alone.

    Until the context ends, whatever else writes to standard output (a stray print, a library in C) ends up on standard
    error: the protocol allows nothing but its own messages there.
    """
    sys.stdout.flush()
    claimed = os.dup(1)
    os.dup2(2, 1)
    try:
        yield FileSource(0), FileSink(claimed)
    finally:
        sys.stdout.flush()
        os.dup2(claimed, 1)
        os.close(claimed)
