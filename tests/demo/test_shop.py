import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc.code_pb2 import Code

from gateway.demo import shop as shop_module
from gateway.demo.failures import Refused
from gateway.demo.shop import MOVEMENTS_KEPT, Shop
from gateway.gen.demo.shop.v1.customers_pb2 import Customer
from gateway.gen.demo.shop.v1.orders_pb2 import Order, OrderState
from gateway.gen.demo.shop.v1.stock_pb2 import StockMovementCause


def test_two_shops_start_alike() -> None:
    first, second = Shop(), Shop()
    assert first.customers == second.customers
    assert first.products == second.products
    assert first.orders == second.orders
    assert first.events == second.events
    assert first.movements == second.movements


def test_every_order_is_of_a_customer_and_of_products_that_there_are() -> None:
    shop = Shop()
    for order in shop.orders.values():
        assert order.customer_id in shop.customers
        assert order.lines
        assert order.total.minor_units == sum(line.quantity * line.unit_price.minor_units for line in order.lines)
        assert {line.sku for line in order.lines} <= set(shop.products)
        assert len({line.sku for line in order.lines}) == len(order.lines)


def test_the_last_event_of_an_order_fits_its_state() -> None:
    shop = Shop()
    for order in shop.orders.values():
        states = [event.state for event in shop.events[order.id] if event.WhichOneof("event") == "state"]
        assert states[-1] == order.state


def test_the_clock_tells_when_things_happen() -> None:
    shop = Shop(clock=lambda: 1_800_000_000.25)
    customer = shop.add_customer(Customer(display_name="Zoe"))
    assert customer.create_time == Timestamp(seconds=1_800_000_000, nanos=250_000_000)


def test_an_order_moves_to_its_end_and_no_further() -> None:
    shop = Shop()
    order = shop.get_order("o-1001")
    for _ in range(20):
        shop.advance_order(order)
    assert order.state == OrderState.ORDER_STATE_DELIVERED
    assert len(shop.events[order.id]) == len(shop_module.JOURNEY)


def test_a_cancelled_order_gives_its_goods_back() -> None:
    shop = Shop()
    before = {sku: product.in_stock for sku, product in shop.products.items()}
    order = shop.get_order("o-1001")
    shop.cancel_order(order)
    returned = {line.sku: line.quantity for line in order.lines}
    assert {
        sku: product.in_stock - before[sku] for sku, product in shop.products.items() if sku in returned
    } == returned


def test_the_shop_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop()
    monkeypatch.setattr(shop_module, "ROOM", len(shop.customers))
    with pytest.raises(Refused, match="the demo has no room for more than 25 customers") as caught:
        shop.add_customer(Customer())
    assert caught.value.status.code == Code.RESOURCE_EXHAUSTED
    with pytest.raises(Refused, match="orders"):
        shop.place_order(Order(), "")
    for _ in range(MOVEMENTS_KEPT + 5):
        shop.move_stock("mug-blue", 1, StockMovementCause.STOCK_MOVEMENT_CAUSE_DELIVERY)
    assert len(shop.movements["mug-blue"]) == MOVEMENTS_KEPT
