"""Each construct of the neutral schema in the forms of the profiles, and what comes back of arguments in them."""

import pytest

from gateway.contract.distilled import Problem
from gateway.descriptors.profiles.projection import project_output, project_schema
from gateway.descriptors.profiles.table import ANTHROPIC_STRICT, BEDROCK, GEMINI, OPENAI_STRICT, PROFILES
from gateway.descriptors.profiles.ways import Spot


def closed(required=(), **properties):
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": list(required)} if required else {})


TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 1, "maximum": 9}
KEYED = {"type": "object", "propertyNames": {"pattern": "^[0-9]+$"}, "additionalProperties": COUNT, "description": "d"}
OPEN = {"type": "object", "additionalProperties": True, "description": "settings"}
TREE = closed(tree={"$ref": "#/$defs/Tree"}) | {
    "$defs": {"Tree": closed(v=TEXT, kids={"type": "array", "items": {"$ref": "#/$defs/Tree"}})}
}


@pytest.mark.parametrize(
    ("neutral", "openai", "anthropic"),
    [
        (TEXT, {"type": ["string", "null"]}, TEXT),
        (
            {"type": "string", "enum": ["A", "B"], "description": "which"},
            {"type": ["string", "null"], "enum": ["A", "B", None], "description": "which"},
            {"type": "string", "enum": ["A", "B"], "description": "which"},
        ),
        (
            COUNT,
            {"type": ["integer", "null"], "minimum": 1, "maximum": 9},
            {"type": "integer", "description": "at least 1; at most 9"},
        ),
        (
            {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^a", "description": "the name"},
            {
                "type": ["string", "null"],
                "pattern": "^a",
                "description": "the name (at least 2 characters; at most 5 characters)",
            },
            {"type": "string", "description": "the name (at least 2 characters; at most 5 characters; matches ^a)"},
        ),
        (
            {"type": "string", "format": "uri"},
            {"type": ["string", "null"], "description": "format uri"},
            {"type": "string", "format": "uri"},
        ),
        (
            {"type": "array", "items": TEXT, "minItems": 2, "uniqueItems": True},
            {"type": ["array", "null"], "items": TEXT, "minItems": 2, "description": "no item twice"},
            {"type": "array", "items": TEXT, "description": "at least 2 items; no item twice"},
        ),
        (
            OPEN,
            {"type": ["string", "null"], "description": "settings (a JSON object as its text)"},
            {"type": "string", "description": "settings (a JSON object as its text)"},
        ),
        (
            {},
            {"type": ["string", "null"], "description": "any JSON value as its text"},
            {"type": "string", "description": "any JSON value as its text"},
        ),
        (
            {"type": "null"},
            {"type": ["string", "null"], "enum": ["NULL_VALUE", None]},
            {"type": "string", "enum": ["NULL_VALUE"]},
        ),
        (
            KEYED,
            {
                "type": ["array", "null"],
                "items": closed(("key", "value"), key={"type": "string", "pattern": "^[0-9]+$"}, value=COUNT),
                "description": "d (a map as a list of entries, each key once)",
            },
            {
                "type": "array",
                "items": closed(
                    ("key", "value"),
                    key={"type": "string", "description": "matches ^[0-9]+$"},
                    value={"type": "integer", "description": "at least 1; at most 9"},
                ),
                "description": "d (a map as a list of entries, each key once)",
            },
        ),
        (
            closed(("a",), a=TEXT, b=TEXT),
            {
                "type": ["object", "null"],
                "properties": {"a": TEXT, "b": {"type": ["string", "null"]}},
                "additionalProperties": False,
                "required": ["a", "b"],
            },
            closed(("a",), a=TEXT, b=TEXT),
        ),
    ],
)
def test_a_construct_takes_the_strict_forms(neutral, openai, anthropic):
    schema = closed(x=neutral)
    projected = project_schema(schema, OPENAI_STRICT).schema
    assert projected == {**closed(x=openai), "required": ["x"]}
    assert project_schema(schema, ANTHROPIC_STRICT).schema == closed(x=anthropic)


@pytest.mark.parametrize(
    ("neutral", "gemini"),
    [
        (OPEN, OPEN),
        ({}, {}),
        ({"type": "null"}, {"type": "null"}),
        (
            KEYED,
            {"type": "object", "additionalProperties": COUNT, "description": "d (keys match ^[0-9]+$)"},
        ),
        (
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "number", "description": "above 0"},
        ),
        (
            {"type": "string", "contentEncoding": "base64", "description": "bytes in base64"},
            {"type": "string", "description": "bytes in base64"},
        ),
        (
            {
                "type": "object",
                "properties": {"@type": TEXT},
                "required": ["@type"],
                "additionalProperties": True,
                "description": 'any message: its fields beside "@type"',
            },
            {
                "type": "object",
                "additionalProperties": True,
                "description": 'any message: its fields beside "@type"',
            },
        ),
        (
            {"type": "string", "x-mcp-header": "Tenant", "deprecated": True},
            {"type": "string", "description": "deprecated"},
        ),
    ],
)
def test_an_open_profile_says_in_words_what_its_keywords_cannot(neutral, gemini):
    assert project_schema(closed(x=neutral), GEMINI).schema == closed(x=gemini)
    assert project_schema(closed(x=neutral), GEMINI).is_same


