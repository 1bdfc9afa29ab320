"""The life of a serving process: start, ready, drain, stop.

SIGTERM and SIGINT: not ready at once, no new connections, running calls finished under the drain deadline, then the
end; a second signal ends it without waiting. SIGHUP: every backend is asked again at once. The end of standard input
ends a process that serves on it.
"""

import asyncio
import contextlib
import dataclasses
import logging
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

from gateway.app.catalogue_builder import find_idle_paths, find_idle_patterns
from gateway.app.demo_backend import run_demo
from gateway.app.event_loop import run_loop
from gateway.app.locking.guard import SurfaceGuard
from gateway.app.memory import settle_memory
from gateway.app.operator_error import OperatorError
from gateway.app.serving.assignments import Announcement, Plan
from gateway.app.serving.http_server import HttpServer, get_address, get_url, open_listening_socket
from gateway.app.serving.readiness import ProcessHealth
from gateway.app.serving.stdio_server import StdioServer
from gateway.app.settings.model import ListenAddress, Settings
from gateway.app.views.reports import list_served_profiles, tell_of_many
from gateway.app.wiring import Gateway, make_http_application, open_gateway

_LOG = logging.getLogger("propylon.app")
# How long the announcement waits for slow backends once there is something to announce.
_FIRST_ROUND_SECONDS = 3.0
# How long the fronts may take to send what calls that were cut off are answered with.
_FAREWELL_SECONDS = 1.0


def serve(plan: Plan, announce: Callable[[Announcement], None], *, listening: socket.socket | None = None) -> None:
    """Serves until told to stop; `announce` is called once, when the first tools are served.

    `listening` is a socket that is bound already, for one of several processes behind an address: it takes connections
    once every backend has been asked, since to those whom the others serve an empty list would be news. Raises
    `OperatorError` where the address cannot be listened on, or two RPCs would be one tool.
    """
    run_loop(_serve(plan, announce, listening))


async def _serve(plan: Plan, announce: Callable[[Announcement], None], listening: socket.socket | None) -> None:
    is_one_of_many = listening is not None
    if plan.http and listening is None:
        listening = open_listening_socket(plan.settings.listen)
    guard = None if plan.locked is None else SurfaceGuard(plan.locked).find_breach
    async with _backends(plan) as settings, open_gateway(settings, guard=guard) as gateway:
        await _Life(gateway, plan, listening, announce, opens_late=is_one_of_many).live()


@asynccontextmanager
async def _backends(plan: Plan) -> AsyncIterator[Settings]:
    if not plan.demo:
        yield plan.settings
        return
    async with run_demo() as section:
        yield dataclasses.replace(plan.settings, backends=(section,))


