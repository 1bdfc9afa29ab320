"""demo.shop.v1.OrderService."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterable

from google.protobuf.duration_pb2 import Duration

from gateway.demo import seeds
from gateway.demo.failures import Context, bad_request, failed_precondition
from gateway.demo.services.answering import answering, streaming
from gateway.demo.services.pages import cut_page
from gateway.demo.shop import Shop
from gateway.gen.demo.shop.v1 import orders_pb2 as pb
from gateway.gen.demo.shop.v1.customers_pb2 import PostalAddress
from gateway.gen.demo.shop.v1.money_pb2 import Money
from gateway.gen.demo.shop.v1.orders_pb2_grpc import OrderServiceServicer

LONGEST_PACE_SECONDS = 10
MOST_LINES = 20
MOST_PIECES = 100
GIFT_NOTE_LIMIT = 200

ACCEPTED_SHARE = 0.9
"""The share of an order's total from which the shop accepts an offer at once."""

PATIENCE = 3
"""How many offers the shop answers before it stops talking."""


class OrderService(OrderServiceServicer):
    """Takes orders, follows them and calls them off."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    @answering
    async def GetOrder(self, request: pb.GetOrderRequest, context: Context) -> pb.GetOrderResponse:
        _require_id("id", request.id)
        return pb.GetOrderResponse(order=self._shop.get_order(request.id))

    @answering
    async def ListOrders(self, request: pb.ListOrdersRequest, context: Context) -> pb.ListOrdersResponse:
        found = [order for order in reversed(self._shop.orders.values()) if _is_wanted(order, request)]
        filters = pb.ListOrdersRequest(customer_id=request.customer_id, states=request.states)
        if request.HasField("placed_since"):
            filters.placed_since.CopyFrom(request.placed_since)
        page = cut_page(found, page_size=request.page_size, page_token=request.page_token, filters=filters)
        return pb.ListOrdersResponse(orders=page.items, next_page_token=page.next_page_token, total_size=len(found))

    @answering
    async def CreateOrder(self, request: pb.CreateOrderRequest, context: Context) -> pb.CreateOrderResponse:
        self._check_new_order(request)
        placed = self._shop.find_order_of_request(request.request_id)
        if placed is None:
            placed = self._shop.place_order(self._make_order(request), request.request_id)
        return pb.CreateOrderResponse(order=placed)

    @answering
    async def CancelOrder(self, request: pb.CancelOrderRequest, context: Context) -> pb.CancelOrderResponse:
        _require_id("id", request.id)
        order = self._shop.get_order(request.id)
        self._shop.cancel_order(order)
        return pb.CancelOrderResponse(order=order)

    @streaming
    async def WatchOrder(self, request: pb.WatchOrderRequest, context: Context) -> AsyncIterator[pb.WatchOrderResponse]:
        _require_id("id", request.id)
        pace = _read_pace(request)
        if request.max_events < 0:
            raise bad_request({"max_events": f"must be 0 or more, got {request.max_events}"})
        order = self._shop.get_order(request.id)
        events = self._shop.events[order.id]
        told = 0
        while not request.max_events or told < request.max_events:
            if told == len(events):
                if _has_ended(order):
                    return
                await asyncio.sleep(pace)
                if told == len(events):  # else another watcher, or a cancellation, was faster
                    self._shop.advance_order(order)
            yield events[told]
            told += 1

    @streaming
    async def NegotiatePrice(
        self, request_iterator: AsyncIterator[pb.NegotiatePriceRequest], context: Context
    ) -> AsyncIterator[pb.NegotiatePriceResponse]:
        order: pb.Order | None = None
        offers = 0
        async for request in request_iterator:
            if order is None:
                order = self._get_negotiable(request.order_id)
            elif request.order_id not in {"", order.id}:
                raise bad_request({"order_id": f'must stay "{order.id}" or be absent in later offers'})
            if request.offer.currency_code != seeds.CURRENCY or request.offer.minor_units <= 0:
                raise bad_request({"offer": f"must be more than 0 {seeds.CURRENCY}"})
            offers += 1
            answer = _answer_offer(order, request.offer.minor_units, offers)
            yield answer
            if answer.WhichOneof("answer") != "counter_offer":
                return

    def _get_negotiable(self, order_id: str) -> pb.Order:
        _require_id("order_id", order_id)
        order = self._shop.get_order(order_id)
        if order.state != pb.OrderState.ORDER_STATE_PLACED:
            raise failed_precondition(
                "ORDER_IS_PACKED",
                f"the price of order {order.id} is settled: it is packed",
                [("STATE", order.id, f"must be ORDER_STATE_PLACED, is {pb.OrderState.Name(order.state)}")],
            )
        return order

    def _check_new_order(self, request: pb.CreateOrderRequest) -> None:
        violations = dict(self._list_line_violations(request.lines))
        if request.customer_id not in self._shop.customers:
            violations["customer_id"] = f'must be the id of a customer, such as "c-7", got "{request.customer_id}"'
        if request.WhichOneof("delivery") == "pickup_point_id" and request.pickup_point_id not in seeds.PICKUP_POINTS:
            violations["pickup_point_id"] = f"must be one of {', '.join(seeds.PICKUP_POINTS)}"
        if request.WhichOneof("delivery") == "address" and not request.address.city:
            violations["address.city"] = "must not be empty"
        if len(request.gift_note) > GIFT_NOTE_LIMIT:
            violations["gift_note"] = f"must be at most {GIFT_NOTE_LIMIT} characters, got {len(request.gift_note)}"
        if request.request_id and not _is_uuid4(request.request_id):
            violations["request_id"] = "must be a random UUID (version 4)"
        if violations:
            raise bad_request(violations)

    def _list_line_violations(self, lines: Iterable[pb.OrderLine]) -> Iterable[tuple[str, str]]:
        number = -1
        for number, line in enumerate(lines):
            if line.sku not in self._shop.products:
                yield f"lines[{number}].sku", f'must be the sku of a product, such as "mug-blue", got "{line.sku}"'
            if not 1 <= line.quantity <= MOST_PIECES:
                yield f"lines[{number}].quantity", f"must be 1 to {MOST_PIECES}, got {line.quantity}"
        if not 0 <= number < MOST_LINES:
            yield "lines", f"must have 1 to {MOST_LINES} entries, got {number + 1}"

    def _make_order(self, request: pb.CreateOrderRequest) -> pb.Order:
        lines = [
            pb.OrderLine(sku=line.sku, quantity=line.quantity, unit_price=self._shop.get_product(line.sku).price)
            for line in request.lines
        ]
        total = sum(line.quantity * line.unit_price.minor_units for line in lines)
        order = pb.Order(
            customer_id=request.customer_id,
            lines=lines,
            total=Money(currency_code=seeds.CURRENCY, minor_units=total),
            labels=request.labels,
        )
        if request.HasField("gift_note"):
            order.gift_note = request.gift_note
        if request.WhichOneof("delivery") == "pickup_point_id":
            order.pickup_point_id = request.pickup_point_id
        else:
            order.address.CopyFrom(self._choose_address(request))
        return order

    def _choose_address(self, request: pb.CreateOrderRequest) -> PostalAddress:
        if request.HasField("address"):
            return request.address
        customer = self._shop.get_customer(request.customer_id)
        if "home" not in customer.addresses:
            raise bad_request({"address": f'must be given: customer {customer.id} has no "home" address'})
        return customer.addresses["home"]


def _require_id(field: str, value: str) -> None:
    if not value:
        raise bad_request({field: "must not be empty"})


def _is_uuid4(text: str) -> bool:
    try:
        return uuid.UUID(text).version == 4
    except ValueError:
        return False


def _is_wanted(order: pb.Order, request: pb.ListOrdersRequest) -> bool:
    if request.customer_id and order.customer_id != request.customer_id:
        return False
    if request.states and order.state not in request.states:
        return False
    if not request.HasField("placed_since"):
        return True
    since, placed = request.placed_since, order.create_time
    return (placed.seconds, placed.nanos) >= (since.seconds, since.nanos)


def _has_ended(order: pb.Order) -> bool:
    return order.state in {pb.OrderState.ORDER_STATE_DELIVERED, pb.OrderState.ORDER_STATE_CANCELLED}


def _read_pace(request: pb.WatchOrderRequest) -> float:
    if not request.HasField("pace"):
        return 1.0
    seconds = _total_seconds(request.pace)
    if not 0 <= seconds <= LONGEST_PACE_SECONDS:
        raise bad_request({"pace": f"must be 0 to {LONGEST_PACE_SECONDS} seconds, got {seconds:g}"})
    return seconds


def _total_seconds(duration: Duration) -> float:
    return duration.seconds + duration.nanos / 1e9


def _answer_offer(order: pb.Order, offer: int, offers: int) -> pb.NegotiatePriceResponse:
    total = order.total.minor_units
    if offer >= total * ACCEPTED_SHARE:
        order.total.minor_units = min(offer, total)
        return pb.NegotiatePriceResponse(accepted=order.total)
    if offers >= PATIENCE:
        return pb.NegotiatePriceResponse(refusal="That is too little, and it was the last offer.")
    return pb.NegotiatePriceResponse(
        counter_offer=Money(currency_code=seeds.CURRENCY, minor_units=round(total * (1 - 0.03 * offers)))
    )