def test_a_reference_may_be_absent_where_everything_is_required():
    projected = project_schema(TREE, OPENAI_STRICT).schema
    assert projected["properties"]["tree"] == {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]}
    assert projected["$defs"]["Tree"]["required"] == ["v", "kids"]


def test_a_circle_is_cut_where_none_may_be_and_text_goes_on_from_there():
    projection = project_schema(TREE, ANTHROPIC_STRICT, rounds=1)
    assert projection.schema["$defs"].keys() == {"Tree", "Tree_0"}
    assert projection.schema["$defs"]["Tree"]["properties"]["kids"]["items"] == {"$ref": "#/$defs/Tree_0"}
    assert projection.schema["$defs"]["Tree_0"]["properties"]["kids"]["items"]["type"] == "string"
    arguments = {"tree": {"v": "1", "kids": [{"v": "2", "kids": [{"v": "3", "kids": [{"v": "4"}]}]}]}}
    projected = projection.project(arguments)
    assert projected == {"tree": {"v": "1", "kids": [{"v": "2", "kids": ['{"v":"3","kids":[{"v":"4"}]}']}]}}
    assert projection.restore(projected) == arguments


def test_without_references_definitions_are_written_out_and_circles_end_in_an_open_object():
    projected = project_schema(TREE, BEDROCK).schema
    assert "$ref" not in str(projected)
    part = projected["properties"]["tree"]
    for _ in range(3):
        part = part["properties"]["kids"]["items"]
        assert part["additionalProperties"] is False
    assert part["properties"]["kids"]["items"] == {
        "type": "object",
        "additionalProperties": True,
        "description": "an object of the same kind, nested too deep to be described again",
    }


def test_a_schema_that_would_explode_is_written_out_no_deeper_than_there_is_room():
    definitions = {
        f"M{n}": closed(**{f"f{i}": {"$ref": f"#/$defs/M{n + 1}"} for i in range(12)}) for n in range(39)
    } | {"M39": closed(v=TEXT)}
    projected = project_schema(closed(m={"$ref": "#/$defs/M0"}) | {"$defs": definitions}, BEDROCK).schema
    assert "$ref" not in str(projected)
    assert 1_000 < len(str(projected)) < 100_000


def test_arguments_that_may_be_any_object_are_one_text_where_objects_are_closed():
    schema = {"type": "object", "properties": {}, "additionalProperties": True}
    projection = project_schema(schema, OPENAI_STRICT)
    assert projection.schema["properties"].keys() == {"json"}
    assert projection.schema["required"] == ["json"]
    assert projection.project({"a": [1]}) == {"json": '{"a":[1]}'}
    assert projection.restore({"json": '{"a":[1]}'}) == {"a": [1]}
    assert projection.restore({"json": "[1]"}) == (Problem(at="/json", text="must be the JSON text of an object"),)
    assert project_schema(schema, GEMINI).schema == schema


def test_a_union_is_undone_by_the_alternative_that_takes_the_value():
    schema = closed(x={"anyOf": [closed(("m",), m={"type": "object", "additionalProperties": TEXT}), TEXT]})
    projection = project_schema(schema, OPENAI_STRICT)
    for neutral, projected in (
        ({"x": {"m": {"a": "b"}}}, {"x": {"m": [{"key": "a", "value": "b"}]}}),
        ({"x": "text"}, {"x": "text"}),
        ({}, {"x": None}),
    ):
        assert projection.project(neutral) == projected
        assert projection.restore(projected) == neutral


