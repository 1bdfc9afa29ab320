"""Listeners hear of each change once, of what they asked for alone, and of the end."""

import asyncio

from gateway.mcp.catalogue import Catalogue
from gateway.mcp.subscriptions.hub import SubscriptionHub
from gateway.mcp.subscriptions.topics import Topic, find_changed

OLD = Catalogue(tools={}, version="1")
NEW = Catalogue(tools={}, version="2")
TOOLS = frozenset({Topic.TOOLS})


async def test_a_listener_hears_of_a_change_once() -> None:
    hub = SubscriptionHub()
    with hub.listen(TOOLS) as listener:
        hub.publish(OLD, NEW)
        assert await listener.wait() == (Topic.TOOLS,)
        waiting = asyncio.ensure_future(listener.wait())
        await asyncio.sleep(0)
        assert not waiting.done()
        hub.publish(NEW, OLD)
        assert await waiting == (Topic.TOOLS,)


async def test_a_listener_that_reads_late_hears_once_of_all_changes_so_far() -> None:
    hub = SubscriptionHub()
    with hub.listen(TOOLS) as listener:
        hub.publish(OLD, NEW)
        hub.publish(NEW, OLD)
        assert await listener.wait() == (Topic.TOOLS,)
        hub.close()
        assert await listener.wait() is None


async def test_nothing_is_told_where_nothing_changed_or_nobody_asked() -> None:
    hub = SubscriptionHub()
    with hub.listen(TOOLS) as tools, hub.listen(frozenset()) as nothing:
        hub.publish(OLD, Catalogue(tools={}, version="1", ttl_ms=5))
        hub.close()
        assert await tools.wait() is None
        assert await nothing.wait() is None
    assert find_changed(OLD, OLD) == frozenset()
    assert find_changed(OLD, NEW) == TOOLS


async def test_a_change_before_the_end_is_told_before_it() -> None:
    hub = SubscriptionHub()
    with hub.listen(TOOLS) as listener:
        hub.publish(OLD, NEW)
        hub.close()
        assert await listener.wait() == (Topic.TOOLS,)
        assert await listener.wait() is None


async def test_a_listener_of_a_closed_hub_hears_of_the_end_at_once() -> None:
    hub = SubscriptionHub()
    hub.close()
    with hub.listen(TOOLS) as listener:
        assert await listener.wait() is None


async def test_a_hub_is_full_until_a_listener_leaves() -> None:
    hub = SubscriptionHub(limit_listeners=1)
    with hub.listen(TOOLS):
        assert hub.is_full
    assert not hub.is_full
