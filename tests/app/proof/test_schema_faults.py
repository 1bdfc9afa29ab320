import pytest

from gateway.app.proof.findings import Law
from gateway.app.proof.schema_faults import find_schema_faults
from gateway.contract.quoting import quote
from gateway.descriptors.schema.dialect import Direction

ROOT = {"type": "object", "properties": {}, "additionalProperties": False}


def judge(direction=Direction.INPUT, **changes):
    return list(find_schema_faults({**ROOT, **changes}, direction))


def test_a_plain_schema_has_no_fault():
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}
    assert judge(properties={"tree": {"$ref": "#/$defs/Tree"}}, required=["tree"], **{"$defs": {"Tree": tree}}) == []
    any_type = {"type": "object", "properties": {"@type": {"type": "string"}}, "additionalProperties": True}
    assert judge(properties={"any": any_type}) == []


@pytest.mark.parametrize(
    ("changes", "law", "detail"),
    [
        ({"type": "string"}, Law.SCHEMA_ROOT, 'the root has the type "string"'),
        ({"properties": None}, Law.SCHEMA_ROOT, "the root has no properties"),
        (
            {"additionalProperties": {}},
            Law.SCHEMA_ROOT,
            "the root does not say whether there may be other properties",
        ),
        ({"anyOf": [{}]}, Law.SCHEMA_ROOT, 'the root has "anyOf"'),
        ({"enum": [{}]}, Law.SCHEMA_ROOT, 'the root has "enum"'),
        ({"properties": {"a b": {}}}, Law.SCHEMA_KEYS, 'the root has the property "a b"'),
        ({"properties": {"@type": {}}}, Law.SCHEMA_KEYS, 'the root has the property "@type"'),
        ({"properties": {"a" * 65: {}}}, Law.SCHEMA_KEYS, f"the root has the property {quote('a' * 65)}"),
        (
            {"properties": {"a": {"properties": {"ä": {}}}}},
            Law.SCHEMA_KEYS,
            '/properties/a has the property "ä"',
        ),
        ({"properties": {"a": {"not": {}}}}, Law.SCHEMA_KEYWORDS, '/properties/a has "not"'),
        ({"properties": {"a": {"type": ["string"]}}}, Law.SCHEMA_KEYWORDS, '/properties/a has the type ["string"]'),
        ({"properties": {"a": {"format": "int64"}}}, Law.SCHEMA_KEYWORDS, '/properties/a has the format "int64"'),
        (
            {"properties": {"a": {"enum": ["x", "x"]}}},
            Law.SCHEMA_KEYWORDS,
            "/properties/a has an enum that is empty or names a value twice",
        ),
        ({"required": ["a"]}, Law.SCHEMA_KEYWORDS, 'the root requires "a" and does not describe it'),
        ({"$defs": {"A": {}}}, Law.SCHEMA_REFERENCES, "nothing refers to /$defs/A"),
        (
            {"properties": {"a": {"$ref": "#/$defs/B", "description": "b"}}, "$defs": {"B": {}}},
            Law.SCHEMA_KEYWORDS,
            "/properties/a has more beside its $ref",
        ),
    ],
)
def test_a_fault_is_told_with_its_place(changes, law, detail):
    assert (law, detail) in judge(**changes)


def test_a_dangling_reference_is_found_and_so_is_that_the_schema_does_not_compile():
    faults = judge(properties={"a": {"type": "array", "items": {"$ref": "#/$defs/Gone"}}})
    assert [law for law, _ in faults] == [Law.SCHEMA_COMPILES, Law.SCHEMA_REFERENCES]
    assert faults[1][1] == '/properties/a/items refers to "#/$defs/Gone", which is nowhere'


def test_a_pattern_that_is_none_is_found():
    laws = [law for law, _ in judge(properties={"a": {"type": "string", "pattern": "(("}})]
    assert Law.SCHEMA_KEYWORDS in laws


def test_what_only_the_other_direction_has_is_found():
    assert judge(properties={"a": {"anyOf": [{}]}}) == [(Law.SCHEMA_KEYWORDS, '/properties/a has "anyOf"')]
    assert judge(Direction.OUTPUT, properties={"a": {"minLength": 1, "anyOf": [{}]}}) == [
        (Law.SCHEMA_KEYWORDS, '/properties/a has "minLength"')
    ]


def test_results_may_have_any_names_but_must_be_objects():
    assert judge(Direction.OUTPUT, properties={"$filter": {}, "größe": {}}) == []
    assert judge(Direction.OUTPUT, type="array") == [
        (Law.SCHEMA_ROOT, "the result is structured, but its schema is not that of an object")
    ]
