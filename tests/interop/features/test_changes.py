"""Changes of what there is, as the protocol's own Python client hears of them: by listening, or in its session."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ListenNotSupportedError, PromptsListChanged, ResourceUpdated, ToolsListChanged

from tests.interop.features.talk import SECONDS, Talk, dump

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]


async def test_it_hears_of_each_change_once_and_sees_it(talk: Talk) -> None:
    triggers = (("tools", "test_trigger_tool_change"), ("prompts", "test_trigger_prompt_change"))
    heard: list[str] = []
    seen: list[bool] = []

    async def change(hear: Callable[[], Any]) -> None:
        for kind, trigger in triggers * 2:
            await talk.call(trigger)
            async with asyncio.timeout(SECONDS):
                heard.append(await hear())
            listed = await getattr(talk.client, f"list_{kind}")()
            seen.append(any("passing" in one.name for one in getattr(listed, kind)))

    await talk.client.list_tools()
    if talk.is_legacy:
        await talk.client.send_ping()
        while not talk.changes.empty():
            talk.changes.get_nowait()  # of the first discovery
        await change(talk.changes.get)
        assert heard == ["notifications/tools/list_changed", "notifications/prompts/list_changed"] * 2
        assert talk.changes.empty()
    else:
        async with talk.client.listen(tools_list_changed=True, prompts_list_changed=True) as subscription:
            assert dump(subscription.honored) == {"toolsListChanged": True, "promptsListChanged": True}
            await change(lambda: anext(subscription))
        assert heard == [ToolsListChanged(), PromptsListChanged()] * 2
    assert seen == [True, True, False, False]


async def test_it_hears_only_of_what_it_listens_for(talk: Talk) -> None:
    if talk.is_legacy:
        with pytest.raises(ListenNotSupportedError):
            await talk.client.listen(prompts_list_changed=True).__aenter__()
        return
    async with talk.client.listen(prompts_list_changed=True, resource_subscriptions=["test://watched"]) as subscription:
        assert dump(subscription.honored) == {"promptsListChanged": True}
        for trigger in ("tool", "prompt") * 2:
            await talk.call(f"test_trigger_{trigger}_change")
            if trigger == "prompt":
                async with asyncio.timeout(SECONDS):
                    assert await anext(subscription) == PromptsListChanged()


PRODUCTS = """
limits: {resource_poll_seconds: 1}
rpcs:
  - match: demo.shop.v1.StockService/GetProduct
    resource: {uri_template: "shop://products/{sku}", name: product}
"""
SET_STOCK = "demo.shop.v1.StockService/SetStock"


@pytest.fixture(scope="session", params=["http", "stdio"])
def shop(
    request: pytest.FixtureRequest,
    serve: Callable[..., str],
    propylon: list[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> str | StdioServerParameters:
    """The demo's shop with its products as resources, which are looked at every second."""
    file = tmp_path_factory.mktemp("shop") / "propylon.yaml"
    file.write_text(PRODUCTS)
    arguments = ["serve", "--demo", "-c", str(file)]
    if request.param == "http":
        return serve(*arguments[1:])
    return StdioServerParameters(command=propylon[0], args=[*arguments, "--stdio"])


async def test_it_hears_that_a_resource_it_listens_for_has_changed(shop: Any, find_tool: Any) -> None:
    mug, tea, none = (f"shop://products/{sku}" for sku in ("mug-blue", "tea-assam", "a/b"))
    async with Client(shop) as client:
        tool = await find_tool(client, SET_STOCK)
        async with client.listen(resource_subscriptions=[mug, tea, none]) as subscription:
            assert dump(subscription.honored) == {"resourceSubscriptions": [mug, tea]}
            await client.call_tool(tool.name, {"sku": "mug-blue", "inStock": "41"})
            async with asyncio.timeout(SECONDS):
                assert await anext(subscription) == ResourceUpdated(uri=mug)
            (contents,) = (await client.read_resource(mug)).contents
    assert json.loads(contents.text)["product"]["inStock"] == "41"


async def test_its_session_hears_that_a_resource_has_changed_until_it_unsubscribes(shop: Any, find_tool: Any) -> None:
    mug = "shop://products/mug-blue"
    heard: asyncio.Queue[Any] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if type(message).__name__ == "ResourceUpdatedNotification":
            heard.put_nowait(str(message.params.uri))

    async with Client(shop, mode="legacy", message_handler=hear) as client:
        tool = await find_tool(client, SET_STOCK)
        with pytest.raises(MCPError) as refused:
            await client.subscribe_resource("shop://nowhere")
        await client.subscribe_resource(mug)
        await client.call_tool(tool.name, {"sku": "mug-blue", "inStock": "51"})
        async with asyncio.timeout(SECONDS):
            assert await heard.get() == mug
        await client.unsubscribe_resource(mug)
        await client.call_tool(tool.name, {"sku": "mug-blue", "inStock": "52"})
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.5):
                await heard.get()
    assert refused.value.code == -32602
