"""What is served now, and how it comes to be: every backend asked on its own, again and again, in the background.

A backend that is away or broken costs nobody else anything: its last good offer stays, its reason is told once, and it
is asked again with backoff. A new catalogue is built aside, off the event loop, and swapped whole.
"""

import asyncio
import contextlib
import hashlib
import logging
import math
import random
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from gateway.app.backoff import Backoff
from gateway.app.catalogue_builder import NameCollision, Offer, combine_offers
from gateway.app.operator_error import OperatorError
from gateway.app.settings.model import DiscoverySection, ReadyWhen
from gateway.backends.discovery import Discovered, DiscoveryFailed
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.offerings.values import NO_OFFERINGS, Offerings

_LOG = logging.getLogger("propylon.discovery")
# Replicas that started together do not ask together for ever.
_REFRESH_SPREAD = 0.1
# How often it is looked for signs that a backend has changed.
_LOOK_SECONDS = 1.0
# How many lines of one kind a backend's descriptors may cause each time they change.
_LIMIT_TOLD = 50

# Says why a catalogue must not be served, or None; the flag says whether every backend has its part in it.
Guard = Callable[[Catalogue, bool], str | None]
# Told of a catalogue that took the place of another: the one before, the one now.
Swapped = Callable[[Catalogue, Catalogue], None]


async def _see_nothing() -> object:
    """The signs of a source that gives none."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One backend as discovery sees it: how to ask it, and how to make an offer of the answer.

    `read_signs` gives a value that changes when it is worth asking again before the time.
    """

    name: str
    discover: Callable[[], Awaitable[Discovered]]
    build: Callable[[Discovered], Awaitable[Offer]]
    read_signs: Callable[[], Awaitable[object]] = _see_nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendState:
    """One backend now. `reason` says what is wrong with it, None while all is well; `tools` counts what it offers."""

    name: str
    is_discovered: bool
    tools: int
    reason: str | None


@dataclass(slots=True, kw_only=True)
class _Watched:
    """What is known of one backend so far.

    `offer` was made of `discovered`, whose fingerprint is `answer`. `refused` is the fingerprint of an answer which did
    not become the offer, with what was made of it, so that hearing it again costs nothing.
    """

    source: Source
    offer: Offer | None = None
    discovered: Discovered | None = None
    answer: bytes | None = None
    refused: tuple[bytes, Offer | DiscoveryFailed] | None = None
    reason: str | None = None
    failures: int = 0
    is_tried: bool = False
    wake: asyncio.Event = field(default_factory=asyncio.Event)


