"""Resources that somebody watches are read again, once for everybody, and a change is told."""

import asyncio
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.mcp.subscriptions.resource_watch import LIMIT_URIS, ResourceDigests, ResourceWatch
from tests.virtual_time import run_virtually


class Shelf:
    """Resources that can be changed, and how often they were read."""

    def __init__(self) -> None:
        self.contents = {"a": "1", "b": "1"}
        self.reads = 0

    async def read(self, uri: str) -> dict[str, Any] | Refusal:
        self.reads += 1
        if uri not in self.contents:
            return Refusal(condition=Condition.INVALID_PARAMS, message="gone", rejection=False)
        return {"contents": [{"uri": uri, "text": self.contents[uri]}], "ttlMs": 0}


def test_a_change_is_told_once_and_only_after_the_interval() -> None:
    async def watch() -> None:
        shelf = Shelf()
        watched = ResourceWatch(ResourceDigests(poll_seconds=10), "", shelf.read)
        assert watched.pause_seconds is None
        assert await watched.add("a", "b", "a")
        assert (watched.uris, watched.pause_seconds, shelf.reads) == (("a", "b"), 10, 2)
        shelf.contents["a"] = "2"
        assert await watched.find_changed() == ()
        await asyncio.sleep(10)
        assert await watched.find_changed() == ("a",)
        await asyncio.sleep(10)
        assert await watched.find_changed() == ()
        del shelf.contents["b"]
        await asyncio.sleep(10)
        assert await watched.find_changed() == ("b",)

    run_virtually(watch())


def test_many_who_watch_the_same_read_it_once() -> None:
    async def watch() -> None:
        shelf, digests = Shelf(), ResourceDigests(poll_seconds=10)
        watches = [ResourceWatch(digests, "ada", shelf.read) for _ in range(20)]
        await asyncio.gather(*(one.add("a") for one in watches))
        assert shelf.reads == 1
        await asyncio.sleep(10)
        shelf.contents["a"] = "2"
        assert await asyncio.gather(*(one.find_changed() for one in watches)) == [("a",)] * 20
        assert shelf.reads == 2
        await ResourceWatch(digests, "bob", shelf.read).add("a")
        assert shelf.reads == 3

    run_virtually(watch())


def test_what_is_no_longer_watched_is_not_read() -> None:
    async def watch() -> None:
        shelf = Shelf()
        watched = ResourceWatch(ResourceDigests(poll_seconds=10), "", shelf.read)
        await watched.add("a", "b")
        watched.discard("a")
        shelf.contents["a"] = "2"
        await asyncio.sleep(10)
        assert await watched.find_changed() == ()
        assert (watched.uris, shelf.reads) == (("b",), 3)

    run_virtually(watch())


def test_what_is_added_at_the_same_time_is_all_watched() -> None:
    async def watch() -> None:
        shelf = Shelf()
        watched = ResourceWatch(ResourceDigests(poll_seconds=10), "", shelf.read)
        assert await asyncio.gather(watched.add("a"), watched.add("b")) == [True, True]
        assert sorted(watched.uris) == ["a", "b"]

    run_virtually(watch())


def test_what_is_discarded_while_it_is_looked_at_is_not_told_of() -> None:
    async def watch() -> None:
        shelf = Shelf()
        watched = ResourceWatch(ResourceDigests(poll_seconds=10), "", shelf.read)
        await watched.add("a")
        shelf.contents["a"] = "2"
        await asyncio.sleep(10)
        looking = asyncio.ensure_future(watched.find_changed())
        await asyncio.sleep(0)
        watched.discard("a")
        assert (await looking, watched.uris) == ((), ())

    run_virtually(watch())


def test_one_more_than_is_kept_is_not_watched() -> None:
    async def watch() -> None:
        watched = ResourceWatch(ResourceDigests(poll_seconds=10), "", Shelf().read)
        assert await watched.add(*map(str, range(LIMIT_URIS)))
        assert not await watched.add("a")
        assert len(watched.uris) == LIMIT_URIS

    run_virtually(watch())
