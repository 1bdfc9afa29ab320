import math
import re
from random import Random

import jsonschema_rs
import pytest

from gateway.app.proof.scalars import NoValueError, draw_integer, draw_scalar, draw_text
from tests.laws.compiled import compile_body
from tests.laws.kitchen_sinks import SCALARS

FIELDS = "".join(f"{kind} a_{kind} = {number};" for number, kind in enumerate(SCALARS, 1))
MESSAGE = compile_body(f"message M {{ {FIELDS} }} service S {{ rpc Do(M) returns (M); }}").rpcs[0].request


def draw(kind, count=200, *, is_finite=True, **limits):
    field = MESSAGE.fields_by_name[f"a_{kind}"]
    return [draw_scalar(Random(seed), field, limits, is_finite=is_finite) for seed in range(count)]


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [
        ("int32", -(2**31), 2**31 - 1),
        ("sfixed32", -(2**31), 2**31 - 1),
        ("fixed32", 0, 2**32 - 1),
        ("sint64", -(2**63), 2**63 - 1),
        ("uint64", 0, 2**64 - 1),
    ],
)
def test_integers_keep_to_their_type_and_reach_its_ends(kind, low, high):
    drawn = draw(kind)
    assert (min(drawn), max(drawn)) == (low, high)
    assert 0 in drawn
    assert len(set(drawn)) > 20


def test_integers_keep_to_what_is_allowed():
    assert set(draw("int32", minimum=3, exclusiveMaximum=5)) == {3, 4}
    assert set(draw("int32", exclusiveMinimum=6.5, maximum=7.5)) == {7}
    assert set(draw("uint64", enum=["18446744073709551615"])) == {2**64 - 1}
    with pytest.raises(NoValueError, match="no integer from 2 to 1"):
        draw_integer(Random(0), 2, 1)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_floating_point_is_finite_only_where_it_has_to_be(kind):
    assert all(map(math.isfinite, draw(kind)))
    wild = draw(kind, is_finite=False)
    assert {math.inf, -math.inf} < set(wild)
    assert any(map(math.isnan, wild))
    assert any(number == 0 and math.copysign(1, number) < 0 for number in wild)


@pytest.mark.parametrize(
    "limits", [{"minimum": 0.5, "maximum": 1}, {"exclusiveMinimum": 0}, {"maximum": -3}, {"minimum": 90, "maximum": 90}]
)
def test_floating_point_keeps_to_what_is_allowed(limits):
    validator = jsonschema_rs.Draft202012Validator(limits)
    assert all(validator.is_valid(number) for number in draw("double", **limits) + draw("float", **limits))


@pytest.mark.parametrize(
    "limits",
    [
        {"minLength": 5, "maxLength": 5},
        {"maxLength": 3},
        {"minLength": 200},
        {"format": "uuid"},
        {"format": "ipv6"},
        {"pattern": "^projects/"},
        {"pattern": r"^a\.b$"},
        {"pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$", "maxLength": 2},
        {"enum": ["x", "y"]},
        {"const": "x"},
    ],
)
def test_texts_keep_to_what_is_allowed(limits):
    validator = jsonschema_rs.Draft202012Validator(limits, validate_formats=True)
    assert all(map(validator.is_valid, draw("string", **limits)))


def test_texts_without_limits_are_of_all_kinds():
    drawn = draw("string")
    assert {"", "日本語", "👩‍🚀"} < set(drawn)
    assert "".join(drawn).encode().decode() == "".join(drawn)
    assert len(set(drawn)) > 50


def test_a_pattern_that_nothing_at_hand_fits_is_said_so():
    with pytest.raises(NoValueError, match=re.escape(r'no text was found that fits the pattern "^q{7}$"')):
        draw_text(Random(0), {"pattern": "^q{7}$"})


def test_bytes_keep_to_lengths_of_base64():
    assert {len(data) for data in draw("bytes", minLength=8, maxLength=8)} == {6}
    assert {len(data) for data in draw("bytes", maxLength=4)} <= {0, 1, 2, 3}
    assert set(draw("bytes", enum=["YQ=="])) == {b"a"}
    assert b"" in draw("bytes")


def test_both_booleans_come_up():
    assert set(draw("bool")) == {True, False}
