"""Streams, progress and time-outs as the Model Context Protocol's own Python client has them, over both fronts."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

ORDERS = "demo.shop.v1.OrderService"
STOCK = "demo.shop.v1.StockService"


@pytest.fixture(scope="session")
def url(serve: Callable[..., str]) -> str:
    return serve("--demo")


@pytest.fixture(params=["http", "stdio"])
def server(request: pytest.FixtureRequest, propylon: list[str]) -> str | StdioServerParameters:
    """What the client connects to: a gateway over HTTP, or one of its own over stdio."""
    if request.param == "http":
        return str(request.getfixturevalue("url"))
    return StdioServerParameters(command=propylon[0], args=["serve", "--demo", "--stdio"])


async def test_it_hears_of_each_message_and_gets_them_all(server: Any, find_tool: Any) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with Client(server) as client:
        tool = await find_tool(client, f"{STOCK}/ListStockMovements")
        result = await client.call_tool(tool.name, {"sku": "mug-blue"}, progress_callback=hear)
        # Without a listener it is one answer; the client checks it against the output schema either way.
        again = await client.call_tool(tool.name, {"sku": "mug-blue"})
    assert not result.is_error
    assert result.structured_content == again.structured_content
    messages = result.structured_content["messages"]
    assert (len(messages), result.structured_content["truncated"]) == (3, False)
    assert [progress for progress, _, _ in heard] == [1, 2, 3]
    assert all(message is not None and message.startswith('{"moveTime":') for _, _, message in heard)


async def test_it_gives_streams_as_lists(server: Any, find_tool: Any) -> None:
    async with Client(server) as client:
        imports = await find_tool(client, f"{STOCK}/ImportStock")
        imported = await client.call_tool(
            imports.name, {"messages": [{"sku": "mug-blue", "quantity": 1}, {"sku": "none", "quantity": 1}]}
        )
        talks = await find_tool(client, f"{ORDERS}/NegotiatePrice")
        offer = {"currencyCode": "EUR", "minorUnits": "100"}
        talked = await client.call_tool(talks.name, {"messages": [{"orderId": "o-1001", "offer": offer}]})
        wrong = await client.call_tool(talks.name, {"messages": [{}, {"offer": {"minorUnits": "x"}}]})
    assert imported.structured_content["bookedCount"] == 1
    assert list(imported.structured_content["rejections"]) == ["1"]
    assert len(talked.structured_content["messages"]) == 1
    assert wrong.is_error
    assert "/messages/1/offer/minorUnits" in wrong.content[0].text


async def test_a_call_that_it_gives_up_leaves_the_connection_as_it_was(server: Any, find_tool: Any) -> None:
    async with Client(server) as client:
        waits = await find_tool(client, "demo.shop.v1.DiagnosticsService/Wait")
        with pytest.raises(MCPError):
            await client.call_tool(waits.name, {"duration": "20s"}, read_timeout_seconds=0.5)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await client.call_tool(waits.name, {"duration": "20s"})
        tool = await find_tool(client, f"{ORDERS}/GetOrder")
        assert not (await client.call_tool(tool.name, {"id": "o-1001"})).is_error
