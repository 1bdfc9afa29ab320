"""The Model Context Protocol's own Python client in the handshake era: a session, and a server that asks back."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ElicitResult

ORDERS = "demo.shop.v1.OrderService"
STOCK = "demo.shop.v1.StockService"
CONFIRMED = "tools:\n  confirm_destructive: true\n"


@pytest.fixture(scope="session")
def url(serve: Callable[..., str]) -> str:
    return serve("--demo")


@pytest.fixture(params=["http", "stdio"])
def server(request: pytest.FixtureRequest, propylon: list[str]) -> str | StdioServerParameters:
    """What the client connects to: a gateway over HTTP, or one of its own over stdio."""
    if request.param == "http":
        return str(request.getfixturevalue("url"))
    return StdioServerParameters(command=propylon[0], args=["serve", "--demo", "--stdio"])


async def test_it_shakes_hands_and_learns_whom_it_talks_to(server: Any) -> None:
    async with Client(server, mode="legacy") as client:
        assert client.protocol_version == "2025-11-25"
        assert client.server_info is not None
        assert client.server_info.name == "propylon"
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.tools.list_changed is True
        assert client.server_capabilities.logging is not None


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_it_pings_and_sets_the_level_of_its_log(server: Any) -> None:
    async with Client(server, mode="legacy") as client:
        await client.session.send_ping()
        await client.session.set_logging_level("debug")


async def test_it_lists_and_calls_tools(server: Any, find_tool: Any) -> None:
    async with Client(server, mode="legacy") as client:
        tool = await find_tool(client, f"{ORDERS}/GetOrder")
        assert tool.output_schema["type"] == "object"
        result = await client.call_tool(tool.name, {"id": "o-1001"})
        absent = await client.call_tool(tool.name, {"id": "o-9"})
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("no_such_tool", {})
    assert result.structured_content["order"]["id"] == "o-1001"
    assert absent.is_error
    assert absent.content[0].text.splitlines()[0] == 'NOT_FOUND: there is no order "o-9"'
    assert unknown.value.code == -32602


async def test_it_hears_of_progress(server: Any, find_tool: Any) -> None:
    heard: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    async with Client(server, mode="legacy") as client:
        tool = await find_tool(client, f"{STOCK}/ListStockMovements")
        result = await client.call_tool(tool.name, {"sku": "mug-blue"}, progress_callback=hear)
    assert len(result.structured_content["messages"]) == 3
    assert heard == [1, 2, 3]


async def test_a_call_that_it_gives_up_leaves_the_session_as_it_was(server: Any, find_tool: Any) -> None:
    async with Client(server, mode="legacy") as client:
        waits = await find_tool(client, "demo.shop.v1.DiagnosticsService/Wait")
        with pytest.raises(MCPError):
            await client.call_tool(waits.name, {"duration": "20s"}, read_timeout_seconds=0.5)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await client.call_tool(waits.name, {"duration": "20s"})
        tool = await find_tool(client, f"{ORDERS}/GetOrder")
        assert not (await client.call_tool(tool.name, {"id": "o-1001"})).is_error


@pytest.fixture(params=["http", "stdio"])
def asking(
    request: pytest.FixtureRequest, serve: Callable[..., str], propylon: list[str], tmp_path: Path
) -> str | StdioServerParameters:
    """The same, under a configuration that has the user confirm destructive calls."""
    file = tmp_path / "propylon.yaml"
    file.write_text(CONFIRMED)
    if request.param == "http":
        return serve("--demo", "-c", str(file))
    return StdioServerParameters(command=propylon[0], args=["serve", "--demo", "-c", str(file), "--stdio"])


@pytest.mark.parametrize(("action", "is_made"), [("accept", True), ("decline", False), ("cancel", False)])
async def test_its_user_is_asked_before_a_destructive_call(
    asking: Any, find_tool: Any, action: Any, is_made: bool
) -> None:
    asked: list[str] = []

    async def answer(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action=action, content={"confirm": True} if action == "accept" else None)

    async with Client(asking, mode="legacy", elicitation_callback=answer) as client:
        tool = await find_tool(client, f"{ORDERS}/CancelOrder")
        result = await client.call_tool(tool.name, {"id": "o-1001"})
    assert len(asked) == 1
    assert ("did not agree" not in result.content[0].text) is is_made
