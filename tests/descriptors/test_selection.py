"""Globs over RPC names."""

import pytest

from gateway.descriptors.selection import Selection

RPCS = ("shop.v1.Cart/AddItem", "shop.v1.Cart/DeleteItem", "shop.v1.Orders/Get", "shop.v2.Cart/AddItem", "Echo/Say")


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        (Selection(), RPCS),
        (Selection(include=("*",)), RPCS),
        (Selection(include=("shop.v1.*",), exclude=("*/Delete*",)), (RPCS[0], RPCS[2])),
        (Selection(include=("shop.v1.Cart",)), RPCS[:2]),
        (Selection(include=("shop.*.Cart",)), (RPCS[0], RPCS[1], RPCS[3])),
        (Selection(include=("shop.v1.Cart/AddItem", "Echo/Say")), (RPCS[0], RPCS[4])),
        (Selection(include=("/shop.v1.Orders/Get",)), (RPCS[2],)),
        (Selection(include=("shop.v?.Cart/Add*",)), (RPCS[0], RPCS[3])),
        (Selection(exclude=("shop.*", "Echo")), ()),
        (Selection(include=("shop.v1.cart",)), ()),
        (Selection(include=("shop.v1.Car",)), ()),
        (Selection(include=("Cart/AddItem",)), ()),
    ],
)
def test_a_selection_chooses_exactly(selection, chosen):
    assert tuple(rpc for rpc in RPCS if selection.is_selected(rpc)) == chosen


def test_patterns_that_match_nothing_are_found():
    selection = Selection(include=("shop.v1.*", "shp.*"), exclude=("*/Delete*", "*/Remove*", "shp.*"))
    assert selection.find_idle_patterns(RPCS) == ("shp.*", "*/Remove*")
