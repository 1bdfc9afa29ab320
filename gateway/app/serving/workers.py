"""Several processes that serve one address: starts them, starts another for each that dies, and ends them.

Each worker is a whole gateway of its own (discovery, channels, readiness), started afresh rather than forked, since
gRPC does not survive a fork. This process serves nothing and never imports gRPC. The plan goes to a worker through
its end of a socket pair; over that the worker tells when it serves, and by its end it notices that this process has
gone. Signals are passed on: SIGTERM and SIGINT let workers finish running calls, a second one does not wait, SIGHUP
has every backend asked again.
"""

import asyncio
import contextlib
import dataclasses
import logging
import pickle
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from gateway.app.event_loop import run_loop
from gateway.app.operator_error import OperatorError
from gateway.app.serving.assignments import Announcement, Assignment, Plan, read_news
from gateway.app.serving.http_server import open_listening_sockets
from gateway.app.settings.model import SealingSection

_LOG = logging.getLogger("propylon.app")
# A worker that lived for less is not replaced at once: what ended it would end the next one too.
_HEALTHY_SECONDS = 5.0
_PAUSE_SECONDS = 1.0

Announce = Callable[[Announcement], None]


def serve_with_workers(plan: Plan, announce: Announce, *, workers: int) -> None:
    """Serves HTTP with this many processes until told to stop; `announce` is called once, when all of them serve.

    Raises `OperatorError` where the address cannot be listened on, or a worker says that it cannot serve this plan, or
    ends before any has served.
    """
    if not hasattr(socket, "SO_REUSEPORT"):
        raise OperatorError("several workers need SO_REUSEPORT, which this system does not have; leave out --workers")
    run_loop(_Workers(plan, announce, workers).live())


@dataclass(slots=True)
class _Slot:
    """The place of one worker: its listening socket outlives it, so that clients wait for its successor."""

    number: int
    listening: socket.socket
    process: asyncio.subprocess.Process | None = None
    announced: asyncio.Event = field(default_factory=asyncio.Event)


def _share_key(plan: Plan) -> Plan:
    """The plan with a sealing key, so that each worker opens what another sealed."""
    if plan.settings.sealing.keys:
        return plan
    sealing = SealingSection(keys=(secrets.token_urlsafe(),))
    return dataclasses.replace(plan, settings=dataclasses.replace(plan.settings, sealing=sealing))


class _Workers:
    """All workers, from the first start to the last end."""

    def __init__(self, plan: Plan, announce: Announce, count: int) -> None:
        self._plan = _share_key(plan)
        self._announce = announce
        sockets = open_listening_sockets(plan.settings.listen, count)
        self._slots = tuple(_Slot(number=number, listening=one) for number, one in enumerate(sockets, start=1))
        self._stopping = asyncio.Event()
        self._news: Announcement | None = None

    async def live(self) -> None:
        """Keeps every slot filled until a signal to stop; returns when the last worker has ended."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop, number)
        loop.add_signal_handler(signal.SIGHUP, self._pass_on, signal.SIGHUP)
        refusals: list[BaseException] = []
        try:
            async with asyncio.TaskGroup() as group:
                announcing = group.create_task(self._announce_all(), name="announcement")
                keepers = [group.create_task(self._keep(slot), name=f"worker {slot.number}") for slot in self._slots]
                await asyncio.wait(keepers)
                announcing.cancel()
        except* OperatorError as errors:
            refusals.extend(errors.exceptions)
        if refusals:
            raise refusals[0]

    async def _announce_all(self) -> None:
        for slot in self._slots:
            await slot.announced.wait()
        if self._news is not None:
            self._announce(self._news)

    async def _keep(self, slot: _Slot) -> None:
        """Runs one worker after the other until told to stop."""
        loop = asyncio.get_running_loop()
        while not self._stopping.is_set():
            started = loop.time()
            status = await self._run_worker(slot)
            if self._stopping.is_set():
                return
            if self._news is None:
                raise OperatorError(f"a worker ended with status {status} before any served; its own lines say why")
            _LOG.warning("a worker ended; starting another", extra={"worker": slot.number, "status": status})
            if loop.time() - started < _HEALTHY_SECONDS:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_PAUSE_SECONDS):
                        await self._stopping.wait()

    async def _run_worker(self, slot: _Slot) -> int:
        """One worker from its start to its end: the status with which it ended."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        listening = slot.listening.fileno()
        with theirs:
            passed = (theirs.fileno(), listening)
            slot.process = process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "gateway.app.serving.worker", str(theirs.fileno())),
                stdin=asyncio.subprocess.DEVNULL,
                pass_fds=passed,
                # A terminal's Ctrl-C is for this process, which passes it on once.
                start_new_session=True,
            )
        assignment = Assignment(plan=self._plan, number=slot.number, listening=listening)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        try:
            writer.write(pickle.dumps(assignment))
            if self._stopping.is_set():
                process.send_signal(signal.SIGTERM)
            with contextlib.suppress(ConnectionError):  # it ended with the assignment unread
                async for line in reader:
                    self._hear(slot, line)
            return await process.wait()
        except asyncio.CancelledError:
            # Another worker cannot serve this plan, so this one cannot either.
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            raise
        except OperatorError:
            await process.wait()
            raise
        finally:
            writer.close()

    def _hear(self, slot: _Slot, line: bytes) -> None:
        news = read_news(line)
        if isinstance(news, OperatorError):
            # Later on, the address and the plan have served: the worker is replaced, and tells the log why.
            if self._news is None:
                raise news
            _LOG.error("a worker cannot serve", extra={"worker": slot.number, "reason": news.line})
            return
        self._news = self._news or news
        slot.announced.set()

    def _stop(self, number: int) -> None:
        if not self._stopping.is_set():
            _LOG.info("stopping: the workers may finish running calls")
            self._stopping.set()
            # Nobody takes what comes to these from now on.
            for slot in self._slots:
                slot.listening.close()
        self._pass_on(signal.Signals(number))

    def _pass_on(self, number: signal.Signals) -> None:
        for slot in self._slots:
            if slot.process is not None and slot.process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    slot.process.send_signal(number)
