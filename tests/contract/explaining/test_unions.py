import pytest

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
def test_a_union_is_replaced_by_its_best_branch(explain, union, branches, value, problems):
    assert explain({union: branches}, value) == problems
