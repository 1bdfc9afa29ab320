import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.mcp.search.ranking import Ranking


def entry(rpc, description="", **arguments):
    name = rpc.replace(".", "_").replace("/", "_")
    properties = {key: {"type": "string", "description": text} for key, text in arguments.items()}
    return {
        "name": name,
        "title": rpc.rpartition("/")[2],
        "description": description,
        "inputSchema": {"type": "object", "properties": properties},
        "_meta": {"dev.propylon/rpc": rpc},
    }


SHOP = [
    entry("shop.OrderService/CreateOrder", "Places an order for a customer.", customerId="who orders", lines=""),
    entry("shop.OrderService/CancelOrder", "Cancels an order that has not been shipped.", id="the order's id"),
    entry("shop.OrderService/ListOrders", "Lists orders, the newest first.", pageSize="", filter="by status"),
    entry("shop.OrderService/GetOrder", "Gives one order.", id=""),
    entry("shop.CustomerService/DeleteCustomer", "Removes a customer and all orders of it.", id=""),
    entry("shop.CustomerService/UpdateCustomer", "Changes a customer.", email="the address for mail", name=""),
    entry("shop.StockService/SetStock", "Sets how many pieces a warehouse has.", warehouse="where", quantity=""),
    entry("shop.StockService/GetForecast", "Estimates demand."),
]


def find(question, limit=3):
    hits, _ = Ranking(SHOP).find(question, limit)
    return [hit.name.rpartition("_")[2] for hit in hits]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("cancel an order", "CancelOrder"),
        ("please place a new order for customer 7", "CreateOrder"),
        ("remove a customer", "DeleteCustomer"),
        ("change the email of a customer", "UpdateCustomer"),
        ("how many pieces are in the warehouse", "SetStock"),
        ("orders by status", "ListOrders"),
        ("DeleteCustomer", "DeleteCustomer"),
        ("shop_OrderService_GetOrder", "GetOrder"),
        ("edit customer", "UpdateCustomer"),
        ("forecasts", "GetForecast"),
        ("ware", "SetStock"),
    ],
)
def test_what_was_meant_comes_first(question, best):
    assert find(question)[0] == best


def test_a_name_weighs_more_than_what_is_said_in_passing():
    assert find("order", 8).index("GetOrder") < find("order", 8).index("DeleteCustomer")


def test_a_question_of_words_that_say_nothing_is_answered_by_names():
    for question in ("", "the", "  "):
        hits, total = Ranking(SHOP).find(question, 2)
        assert ([hit.name for hit in hits], total) == (
            ["shop_CustomerService_DeleteCustomer", "shop_CustomerService_UpdateCustomer"],
            8,
        )


def test_what_nothing_is_about_finds_nothing():
    assert Ranking(SHOP).find("zeppelin", 5) == ((), 0)
    assert Ranking([]).find("order", 5) == ((), 0)


def test_the_order_in_which_tools_come_does_not_count():
    shuffled = list(SHOP)
    random.Random(7).shuffle(shuffled)
    for question in ("order", "customer address", "remove", ""):
        assert Ranking(SHOP).find(question, 8) == Ranking(shuffled).find(question, 8)


@given(st.text(max_size=200), st.integers(1, 8))
def test_any_question_has_an_answer_within_its_limit(question, limit):
    hits, total = Ranking(SHOP).find(question, limit)
    assert len(hits) == min(limit, total)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