class _Life:
    """One process from its first task to its last."""

    def __init__(
        self,
        gateway: Gateway,
        plan: Plan,
        listening: socket.socket | None,
        announce: Callable[[Announcement], None],
        *,
        opens_late: bool,
    ) -> None:
        self._discovery = gateway.discovery
        self._discovery.tell_of_swaps(lambda before, now: settle_memory())
        self._subscriptions = gateway.subscriptions
        self._announce = announce
        self._settings = plan.settings
        self._views = gateway.views
        self._profiles = list_served_profiles(plan.settings.profiles, http=plan.http)
        self._health = ProcessHealth(gateway.discovery)
        self._cut_calls = gateway.cut_calls
        self._drain_seconds = plan.settings.shutdown.drain_seconds
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()
        self._open = asyncio.Event()
        if not opens_late:
            self._open.set()
        self._url: str | None = None
        self._address: ListenAddress | None = None
        self._fronts: list[HttpServer | StdioServer] = []
        if listening is not None:
            self._url = get_url(listening, plan.settings.http.path)
            self._address = get_address(listening)
            application = make_http_application(gateway, self._health)
            self._fronts.append(HttpServer(application, listening))
        if plan.stdio:
            limit_bytes = plan.settings.limits.body_bytes
            self._fronts.append(StdioServer(gateway.patient_dispatcher, line_limit_bytes=limit_bytes))

    async def live(self) -> None:
        """From the first task to the last; every one of them has ended when this returns."""
        refusals: list[BaseException] = []
        try:
            with _signals(self._on_stop, self._discovery.refresh_now):
                async with asyncio.TaskGroup() as group:
                    await self._run_all(group)
        except* OperatorError as errors:
            refusals.extend(errors.exceptions)
        if refusals:
            raise refusals[0]
        _LOG.info("stopped")

    async def _run_all(self, group: asyncio.TaskGroup) -> None:
        background = [
            group.create_task(self._discovery.run(), name="discovery"),
            group.create_task(self._announce_once(), name="announcement"),
        ]
        fronts = [group.create_task(self._run_front(front), name=type(front).__name__) for front in self._fronts]
        if self._url is not None:
            # Not the URL: whoever waits for it may call at once, and that is for the announcement to say.
            _LOG.info("listening", extra={"address": str(self._address)})
        await self._stop.wait()
        self._health.start_draining()
        self._subscriptions.close()
        for front in self._fronts:
            front.stop()
        await self._drain(group, fronts)
        for task in background:
            task.cancel()

    async def _drain(self, group: asyncio.TaskGroup, fronts: Sequence[asyncio.Task[None]]) -> None:
        """Lets running calls finish; at the deadline, or a second signal, they are answered with UNAVAILABLE."""
        ended = group.create_task(asyncio.wait(fronts), name="the fronts' end")
        hurried = group.create_task(self._hurry.wait(), name="a second signal")
        await asyncio.wait((ended, hurried), timeout=self._drain_seconds, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        await self._cut_calls()
        await asyncio.wait((ended,), timeout=_FAREWELL_SECONDS)
        for front in self._fronts:
            front.abort()
        await asyncio.wait((ended,), timeout=_FAREWELL_SECONDS)
        for task in fronts:
            task.cancel()
        await ended

    async def _run_front(self, front: HttpServer | StdioServer) -> None:
        try:
            if not self._open.is_set():
                await self._wait_for_first_round()
            self._open.set()
            await front.run()
        finally:
            self._stop.set()

    async def _wait_for_first_round(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_ROUND_SECONDS):
                await self._discovery.asked.wait()

    async def _announce_once(self) -> None:
        await self._discovery.serving.wait()
        await self._wait_for_first_round()
        await self._open.wait()
        states = self._discovery.states()
        if all(state.is_discovered for state in states):
            self._tell_of_idle_settings()
        self._announce(
            Announcement(
                url=self._url,
                tools=len(self._discovery.catalogue.tools),
                backends=sum(state.is_discovered for state in states),
                waiting=tuple(state.name for state in states if not state.is_discovered),
            )
        )
        tell_of_many(self._settings.tools, len(self._discovery.catalogue.tools))
        await self._views.report(self._profiles)

    def _tell_of_idle_settings(self) -> None:
        offers = self._discovery.offers()
        for pattern in find_idle_patterns(self._settings.tools, offers, self._settings.rpcs):
            _LOG.warning("a pattern fits no RPC; is it misspelt?", extra={"pattern": pattern})
        for path in find_idle_paths(offers, self._settings.rpcs):
            _LOG.warning("a field is named that no RPC has; is it misspelt?", extra={"place": path})

    def _on_stop(self) -> None:
        if self._stop.is_set():
            self._hurry.set()
            return
        _LOG.info("stopping: running calls may finish")
        self._stop.set()


@contextmanager
def _signals(on_stop: Callable[[], None], on_refresh: Callable[[], None]) -> Iterator[None]:
    """Hands the process's signals to these functions, inside the running loop."""
    loop = asyncio.get_running_loop()
    handlers = {signal.SIGTERM: on_stop, signal.SIGINT: on_stop}
    if hasattr(signal, "SIGHUP"):
        handlers[signal.SIGHUP] = on_refresh
    try:
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler)
    except NotImplementedError:  # Windows: the interpreter's own handling has to do
        yield
        return
    try:
        yield
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)