class DiscoveryLoop:
    """The catalogue that is served now, and what keeps it current.

    Three things happen once: `serving` is set when a first backend has been discovered, `asked` when every backend has
    been asked at least once, `ready` when the backends that readiness asks for have been discovered.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        settings: DiscoverySection,
        *,
        ttl_seconds: float = 0,
        configured: Offerings = NO_OFFERINGS,
        guard: Guard | None = None,
    ) -> None:
        """`configured` is offered whatever the backends say. `guard` has the last word on what is served."""
        self._guard = guard
        self._configured = configured
        self._watched = tuple(_Watched(source=source) for source in sources)
        self._settings = settings
        # What may have changed by the next refresh must not stay with a client beyond it.
        self._ttl_ms = round(1000 * min(ttl_seconds, settings.refresh_seconds or ttl_seconds))
        self._backoff = Backoff(initial_seconds=settings.retry_initial_seconds, max_seconds=settings.retry_max_seconds)
        self._catalogue = combine_offers((), configured=configured)
        self._told_of_swaps: list[Swapped] = []
        self.ready = asyncio.Event()
        self.serving = asyncio.Event()
        self.asked = asyncio.Event()

    def tell_of_swaps(self, on_swap: Swapped) -> None:
        """Has this called, with the catalogue before and the one now, whenever one has taken another's place."""
        self._told_of_swaps.append(on_swap)

    @property
    def catalogue(self) -> Catalogue:
        """What is served now; never changes, the next one takes its place."""
        return self._catalogue

    def states(self) -> tuple[BackendState, ...]:
        """Every backend as it is now, in the configured order."""
        return tuple(
            BackendState(
                name=watched.source.name,
                is_discovered=watched.offer is not None,
                tools=len(watched.offer.tools) if watched.offer else 0,
                reason=watched.reason or (None if watched.is_tried else "has not answered yet"),
            )
            for watched in self._watched
        )

    def offers(self) -> tuple[Offer, ...]:
        """What each discovered backend offers, in the configured order."""
        return tuple(watched.offer for watched in self._watched if watched.offer is not None)

    def discovered(self) -> dict[str, Discovered]:
        """What the discovered backends said, by name: the source of their offers."""
        return {watched.source.name: watched.discovered for watched in self._watched if watched.discovered is not None}

    def refresh_now(self) -> None:
        """Has every backend asked again at once, whatever pause it is in."""
        for watched in self._watched:
            watched.wake.set()

    async def run(self) -> None:
        """Keeps the catalogue current until cancelled.

        Raises `OperatorError` where the first offers of two backends give two RPCs one tool name: the same outcome
        whichever of them answers first; or where the guard refuses what they make up. Such a thing that comes up later,
        in a process that is ready, only costs the offer that brings it.
        """
        await self._with_each(self._watch)

    async def run_once(self) -> None:
        """Asks every backend once, at the same time. Raises `OperatorError` as `run` does."""
        await self._with_each(self._try)

    async def _with_each(self, work: Callable[[_Watched], Coroutine[Any, Any, None]]) -> None:
        refusals: list[BaseException] = []
        try:
            async with asyncio.TaskGroup() as group:
                for watched in self._watched:
                    group.create_task(work(watched), name=f"discovery of {watched.source.name}")
        except* OperatorError as errors:
            refusals.extend(errors.exceptions)
        if refusals:
            raise refusals[0]

    async def _watch(self, watched: _Watched) -> None:
        while True:
            signs = await watched.source.read_signs()
            await self._try(watched)
            await self._rest(watched, signs)

    async def _rest(self, watched: _Watched, signs: object) -> None:
        """Waits until the backend is to be asked again: its time has come, somebody wants it, or its signs changed."""
        if watched.failures:
            pause: float | None = self._backoff.pause_seconds(watched.failures)
        elif self._settings.refresh_seconds:
            spread = random.uniform(1 - _REFRESH_SPREAD, 1 + _REFRESH_SPREAD)  # noqa: S311 - no secret
            pause = self._settings.refresh_seconds * spread
        else:
            pause = None
        loop = asyncio.get_running_loop()
        end = math.inf if pause is None else loop.time() + pause
        # Whoever wants no refreshes wants none for a changed file either.
        look_seconds = _LOOK_SECONDS if self._settings.refresh_seconds else math.inf
        while not watched.wake.is_set() and (left := end - loop.time()) > 0:
            step = min(left, look_seconds)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if step == math.inf else step):
                    await watched.wake.wait()
            if step < left and await watched.source.read_signs() != signs:
                break
        watched.wake.clear()

    async def _try(self, watched: _Watched) -> None:
        try:
            discovered = await watched.source.discover()
            answer = await asyncio.to_thread(_take_fingerprint, discovered)
            if answer != watched.answer:
                self._take(watched, await self._build(watched, discovered, answer))
                watched.discovered, watched.answer, watched.refused = discovered, answer, None
            self._succeed(watched)
        except (DiscoveryFailed, _OfferRefused) as failure:
            self._fail(watched, failure.reason)
        except OperatorError:
            raise
        except Exception as error:  # noqa: BLE001
            # The outermost ring of whatever a backend may send: it must not take the other backends along.
            if self._fail(watched, f"discovery failed inside the gateway ({type(error).__name__})"):
                _LOG.exception("discovery failed inside the gateway", extra={"backend": watched.source.name})
        finally:
            watched.is_tried = True
            if all(one.is_tried for one in self._watched):
                self.asked.set()

    async def _build(self, watched: _Watched, discovered: Discovered, answer: bytes) -> Offer:
        if watched.refused is None or watched.refused[0] != answer:
            watched.refused = None
            try:
                watched.refused = answer, await watched.source.build(discovered)
            except DiscoveryFailed as failure:
                watched.refused = answer, failure
        built = watched.refused[1]
        if isinstance(built, DiscoveryFailed):
            raise _OfferRefused(built.reason)
        return built

    def _take(self, watched: _Watched, offer: Offer) -> None:
        before = watched.offer
        if before is not None:
            broken = sorted({skipped.name for skipped in offer.findings.skipped} & _list_offered(before))
            if broken:
                why = next(skipped.reason for skipped in offer.findings.skipped if skipped.name == broken[0])
                raise _OfferRefused(
                    f"what it says of {broken[0]} no longer fits together ({why}); the last good one stays"
                )
        offers = [offer if one is watched else one.offer for one in self._watched]
        # A list that still lacks a backend must not stay with a client.
        ttl_ms = 0 if None in offers else self._ttl_ms
        try:
            catalogue = combine_offers(
                (one for one in offers if one is not None), ttl_ms=ttl_ms, configured=self._configured
            )
        except NameCollision as collision:
            raise self._refuse(watched, collision.reason) from None
        breach = None if self._guard is None else self._guard(catalogue, None not in offers)
        if breach is not None:
            raise self._refuse(watched, breach)
        watched.offer = offer
        previous, self._catalogue = self._catalogue, catalogue
        for tell in self._told_of_swaps:
            tell(previous, catalogue)
        if before is None or before.findings != offer.findings or len(before.tools) != len(offer.tools):
            self._tell(watched, offer)

    def _refuse(self, watched: _Watched, reason: str) -> Exception:
        """What becomes of an offer that must not be served: at the start it ends the process."""
        if watched.offer is not None:
            return _OfferRefused(f"{reason}; the last good offer stays")
        if self.ready.is_set() and self.asked.is_set():
            return _OfferRefused(reason)
        return OperatorError(reason)

    def _succeed(self, watched: _Watched) -> None:
        if watched.reason is not None and watched.offer is not None:
            _LOG.info("backend is well again", extra={"backend": watched.source.name})
        watched.failures = 0
        watched.reason = None
        self.serving.set()
        found = [one.offer is not None for one in self._watched]
        match self._settings.ready_when:
            case ReadyWhen.EVERY_BACKEND:
                is_ready = all(found)
            case ReadyWhen.ANY_BACKEND:
                is_ready = any(found)
        if is_ready:
            self.ready.set()

    def _fail(self, watched: _Watched, reason: str) -> bool:
        """Counts a failure; true where its reason is news, which is also when it is logged."""
        watched.failures += 1
        is_news = reason != watched.reason
        watched.reason = reason
        if is_news:
            fields = {"backend": watched.source.name, "reason": reason}
            if watched.offer is None:
                _LOG.warning("backend is not served; trying again", extra=fields)
            else:
                _LOG.warning("backend cannot be asked again; its last good tools stay", extra=fields)
        return is_news

    def _tell(self, watched: _Watched, offer: Offer) -> None:
        name, found = watched.source.name, offer.findings
        for skipped in found.skipped[:_LIMIT_TOLD]:
            _LOG.warning("skipped", extra={"backend": name, "what": skipped.name, "reason": skipped.reason})
        for warning in found.warnings[:_LIMIT_TOLD]:
            _LOG.warning("descriptors", extra={"backend": name, "warning": warning})
        if max(len(found.skipped), len(found.warnings)) > _LIMIT_TOLD:
            _LOG.warning("more is skipped or warned of; propylon check names it all", extra={"backend": name})
        counts = {"tools": len(offer.tools), "skipped": len(found.skipped), "left_out": len(found.left_out)}
        _LOG.info("backend discovered", extra={"backend": name, **counts})


def _list_offered(offer: Offer) -> set[str]:
    """The RPCs that are offered, and their services, by name."""
    return {name for tool in offer.tools for name in (tool.rpc, tool.rpc.partition("/")[0])}


def _take_fingerprint(discovered: Discovered) -> bytes:
    """A digest that is equal where two answers say the same; files come in no order, and one name in two versions."""
    digest = hashlib.sha256(repr((discovered.services, discovered.skipped)).encode("utf-8", "surrogatepass"))
    for content in sorted(file.SerializeToString(deterministic=True) for file in discovered.files):
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.digest()


class _OfferRefused(Exception):
    """A new offer that must not take the place of the last good one, and why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
