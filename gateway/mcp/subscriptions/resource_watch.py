"""Whether resources have changed: no backend tells, so those that somebody subscribed to are read again and again.

What is read is kept as a digest, and by however many it is asked for within one interval, it is read once. Source: MCP
2026-07-28, basic/utilities/subscriptions; MCP 2025-11-25, server/resources, "Subscriptions".
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import orjson

from gateway.contract.envelopes import Refusal

UPDATED_METHOD = "notifications/resources/updated"

DEFAULT_POLL_SECONDS = 10.0
LIMIT_URIS = 50  # of one subscriber
_LIMIT_KEPT = 10_000

Read = Callable[[str], Awaitable[dict[str, Any] | Refusal]]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A digest on its way or there, and when it was asked for."""

    digest: "asyncio.Task[bytes]"
    asked_at: float


class ResourceDigests:
    """What the watched resources of a process were when they were last read; at most 10,000 of them."""

    def __init__(self, *, poll_seconds: float = DEFAULT_POLL_SECONDS) -> None:
        self.poll_seconds = poll_seconds
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()

    async def get(self, principal: str, uri: str, read: Read) -> bytes:
        """The digest of a resource as this caller sees it, not older than the interval. Whatever fails has one too."""
        key = (principal, uri)
        now = asyncio.get_running_loop().time()
        kept = self._kept.get(key)
        if kept is None or now - kept.asked_at >= self.poll_seconds or kept.digest.cancelled():
            kept = _Kept(asyncio.create_task(_digest(uri, read)), now)
            self._kept[key] = kept
            if len(self._kept) > _LIMIT_KEPT:
                self._kept.popitem(last=False)
        return await asyncio.shield(kept.digest)


class ResourceWatch:
    """The resources that one subscriber wants to hear of."""

    def __init__(self, digests: ResourceDigests, principal: str, read: Read) -> None:
        self._digests = digests
        self._principal = principal
        self._read = read
        self._known: dict[str, bytes] = {}

    @property
    def uris(self) -> tuple[str, ...]:
        """Those that are watched now."""
        return tuple(self._known)

    @property
    def pause_seconds(self) -> float | None:
        """How long to wait until it is worth looking again; None where there is nothing to look at."""
        return self._digests.poll_seconds if self._known else None

    async def add(self, *uris: str) -> bool:
        """Watches these too, from what they are now on; False where that would be too many, and none is added."""
        digests = await asyncio.gather(*map(self._look, uris))
        if len(self._known.keys() | set(uris)) > LIMIT_URIS:
            return False
        self._known = {**dict(zip(uris, digests, strict=True)), **self._known}
        return True

    def discard(self, uri: str) -> None:
        """Watches this no longer."""
        self._known.pop(uri, None)

    async def find_changed(self) -> tuple[str, ...]:
        """Those that are not what they were when this was last asked."""
        changed = []
        for uri, before in list(self._known.items()):
            now = await self._look(uri)
            # It may have been discarded meanwhile.
            if now != before and uri in self._known:
                self._known[uri] = now
                changed.append(uri)
        return tuple(changed)

    async def _look(self, uri: str) -> bytes:
        return await self._digests.get(self._principal, uri, self._read)


async def _digest(uri: str, read: Read) -> bytes:
    outcome = await read(uri)
    told = [outcome.condition.value] if isinstance(outcome, Refusal) else outcome.get("contents")
    return hashlib.sha256(orjson.dumps(told)).digest()
