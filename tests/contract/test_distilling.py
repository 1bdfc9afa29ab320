import time

import pytest

from gateway.contract.distilling import distil_refused
from gateway.contract.validation import SchemaValidator


def explain(schema, value):
    """Each place with its problems, of a value that the schema refuses."""
    distilled = SchemaValidator(schema).validate(value)
    assert distilled is not None
    return {location["at"]: location["problems"] for location in distilled.errors}


@pytest.mark.parametrize(
    ("schema", "value", "problem"),
    [
        ({"type": "string"}, 5, "must be a string, got 5"),
        ({"type": ["string", "null"]}, [], "must be a string or null, got []"),
        ({"type": ["integer", "boolean", "array"]}, 1.5, "must be an integer, a boolean or an array, got 1.5"),
        ({"type": "number"}, "x\n", 'must be a number, got "x\\n"'),
        ({"const": "2.0"}, "1.0", 'must be "2.0", got "1.0"'),
        ({"enum": ["RED", "GREEN"]}, 5, 'must be one of "RED", "GREEN", got 5'),
        ({"enum": ["RED", "GREEN"]}, "red", 'must be one of "RED", "GREEN", got "red"; did you mean "RED"?'),
        (
            {"enum": [f"COLOUR_{i}" for i in range(100)]},
            None,
            "must be one of " + ", ".join(f'"COLOUR_{i}"' for i in range(9)) + " and 91 more, got null",
        ),
        ({"type": "string", "const": "a"}, 5, 'must be "a", got 5'),
        ({"minimum": 1}, 0, "must be at least 1, got 0"),
        ({"maximum": 1}, 2, "must be at most 1, got 2"),
        ({"exclusiveMinimum": 1}, 1, "must be more than 1, got 1"),
        ({"exclusiveMaximum": 1}, 1, "must be less than 1, got 1"),
        ({"multipleOf": 5}, 7, "must be a multiple of 5, got 7"),
        ({"pattern": "^[a-z]+$"}, "A1", 'must match `^[a-z]+$`, got "A1"'),
        ({"minLength": 1}, "", "must have at least 1 character, has 0"),
        ({"maxLength": 2}, "abc", "must have at most 2 characters, has 3"),
        ({"minItems": 2}, [1], "must have at least 2 items, has 1"),
        ({"maxItems": 1}, [1, 2], "must have at most 1 item, has 2"),
        ({"uniqueItems": True}, [1, {}, 1.0], "must not hold the same item twice"),
        ({"minProperties": 1}, {}, "must have at least 1 member, has 0"),
        ({"maxProperties": 1}, {"a": 1, "b": 2}, "must have at most 1 member, has 2"),
        ({"contains": {"type": "string"}}, [1], "must hold at least 1 item of the wanted kind, holds 0"),
        (
            {"contains": {"type": "string"}, "maxContains": 1},
            ["a", "b"],
            "must hold at most 1 item of the limited kind, holds 2",
        ),
        ({"not": {"type": "string"}}, "a", "has the form that its schema excludes"),
        (
            {"oneOf": [{"type": "string"}, {"minLength": 1}]},
            "a",
            "fits more than one of the forms that exclude each other",
        ),
        ({"allOf": [False]}, 1, "is not allowed"),
        (
            {"properties": {"a": {}}, "unevaluatedProperties": False},
            {"b": 1},
            "has properties that are not known",
        ),
        ({"prefixItems": [{}], "unevaluatedItems": False}, [1, 2], "has items that are not known"),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}},
            {"a": 1},
            "does not meet `dependencies` of its schema",
        ),
    ],
)
def test_each_keyword_says_what_would_be_right(schema, value, problem):
    assert explain(schema, value) == {"": [problem]}


