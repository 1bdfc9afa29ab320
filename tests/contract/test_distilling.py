import time

from gateway.contract.distilling import distil_refused
from gateway.contract.validation import SchemaValidator


def test_causes_are_distilled_without_the_types_that_a_constant_implies():
    schema = {
        "allOf": [{"properties": {"kind": {"type": "string"}}}, {"properties": {"kind": {"const": "order"}}}],
        "properties": {"n": {"type": "integer"}},
        "required": ["id"],
    }
    distilled = distil_refused(schema, {"kind": 5, "n": "x"}, subject="order")
    assert distilled.message == "order: /id is required (and 2 more)"
    assert distilled.errors == (
        {"at": "/id", "problems": ["is required"]},
        {"at": "/kind", "problems": ['must be "order", got 5']},
        {"at": "/n", "problems": ['must be an integer, got "x"']},
    )


def test_something_is_said_even_of_a_value_that_fits():
    assert distil_refused({}, 1, subject="value").message == (
        "value: does not fit, and is too large or too deeply nested to say where"
    )


def test_a_huge_value_is_explained_in_bounded_time_and_space():
    schema = {
        "$defs": {
            "any": {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {"$ref": "#/$defs/any"}}]}
        },
        "$ref": "#/$defs/any",
    }
    value = {f"k{i}": {"a": {"b": "x" * 100, "c": i}} for i in range(50_000)}
    began = time.process_time()
    distilled = SchemaValidator(schema).validate(value)
    assert time.process_time() - began < 1
    assert distilled.message == "value: does not fit, and is too large or too deeply nested to say where"
    distilled = SchemaValidator({"items": {"type": "string"}}).validate(list(range(1_000_000)))
    assert time.process_time() - began < 2
    assert distilled.message == "value: /0 must be a string, got 0 (and at least 1999 more)"
    assert len(str(distilled.errors)) < 5000


def test_a_value_nested_beyond_the_stack_is_explained_without_one():
    schema = {"$defs": {"t": {"type": "array", "items": {"$ref": "#/$defs/t"}}}, "$ref": "#/$defs/t"}
    value = 5
    for _ in range(1500):
        value = [value]
    assert SchemaValidator(schema).validate(value).message == (
        "value: does not fit, and is too large or too deeply nested to say where"
    )


def test_what_is_no_json_data_is_refused_all_the_same():
    for value in ({1: 2}, {"a": object()}, {"a": {b"x": 1}}):
        assert distil_refused(
            {"type": "object", "additionalProperties": {"minProperties": 1}}, value, subject="value"
        ).message.startswith("value: ")
    assert SchemaValidator({"type": "object"}).validate({1: 2}).message.startswith("value: ")
