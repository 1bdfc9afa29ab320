"""Tells listeners of changes: each listener once per change, however slowly it reads.

What a listener has not been told yet is a set, not a queue: a list that changed twice meanwhile is told once, since
whoever hears of it asks for the list as it is now. So a slow reader costs nothing and loses nothing. This module must
never know how a notification travels.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from gateway.mcp.catalogue import Catalogue
from gateway.mcp.subscriptions.topics import Topic, find_changed

DEFAULT_LIMIT_LISTENERS = 1000


class Listener:
    """One subscription: what it wants to hear of, and what of it there is to tell."""

    def __init__(self, wanted: frozenset[Topic]) -> None:
        self.wanted = wanted
        self._pending: set[Topic] = set()
        self._stirred = asyncio.Event()
        self._is_closed = False

    async def wait(self, *, timeout_seconds: float | None = None) -> tuple[Topic, ...] | None:
        """What is to be told now, in the order of the topics; None once the hub closed and nothing is left to tell.

        After `timeout_seconds` without anything to tell it is the empty tuple.
        """
        try:
            async with asyncio.timeout(timeout_seconds):
                while not self._pending:
                    if self._is_closed:
                        return None
                    await self._stirred.wait()
                    self._stirred.clear()
        except TimeoutError:
            return ()
        told = tuple(topic for topic in Topic if topic in self._pending)
        self._pending.clear()
        return told

    def stir(self, changed: frozenset[Topic]) -> None:
        """Notes what changed, as far as it is wanted."""
        news = changed & self.wanted
        if news:
            self._pending |= news
            self._stirred.set()

    def close(self) -> None:
        """Has `wait` come to its end once everything was told."""
        self._is_closed = True
        self._stirred.set()


class SubscriptionHub:
    """All listeners of a process; `limit_listeners` bounds how many there are at once."""

    def __init__(self, *, limit_listeners: int = DEFAULT_LIMIT_LISTENERS) -> None:
        self.limit_listeners = limit_listeners
        self._listeners: set[Listener] = set()
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another listener."""
        return len(self._listeners) >= self.limit_listeners

    @contextmanager
    def listen(self, wanted: frozenset[Topic]) -> Iterator[Listener]:
        """A listener for as long as the block runs; of a closed hub one that hears of its end at once."""
        listener = Listener(wanted)
        if self._is_closed:
            listener.close()
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    def publish(self, before: Catalogue, after: Catalogue) -> None:
        """Tells every listener what of its topics differs between two catalogues; nothing where nothing does."""
        changed = find_changed(before, after)
        if changed:
            for listener in self._listeners:
                listener.stir(changed)

    def close(self) -> None:
        """Ends every subscription in order, now and later: the process is about to stop."""
        self._is_closed = True
        for listener in self._listeners:
            listener.close()
