"""The shop itself: its customers, products and orders, and what may be done with them.

It holds everything in memory and knows no gRPC; what it refuses it raises as `failures.Refused`. All of its methods are
plain functions, so each runs whole: no other call sees half of one.
"""

import time
from collections import deque
from collections.abc import Callable
from itertools import count

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from gateway.demo import seeds
from gateway.demo.failures import failed_precondition, not_found, quota_exhausted
from gateway.gen.demo.shop.v1.customers_pb2 import Customer
from gateway.gen.demo.shop.v1.orders_pb2 import Order, OrderState, StockShortage, WatchOrderResponse
from gateway.gen.demo.shop.v1.stock_pb2 import ListStockMovementsResponse, Product, StockMovementCause

ROOM = 10_000
"""How many customers, and how many orders, the shop has room for: it must not grow without end."""

MOVEMENTS_KEPT = 1_000
"""How many stock movements are kept of each product."""

RESTOCKS_TAKEN = 3
"""How many requests a supplier takes for one product."""

BUSY_SUPPLIERS = frozenset({"tea-sencha"})
"""Products whose supplier takes no request at all."""

JOURNEY: tuple[WatchOrderResponse, ...] = (
    WatchOrderResponse(state=OrderState.ORDER_STATE_PLACED),
    WatchOrderResponse(state=OrderState.ORDER_STATE_PACKED),
    WatchOrderResponse(note="The courier was told."),
    WatchOrderResponse(state=OrderState.ORDER_STATE_SHIPPED),
    WatchOrderResponse(position=seeds.ROUTE[0]),
    WatchOrderResponse(position=seeds.ROUTE[1]),
    WatchOrderResponse(state=OrderState.ORDER_STATE_DELIVERED),
)
"""What happens to an order that nobody cancels, in order."""

STEPS_TAKEN = {
    OrderState.ORDER_STATE_PLACED: 1,
    OrderState.ORDER_STATE_PACKED: 2,
    OrderState.ORDER_STATE_SHIPPED: 4,
    OrderState.ORDER_STATE_DELIVERED: 7,
    OrderState.ORDER_STATE_CANCELLED: 1,
}
"""How much of its journey a seeded order of each state has behind it."""

OPEN_STATES = frozenset({OrderState.ORDER_STATE_PLACED, OrderState.ORDER_STATE_PACKED, OrderState.ORDER_STATE_SHIPPED})
CANCELLABLE_STATES = frozenset({OrderState.ORDER_STATE_PLACED, OrderState.ORDER_STATE_PACKED})


