"""Catalogues of the demo's shop, from its descriptors alone: nothing is connected."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from gateway.app.catalogue_builder import (
    Findings,
    LeftOut,
    NameCollision,
    Offer,
    bind_tools,
    combine_offers,
    draft_tools,
    find_idle_patterns,
)
from gateway.app.settings.loader import default_settings, make_backend
from gateway.app.settings.model import BackendSection, ToolsSection
from gateway.backends.discovery import Discovered
from gateway.demo.server import SERVICE_NAMES, demo_descriptor_set
from gateway.descriptors.rpc_facts import RpcEntry
from gateway.mcp.ports import Metadata
from gateway.transcoding.rpc_status import RpcStatus

GET_ORDER = "demo.shop.v1.OrderService/GetOrder"
TOOLS = default_settings().tools
SHOP = make_backend(name="shop", target="localhost:1")
DISCOVERED = Discovered(files=demo_descriptor_set(), services=SERVICE_NAMES, skipped=(), warnings=())


class Called:
    """A callable of a unary RPC that remembers which."""

    def __init__(self, rpc: str) -> None:
        self.rpc = rpc

    async def __call__(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        raise NotImplementedError


@dataclass(frozen=True)
class Streamed:
    """A callable of a streaming RPC that remembers which, and of which kind."""

    rpc: str
    client_streaming: bool
    server_streaming: bool

    def __call__(
        self, requests: Sequence[bytes], *, timeout_seconds: float, metadata: Metadata
    ) -> AsyncGenerator[bytes | RpcStatus, None]:
        raise NotImplementedError


class Backend:
    def unary(self, rpc_name: str) -> Called:
        return Called(rpc_name)

    def stream(self, rpc_name: str, *, client_streaming: bool, server_streaming: bool) -> Streamed:
        return Streamed(rpc_name, client_streaming, server_streaming)


def make_offer(
    section: BackendSection = SHOP, tools: ToolsSection = TOOLS, discovered: Discovered = DISCOVERED
) -> Offer:
    drafts, findings = draft_tools(section, tools, discovered)
    return Offer(
        backend=section.name, tools=bind_tools(section, drafts, Backend(), stream_seconds=55), findings=findings
    )


def rpcs(offer: Offer) -> list[str]:
    return [tool.rpc for tool in offer.tools]


def only(*patterns: str) -> ToolsSection:
    return replace(TOOLS, include=patterns)


def test_every_rpc_is_a_tool_in_the_order_of_names() -> None:
    offer = make_offer()
    assert rpcs(offer) == sorted(rpcs(offer))
    assert (len(offer.tools), offer.findings.left_out, offer.findings.skipped) == (23, (), ())
    assert {name.partition("/")[0] for name in offer.findings.rpcs} == set(SERVICE_NAMES)


def test_a_stream_is_called_as_its_kind_and_under_its_own_deadline() -> None:
    offer = make_offer(replace(SHOP, deadline_seconds=2.5))
    streams = [tool for tool in offer.tools if tool.call is None]
    assert [(tool.stream, tool.has_many_replies, tool.deadline_seconds) for tool in streams] == [
        (Streamed("demo.shop.v1.OrderService/NegotiatePrice", True, True), True, 55),
        (Streamed("demo.shop.v1.OrderService/WatchOrder", False, True), True, 55),
        (Streamed("demo.shop.v1.StockService/ImportStock", True, False), False, 2.5),
        (Streamed("demo.shop.v1.StockService/ListStockMovements", False, True), True, 55),
    ]


def test_a_deadline_of_its_own_holds_for_an_rpc_of_any_kind() -> None:
    entries = (
        RpcEntry(match="*/GetOrder", facts={"deadline_seconds": 1.5}),
        RpcEntry(match="*/WatchOrder", facts={"deadline_seconds": 7}),
    )
    drafts, _ = draft_tools(SHOP, only("demo.shop.v1.OrderService"), DISCOVERED, entries)
    tools = bind_tools(SHOP, drafts, Backend(), stream_seconds=55)
    assert {tool.rpc.partition("/")[2]: tool.deadline_seconds for tool in tools} == {
        "CancelOrder": 30,
        "CreateOrder": 30,
        "GetOrder": 1.5,
        "ListOrders": 30,
        "NegotiatePrice": 55,
        "WatchOrder": 7,
    }


def test_each_message_of_a_stream_is_held_to_its_own_schema() -> None:
    (tool,) = make_offer(tools=only("*/ListStockMovements")).tools
    assert tool.output_validator is not None
    assert tool.listing["outputSchema"]["required"] == ["messages", "truncated"]
    assert tool.output_validator.validate({"moveTime": "2026-01-31T09:00:00Z"}) is None
    assert tool.output_validator.validate({"moveTime": 5}) is not None


def test_a_tool_is_listed_with_all_that_a_client_needs() -> None:
    (tool,) = make_offer(replace(SHOP, deadline_seconds=2.5), only(GET_ORDER)).tools
    listing = tool.listing
    assert list(listing) == [
        "name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"
    ]  # fmt: skip
    assert (tool.name, tool.backend, tool.deadline_seconds) == ("demo_shop_v1_OrderService_GetOrder", "shop", 2.5)
    assert listing["name"] == tool.name
    assert listing["title"] == "Get order"
    assert listing["_meta"] == {"dev.propylon/rpc": GET_ORDER}
    assert listing["inputSchema"]["properties"].keys() == {"id"}
    assert listing["annotations"]["readOnlyHint"] is True
    assert tool.output_validator is not None
    assert tool.output_validator.validate({"order": {"id": 5}}) is not None
    assert isinstance(tool.call, Called)
    assert tool.call.rpc == GET_ORDER
    assert isinstance(tool.transcoder.encode_arguments({"id": "o-1"}), bytes)


@pytest.mark.parametrize(
    ("everywhere", "here", "expected"),
    [
        ((), ("demo.shop.v1.OrderService",), 6),
        (("*/Get*",), ("demo.shop.v1.OrderService",), 1),
        (("demo.shop.v1.*",), (), 23),
        (("*/Get*",), ("*/List*",), 0),
    ],
)
def test_an_rpc_must_be_chosen_both_everywhere_and_for_its_backend(
    everywhere: Sequence[str], here: Sequence[str], expected: int
) -> None:
    offer = make_offer(replace(SHOP, include=tuple(here)), only(*everywhere))
    assert len(offer.tools) == expected
    assert len(offer.tools) + len(offer.findings.left_out) == 23


def test_what_is_excluded_says_so() -> None:
    findings = make_offer(tools=replace(TOOLS, exclude=("*/Delete*",))).findings
    assert findings.left_out[0] == LeftOut(
        name="demo.shop.v1.CustomerService/DeleteCustomer", reason="not chosen by include and exclude"
    )


def test_a_pattern_that_fits_nothing_is_told() -> None:
    assert make_offer(replace(SHOP, exclude=("*/Remove*",))).findings.warnings[-1] == (
        '"*/Remove*" fits no RPC of this backend; is it misspelt?'
    )
    tools = only("*/Get*", "shop.v2.*")
    assert find_idle_patterns(tools, [make_offer(tools=tools)]) == ("shop.v2.*",)


def test_what_discovery_and_linking_skip_is_found_side_by_side() -> None:
    broken = FileDescriptorProto(name="broken.proto", package="x", dependency=["not/there.proto"])
    broken.service.add(name="Broken").method.add(name="Do", input_type=".y.In", output_type=".y.Out")
    discovered = replace(
        DISCOVERED,
        files=(*DISCOVERED.files, broken),
        services=(*SERVICE_NAMES, "x.Broken"),
        skipped=(("a.Lost", "not found"),),
        warnings=("the server is odd",),
    )
    offer = make_offer(discovered=discovered)
    assert len(offer.tools) == 23
    assert offer.findings.skipped[0] == LeftOut(name="a.Lost", reason="not found")
    assert offer.findings.skipped[1].name == "x.Broken"
    assert "not/there.proto" in offer.findings.skipped[1].reason
    assert offer.findings.warnings[0] == "the server is odd"


def test_backends_follow_each_other_in_their_order() -> None:
    second = make_offer(replace(SHOP, name="second", prefix="b"), only(GET_ORDER))
    first = make_offer(replace(SHOP, name="first", prefix="z"), only(GET_ORDER))
    catalogue = combine_offers([first, second], ttl_ms=5)
    assert [(name, tool.backend) for name, tool in catalogue.tools.items()] == [
        ("z_demo_shop_v1_OrderService_GetOrder", "first"),
        ("b_demo_shop_v1_OrderService_GetOrder", "second"),
    ]
    assert catalogue.ttl_ms == 5


def test_one_name_for_two_rpcs_is_refused_naming_both() -> None:
    offers = [make_offer(replace(SHOP, name=name), only(GET_ORDER)) for name in ("eu", "us")]
    with pytest.raises(NameCollision) as refusal:
        combine_offers(offers)
    assert refusal.value.reason == (
        f'two RPCs would be the tool "demo_shop_v1_OrderService_GetOrder": {GET_ORDER} of backend eu and {GET_ORDER} '
        "of backend us; give one backend a prefix, or exclude one of the two"
    )


def test_the_version_is_equal_wherever_the_same_is_listed() -> None:
    assert combine_offers([make_offer()]).version == combine_offers([make_offer()]).version
    elsewhere = replace(SHOP, name="other", target="localhost:2")
    assert combine_offers([make_offer(elsewhere)]).version == combine_offers([make_offer()]).version
    assert combine_offers([make_offer(tools=only(GET_ORDER))]).version != combine_offers([make_offer()]).version


def test_nothing_found_is_an_empty_catalogue() -> None:
    nothing = Offer(backend="shop", tools=(), findings=Findings())
    assert dict(combine_offers([nothing]).tools) == {}
