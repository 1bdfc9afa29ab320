"""Changes of what there is, as the protocol's own Python client hears of them: by listening, or in its session."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from mcp.client.subscriptions import ListenNotSupportedError, PromptsListChanged, ToolsListChanged

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
