import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.contract.envelopes import Envelope, encode_envelope
from gateway.mcp.exchange import Exchange
from gateway.mcp.progress import Progress, ProgressPace, open_progress
from tests.virtual_time import run_virtually

PACE = ProgressPace()
Work = Callable[[Progress], Awaitable[None]]


class Outlet:
    """Keeps what it is told, with the time on the loop's clock; takes `pause` seconds for each."""

    def __init__(self, pause: float = 0) -> None:
        self.told: list[tuple[float, dict[str, Any]]] = []
        self.pause = pause
        self.is_over = False

    async def notify(self, envelope: Envelope) -> None:
        if self.pause:
            await asyncio.sleep(self.pause)
        assert not self.is_over
        body = orjson.loads(encode_envelope(envelope))
        assert (body["jsonrpc"], body["method"]) == ("2.0", "notifications/progress")
        self.told.append((asyncio.get_running_loop().time(), body["params"]))


def watch(work: Work, pace: ProgressPace = PACE, *, token: str | int = "t", pause: float = 0) -> Any:
    """What the client is told while the work goes on, and when."""
    outlet = Outlet(pause)

    async def run() -> None:
        async with Progress(outlet, token, pace) as progress:
            await work(progress)
        outlet.is_over = True
        await asyncio.sleep(100)

    run_virtually(run())
    return outlet.told


def test_what_is_reported_is_told_at_once_with_the_token_as_it_came() -> None:
    async def work(progress: Progress) -> None:
        await progress.report(1, total=4, message="first")
        await asyncio.sleep(2)
        await progress.report(2.5)

    for token in ("t", 7, ""):
        assert watch(work, token=token) == [
            (0, {"progressToken": token, "progress": 1, "total": 4, "message": "first"}),
            (2, {"progressToken": token, "progress": 2.5}),
        ]


def test_ten_thousand_reports_in_a_second_are_told_at_the_pace() -> None:
    async def work(progress: Progress) -> None:
        for number in range(10_000):
            await progress.report((10, 10, 5, 90)[number % 4], total=100, message=str(number))
            await asyncio.sleep(0.0001)

    told = watch(work)
    times = [time for time, _ in told]
    values = [params["progress"] for _, params in told]
    assert 10 <= len(told) <= 11
    assert all(later - earlier >= 1 for earlier, later in zip(times, times[10:], strict=False))
    assert all(later > earlier for earlier, later in pairwise(values))
    assert all(params["total"] >= params["progress"] for _, params in told)


def test_the_last_word_of_a_burst_is_told_when_it_is_time() -> None:
    async def work(progress: Progress) -> None:
        for number in range(1, 26):
            await progress.report(number, message=str(number))
        await asyncio.sleep(5)

    told = watch(work)
    assert [(time, params["progress"]) for time, params in told] == [*((0, n) for n in range(1, 11)), (1, 25)]


def test_silence_is_broken_from_time_to_time_by_values_that_grow() -> None:
    async def work(progress: Progress) -> None:
        await progress.report(3, total=10)
        await asyncio.sleep(40)
        await progress.report(4, total=10)

    assert watch(work) == [
        (0, {"progressToken": "t", "progress": 3, "total": 10}),
        (15, {"progressToken": "t", "progress": 3.007, "total": 10, "message": "still at work after 15 s"}),
        (30, {"progressToken": "t", "progress": 3.013993, "total": 10, "message": "still at work after 30 s"}),
        (40, {"progressToken": "t", "progress": 4, "total": 10}),
    ]


def test_work_that_never_reports_shows_signs_of_life() -> None:
    async def work(progress: Progress) -> None:
        await asyncio.sleep(50)

    told = watch(work)
    assert [(time, params["progress"]) for time, params in told] == [(15, 0), (30, 0.001), (45, 0.002)]


def test_none_comes_after_the_end_not_even_at_the_moment_of_a_sign_of_life() -> None:
    for offset in (-1e-6, 0, 1e-6):

        async def work(progress: Progress, offset: float = offset) -> None:
            await asyncio.sleep(15 + offset)

        assert len(watch(work)) <= 1
        assert len(watch(work, pause=0.5)) <= 1


def test_a_value_that_does_not_grow_still_brings_its_message() -> None:
    async def work(progress: Progress) -> None:
        await progress.report(5, total=5, message="a")
        await progress.report(5, total=5, message="b")
        await progress.report(1, message="c")

    assert [params for _, params in watch(work)] == [
        {"progressToken": "t", "progress": 5, "total": 5, "message": "a"},
        {"progressToken": "t", "progress": 5.001, "message": "b"},
        {"progressToken": "t", "progress": 5.002, "message": "c"},
    ]


def test_a_slow_reader_slows_the_work_down() -> None:
    async def work(progress: Progress) -> None:
        for number in range(1, 4):
            await progress.report(number)

    assert [time for time, _ in watch(work, pause=5)] == [5, 10, 15]


def test_what_is_no_number_is_dropped() -> None:
    async def work(progress: Progress) -> None:
        for value in (float("nan"), float("inf"), -float("inf")):
            await progress.report(value)
        await progress.report(1, total=float("nan"), message="two\nlines")

    assert [params for _, params in watch(work)] == [{"progressToken": "t", "progress": 1, "message": "two lines"}]


@given(st.lists(st.floats(allow_nan=True) | st.integers(-3, 3), max_size=30), st.none() | st.floats())
@settings(max_examples=60)
def test_values_always_grow_and_no_total_is_below_them(values: list[float], total: float | None) -> None:
    async def work(progress: Progress) -> None:
        for value in values:
            await progress.report(value, total=total)
            await asyncio.sleep(0.2)

    told = [params for _, params in watch(work)]
    grown = [params["progress"] for params in told]
    assert all(later > earlier for earlier, later in pairwise(grown))
    assert all(params.get("total", params["progress"]) >= params["progress"] for params in told)


@pytest.mark.parametrize("token", [None, True, 1.5, [], {}])
async def test_without_a_token_there_is_no_progress(token: Any) -> None:
    exchange = Exchange(front="test", outlet=Outlet())
    assert open_progress(exchange, {"progressToken": token}, PACE) is None
    assert open_progress(exchange, {}, PACE) is None
    assert open_progress(Exchange(front="test"), {"progressToken": "t"}, PACE) is None
    assert open_progress(exchange, {"progressToken": 0}, PACE) is not None


class BrokenOutlet(Outlet):
    async def notify(self, envelope: Envelope) -> None:
        raise BrokenPipeError(32, "Broken pipe")


def test_an_outlet_that_breaks_while_nothing_is_reported_is_no_secret() -> None:
    async def run() -> None:
        async with Progress(BrokenOutlet(), "t", PACE):
            await asyncio.sleep(20)

    with pytest.raises(BrokenPipeError):
        run_virtually(run())
