"""What providers refuse is refused here first, one line for each reason."""

import pytest

from gateway.descriptors.profiles.fitting import fit_tool
from gateway.descriptors.profiles.limits import find_faults, find_list_warnings
from gateway.descriptors.profiles.projection import Projection
from gateway.descriptors.profiles.table import ANTHROPIC_STRICT, BEDROCK, GEMINI, OPENAI_STRICT, PROFILES

TEXT = {"type": "string"}


def closed(required=(), **properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(required or properties),
        "additionalProperties": False,
    }


def wide(count, **more):
    return closed(**{f"p{number}": TEXT for number in range(count)}) | more


def deep(levels):
    schema = TEXT
    for _ in range(levels):
        schema = closed(a=schema)
    return schema


@pytest.mark.parametrize(
    ("profile", "schema", "faults"),
    [
        (OPENAI_STRICT, wide(5000), ()),
        (OPENAI_STRICT, wide(5001), ("it has 5,001 properties, and the limit is 5,000",)),
        (OPENAI_STRICT, deep(10), ()),
        (OPENAI_STRICT, deep(11), ("it has 11 levels of objects, and the limit is 10",)),
        (
            OPENAI_STRICT,
            closed(a={"type": "string", "enum": [f"v{n}" for n in range(1001)]}),
            ("it has 1,001 enum values, and the limit is 1,000",),
        ),
        (
            OPENAI_STRICT,
            closed(a={"type": "string", "enum": ["x" * 60 + str(n) for n in range(251)]}),
            ("it has an enum of 251 values with 15,703 characters, and the limit is 15,000",),
        ),
        (
            OPENAI_STRICT,
            closed(**{"a" * 60_000: TEXT, "b" * 60_001: TEXT}),
            ("it has 120,001 characters of names and enum values, and the limit is 120,000",),
        ),
        (OPENAI_STRICT, closed(a={"type": "object"}), ("it has an object that is open",)),
        (OPENAI_STRICT, {**closed(a=TEXT), "required": []}, ("it has properties that are not required",)),
        (OPENAI_STRICT, closed(a={"allOf": [TEXT]}), ("it uses allOf, which is not taken",)),
        (OPENAI_STRICT, {**closed(a=TEXT), "anyOf": [TEXT]}, ("its arguments are no plain object",)),
        (OPENAI_STRICT, {"type": "array", "items": TEXT}, ("its arguments are no plain object",)),
        (
            OPENAI_STRICT,
            closed(a={"$ref": "#/$defs/A", "description": "d"}) | {"$defs": {"A": TEXT}},
            ("it has keywords beside $ref",),
        ),
        (
            OPENAI_STRICT,
            closed(a={"$ref": "https://example.com/a"}),
            ('it refers to "https://example.com/a", which is none of its definitions',),
        ),
        (
            OPENAI_STRICT,
            closed(a={"type": "string", "format": "uri"}),
            ('it uses the format "uri", which is not taken',),
        ),
        (GEMINI, closed(**{"a-b": TEXT}), ('its property "a-b" does not match [A-Za-z_][A-Za-z0-9_]{0,63}',)),
        (GEMINI, closed(a={"type": "string", "maxLength": 5}), ("it uses maxLength, which is not taken",)),
        (
            GEMINI,
            closed(a={"$ref": "#/$defs/A"}) | {"$defs": {"A": closed(a={"$ref": "#/$defs/A"})}},
            ('it requires a property that leads back to its own definition "A"',),
        ),
        (
            ANTHROPIC_STRICT,
            closed(a={"$ref": "#/$defs/A"}) | {"$defs": {"A": closed(a={"$ref": "#/$defs/A"})}},
            ("it has definitions within themselves: A",),
        ),
        (ANTHROPIC_STRICT, {**wide(25), "required": ["p0"]}, ()),
        (
            ANTHROPIC_STRICT,
            {**wide(25), "required": []},
            ("it has 25 optional properties, and the limit is 24",),
        ),
        (
            ANTHROPIC_STRICT,
            closed(**{f"p{n}": {"anyOf": [TEXT, {"type": "null"}]} for n in range(17)}),
            ("it has 17 properties of several types, and the limit is 16",),
        ),
        (
            BEDROCK,
            closed(a={"$ref": "#/$defs/A"}) | {"$defs": {"A": TEXT}},
            ("it uses $defs, which is not taken", "it uses $ref, which is not taken"),
        ),
    ],
)  # fmt: skip
def test_a_tool_over_a_limit_is_told_by_how_much(profile, schema, faults):
    assert find_faults("tool", schema, profile) == faults


