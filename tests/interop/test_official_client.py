"""The Model Context Protocol's own Python client, over both fronts, against the demo's shop."""

from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import TextContent

ORDERS = "demo.shop.v1.OrderService"


@pytest.fixture(scope="session")
def url(serve: Callable[..., str]) -> str:
    return serve("--demo")


@pytest.fixture(params=["http", "stdio"])
def server(request: pytest.FixtureRequest, propylon: list[str]) -> str | StdioServerParameters:
    """What the client connects to: a gateway over HTTP, or one of its own over stdio."""
    if request.param == "http":
        return str(request.getfixturevalue("url"))
    return StdioServerParameters(command=propylon[0], args=["serve", "--demo", "--stdio"])


@pytest.fixture(params=["auto", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    """How the client settles on a revision: by asking, or by being told."""
    return str(request.param)


async def test_it_learns_whom_it_talks_to(server: Any) -> None:
    async with Client(server, mode="auto") as client:
        assert client.protocol_version == "2026-07-28"
        assert client.server_info is not None
        assert client.server_info.name
        assert client.server_info.version
        assert client.server_capabilities.tools is not None


async def test_it_lists_the_tools_with_comments_and_schemas(server: Any, mode: str, find_tool: Any) -> None:
    async with Client(server, mode=mode) as client:
        tool = await find_tool(client, f"{ORDERS}/GetOrder")
    assert tool.name == "demo_shop_v1_OrderService_GetOrder"
    assert tool.description.startswith("Reads one order by id, with its lines, its total and where it is.")
    assert tool.input_schema["type"] == "object"
    assert tool.input_schema["required"] == ["id"]
    assert tool.input_schema["properties"]["id"]["description"] == 'The id of the order, such as "o-1001".'
    assert tool.output_schema["type"] == "object"
    assert tool.annotations.read_only_hint is True


async def test_it_calls_a_tool(server: Any, mode: str, find_tool: Any) -> None:
    async with Client(server, mode=mode) as client:
        tool = await find_tool(client, f"{ORDERS}/GetOrder")
        result = await client.call_tool(tool.name, {"id": "o-1001"})
    assert not result.is_error
    order = result.structured_content["order"]
    assert (order["id"], order["state"], len(order["lines"])) == ("o-1001", "ORDER_STATE_PLACED", 3)
    assert order["total"] == {"currencyCode": "EUR", "minorUnits": "44930"}


async def test_it_sees_a_tool_error(server: Any, mode: str, find_tool: Any) -> None:
    async with Client(server, mode=mode) as client:
        tool = await find_tool(client, f"{ORDERS}/GetOrder")
        absent = await client.call_tool(tool.name, {"id": "o-9"})
        wrong = await client.call_tool(tool.name, {"order": "o-1001"})
        assert not (await client.call_tool(tool.name, {"id": "o-1001"})).is_error
    assert absent.is_error
    assert isinstance(absent.content[0], TextContent)
    assert absent.content[0].text.splitlines()[0] == 'NOT_FOUND: there is no order "o-9"'
    assert absent.meta["dev.propylon/status"]["reason"] == "ORDER_NOT_FOUND"
    assert wrong.is_error
    assert wrong.content[0].text.startswith("INVALID_ARGUMENT: ")
    assert "order" in wrong.content[0].text


async def test_it_sees_a_protocol_error(server: Any, mode: str, find_tool: Any) -> None:
    async with Client(server, mode=mode) as client:
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("no_such_tool", {})
        crash = await find_tool(client, "demo.shop.v1.DiagnosticsService/Crash")
        with pytest.raises(MCPError) as crashed:
            await client.call_tool(crash.name, {})
        tool = await find_tool(client, f"{ORDERS}/GetOrder")
        assert not (await client.call_tool(tool.name, {"id": "o-1001"})).is_error
    assert unknown.value.code == -32602
    assert "no_such_tool" in unknown.value.message
    assert crashed.value.code == -32603
    assert "Traceback" not in f"{crashed.value.message}{crashed.value.data}"
    assert "shelf" not in f"{crashed.value.message}{crashed.value.data}"
