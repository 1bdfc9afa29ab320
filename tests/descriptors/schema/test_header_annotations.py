"""Header annotations of input schemas: what is legal stays, what is not is taken out and told."""

import copy
from typing import Any

import pytest

from gateway.descriptors.schema.header_annotations import annotate, drop_illegal_annotations, find_annotations


def make(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_legal_annotations_are_found_by_their_paths() -> None:
    schema = make(
        region={"type": "string", "x-mcp-header": "Region"},
        place=make(floor={"type": "integer", "x-mcp-header": "Floor"}, lit={"type": "boolean", "x-mcp-header": "Lit"}),
    )
    found = [(one.path, one.name, one.kind, one.fault) for one in find_annotations(schema)]
    assert found == [
        (("region",), "Region", "string", None),
        (("place", "floor"), "Floor", "integer", None),
        (("place", "lit"), "Lit", "boolean", None),
    ]
    assert drop_illegal_annotations(schema) == ()


@pytest.mark.parametrize("name", ["", "two words", "colon:", "é", 5, None])
def test_a_name_that_is_no_token_is_dropped(name: Any) -> None:
    schema = make(region={"type": "string", "x-mcp-header": name})
    (fault,) = drop_illegal_annotations(schema)
    assert fault.endswith('of "region" is left out: its name must be letters, digits and !#$%&\'*+-.^_`|~ alone')
    assert schema == make(region={"type": "string"})


@pytest.mark.parametrize("kind", ["number", "object", "array", "null", ["string", "null"]])
def test_a_type_that_cannot_be_mirrored_is_dropped(kind: Any) -> None:
    schema = make(ratio={"type": kind, "x-mcp-header": "Ratio"})
    assert drop_illegal_annotations(schema) == (
        'the header "Ratio" of "ratio" is left out: only a string, integer or boolean can be mirrored',
    )
    assert schema == make(ratio={"type": kind})


ANNOTATED = {"type": "string", "x-mcp-header": "Region"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "x-mcp-header": "Region"},
        make(list={"type": "array", "items": ANNOTATED}),
        make(list={"type": "array", "items": make(region=ANNOTATED)}),
        make(map={"type": "object", "additionalProperties": ANNOTATED}),
        make(either={"anyOf": [ANNOTATED, {"type": "integer"}]}),
        {**make(), "allOf": [make(region=ANNOTATED)]},
        {**make(), "if": make(region=ANNOTATED)},
        {**make(place={"$ref": "#/$defs/place"}), "$defs": {"place": make(region=ANNOTATED)}},
        {**make(), "patternProperties": {"^r": ANNOTATED}},
    ],
)
def test_an_annotation_off_the_chain_of_properties_is_dropped(schema: dict[str, Any]) -> None:
    dropped = copy.deepcopy(schema)
    (fault,) = drop_illegal_annotations(dropped)
    assert fault.startswith('the header "Region" of ')
    assert fault.endswith("it does not stand on a property that is reached from the root by properties alone")
    assert "x-mcp-header" not in str(dropped)


def test_headers_that_only_case_tells_apart_are_all_dropped() -> None:
    schema = make(
        a={"type": "string", "x-mcp-header": "Region"},
        b={"type": "string", "x-mcp-header": "REGION"},
        c={"type": "string", "x-mcp-header": "Other"},
    )
    assert len(drop_illegal_annotations(schema)) == 2
    assert schema == make(a={"type": "string"}, b={"type": "string"}, c={"type": "string", "x-mcp-header": "Other"})


def test_what_is_sensitive_is_not_mirrored() -> None:
    schema = make(card=make(number={"type": "string", "x-mcp-header": "Card"}))
    (fault,) = drop_illegal_annotations(schema, lambda path: path == ("card", "number"))
    assert fault == (
        'the header "Card" of "card.number" is left out: the argument is sensitive, and headers are seen and logged '
        "under way"
    )


def test_a_property_or_a_value_of_that_name_is_no_annotation() -> None:
    schema = make(**{"x-mcp-header": {"type": "string", "enum": [{"x-mcp-header": "Region"}]}})
    assert find_annotations(schema) == ()


def test_annotations_are_added_where_the_property_is_there() -> None:
    schema = make(place=make(city={"type": "string"}), other={"$ref": "#/$defs/other"})
    assert annotate(schema, ("place", "city"), "City")
    assert not annotate(schema, ("other", "city"), "City")
    assert not annotate(schema, ("none",), "City")
    assert schema == make(place=make(city={"type": "string", "x-mcp-header": "City"}), other={"$ref": "#/$defs/other"})