@pytest.mark.parametrize(
    ("name", "profiles"),
    [
        ("shop_v1_Cart_Add", {"openai-strict", "gemini", "anthropic-strict", "bedrock"}),
        ("a" * 64, {"openai-strict", "gemini", "anthropic-strict", "bedrock"}),
        ("a" * 65, set()),
        ("9lives", {"openai-strict", "anthropic-strict", "bedrock"}),
        ("a.b", {"gemini"}),
        ("a-b", {"openai-strict", "gemini", "anthropic-strict", "bedrock"}),
        ("größe", set()),
        ("", set()),
    ],
)
def test_a_name_is_held_to_each_providers_own_rule(name, profiles):
    assert {key for key, profile in PROFILES.items() if not find_faults(name, closed(a=TEXT), profile)} == profiles


def test_of_many_faults_the_first_are_told():
    schema = closed(**{f"ä{number}": TEXT for number in range(20)})
    faults = find_faults("tool", schema, GEMINI)
    assert len(faults) == 6
    assert faults[-1] == "and 15 more faults"


def test_what_is_too_much_together_costs_no_tool():
    schema = {**wide(10), "required": []}
    assert find_list_warnings([schema] * 2, ANTHROPIC_STRICT) == ()
    assert find_list_warnings([schema] * 21, ANTHROPIC_STRICT) == (
        "together the tools come to 21 tools, and one request takes 20",
        "together the tools come to 210 optional properties, and one request takes 24",
    )
    assert find_list_warnings([schema] * 200, BEDROCK) == ()


def test_of_a_circle_as_many_rounds_are_listed_as_there_is_room_for():
    properties = {f"p{number}": TEXT for number in range(5)} | {"self": {"$ref": "#/$defs/A"}}
    node = {"type": "object", "properties": properties, "additionalProperties": False}
    schema = {**node, "$defs": {"A": node}}
    projection = fit_tool("tool", schema, ANTHROPIC_STRICT)
    assert isinstance(projection, Projection)
    assert projection.schema["$defs"].keys() == {"A", "A_1", "A_0"}
    assert sum(len(one["properties"]) for one in (projection.schema, *projection.schema["$defs"].values())) == 24


def test_of_deep_messages_as_much_is_described_as_there_is_room_for():
    inner = {"type": "object", "properties": {f"i{n}": TEXT for n in range(15)}, "additionalProperties": False}
    middle = {
        "type": "object",
        "properties": {"inner": {**inner, "description": "The inner one."}, **{f"m{n}": TEXT for n in range(8)}},
        "additionalProperties": False,
    }
    schema = {"type": "object", "properties": {"middle": middle, "name": TEXT}, "additionalProperties": False}
    projection = fit_tool("tool", schema, ANTHROPIC_STRICT)
    assert isinstance(projection, Projection)
    assert projection.schema["properties"]["middle"]["properties"]["inner"] == {
        "type": "string",
        "description": "The inner one. (an object with i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, ...) "
        "(a JSON object as its text)",
    }
    given = {"middle": {"inner": {"i0": "x"}, "m0": "y"}}
    assert projection.restore(projection.project(given)) == given
    assert isinstance(fit_tool("tool", deep(14), OPENAI_STRICT), Projection)


def test_a_tool_that_does_not_fit_says_why():
    assert fit_tool("tool", {**wide(30), "required": []}, ANTHROPIC_STRICT) == (
        "it has 30 optional properties, and the limit is 24",
    )
    assert isinstance(fit_tool("tool", {**wide(30), "required": []}, OPENAI_STRICT), Projection)


def test_a_keyword_that_words_cannot_stand_for_keeps_a_tool_out():
    schema = closed(a={"oneOf": [TEXT, {"type": "integer"}]})
    assert fit_tool("tool", schema, OPENAI_STRICT) == ("it uses oneOf, which is not taken",)
    assert isinstance(fit_tool("tool", schema, GEMINI), Projection)
