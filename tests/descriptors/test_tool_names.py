"""Tool names: legal for every client, the same on every start."""

import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.tool_names import LIMIT_CHARACTERS, Collision, find_collisions, make_tool_name

LEGAL = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,49}", re.ASCII)

IDENTIFIERS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,40}", fullmatch=True)
RPCS = st.builds(
    lambda package, service, method: f"{'.'.join([*package, service])}/{method}",
    st.lists(IDENTIFIERS, max_size=6),
    IDENTIFIERS,
    IDENTIFIERS,
)
LONG = (
    "acme.platform.billing.invoicing.v1beta1.InvoiceReconciliationAdministrationService"
    "/ListUnreconciledInvoiceLineItemsForAccount"
)


@pytest.mark.parametrize(
    ("rpc", "prefix", "name"),
    [
        ("shop.v1.Cart/AddItem", "", "shop_v1_Cart_AddItem"),
        ("shop.v1.Cart/AddItem", "eu", "eu_shop_v1_Cart_AddItem"),
        ("shop.v1.Cart/AddItem", "eu_", "eu_shop_v1_Cart_AddItem"),
        ("shop.v1.Cart/AddItem", "eu.west-1", "eu_west_1_shop_v1_Cart_AddItem"),
        ("Echo/Say", "", "Echo_Say"),
        ("_internal._Echo/_Say", "", "internal__Echo__Say"),
        ("Echo/Say", "42", "Echo_Say"),
    ],
)
def test_names_are_made_of_package_service_and_method(rpc, prefix, name):
    assert make_tool_name(rpc, prefix=prefix) == name


def test_a_long_name_is_a_hash_and_the_whole_method():
    assert re.fullmatch(r"[b-z]{6}_ListUnreconciledInvoiceLineItemsForAccount", make_tool_name(LONG))


@settings(max_examples=60)
@given(rpc=RPCS | st.text(), prefix=st.just("") | st.text(max_size=60))
def test_every_name_is_legal_and_bounded(rpc, prefix):
    name = make_tool_name(rpc, prefix=prefix)
    assert LEGAL.fullmatch(name), name
    assert name == make_tool_name(rpc, prefix=prefix)


@settings(max_examples=60)
@given(rpc=RPCS, prefix=st.from_regex(r"[a-z]{0,20}", fullmatch=True))
def test_a_long_name_keeps_its_prefix_and_the_end_of_the_method(rpc, prefix):
    name = make_tool_name(rpc, prefix=prefix)
    flat = rpc.replace(".", "_").replace("/", "_").lstrip("_0123456789")
    assert name.startswith(prefix)
    if len(name) == len(prefix) + bool(prefix) + len(flat):
        assert name.endswith(flat)
    else:
        kept = name[len(prefix) + bool(prefix) + 7 :]
        assert flat.endswith(kept)
        assert len(kept) >= 12


@settings(max_examples=60)
@given(end=st.from_regex(r"[A-Z][a-z]{49}", fullmatch=True), one=IDENTIFIERS, other=IDENTIFIERS)
def test_long_names_with_one_end_differ(end, one, other):
    first, second = f"{one}.Service/{end}", f"{other}.Service/{end}"
    assert (make_tool_name(first) == make_tool_name(second)) == (first == second)


def test_long_prefixes_that_begin_alike_give_different_names():
    prefixes = ["a-backend-with-a-very-long-name-one", "a-backend-with-a-very-long-name-two"]
    names = [make_tool_name(LONG, prefix=prefix) for prefix in prefixes]
    assert names[0] != names[1]
    assert all(name.startswith("a_backend_with_a_ver_") and len(name) <= LIMIT_CHARACTERS for name in names)


def test_a_name_is_the_same_in_every_process():
    code = f"from gateway.descriptors.tool_names import make_tool_name; print(make_tool_name({LONG!r}))"
    made = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, check=True, capture_output=True, text=True
        ).stdout.strip()
        for seed in ("1", "2")
    ]
    assert made == [make_tool_name(LONG)] * 2


def test_a_collision_names_every_rpc():
    names = {rpc: make_tool_name(rpc) for rpc in ("a.b_c.S/M", "a.b.c_S/M", "a.b.c.S/M", "a.S/M")}
    (collision,) = find_collisions(names)
    assert collision == Collision(name="a_b_c_S_M", rpcs=("a.b.c.S/M", "a.b.c_S/M", "a.b_c.S/M"))
    assert collision.describe() == (
        "a_b_c_S_M would be the name of a.b.c.S/M and of a.b.c_S/M and of a.b_c.S/M: give one of them another name"
    )
