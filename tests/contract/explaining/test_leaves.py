import pytest


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
def test_each_keyword_says_what_would_be_right(explain, schema, value, problem):
    assert explain(schema, value) == {"": [problem]}
