"""A listener is acknowledged first, hears of what it asked for, and is answered at the end."""

import asyncio

from gateway.contract.envelopes import Envelope
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.exchange import Exchange
from gateway.mcp.offerings.values import Offerings, Resource
from gateway.mcp.subscriptions.hub import SubscriptionHub
from tests.virtual_time import run_virtually

OLD = Catalogue(tools={}, version="1")
NEW = Catalogue(tools={}, version="2")
META = {"io.modelcontextprotocol/subscriptionId": "listen-1"}


class Client:
    """The client's end of a listening request: what it got so far."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[dict] = asyncio.Queue()

    async def notify(self, envelope: Envelope) -> None:
        self.heard.put_nowait(dict(envelope.body))


def listen(kit, hub, client, **asked):
    request = kit.make_request("subscriptions/listen", {"notifications": asked}, request_id="listen-1")
    dispatcher = kit.make_dispatcher(subscriptions=hub)
    return asyncio.ensure_future(dispatcher.dispatch(request, Exchange(front="test", outlet=client)))


async def test_a_listener_is_acknowledged_then_told_then_answered(kit):
    hub, client = SubscriptionHub(), Client()
    answer = listen(kit, hub, client, toolsListChanged=True, promptsListChanged=True)
    acknowledged = await client.heard.get()
    hub.publish(OLD, NEW)
    changed = await client.heard.get()
    hub.close()
    assert acknowledged == {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": {"toolsListChanged": True, "promptsListChanged": True}, "_meta": META},
    }
    assert changed == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": META}}
    result = (await answer).body["result"]
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/subscriptionId"] == "listen-1"
    assert client.heard.empty()


async def test_a_listener_that_asked_for_nothing_hears_nothing(kit):
    hub, client = SubscriptionHub(), Client()
    answer = listen(kit, hub, client)
    assert (await client.heard.get())["params"]["notifications"] == {}
    hub.publish(OLD, NEW)
    hub.close()
    await answer
    assert client.heard.empty()


async def test_a_listener_that_leaves_makes_room(kit):
    hub, client = SubscriptionHub(limit_listeners=1), Client()
    answer = listen(kit, hub, client, toolsListChanged=True)
    await client.heard.get()
    refused = await listen(kit, hub, Client(), toolsListChanged=True)
    assert refused.body["error"]["message"] == "all 1 subscriptions that are kept at once are taken; try again later"
    answer.cancel()
    await asyncio.wait([answer])
    assert not hub.is_full


async def test_a_client_that_takes_no_stream_is_told_so(kit):
    dispatcher = kit.make_dispatcher(subscriptions=SubscriptionHub())
    status, answer = await kit.ask(dispatcher, kit.make_request("subscriptions/listen", {"notifications": {}}))
    assert status == 400
    assert answer["error"]["message"] == (
        "subscriptions/listen answers with a stream: Accept must take text/event-stream"
    )


async def test_list_changed_is_advertised_where_it_is_told(kit):
    changes = {"listChanged": True}
    for hub, expected in (
        (SubscriptionHub(), [changes, changes, {**changes, "subscribe": True}]),
        (None, [{}, {}, {}]),
    ):
        dispatcher = kit.make_dispatcher(subscriptions=hub)
        _, answer = await kit.ask(dispatcher, kit.make_request("server/discover"))
        capabilities = answer["result"]["capabilities"]
        assert [capabilities[name] for name in ("tools", "prompts", "resources")] == expected


def test_a_watched_resource_that_changes_is_told_of(kit):
    async def watch():
        texts = iter(["1", "1", "2", "2"])
        contents = {"uri": "docs://a", "mimeType": "text/plain"}
        resource = Resource(
            uri="docs://a",
            listing={"uri": "docs://a", "name": "a"},
            read=lambda: ({**contents, "text": next(texts, "2")},),
        )
        offerings = Offerings(resources={"docs://a": resource})
        hub, client = SubscriptionHub(), Client()
        dispatcher = kit.make_dispatcher(
            catalogue=kit.make_catalogue(offerings=offerings), subscriptions=hub, resource_poll_seconds=10
        )
        asked = {"notifications": {"resourceSubscriptions": ["docs://a", "docs://none"]}}
        request = kit.make_request("subscriptions/listen", asked, request_id="listen-1")
        answer = asyncio.ensure_future(dispatcher.dispatch(request, Exchange(front="test", outlet=client)))
        assert (await client.heard.get())["params"]["notifications"] == {"resourceSubscriptions": ["docs://a"]}
        assert await client.heard.get() == {
            "jsonrpc": "2.0",
            "method": "notifications/resources/updated",
            "params": {"uri": "docs://a", "_meta": META},
        }
        hub.close()
        await answer
        assert client.heard.empty()

    run_virtually(watch())


def test_what_changes_once_a_watcher_is_acknowledged_is_told_of(kit):
    async def watch():
        text, client = "before", Client()
        resource = Resource(
            uri="docs://a",
            listing={"uri": "docs://a", "name": "a"},
            read=lambda: ({"uri": "docs://a", "mimeType": "text/plain", "text": text},),
        )
        hub = SubscriptionHub()
        catalogue = kit.make_catalogue(offerings=Offerings(resources={"docs://a": resource}))
        dispatcher = kit.make_dispatcher(catalogue=catalogue, subscriptions=hub, resource_poll_seconds=10)
        asked = {"notifications": {"resourceSubscriptions": ["docs://a"]}}
        request = kit.make_request("subscriptions/listen", asked, request_id="listen-1")
        hears = client.notify

        async def change_at_once(envelope):
            nonlocal text
            text = "after"
            await hears(envelope)

        client.notify = change_at_once
        answer = asyncio.ensure_future(dispatcher.dispatch(request, Exchange(front="test", outlet=client)))
        heard = [(await asyncio.wait_for(client.heard.get(), 60))["method"] for _ in range(2)]
        assert heard == ["notifications/subscriptions/acknowledged", "notifications/resources/updated"]
        hub.close()
        await answer

    run_virtually(watch())
