"""Notices that the client of a running call went away, and cancels the call.

On Streamable HTTP the end of the connection is the one way to cancel (MCP 2026-07-28, "Cancellation"). A server that
speaks ASGI says so through `receive`, which has to be awaited for it; most calls end long before that is worth a task,
so the watch begins after a delay. A client that left earlier is noticed then, since the server remembers it.
"""

import asyncio
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any

from starlette.types import Receive


class DisconnectWatch:
    """A context in which the current task is cancelled when the client goes away.

    The cancellation ends at the context, as that of `asyncio.timeout` does: the block is left early, and `is_gone` says
    why. A cancellation from outside passes through.

    `meanwhile` is run beside the watch, from when it begins until the block is left. `is_binding` False cancels nothing
    when the client goes away, only when `leave` says so: in the handshake era a connection that ends is no cancellation
    (MCP 2025-11-25, Streamable HTTP, "Sending Messages to the Server").
    """

    def __init__(self, receive: Receive, *, delay_seconds: float, is_binding: bool = True) -> None:
        self._receive = receive
        self._is_binding = is_binding
        self._delay_seconds = delay_seconds
        self._running: tuple[asyncio.Task[None], ...] = ()
        self.meanwhile: Callable[[], Coroutine[Any, Any, None]] | None = None
        self.is_gone = False
        self._is_over = False

    def __enter__(self) -> "DisconnectWatch":
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a disconnect is watched for from inside a task")
        self._task = task
        self._cancelling = task.cancelling()
        self._timer = asyncio.get_running_loop().call_later(self._delay_seconds, self._begin)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._is_over = True
        self._timer.cancel()
        # It holds whoever holds this; together they would stay until the garbage collector comes, which is a good part
        # of what a call costs.
        self.meanwhile = None
        for running in self._running:
            running.cancel()
        if not self.is_gone:
            return False
        still_cancelling = self._task.uncancel() > self._cancelling
        return kind is asyncio.CancelledError and not still_cancelling

    def leave(self) -> None:
        """Takes the client for gone; of no effect when the block has been left."""
        if not self.is_gone and not self._is_over:
            self.is_gone = True
            self._task.cancel()

    def _begin(self) -> None:
        loop = asyncio.get_running_loop()
        works = [self._watch()] if self._is_binding else []
        if self.meanwhile is not None:
            works.append(self.meanwhile())
        self._running = tuple(loop.create_task(work) for work in works)

    async def _watch(self) -> None:
        # Behind the end of a body only a disconnect can come; what else a server may send is no news.
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.leave()
