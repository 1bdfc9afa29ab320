from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, PreconditionFailure
from google.rpc.status_pb2 import Status

from gateway.gen.demo.shop.v1 import orders_pb2 as pb
from gateway.gen.demo.shop.v1.money_pb2 import Money
from gateway.gen.demo.shop.v1.orders_pb2_grpc import OrderServiceStub
from gateway.gen.demo.shop.v1.stock_pb2 import GetProductRequest
from gateway.gen.demo.shop.v1.stock_pb2_grpc import StockServiceStub

RefusalOf = Callable[[Awaitable[Message]], Awaitable[Status]]
REQUEST_ID = "7f1a2c3d-4b5e-4f60-8a71-92b3c4d5e6f7"


def unpack(status: Status, kind: type[Any]) -> list[Any]:
    found = []
    for detail in status.details:
        message = kind()
        if detail.Unpack(message):
            found.append(message)
    return found


async def test_an_order_comes_with_its_lines_and_their_total(channel: grpc.aio.Channel) -> None:
    order = (await OrderServiceStub(channel).GetOrder(pb.GetOrderRequest(id="o-1001"))).order
    assert [(line.sku, line.quantity, line.unit_price.minor_units) for line in order.lines] == [
        ("mug-blue", 1, 1250),
        ("mug-travel", 2, 2490),
        ("pot-cast-iron", 3, 12900),
    ]
    assert order.total == Money(currency_code="EUR", minor_units=44930)
    assert order.state == pb.OrderState.ORDER_STATE_PLACED
    assert order.WhichOneof("delivery") == "address"


