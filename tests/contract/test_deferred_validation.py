import pytest

from gateway.contract.validation import DeferredValidator, SchemaValidator

SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string", "pattern": "^[0-9]+$"}, "kids": {"items": {"$ref": "#/$defs/Kid"}}},
    "required": ["id"],
    "$defs": {"Kid": {"type": "object", "required": ["name"]}},
}
INSTANCES = [
    {"id": "1"},
    {"id": "a"},
    {"id": 5, "kids": [{"name": 1}, {}, 7]},
    [],
    None,
    {"id": "1", "kids": [{"name": 1}]},
    {"id": {1, 2}},
]


@pytest.mark.parametrize("first", range(len(INSTANCES)))
def test_a_deferred_validator_judges_and_explains_as_the_other_does_from_the_first_value_on(first):
    deferred, other = DeferredValidator(SCHEMA, subject="result"), SchemaValidator(SCHEMA, subject="result")
    for instance in INSTANCES[first:] + INSTANCES[:first]:
        assert deferred.is_valid(instance) == other.is_valid(instance)
        assert deferred.validate(instance) == other.validate(instance)


def test_a_schema_that_is_none_is_refused_at_once():
    with pytest.raises(ValueError, match="not a usable JSON Schema"):
        DeferredValidator({"type": "nothing"})
    with pytest.raises(ValueError, match="not a usable JSON Schema"):
        DeferredValidator({"$ref": "#/$defs/Gone"})


def test_what_becomes_of_the_schema_afterwards_does_not_matter():
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    validator = DeferredValidator(schema)
    schema["properties"]["a"]["type"] = "integer"
    assert (validator.is_valid({"a": "x"}), validator.is_valid({"a": 1})) == (True, False)
