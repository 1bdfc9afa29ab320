"""The loop over fake backends: the order of events is the tests' to choose."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from gateway.app.catalogue_builder import Findings, LeftOut, Offer
from gateway.app.discovery_loop import BackendState, DiscoveryLoop, Guard, Source
from gateway.app.operator_error import OperatorError
from gateway.app.settings.loader import default_settings
from gateway.app.settings.model import DiscoverySection, ReadyWhen
from gateway.backends.discovery import Discovered, DiscoveryFailed
from gateway.mcp.catalogue import Catalogue, Tool

SETTINGS = replace(
    default_settings().discovery, retry_initial_seconds=0.001, retry_max_seconds=0.002, refresh_seconds=0
)
NOTHING = Discovered(files=(), services=(), skipped=(), warnings=())
DOWN = DiscoveryFailed("nothing answers")


async def never_called(request: bytes, **_: object) -> bytes:
    raise AssertionError(request)


def make_tool(name: str, backend: str) -> Tool:
    return Tool(
        name=name,
        rpc=f"shop.v1.Cart/{name}",
        backend=backend,
        listing={"name": name, "inputSchema": {"type": "object"}},
        transcoder=None,  # type: ignore[arg-type]  # nothing is called here
        call=never_called,
        deadline_seconds=1,
    )


def make_offer(backend: str, *names: str, skipped: Iterable[str] = ()) -> Offer:
    return Offer(
        backend=backend,
        tools=tuple(make_tool(name, backend) for name in names),
        findings=Findings(
            skipped=tuple(LeftOut(name=name, reason="does not link") for name in skipped),
        ),
    )


class Scripted:
    """A backend that answers each question with the next of its answers, and then with the last for ever."""

    def __init__(self, name: str, *answers: Offer | Exception) -> None:
        self.name = name
        self.asked = 0
        self.signs = 0
        self.change = asyncio.Event()
        self._answers = answers

    @property
    def source(self) -> Source:
        return Source(name=self.name, discover=self._discover, build=self._build, read_signs=self._read_signs)

    async def _read_signs(self) -> object:
        return self.signs

    async def _discover(self) -> Discovered:
        answer = self._answers[min(self.asked, len(self._answers) - 1)]
        self.asked += 1
        self.change.set()
        if isinstance(answer, Exception):
            raise answer
        return replace(NOTHING, warnings=(), services=(str(self.asked),))

    async def _build(self, discovered: Discovered) -> Offer:
        answer = self._answers[min(int(discovered.services[0]) - 1, len(self._answers) - 1)]
        assert isinstance(answer, Offer)
        return answer


@asynccontextmanager
async def running(
    *backends: Scripted, settings: DiscoverySection = SETTINGS, guard: Guard | None = None
) -> AsyncIterator[DiscoveryLoop]:
    loop = DiscoveryLoop([backend.source for backend in backends], settings, ttl_seconds=60, guard=guard)
    task = asyncio.create_task(loop.run())
    try:
        async with asyncio.timeout(5):
            yield loop
        assert not task.done(), task.exception()
    finally:
        task.cancel()
        await asyncio.wait([task])


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - what is waited for has no event
        await asyncio.sleep(0.001)


def names(loop: DiscoveryLoop) -> list[str]:
    return list(loop.catalogue.tools)


async def test_a_backend_that_is_down_does_not_blank_the_list() -> None:
    good, bad = Scripted("good", make_offer("good", "a")), Scripted("bad", DOWN)
    async with running(bad, good) as loop:
        await loop.asked.wait()
        assert names(loop) == ["a"]
        assert not loop.ready.is_set()
        assert loop.catalogue.ttl_ms == 0
        assert loop.states() == (
            BackendState(name="bad", is_discovered=False, tools=0, reason="nothing answers"),
            BackendState(name="good", is_discovered=True, tools=1, reason=None),
        )


async def test_a_backend_that_comes_up_later_is_served_from_then_on() -> None:
    late = Scripted("late", DOWN, DOWN, make_offer("late", "b"))
    async with running(Scripted("good", make_offer("good", "a")), late) as loop:
        await loop.ready.wait()
        assert names(loop) == ["a", "b"]
        assert loop.catalogue.ttl_ms == 60_000
        assert late.asked == 3


async def test_the_order_is_that_of_the_configuration_whoever_answers_first() -> None:
    late = Scripted("first", DOWN, make_offer("first", "z", "y"))
    async with running(late, Scripted("second", make_offer("second", "a"))) as loop:
        await loop.ready.wait()
        assert names(loop) == ["z", "y", "a"]


async def test_ready_can_be_had_with_one_backend_of_many() -> None:
    settings = replace(SETTINGS, ready_when=ReadyWhen.ANY_BACKEND)
    async with running(Scripted("good", make_offer("good", "a")), Scripted("bad", DOWN), settings=settings) as loop:
        await loop.ready.wait()


async def test_a_reason_is_logged_once_until_it_changes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "propylon")
    other = DiscoveryFailed("reflection is refused")
    bad = Scripted("bad", DOWN, DOWN, DOWN, other, other, make_offer("bad", "a"))
    async with running(bad) as loop:
        await loop.ready.wait()
    told = [(record.levelname, record.message, vars(record).get("reason")) for record in caplog.records]
    assert told == [
        ("WARNING", "backend is not served; trying again", "nothing answers"),
        ("WARNING", "backend is not served; trying again", "reflection is refused"),
        ("INFO", "backend discovered", None),
        ("INFO", "backend is well again", None),
    ]


async def test_a_refresh_brings_the_new_tools_and_drops_what_is_gone() -> None:
    backend = Scripted("one", make_offer("one", "a", "b"), make_offer("one", "b", "c"))
    async with running(backend, settings=replace(SETTINGS, refresh_seconds=0.001)) as loop:
        await until(lambda: names(loop) == ["b", "c"])


async def test_the_same_answer_again_leaves_the_catalogue_as_it_is() -> None:
    answer = make_offer("one", "a")

    async def discover() -> Discovered:
        nonlocal asked
        asked += 1
        return NOTHING

    asked = 0

    async def build(_: Discovered) -> Offer:
        return answer

    loop = DiscoveryLoop([Source(name="one", discover=discover, build=build)], SETTINGS)
    await loop.run_once()
    before = loop.catalogue
    await loop.run_once()
    assert asked == 2
    assert loop.catalogue is before


async def test_of_a_file_in_two_versions_a_change_in_either_is_a_change() -> None:
    bare = FileDescriptorProto(name="shop.proto", package="shop")
    commented = FileDescriptorProto(name="shop.proto", package="shop", syntax="proto3")
    answers = iter([replace(NOTHING, files=(commented, bare)), replace(NOTHING, files=(bare,))])
    built = iter([make_offer("one", "a"), make_offer("one", "b")])

    async def discover() -> Discovered:
        return next(answers)

    async def build(_: Discovered) -> Offer:
        return next(built)

    loop = DiscoveryLoop([Source(name="one", discover=discover, build=build)], SETTINGS)
    await loop.run_once()
    await loop.run_once()
    assert names(loop) == ["b"]


async def test_without_a_refresh_time_a_backend_is_asked_again_only_on_demand() -> None:
    backend = Scripted("one", make_offer("one", "a"), make_offer("one", "b"))
    async with running(backend) as loop:
        await loop.ready.wait()
        assert backend.asked == 1
        loop.refresh_now()
        await until(lambda: names(loop) == ["b"])


async def test_the_last_good_tools_stay_while_a_backend_is_away() -> None:
    backend = Scripted("one", make_offer("one", "a"), DOWN)
    async with running(backend, settings=replace(SETTINGS, refresh_seconds=0.001)) as loop:
        await until(lambda: backend.asked >= 3)
        assert names(loop) == ["a"]
        assert loop.ready.is_set()
        assert loop.states()[0] == BackendState(name="one", is_discovered=True, tools=1, reason="nothing answers")


@pytest.mark.parametrize("lost", ["shop.v1.Cart", "shop.v1.Cart/a"])
async def test_the_last_good_tools_stay_when_the_new_ones_do_not_fit_together(lost: str) -> None:
    broken = make_offer("one", skipped=[lost])
    backend = Scripted("one", make_offer("one", "a"), broken, broken, make_offer("one", "a", "b"))
    async with running(backend, settings=replace(SETTINGS, refresh_seconds=0.001)) as loop:
        await loop.ready.wait()
        await until(lambda: loop.states()[0].reason is not None)
        assert names(loop) == ["a"]
        assert loop.states()[0].reason == (
            f"what it says of {lost} no longer fits together (does not link); the last good one stays"
        )
        await until(lambda: names(loop) == ["a", "b"])
        assert loop.states()[0].reason is None


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (DiscoveryFailed("more than 10,000 tools"), "more than 10,000 tools"),
        (make_offer("one", "a"), None),
        (make_offer("two", "taken"), 'two RPCs would be the tool "taken"'),
    ],
)
async def test_an_answer_that_is_heard_again_is_not_built_again(
    first: Offer | DiscoveryFailed, again: str | None
) -> None:
    built = 0

    async def discover() -> Discovered:
        return NOTHING

    async def build(_: Discovered) -> Offer:
        nonlocal built
        built += 1
        if isinstance(first, DiscoveryFailed):
            raise first
        return first

    sources = [
        Scripted("other", make_offer("other", "taken")).source,
        Source(name="two", discover=discover, build=build),
    ]
    loop = DiscoveryLoop(sources, replace(SETTINGS, ready_when=ReadyWhen.ANY_BACKEND))
    loop.ready.set()
    loop.asked.set()
    for _ in range(3):
        await loop.run_once()
    reason = loop.states()[1].reason
    assert built == 1
    assert reason is None if again is None else str(reason).startswith(again)


@pytest.mark.parametrize("late", ["eu", "us"])
async def test_a_collision_ends_the_start_whoever_answers_first(late: str) -> None:
    answers: dict[str, list[Offer | Exception]] = {name: [make_offer(name, "AddItem")] for name in ("eu", "us")}
    answers[late].insert(0, DOWN)
    loop = DiscoveryLoop([Scripted(name, *answers[name]).source for name in ("eu", "us")], SETTINGS)
    with pytest.raises(OperatorError) as refusal:
        await loop.run()
    assert refusal.value.line == (
        'two RPCs would be the tool "AddItem": shop.v1.Cart/AddItem of backend eu and shop.v1.Cart/AddItem of backend '
        "us; give one backend a prefix, or exclude one of the two"
    )


async def test_a_collision_that_a_late_backend_brings_to_a_process_that_is_ready_costs_that_backend_alone() -> None:
    late = Scripted("late", DOWN, make_offer("late", "a"))
    settings = replace(SETTINGS, ready_when=ReadyWhen.ANY_BACKEND)
    async with running(Scripted("early", make_offer("early", "a")), late, settings=settings) as loop:
        await until(lambda: late.asked >= 3)
        assert names(loop) == ["a"]
        assert loop.states()[1].reason == (
            'two RPCs would be the tool "a": shop.v1.Cart/a of backend early and shop.v1.Cart/a of backend late; '
            "give one backend a prefix, or exclude one of the two"
        )


async def test_a_collision_that_a_refresh_brings_keeps_the_last_good_tools() -> None:
    eu, us = Scripted("eu", make_offer("eu", "a")), Scripted("us", make_offer("us", "b"), make_offer("us", "a"))
    async with running(eu, us) as loop:
        await loop.ready.wait()
        loop.refresh_now()
        await until(lambda: loop.states()[1].reason is not None)
        assert names(loop) == ["a", "b"]
        assert {tool.backend for tool in loop.catalogue.tools.values()} == {"eu", "us"}


def wants(*needed: str) -> Guard:
    """A guard that wants these tools, as soon as every backend has had its say."""

    def guard(catalogue: Catalogue, is_whole: bool) -> str | None:
        missing = [name for name in needed if name not in catalogue.tools]
        return f"{missing[0]} is gone" if is_whole and missing else None

    return guard


@pytest.mark.parametrize("late", ["eu", "us"])
async def test_a_start_without_what_is_guarded_ends_whoever_answers_first(late: str) -> None:
    answers: dict[str, list[Offer | Exception]] = {"eu": [make_offer("eu", "a")], "us": [make_offer("us", "b")]}
    answers[late].insert(0, DOWN)
    sources = [Scripted(name, *answers[name]).source for name in ("eu", "us")]
    loop = DiscoveryLoop(sources, SETTINGS, guard=wants("a", "c"))
    with pytest.raises(OperatorError) as refusal:
        await loop.run()
    assert refusal.value.line == "c is gone"


async def test_a_refresh_without_what_is_guarded_keeps_the_last_good_tools_and_is_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    shop = Scripted("shop", make_offer("shop", "a", "b"), make_offer("shop", "b"), make_offer("shop", "b", "c"))
    async with running(shop, guard=wants("a")) as loop:
        await loop.ready.wait()
        loop.refresh_now()
        await until(lambda: shop.asked >= 4)
        assert names(loop) == ["a", "b"]
        assert loop.states()[0].reason == "a is gone; the last good offer stays"
    told = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert told == ["backend cannot be asked again; its last good tools stay"]


async def test_a_backend_that_comes_late_and_breaks_what_is_guarded_is_not_served() -> None:
    late = Scripted("late", DOWN, make_offer("late", "b"))
    settings = replace(SETTINGS, ready_when=ReadyWhen.ANY_BACKEND)
    async with running(Scripted("early", make_offer("early", "a")), late, settings=settings, guard=wants("c")) as loop:
        await until(lambda: late.asked >= 3)
        assert names(loop) == ["a"]
        assert loop.states()[1].reason == "c is gone"


async def test_a_backend_without_measure_does_not_flood_the_log(caplog: pytest.LogCaptureFixture) -> None:
    backend = Scripted("one", make_offer("one", "a", skipped=[f"s.S{number}" for number in range(1000)]))
    async with running(backend) as loop:
        await loop.ready.wait()
    messages = [record.getMessage() for record in caplog.records]
    assert messages.count("skipped") == 50
    assert messages.count("more is skipped or warned of; propylon check names it all") == 1


async def test_a_fault_of_ours_over_one_backend_leaves_the_others_alone(caplog: pytest.LogCaptureFixture) -> None:
    bad = Scripted("bad", RuntimeError("a bug"))
    async with running(bad, Scripted("good", make_offer("good", "a"))) as loop:
        await loop.asked.wait()
        await until(lambda: bad.asked >= 3)
        assert names(loop) == ["a"]
    assert [record.message for record in caplog.records if record.exc_info] == ["discovery failed inside the gateway"]


async def test_a_backend_that_gives_a_sign_is_asked_before_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.app.discovery_loop._LOOK_SECONDS", 0.001)
    backend = Scripted("one", make_offer("one", "a"), make_offer("one", "b"))
    async with running(backend, settings=replace(SETTINGS, refresh_seconds=3600)) as loop:
        await loop.ready.wait()
        assert (names(loop), backend.asked) == (["a"], 1)
        backend.signs += 1
        await until(lambda: names(loop) == ["b"])
        assert backend.asked == 2


async def test_where_refreshes_are_off_signs_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.app.discovery_loop._LOOK_SECONDS", 0.001)
    backend = Scripted("one", make_offer("one", "a"), make_offer("one", "b"))
    async with running(backend) as loop:
        await loop.ready.wait()
        backend.signs += 1
        loop.refresh_now()
        await until(lambda: names(loop) == ["b"])
        assert backend.asked == 2
