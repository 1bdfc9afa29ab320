import asyncio
from typing import Any

import pytest

from gateway.app.catalogue_builder import combine_offers
from gateway.app.serving.patience import PatientDispatcher
from gateway.app.wiring import SERVER
from gateway.contract.validation import PER_REQUEST_REVISION, MessageValidator, load_protocol_schema
from gateway.mcp.exchange import Exchange

STDIO = Exchange(front="stdio")


def make_message(method: str) -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": PER_REQUEST_REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta}}


@pytest.mark.parametrize(
    ("method", "answers"),
    [
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ],
)
async def test_what_is_about_offers_waits_for_the_first_round_and_the_rest_does_not(method: str, answers: str) -> None:
    asked = asyncio.Event()
    dispatcher = PatientDispatcher(
        asked=asked,
        catalogue=lambda: combine_offers(()),
        validator=MessageValidator(load_protocol_schema(PER_REQUEST_REVISION)),
        server=SERVER,
    )
    listing = asyncio.create_task(dispatcher.dispatch(make_message(method), STDIO))
    discovered = await dispatcher.dispatch(make_message("server/discover"), STDIO)
    assert discovered is not None
    assert discovered.body["result"]["_meta"]
    assert not listing.done()
    asked.set()
    listed = await asyncio.wait_for(listing, 5)
    assert listed is not None
    assert answers in listed.body["result"]
