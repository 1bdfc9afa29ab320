from typing import Any

import pytest

from gateway.contract.validation import PER_REQUEST_REVISION, MessageValidator
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.dispatch import Dispatcher, ServerIdentity


class Shelf:
    """A catalogue that can be swapped."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def serve(self, validator: MessageValidator, page_size: int | None) -> Dispatcher:
        identity = ServerIdentity(name="propylon", version="0")
        return Dispatcher(catalogue=lambda: self.catalogue, validator=validator, server=identity, page_size=page_size)


async def list_page(kit: Any, dispatcher: Dispatcher, cursor: Any = None) -> dict[str, Any]:
    params = {} if cursor is None else {"cursor": cursor}
    status, body = await kit.ask(dispatcher, kit.make_request("tools/list", params))
    assert status == 200
    return body["result"]


async def walk(kit: Any, dispatcher: Dispatcher) -> list[list[str]]:
    pages: list[list[str]] = []
    cursor = None
    while True:
        result = await list_page(kit, dispatcher, cursor)
        pages.append([tool["name"] for tool in result["tools"]])
        cursor = result.get("nextCursor")
        if cursor is None:
            return pages


def make_many(kit: Any, count: int) -> list[Any]:
    return [kit.make_tool(f"tool_{number:03}") for number in range(count)]


async def test_everything_is_on_one_page_in_the_order_of_names(kit: Any) -> None:
    tools = make_many(kit, 250)
    dispatcher = kit.make_dispatcher(catalogue=kit.make_catalogue(*reversed(tools), ttl_ms=5000, cache_scope="private"))
    result = await list_page(kit, dispatcher)
    assert result["tools"] == [dict(tool.listing) for tool in tools]
    assert (result["ttlMs"], result["cacheScope"], result["resultType"]) == (5000, "private", "complete")
    assert "nextCursor" not in result


async def test_an_empty_catalogue_is_an_empty_page(kit: Any) -> None:
    result = await list_page(kit, kit.make_dispatcher(page_size=10))
    assert (result["tools"], result["ttlMs"]) == ([], 0)
    assert "nextCursor" not in result


@pytest.mark.parametrize(("count", "sizes"), [(250, [100, 100, 50]), (200, [100, 100]), (100, [100]), (1, [1])])
async def test_pages_hold_every_tool_once(kit: Any, count: int, sizes: list[int]) -> None:
    dispatcher = kit.make_dispatcher(*make_many(kit, count), page_size=100)
    pages = await walk(kit, dispatcher)
    assert [len(page) for page in pages] == sizes
    assert [name for page in pages for name in page] == [f"tool_{number:03}" for number in range(count)]


async def test_a_cursor_is_good_on_another_replica(kit: Any) -> None:
    first = kit.make_dispatcher(*make_many(kit, 250), page_size=100)
    second = kit.make_dispatcher(*reversed(make_many(kit, 250)), page_size=100)
    cursor = (await list_page(kit, first))["nextCursor"]
    assert await list_page(kit, first, cursor) == await list_page(kit, second, cursor)


@pytest.mark.parametrize("removed", ["tool_050", "tool_099", "tool_100", "tool_249"])
async def test_a_reload_between_pages_doubles_nothing_and_misses_only_what_went(
    kit: Any, validator: MessageValidator, removed: str
) -> None:
    tools = make_many(kit, 250)
    shelf = Shelf(kit.make_catalogue(*tools))
    dispatcher = shelf.serve(validator, page_size=100)
    first = await list_page(kit, dispatcher)
    shelf.catalogue = kit.make_catalogue(*(tool for tool in tools if tool.name != removed))
    seen = [tool["name"] for tool in first["tools"]]
    cursor = first["nextCursor"]
    while cursor is not None:
        result = await list_page(kit, dispatcher, cursor)
        seen += [tool["name"] for tool in result["tools"]]
        cursor = result.get("nextCursor")
    assert len(seen) == len(set(seen))
    assert {tool.name for tool in tools} - set(seen) <= {removed}


async def test_a_swapped_catalogue_is_listed_at_once(kit: Any, validator: MessageValidator) -> None:
    shelf = Shelf(kit.make_catalogue(kit.make_tool("old")))
    dispatcher = shelf.serve(validator, page_size=None)
    assert await walk(kit, dispatcher) == [["old"]]
    shelf.catalogue = kit.make_catalogue(kit.make_tool("new"))
    assert await walk(kit, dispatcher) == [["new"]]


async def test_no_cursor_null_and_an_empty_one_begin_at_the_beginning(kit: Any) -> None:
    dispatcher = kit.make_dispatcher(*make_many(kit, 3), page_size=2)
    first = await list_page(kit, dispatcher)
    assert await list_page(kit, dispatcher, "") == first
    message = kit.make_request("tools/list", {"cursor": None})
    assert (await kit.ask(dispatcher, message))[1]["result"] == first


@pytest.mark.parametrize(("cursor", "status"), [("x", 200), ("MQ==", 200), ("\u202e" * 500, 200), (5, 400), ([], 400)])
async def test_a_broken_cursor_is_refused(kit: Any, cursor: Any, status: int) -> None:
    answered, body = await kit.ask(kit.make_dispatcher(page_size=2), kit.make_request("tools/list", {"cursor": cursor}))
    assert (answered, body["error"]["code"], body["id"]) == (status, -32602, 1)
    assert body["error"]["message"].isprintable()


async def test_listings_are_valid_by_the_protocol(kit: Any) -> None:
    from gateway.contract.validation import SchemaValidator, load_protocol_schema

    schema = load_protocol_schema(PER_REQUEST_REVISION)
    validator = SchemaValidator({"$ref": "#/$defs/ListToolsResult", "$defs": schema["$defs"]})
    dispatcher = kit.make_dispatcher(*make_many(kit, 3), page_size=2)
    assert validator.validate(await list_page(kit, dispatcher)) is None