async def test_an_unknown_order_is_not_found_with_its_reason(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    status = await refusal_of(OrderServiceStub(channel).GetOrder(pb.GetOrderRequest(id="o-9")))
    assert (status.code, status.message) == (Code.NOT_FOUND, 'there is no order "o-9"')
    assert unpack(status, ErrorInfo) == [
        ErrorInfo(reason="ORDER_NOT_FOUND", domain="shop.demo", metadata={"id": "o-9"})
    ]


async def test_pages_hold_every_order_once(channel: grpc.aio.Channel) -> None:
    stub = OrderServiceStub(channel)
    token, ids, pages = "", [], 0
    while pages == 0 or token:
        page = await stub.ListOrders(pb.ListOrdersRequest(page_size=15, page_token=token))
        ids += [order.id for order in page.orders]
        token, pages = page.next_page_token, pages + 1
    assert pages == 3
    assert ids == [f"o-{number}" for number in range(1040, 1000, -1)]


async def test_a_page_token_serves_only_its_own_filters(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    stub = OrderServiceStub(channel)
    token = (await stub.ListOrders(pb.ListOrdersRequest(page_size=1, customer_id="c-1"))).next_page_token
    assert token
    for request in (
        pb.ListOrdersRequest(page_token=token, customer_id="c-2"),
        pb.ListOrdersRequest(page_token="nonsense"),
        pb.ListOrdersRequest(page_token="é"),
    ):
        status = await refusal_of(stub.ListOrders(request))
        assert [row.field for row in unpack(status, BadRequest)[0].field_violations] == ["page_token"]


async def test_filters_of_a_list_combine(channel: grpc.aio.Channel) -> None:
    stub = OrderServiceStub(channel)
    latest = (await stub.GetOrder(pb.GetOrderRequest(id="o-1031"))).order.create_time
    request = pb.ListOrdersRequest(states=[pb.OrderState.ORDER_STATE_PLACED], placed_since=latest)
    assert [order.id for order in (await stub.ListOrders(request)).orders] == ["o-1036", "o-1031"]


async def test_a_new_order_takes_its_goods_from_stock_once(channel: grpc.aio.Channel) -> None:
    orders, stock = OrderServiceStub(channel), StockServiceStub(channel)
    before = (await stock.GetProduct(GetProductRequest(sku="mug-white"))).product.in_stock
    request = pb.CreateOrderRequest(
        customer_id="c-1",
        lines=[pb.OrderLine(sku="mug-white", quantity=2)],
        pickup_point_id="pp-2",
        labels={"room": "hall"},
        request_id=REQUEST_ID,
    )
    first = (await orders.CreateOrder(request)).order
    again = (await orders.CreateOrder(request)).order
    assert first == again
    assert first.id == "o-1041"
    assert (first.total.minor_units, first.pickup_point_id, dict(first.labels)) == (2200, "pp-2", {"room": "hall"})
    assert not first.HasField("gift_note")
    after = (await stock.GetProduct(GetProductRequest(sku="mug-white"))).product.in_stock
    assert before - after == 2


async def test_a_new_order_names_every_field_at_fault(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    request = pb.CreateOrderRequest(
        customer_id="nobody",
        lines=[pb.OrderLine(sku="mug-blue", quantity=1), pb.OrderLine(sku="rocket", quantity=101)],
        pickup_point_id="pp-9",
        request_id="1",
    )
    status = await refusal_of(OrderServiceStub(channel).CreateOrder(request))
    assert status.code == Code.INVALID_ARGUMENT
    assert status.message.endswith("(and 4 more)")
    (details,) = unpack(status, BadRequest)
    assert {row.field for row in details.field_violations} == {
        "customer_id",
        "lines[1].sku",
        "lines[1].quantity",
        "pickup_point_id",
        "request_id",
    }


async def test_too_little_stock_is_told_with_the_shops_own_detail(
    channel: grpc.aio.Channel, refusal_of: RefusalOf
) -> None:
    line = pb.OrderLine(sku="mug-travel", quantity=2)
    request = pb.CreateOrderRequest(customer_id="c-1", lines=[line, line])
    status = await refusal_of(OrderServiceStub(channel).CreateOrder(request))
    assert status.code == Code.FAILED_PRECONDITION
    assert unpack(status, pb.StockShortage) == [pb.StockShortage(sku="mug-travel", wanted=4, in_stock=3)]
    assert len(unpack(status, PreconditionFailure)) == 1


async def test_an_order_is_called_off_until_it_has_left(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    stub = OrderServiceStub(channel)
    for _ in range(2):
        order = (await stub.CancelOrder(pb.CancelOrderRequest(id="o-1002"))).order
        assert order.state == pb.OrderState.ORDER_STATE_CANCELLED
        assert not order.HasField("expected_within")
    status = await refusal_of(stub.CancelOrder(pb.CancelOrderRequest(id="o-1003")))
    assert (status.code, status.message) == (
        Code.FAILED_PRECONDITION,
        "order o-1003 can no longer be cancelled: it is shipped",
    )


async def test_a_watched_order_tells_its_past_then_moves_to_its_end(channel: grpc.aio.Channel) -> None:
    stub = OrderServiceStub(channel)
    request = pb.WatchOrderRequest(id="o-1001", pace=Duration(nanos=1_000_000))
    kinds = [event.WhichOneof("event") async for event in stub.WatchOrder(request)]
    assert kinds == ["state", "state", "note", "state", "position", "position", "state"]
    order = (await stub.GetOrder(pb.GetOrderRequest(id="o-1001"))).order
    assert order.state == pb.OrderState.ORDER_STATE_DELIVERED


async def test_a_watch_ends_after_as_many_events_as_were_asked_for(channel: grpc.aio.Channel) -> None:
    request = pb.WatchOrderRequest(id="o-1004", max_events=2)
    events = [event async for event in OrderServiceStub(channel).WatchOrder(request)]
    assert [event.state for event in events] == [pb.OrderState.ORDER_STATE_PLACED, pb.OrderState.ORDER_STATE_PACKED]


async def test_a_stream_is_refused_as_a_single_reply_is(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    async def watch(request: pb.WatchOrderRequest) -> pb.WatchOrderResponse:
        return await anext(aiter(OrderServiceStub(channel).WatchOrder(request)))

    assert (await refusal_of(watch(pb.WatchOrderRequest(id="o-9")))).code == Code.NOT_FOUND
    status = await refusal_of(watch(pb.WatchOrderRequest(id="o-1001", pace=Duration(seconds=11))))
    assert [row.field for row in unpack(status, BadRequest)[0].field_violations] == ["pace"]


@pytest.mark.parametrize(
    ("offers", "answers"),
    [
        ([44930], ["accepted"]),
        ([100, 41000], ["counter_offer", "accepted"]),
        ([100, 200, 300], ["counter_offer", "counter_offer", "refusal"]),
    ],
)
async def test_a_price_is_haggled_over(channel: grpc.aio.Channel, offers: list[int], answers: list[str]) -> None:
    async def make_offers() -> AsyncIterator[pb.NegotiatePriceRequest]:
        for offer in offers:
            yield pb.NegotiatePriceRequest(order_id="o-1001", offer=Money(currency_code="EUR", minor_units=offer))

    replies = [reply async for reply in OrderServiceStub(channel).NegotiatePrice(make_offers())]
    assert [reply.WhichOneof("answer") for reply in replies] == answers