ARGUMENTS = closed(
    map={"type": "object", "additionalProperties": COUNT},
    maps={"type": "object", "additionalProperties": closed(of={"type": "object", "additionalProperties": TEXT})},
    list={"type": "array", "items": closed(any={})},
    any={},
    text=TEXT,
)
GIVEN = {
    "map": [{"key": "a", "value": 1}, {"key": "b/c", "value": 2}],
    "maps": [{"key": "x", "value": {"of": [{"key": "y", "value": "z"}]}}],
    "list": [{"any": "1"}, {"any": '{"deep":[1]}'}],
    "any": "null",
    "text": None,
}


def test_what_is_null_is_absent_and_what_is_text_is_a_value():
    assert project_schema(ARGUMENTS, OPENAI_STRICT).restore(GIVEN) == {
        "map": {"a": 1, "b/c": 2},
        "maps": {"x": {"of": {"y": "z"}}},
        "list": [{"any": 1}, {"any": {"deep": [1]}}],
        "any": None,
    }


@pytest.mark.parametrize(
    ("given", "problems"),
    [
        ({"any": "hello"}, {"/any": 'must be JSON as text, such as "text", 5 or {"name": "value"}; got "hello": '}),
        ({"map": [5]}, {"/map/0": "must be an object with key and value, got 5"}),
        ({"map": [{"key": "a"}]}, {"/map/0": "must have value"}),
        ({"map": [{}]}, {"/map/0": "must have key and value"}),
        ({"map": [{"key": 1, "value": 2}]}, {"/map/0": "must have a string for its key, got 1"}),
        ({"map": [{"key": "a", "value": 2, "more": 3}]}, {"/map/0": 'must have key and value alone, and has "more"'}),
        (
            {"map": [{"key": "a", "value": 1}, {"key": "b", "value": 1}, {"key": "a", "value": 2}], "any": "{"},
            {"/map/2": 'has the key "a", which /map/0 has already', "/any": "must be JSON as text"},
        ),
    ],
)
def test_what_is_not_in_the_form_is_told_by_its_place_all_at_once(given, problems):
    restored = project_schema(ARGUMENTS, OPENAI_STRICT).restore(given)
    assert isinstance(restored, tuple)
    assert {problem.at for problem in restored} == problems.keys()
    assert all(problem.text.startswith(problems[problem.at]) for problem in restored)


@pytest.mark.parametrize("profile", [OPENAI_STRICT, ANTHROPIC_STRICT], ids=lambda profile: profile.name)
def test_a_caller_that_writes_the_neutral_form_is_understood(profile):
    neutral = {"map": {"a": 1}, "list": [{"any": 5}], "any": {"b": [None]}, "text": "t", "unknown": {}}
    assert project_schema(ARGUMENTS, profile).restore(neutral) == neutral


@pytest.mark.parametrize(
    ("neutral", "spot"),
    [
        ("", Spot(path=())),
        ("/text", Spot(path=("text",))),
        ("/map/a", Spot(path=("map", 0))),
        ("/map/b~1c", Spot(path=("map", 1))),
        ("/map/gone", Spot(path=("map",))),
        ("/maps/x/of/y", Spot(path=("maps", 0, "value", "of", 0))),
        ("/list/1/any/deep/0", Spot(path=("list", "1", "any"), inside="/deep/0")),
        ("/list/7/any", Spot(path=("list", "7", "any"))),
        ("/any/a", Spot(path=("any",), inside="/a")),
        ("/unknown/a", Spot(path=("unknown", "a"))),
    ],
)
def test_a_place_in_the_neutral_form_is_found_in_what_was_given(neutral, spot):
    assert project_schema(ARGUMENTS, OPENAI_STRICT).find_spot(neutral, GIVEN) == spot


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES.keys())
def test_the_schema_that_was_given_is_left_alone(profile):
    before = str(TREE)
    project_schema(TREE, profile).schema["properties"].clear()
    project_output(TREE, profile)
    assert str(TREE) == before


def test_output_schemas_change_only_where_references_are_not_taken():
    assert project_output(TREE, OPENAI_STRICT) == TREE
    assert "$ref" not in str(project_output(TREE, BEDROCK))
