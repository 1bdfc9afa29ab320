"""Several backends behind one endpoint: one service on two of them, prefixes, and one of them away."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import grpc
import pytest
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionResponse

from gateway.app.operator_error import OperatorError
from tests.end_to_end.fleet.kit import Backend, compile_protos, make_types, name_backends, run_gateway

Start = Callable[..., Awaitable[Backend]]

CART = {
    "cart.proto": """syntax = "proto3"; package shop.v1; message Item { string region = 1; }
        service Cart { rpc AddItem(Item) returns (Item); }"""
}


async def start_regions(start: Start, delays: dict[str, float]) -> dict[str, Backend]:
    """One service in two regions; each takes its time to tell of it, and answers with its own name."""
    files = compile_protos(CART)
    (item,) = make_types(files, "shop.v1.Item")
    listing = ServerReflectionResponse()
    listing.list_services_response.service.add(name="shop.v1.Cart")
    backends = {}
    for region, delay in delays.items():

        async def tell(_: grpc.aio.ServicerContext, delay: float = delay) -> ServerReflectionResponse:
            await asyncio.sleep(delay)
            return listing

        backend = Backend.of(files, {"shop.v1.Cart/AddItem": item(region=region)})
        backend.table.answers["*"] = tell
        backends[region] = await start(backend)
    return backends


@pytest.mark.parametrize("round_", range(10))
async def test_with_prefixes_each_tool_goes_to_its_own_backend_whoever_answers_first(start: Start, round_: int) -> None:
    chance = random.Random(round_)
    backends = await start_regions(start, {"eu": chance.random() / 50, "us": chance.random() / 50})
    sections = [{"name": name, "target": one.target, "prefix": name} for name, one in backends.items()]
    async with run_gateway(sections) as agent:
        names = [tool["name"] for tool in await agent.list_tools()]
        results = [(await agent.call_tool(name))["structuredContent"] for name in names]
    assert names == ["eu_shop_v1_Cart_AddItem", "us_shop_v1_Cart_AddItem"]
    assert results == [{"region": "eu"}, {"region": "us"}]


@pytest.mark.parametrize("round_", range(10))
async def test_without_prefixes_the_start_is_refused_naming_both_whoever_answers_first(
    start: Start, round_: int
) -> None:
    chance = random.Random(round_)
    backends = await start_regions(start, {"eu": chance.random() / 50, "us": chance.random() / 50})
    with pytest.raises(OperatorError) as caught:
        async with run_gateway([{"name": name, "target": one.target} for name, one in backends.items()]):
            pass
    assert str(caught.value) == (
        'two RPCs would be the tool "shop_v1_Cart_AddItem": shop.v1.Cart/AddItem of backend eu and '
        "shop.v1.Cart/AddItem of backend us; give one backend a prefix, or exclude one of the two"
    )


async def test_every_replica_lists_the_same_and_takes_up_the_pages_of_another(start: Start) -> None:
    text = """syntax = "proto3"; package p; message M { string id = 1; }
        service S { rpc B(M) returns (M); rpc A(M) returns (M); rpc D(M) returns (M); rpc C(M) returns (M); }"""
    backends = [await start(Backend.of(compile_protos({"p.proto": text}))) for _ in range(2)]
    async with (
        run_gateway(name_backends(backends[0]), tools={"page_size": 2}) as one,
        run_gateway(name_backends(backends[1]), tools={"page_size": 2}) as other,
    ):
        first = (await one.post("tools/list"))["result"]
        second = (await other.post("tools/list", cursor=first["nextCursor"]))["result"]
        assert (await other.post("tools/list"))["result"] == first
        whole = await other.list_tools()
    assert [tool["name"] for tool in whole] == ["p_S_A", "p_S_B", "p_S_C", "p_S_D"]
    assert first["tools"] + second["tools"] == whole
    assert "nextCursor" not in second
