"""Names said in words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.texts.names_in_words import say_deed, say_name, split_words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("GetOrder", ["Get", "Order"]),
        ("GetHTTPRule", ["Get", "HTTP", "Rule"]),
        ("listV2Items", ["list", "V2", "Items"]),
        ("get_order_by_id", ["get", "order", "by", "id"]),
        ("ABTest", ["AB", "Test"]),
        ("KV", ["KV"]),
        ("", []),
        ("___", ["___"]),
    ],
)
def test_names_split_into_words(name, words):
    assert split_words(name) == words


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("GetOrder", "Get order"),
        ("GetHTTPRule", "Get HTTP rule"),
        ("SetIamPolicy", "Set IAM policy"),
        ("get_order_by_id", "Get order by ID"),
        ("Range", "Range"),
    ],
)
def test_a_name_makes_a_title(name, title):
    assert say_name(name) == title


@pytest.mark.parametrize(
    ("name", "deed"),
    [
        ("GetOrder", "Gets an order"),
        ("ListOrders", "Lists orders"),
        ("ListOrdersForCustomer", "Lists orders for customer"),
        ("CreateUser", "Creates a user"),
        ("SearchUUID", "Searches a UUID"),
        ("ApplyHTTPRule", "Applies an HTTP rule"),
        ("DeployFunction", "Deploys a function"),
        ("PublishMessages", "Publishes messages"),
        ("GetAddress", "Gets an address"),
        ("CheckHealth", "Checks health"),
        ("GetAllOrders", "Gets all orders"),
        ("FindByName", "Finds by name"),
        ("BatchGetOrders", "Gets orders in one batch"),
        ("Get", "Gets a cart"),
        ("OrderStatus", None),
        ("Range", None),
        ("", None),
    ],
)
def test_a_name_that_opens_with_a_verb_makes_a_sentence(name, deed):
    assert say_deed(name, of="Cart") == deed


@settings(max_examples=60)
@given(name=st.text(max_size=40), of=st.text(max_size=20))
def test_any_name_can_be_said(name, of):
    assert bool(say_name(name)) == bool(name)
    say_deed(name, of=of)
