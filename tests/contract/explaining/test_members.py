import pytest


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
def test_a_problem_stands_at_the_member_that_it_is_about(explain, schema, value, problems):
    assert explain(schema, value) == problems
