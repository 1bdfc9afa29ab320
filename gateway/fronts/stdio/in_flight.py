"""The requests of one client that are being answered, and those that wait until others are.

Reading must go on while they run, however long that takes: the next line may be what cancels one of them. So requests
beyond the limit wait here, and only when very many wait is the next one refused. This module knows no message.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

RequestId = str | int
Work = Callable[[], Coroutine[Any, Any, None]]


class RequestsInFlight:
    """Runs at most `limit` pieces of work at a time, in a task group, in the order in which they came."""

    def __init__(self, group: asyncio.TaskGroup, *, limit: int, waiting_limit: int) -> None:
        self._group = group
        self._limit = limit
        self._waiting_limit = waiting_limit
        self._running: dict[RequestId, asyncio.Task[None]] = {}
        self._waiting: dict[RequestId, Work] = {}

    def has(self, request_id: RequestId) -> bool:
        """Whether a request of that id runs or waits."""
        return request_id in self._running or request_id in self._waiting

    def start(self, request_id: RequestId, work: Work) -> bool:
        """Starts the work or lets it wait; False where too many wait. The id must be free."""
        if len(self._running) < self._limit:
            self._run(request_id, work)
        elif len(self._waiting) < self._waiting_limit:
            self._waiting[request_id] = work
        else:
            return False
        return True

    def cancel(self, request_id: RequestId) -> None:
        """Cancels the request of that id, if there is one."""
        if self._waiting.pop(request_id, None) is None and request_id in self._running:
            self._running[request_id].cancel()

    async def finish(self, *, grace_seconds: float) -> None:
        """Lets everything come to its end for a moment, then cancels it."""
        try:
            async with asyncio.timeout(grace_seconds):
                while self._running:
                    await asyncio.wait(tuple(self._running.values()))
        except TimeoutError:
            self._waiting.clear()
            for task in self._running.values():
                task.cancel()

    def _run(self, request_id: RequestId, work: Work) -> None:
        task = self._group.create_task(work())
        self._running[request_id] = task
        task.add_done_callback(lambda _: self._go_on(request_id))

    def _go_on(self, request_id: RequestId) -> None:
        del self._running[request_id]
        while self._waiting and len(self._running) < self._limit:
            following = next(iter(self._waiting))
            self._run(following, self._waiting.pop(following))
