"""Tells a request's client how far its work is, if the client asked for that.

The values of one request strictly increase, there are never more than so many notifications within any second, a total
is never below its value, and none comes after the answer. While nothing happens a notification still comes from time
to time, for clients that wait only as long as they hear something. Source: MCP 2026-07-28, basic/patterns/progress.

This module must never know what the work is.
"""

import asyncio
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from gateway.contract.envelopes import notification
from gateway.contract.quoting import one_line
from gateway.mcp.exchange import Exchange, Outlet

PROGRESS_METHOD = "notifications/progress"
TOKEN_KEY = "progressToken"  # noqa: S105 - the protocol's name

_LIMIT_MESSAGE = 500
_WINDOW_SECONDS = 1.0
# How far a value moves that must grow though nothing is known to have been done: a share of what is left, or this.
_SHARE = 1000
_STEP = 0.001
_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressPace:
    """How often progress is told: at most `per_second` times in any second, and at least every `quiet_seconds`."""

    per_second: int = 10
    quiet_seconds: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    value: float
    total: float | None
    message: str | None


class Progress:
    """The progress of one request, from the entry of its context to the exit."""

    def __init__(self, outlet: Outlet, token: str | int, pace: ProgressPace) -> None:
        self._outlet = outlet
        self._token = token
        self._pace = pace
        self._last: float | None = None
        self._total: float | None = None
        self._pending: _Report | None = None
        self._has_pending = asyncio.Event()
        self._told_at: deque[float] = deque(maxlen=pace.per_second)
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()

    async def __aenter__(self) -> Self:
        self._beating = asyncio.create_task(self._beat())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._beating.cancel()
        await asyncio.wait((self._beating,))
        if kind is None and not self._beating.cancelled():
            self._beating.result()

    async def report(self, value: float, *, total: float | None = None, message: str | None = None) -> None:
        """Says that this much is done. Where it is too soon to say so, the last word is kept and said when it is time.

        A value that is not above the one before is told as slightly more than that, for its message may be news; one
        that is no number at all is dropped. Waits for the client's end to have room.
        """
        if not math.isfinite(value):
            return
        report = _Report(value=value, total=total, message=message)
        if self._find_pause() > 0:
            self._pending = report
            self._has_pending.set()
        else:
            await self._tell(report)

    async def _beat(self) -> None:
        """Says what had to wait, and something where nothing was said for long."""
        while True:
            if self._pending is None:
                self._has_pending.clear()
                since = self._told_at[-1] if self._told_at else self._began
                pause = since + self._pace.quiet_seconds - self._clock()
            else:
                pause = self._find_pause()
            if pause > 0:
                await self._rest(pause, is_quiet=self._pending is None)
            else:
                await self._tell(self._pending or self._make_sign_of_life())

    async def _rest(self, pause: float, *, is_quiet: bool) -> None:
        if not is_quiet:
            await asyncio.sleep(pause)
            return
        try:
            async with asyncio.timeout(pause):
                await self._has_pending.wait()
        except TimeoutError:
            pass

    def _find_pause(self) -> float:
        """How long it is until the next notification may be sent, in seconds; 0 or less: it may now."""
        if len(self._told_at) < self._pace.per_second:
            return 0
        return self._told_at[0] + _WINDOW_SECONDS - self._clock()

    def _make_sign_of_life(self) -> _Report:
        value = 0.0 if self._last is None else self._last
        message = f"still at work after {self._clock() - self._began:.0f} s"
        return _Report(value=value, total=self._total, message=message)

    async def _tell(self, report: _Report) -> None:
        self._pending = None
        self._total = report.total if report.total is not None and math.isfinite(report.total) else None
        value = report.value
        if self._last is not None and value <= self._last:
            value = _advance(self._last, self._total)
        self._told_at.append(self._clock())
        if not math.isfinite(value):
            return
        self._last = value
        params: dict[str, Any] = {TOKEN_KEY: self._token, "progress": value}
        if self._total is not None and self._total >= value:
            params["total"] = self._total
        if report.message:
            params["message"] = one_line(report.message, _LIMIT_MESSAGE)
        await self._outlet.notify(notification(PROGRESS_METHOD, params))


def open_progress(exchange: Exchange, meta: Mapping[str, Any], pace: ProgressPace) -> Progress | None:
    """The progress of a request with this `_meta`; None where it has no token or no outlet."""
    token = meta.get(TOKEN_KEY)
    if exchange.outlet is None or isinstance(token, bool) or not isinstance(token, str | int):
        return None
    return Progress(exchange.outlet, token, pace)


def _advance(last: float, total: float | None) -> float:
    """A value a little above the last, below the total where there is one."""
    step = (total - last) / _SHARE if total is not None and total > last else _STEP
    value = round(last + step, _DIGITS)
    return value if value > last else math.nextafter(last, math.inf)
