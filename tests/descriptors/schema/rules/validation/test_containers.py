"""Rules about lists and maps as schemas."""


def test_counts_stand_on_the_list_and_the_rules_of_items_on_its_items(field_of):
    rules = ".repeated = {min_items: 2, max_items: 5, unique: true, items: {string: {min_len: 3, not_in: ['abc']}}}"
    assert field_of("repeated string", rules) == {
        "type": "array",
        "items": {"type": "string", "minLength": 3},
        "minItems": 2,
        "maxItems": 5,
        "uniqueItems": True,
        "description": 'each item: not "abc"',
    }


def test_items_that_may_be_empty_have_their_rules_in_words(field_of):
    rules = ".repeated.items = {ignore: IGNORE_IF_ZERO_VALUE, string: {min_len: 3, max_len: 5}}"
    assert field_of("repeated string", rules) == {
        "type": "array",
        "items": {"type": "string", "maxLength": 5},
        "description": "each item: unless empty: at least 3 characters",
    }


def test_a_list_that_may_be_empty_has_its_least_count_in_words(field_of):
    rules = " = {ignore: IGNORE_IF_ZERO_VALUE, repeated: {min_items: 2, max_items: 3}}"
    assert field_of("repeated string", rules) == {
        "type": "array",
        "items": {"type": "string"},
        "maxItems": 3,
        "description": "unless empty: at least 2 items",
    }


def test_the_keys_of_a_map_have_rules_of_their_own(field_of):
    rules = ".map = {min_pairs: 1, max_pairs: 4, keys: {string: {min_len: 2, prefix: 'a'}}, values: {int32: {gt: 3}}}"
    assert field_of("map<string, int32>", rules) == {
        "type": "object",
        "propertyNames": {"minLength": 2, "pattern": "^a"},
        "additionalProperties": {"type": "integer", "minimum": 4, "maximum": 2**31 - 1},
        "minProperties": 1,
        "maxProperties": 4,
    }


def test_keys_that_are_numbers_are_strings_in_json(field_of):
    field = field_of("map<int32, string>", ".map.keys.int32 = {gt: 3, in: [4, 5]}")
    assert field == {
        "type": "object",
        "propertyNames": {"pattern": "^(0|-?[1-9][0-9]{0,9})$", "enum": ["4", "5"]},
        "additionalProperties": {"type": "string"},
        "description": "keys are 32-bit integers; each key: greater than 3",
    }
    assert field_of("map<bool, string>", ".map.keys.bool.const = true")["propertyNames"] == {"enum": ["true"]}


def test_a_list_and_a_map_that_must_not_be_empty_hold_at_least_one(input_of):
    schema = input_of("repeated string v = 1 [R.required = true]; map<string, string> w = 2 [R.required = true]")
    assert schema["required"] == ["v", "w"]
    assert schema["properties"]["v"]["minItems"] == schema["properties"]["w"]["minProperties"] == 1


def test_expressions_about_a_list_are_told_of_the_list(field_of):
    rule = "{id: 'x', message: 'sorted', expression: 'true'}"
    assert field_of("repeated int32", f".cel = {rule}")["description"] == "sorted"
    assert field_of("repeated int32", f".repeated.items.cel = {rule}")["description"] == "each item: sorted"
