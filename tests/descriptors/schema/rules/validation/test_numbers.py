"""Rules about numbers as schemas."""

import pytest

INT32 = {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}


def test_bounds_of_integers_are_inclusive(field_of):
    assert field_of("optional int32", ".int32 = {gt: 3, lt: 9}") == {"type": "integer", "minimum": 4, "maximum": 8}
    assert field_of("optional uint32", ".uint32 = {gte: 3}") == {
        "type": "integer",
        "minimum": 3,
        "maximum": 2**32 - 1,
    }


def test_bounds_of_floating_point_are_as_the_rules_have_them(field_of):
    assert field_of("optional double", ".double = {gt: 0.5, lte: 9}") == {
        "type": "number",
        "exclusiveMinimum": 0.5,
        "maximum": 9,
    }
    assert field_of("optional double", ".double = {gte: 0.5, lt: 9}") == {
        "type": "number",
        "minimum": 0.5,
        "exclusiveMaximum": 9,
    }


def test_numbers_of_float32_are_in_their_shortest_form(field_of):
    assert field_of("optional float", ".float = {gte: 0.1, lte: 3.4028235e38}") == {
        "type": "number",
        "minimum": 0.1,
        "maximum": 3.4028235e38,
        "description": "32-bit",
    }
    assert field_of("optional float", ".float = {in: [0.1, 16777216, 1e-45]}")["enum"] == [0.1, 16777216, 1e-45]


@pytest.mark.parametrize(
    ("kind", "rules", "said"),
    [
        ("int32", "lt: 3, gt: 5", "greater than 5 or less than 3"),
        ("int32", "lte: 3, gte: 5", "at least 5 or at most 3"),
        ("double", "lt: 3, gt: 5.5", "greater than 5.5 or less than 3"),
        ("int32", "not_in: [3, 4]", "not 3 or 4"),
    ],
)
def test_gaps_and_exclusions_are_told_in_words(field_of, kind, rules, said):
    field = field_of(f"optional {kind}", f".{kind} = {{{rules}}}")
    assert field == ({"type": "number"} if kind == "double" else INT32) | {"description": said}


def test_bounds_that_json_cannot_say_are_told_in_words(field_of):
    assert field_of("optional double", ".double = {lt: inf}") == {"type": "number", "description": "less than inf"}
    assert field_of("optional double", ".double = {in: [1, inf]}") == {
        "type": "number",
        "description": "one of 1, inf",
    }


def test_bounds_of_64_bit_integers_are_told_in_words_and_their_choices_are_strings(field_of):
    assert field_of("optional int64", ".int64 = {gte: 3, lt: 9000000000000000000}")["description"] == (
        "64-bit integer as string; at least 3; less than 9000000000000000000"
    )
    assert field_of("optional uint64", ".uint64 = {in: [3, 18446744073709551615]}") == {
        "type": "string",
        "pattern": "^[0-9]{1,20}$",
        "enum": ["3", "18446744073709551615"],
        "description": "unsigned 64-bit integer as string",
    }


def test_a_constant_is_a_choice_of_one(field_of):
    assert field_of("optional sint32", ".sint32.const = 7") == INT32 | {"enum": [7]}


def test_equal_bounds_are_one_number_and_not_a_gap(field_of):
    assert field_of("optional int32", ".int32 = {gte: 5, lte: 5}") == {"type": "integer", "minimum": 5, "maximum": 5}