class Shop:
    """The shop's whole state. `clock` gives the time in seconds since 1970."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.customers = {customer.id: customer for customer in seeds.make_customers()}
        self.products = {product.sku: product for product in seeds.make_products()}
        self.orders = {order.id: order for order in seeds.make_orders()}
        self.events = {order.id: _tell_history(order) for order in self.orders.values()}
        self.movements: dict[str, deque[ListStockMovementsResponse]] = {}
        self._orders_by_request: dict[str, str] = {}
        self._restocks = {sku: RESTOCKS_TAKEN if sku in BUSY_SUPPLIERS else 0 for sku in self.products}
        self._customer_numbers = count(len(self.customers) + 1)
        self._order_numbers = count(1001 + len(self.orders))
        for product in self.products.values():
            self.movements[product.sku] = deque(_tell_movements(product), maxlen=MOVEMENTS_KEPT)
            _renew_etag(product, len(self.movements[product.sku]))
        for order in self.orders.values():
            self._expect(order)

    def now(self) -> Timestamp:
        """The time by the shop's clock, to the millisecond."""
        milliseconds = round(self._clock() * 1000)
        return Timestamp(seconds=milliseconds // 1000, nanos=milliseconds % 1000 * 1_000_000)

    def get_order(self, order_id: str) -> Order:
        """The order of that id. Raises `Refused` where there is none."""
        order = self.orders.get(order_id)
        if order is None:
            raise not_found("order", order_id)
        return order

    def get_customer(self, customer_id: str) -> Customer:
        """The customer of that id. Raises `Refused` where there is none."""
        customer = self.customers.get(customer_id)
        if customer is None:
            raise not_found("customer", customer_id)
        return customer

    def get_product(self, sku: str) -> Product:
        """The product of that stock-keeping unit. Raises `Refused` where there is none."""
        product = self.products.get(sku)
        if product is None:
            raise not_found("product", sku)
        return product

    def find_order_of_request(self, request_id: str) -> Order | None:
        """The order that a call with this request_id has placed, or None."""
        return self.orders.get(self._orders_by_request.get(request_id, ""))

    def add_customer(self, customer: Customer) -> Customer:
        """Keeps `customer` under a new id."""
        self._make_room(len(self.customers), "customers")
        customer.id = f"c-{next(self._customer_numbers)}"
        customer.create_time.CopyFrom(self.now())
        self.customers[customer.id] = customer
        return customer

    def list_open_orders(self, customer_id: str) -> list[Order]:
        """The customer's orders that are neither delivered nor cancelled."""
        return [
            order for order in self.orders.values() if order.customer_id == customer_id and order.state in OPEN_STATES
        ]

    def place_order(self, order: Order, request_id: str) -> Order:
        """Keeps `order` under a new id and takes its goods from stock. Raises `Refused` where there are not enough."""
        self._make_room(len(self.orders), "orders")
        wanted: dict[str, int] = {}
        for line in order.lines:
            wanted[line.sku] = wanted.get(line.sku, 0) + line.quantity
        shortages = [
            StockShortage(sku=sku, wanted=quantity, in_stock=self.products[sku].in_stock)
            for sku, quantity in wanted.items()
            if self.products[sku].in_stock < quantity
        ]
        if shortages:
            raise failed_precondition(
                "NOT_ENOUGH_STOCK",
                "not enough in stock: "
                + ", ".join(f"{row.sku} ({row.wanted} wanted, {row.in_stock} there)" for row in shortages),
                [("STOCK", row.sku, f"{row.wanted} wanted, {row.in_stock} in stock") for row in shortages],
                *shortages,
            )
        for sku, quantity in wanted.items():
            self.move_stock(sku, -quantity, StockMovementCause.STOCK_MOVEMENT_CAUSE_SALE)
        order.id = f"o-{next(self._order_numbers)}"
        order.state = OrderState.ORDER_STATE_PLACED
        order.create_time.CopyFrom(self.now())
        self._expect(order)
        self.orders[order.id] = order
        self.events[order.id] = _tell_history(order)
        if request_id:
            self._orders_by_request[request_id] = order.id
        return order

    def cancel_order(self, order: Order) -> None:
        """Calls `order` off and puts its goods back. Raises `Refused` once it has left the warehouse."""
        if order.state == OrderState.ORDER_STATE_CANCELLED:
            return
        if order.state not in CANCELLABLE_STATES:
            state = OrderState.Name(order.state)
            raise failed_precondition(
                "ORDER_HAS_LEFT",
                f"order {order.id} can no longer be cancelled: it is {state.removeprefix('ORDER_STATE_').lower()}",
                [("STATE", order.id, f"must be ORDER_STATE_PLACED or ORDER_STATE_PACKED, is {state}")],
            )
        for line in order.lines:
            self.move_stock(line.sku, line.quantity, StockMovementCause.STOCK_MOVEMENT_CAUSE_RETURN)
        self._happen(order, WatchOrderResponse(state=OrderState.ORDER_STATE_CANCELLED))

    def advance_order(self, order: Order) -> None:
        """Lets the next thing of its journey happen to an open order."""
        if order.state in OPEN_STATES:
            self._happen(order, JOURNEY[len(self.events[order.id])])

    def move_stock(self, sku: str, change: int, cause: StockMovementCause.ValueType) -> None:
        """Books `change` pieces to a product's stock, and why."""
        product = self.products[sku]
        product.in_stock += change
        movements = self.movements[sku]
        movements.append(
            ListStockMovementsResponse(move_time=self.now(), change=change, cause=cause, in_stock=product.in_stock)
        )
        _renew_etag(product, int(product.etag.rpartition("-")[2], 16) + 1)

    def request_restock(self, sku: str) -> Timestamp:
        """When the supplier means to deliver. Raises `Refused` once the supplier takes no more requests."""
        product = self.get_product(sku)
        if self._restocks[sku] >= RESTOCKS_TAKEN:
            raise quota_exhausted(
                f"supplier:{sku}",
                f"the supplier of {sku} takes no more requests now",
                retry_after_seconds=30,
            )
        self._restocks[sku] += 1
        expected = self.now()
        expected.seconds += product.restock_time.seconds
        return expected

    def _happen(self, order: Order, event: WatchOrderResponse) -> None:
        told = WatchOrderResponse()
        told.CopyFrom(event)
        told.event_time.CopyFrom(self.now())
        self.events[order.id].append(told)
        if event.WhichOneof("event") == "state":
            order.state = event.state
            self._expect(order)

    def _expect(self, order: Order) -> None:
        if order.state in OPEN_STATES:
            order.expected_within.CopyFrom(Duration(seconds=(5 - order.state) * seeds.DAY // 2))
        else:
            order.ClearField("expected_within")

    def _make_room(self, size: int, kind: str) -> None:
        if size >= ROOM:
            raise quota_exhausted(
                f"shop:{kind}",
                f"the demo has no room for more than {ROOM} {kind}: restart it",
                retry_after_seconds=3600,
            )


def _tell_history(order: Order) -> list[WatchOrderResponse]:
    """What has happened to an order of this state, an hour apart."""
    events = [*JOURNEY[: STEPS_TAKEN[order.state]]]
    if order.state == OrderState.ORDER_STATE_CANCELLED:
        events.append(WatchOrderResponse(state=order.state))
    told = []
    for hours, event in enumerate(events):
        copy = WatchOrderResponse()
        copy.CopyFrom(event)
        copy.event_time.seconds = order.create_time.seconds + hours * 3600
        copy.event_time.nanos = order.create_time.nanos
        told.append(copy)
    return told


def _tell_movements(product: Product) -> list[ListStockMovementsResponse]:
    """Three movements that led to the product's stock: a delivery, a sale and a count."""
    sold = 2 + len(product.sku) % 5
    steps = (
        (product.in_stock + sold + 1, StockMovementCause.STOCK_MOVEMENT_CAUSE_DELIVERY),
        (-sold, StockMovementCause.STOCK_MOVEMENT_CAUSE_SALE),
        (-1, StockMovementCause.STOCK_MOVEMENT_CAUSE_COUNT),
    )
    movements, in_stock = [], 0
    for day, (change, cause) in enumerate(steps):
        in_stock += change
        movements.append(
            ListStockMovementsResponse(
                move_time=Timestamp(seconds=seeds.OPENING + day * seeds.DAY),
                change=change,
                cause=cause,
                in_stock=in_stock,
            )
        )
    return movements


def _renew_etag(product: Product, version: int) -> None:
    product.etag = f"{product.sku}-{version:x}"
