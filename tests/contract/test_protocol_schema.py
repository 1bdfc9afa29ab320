import jsonschema_rs
import orjson
import pytest

from gateway.contract.validation import PER_REQUEST_REVISION, load_protocol_schema

REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]
WORDS = {"description", "title", "$comment"}
NAMES = {"properties", "$defs", "definitions"}


def drop_words(schema, *, are_names=False):
    """The schema without its prose; what a definition or a property is called is no prose."""
    if isinstance(schema, list):
        return [drop_words(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: drop_words(value, are_names=key in NAMES and not are_names)
        for key, value in schema.items()
        if are_names or key not in WORDS
    }


@pytest.mark.parametrize("revision", REVISIONS)
def test_our_statement_of_the_protocol_carries_no_prose(revision):
    schema = load_protocol_schema(revision)
    assert schema.pop("$comment").startswith("The message shapes of the Model Context Protocol")
    assert drop_words(schema) == schema


@pytest.mark.parametrize("revision", REVISIONS)
def test_our_statement_of_the_protocol_equals_the_specification_but_for_its_prose(protocol_references, revision):
    specification = orjson.loads((protocol_references / f"schema-{revision}.json").read_bytes())
    assert drop_words(load_protocol_schema(revision)) == drop_words(specification)


def test_every_example_of_the_specification_has_its_shape(protocol_references):
    schema = load_protocol_schema(PER_REQUEST_REVISION)
    examples = sorted((protocol_references / "examples").glob("*/*.json"))
    assert len(examples) == 129
    refused = [
        f"{example.parent.name}/{example.name}"
        for example in examples
        if not jsonschema_rs.Draft202012Validator(
            schema | {"$ref": f"#/$defs/{example.parent.name}"}, offline=True
        ).is_valid(orjson.loads(example.read_bytes()))
    ]
    assert refused == []