@pytest.mark.parametrize(
    ("schema", "value", "problems"),
    [
        ({"required": ["a", "b", "c"]}, {"b": 1}, {"/a": ["is required"], "/c": ["is required"]}),
        (
            {"properties": {"filter": {}, "pageSize": {}}, "additionalProperties": False},
            {"fliter": 1, "page_size": 2, "zzz": 3, "filter": 4},
            {
                "/fliter": ["is not a known name; did you mean `filter`?"],
                "/page_size": ["is not a known name; did you mean `pageSize`?"],
                "/zzz": ["is not a known name"],
            },
        ),
        (
            {"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": False},
            {"x-a": 5, "y": 1},
            {"/x-a": ["must be a string, got 5"], "/y": ["is not a known name"]},
        ),
        ({"additionalProperties": {"type": "string"}}, {"a": 1, "b": "x"}, {"/a": ["must be a string, got 1"]}),
        ({"properties": {"a": False}}, {"a": 1}, {"/a": ["is not allowed"]}),
        ({"propertyNames": {"maxLength": 2}}, {"abc": 1}, {"/abc": ["its name must have at most 2 characters, has 3"]}),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, {"/b": ["is required where `a` is given"]}),
        ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}, {"/b": ["is required"]}),
        (
            {"items": {"type": "string"}},
            ["a", 1, 2],
            {"/1": ["must be a string, got 1"], "/2": ["must be a string, got 2"]},
        ),
        (
            {"prefixItems": [{"type": "string"}], "items": False},
            [1, 2],
            {"/0": ["must be a string, got 1"], "/1": ["is not allowed"]},
        ),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]},
            [5],
            {"/0": ["must be a string, got 5"]},
        ),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, {"/b": ["is required"]}),
        (
            {"properties": {"a": {"type": "integer"}}, "allOf": [{"properties": {"a": {"type": "integer"}}}]},
            {"a": "x"},
            {"/a": ['must be an integer, got "x"']},
        ),
        (
            {
                "$defs": {"t": {"properties": {"kids": {"items": {"$ref": "#/$defs/t"}}, "v": {"type": "string"}}}},
                "$ref": "#/$defs/t",
            },
            {"kids": [{}, {"kids": [{"v": 1}]}]},
            {"/kids/1/kids/0/v": ["must be a string, got 1"]},
        ),
        ({"properties": {"a/b~": {"type": "null"}}}, {"a/b~": 1}, {"/a~1b~0": ["must be null, got 1"]}),
    ],
)
def test_a_problem_stands_at_the_member_that_it_is_about(schema, value, problems):
    assert explain(schema, value) == problems


TEXT = {
    "properties": {"type": {"const": "text"}, "text": {"type": "string"}},
    "required": ["type", "text"],
    "type": "object",
}
IMAGE = {
    "properties": {"type": {"const": "image"}, "data": {"type": "string"}, "mimeType": {"type": "string"}},
    "required": ["type", "data", "mimeType"],
    "type": "object",
}
PLAIN = {"type": "string", "minLength": 2}


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
@pytest.mark.parametrize(
    ("branches", "value", "problems"),
    [
        # of the right type
        ([PLAIN, TEXT, {"type": "null"}], "x", {"": ["must have at least 2 characters, has 1"]}),
        ([PLAIN, TEXT], {"type": "text"}, {"/text": ["is required"]}),
        # of the right tag, however much is missing
        ([TEXT, IMAGE], {"type": "image"}, {"/data": ["is required"], "/mimeType": ["is required"]}),
        ([TEXT, IMAGE], {"type": "image", "data": 5, "mimeType": "x"}, {"/data": ["must be a string, got 5"]}),
        # of no type that fits, of no tag that fits
        ([PLAIN, TEXT, {"type": "null"}], 5, {"": ["must be a string, an object or null, got 5"]}),
        (
            [TEXT, IMAGE],
            {"type": "tekst", "text": "a"},
            {"/type": ['must be one of "text", "image", got "tekst"; did you mean "text"?']},
        ),
        ([{"const": 1}, {"enum": [2, 3]}], 4, {"": ["must be one of 1, 2, 3, got 4"]}),
        # the one with the fewest members missing
        (
            [{"required": ["a", "b"]}, {"required": ["a"], "properties": {"c": {"type": "string"}}}],
            {"c": 1},
            {"/a": ["is required"], "/c": ["must be a string, got 1"]},
        ),
        # a union within a union
        (
            [{"type": "null"}, {"anyOf": [PLAIN, {"type": "integer"}]}],
            [],
            {"": ["must be null, a string or an integer, got []"]},
        ),
        ([{"type": "null"}, {"anyOf": [TEXT, IMAGE]}], {"type": "image", "data": "x"}, {"/mimeType": ["is required"]}),
    ],
)
def test_a_union_is_replaced_by_its_best_branch(union, branches, value, problems):
    assert explain({union: branches}, value) == problems


def test_a_huge_value_is_explained_in_bounded_time_and_space():
    schema = {
        "$defs": {
            "any": {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {"$ref": "#/$defs/any"}}]}
        },
        "$ref": "#/$defs/any",
    }
    value = {f"k{i}": {"a": {"b": "x" * 100, "c": i}} for i in range(50_000)}
    began = time.perf_counter()
    distilled = SchemaValidator(schema).validate(value)
    assert time.perf_counter() - began < 1
    assert distilled.message == "value: does not fit, and is too large or too deeply nested to say where"
    distilled = SchemaValidator({"items": {"type": "string"}}).validate(list(range(1_000_000)))
    assert time.perf_counter() - began < 2
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
