"""Each kind of difference between two schemas, and the law that what does not break does not break."""

import copy
from functools import cache

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.changes.kinds import Kind, Side
from gateway.descriptors.changes.schemas import compare_schemas
from gateway.descriptors.schema import SchemaBuilder
from tests.laws.arguments import Manner, arguments
from tests.laws.kitchen_sinks import make_kitchen_sinks

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def closed(required=(), **properties):
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": list(required)} if required else {})


def compare(old, new, side=Side.INPUT):
    return [(change.kind, change.at, change.detail) for change in compare_schemas("tool", side, old, new)]


def colors(*names):
    return {"type": "string", "enum": list(names)}


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        (closed(a=TEXT), closed(a=TEXT), []),
        (closed(a=TEXT), closed(), [(Kind.PROPERTY_GONE, "/a", "")]),
        (closed(), closed(a=TEXT), [(Kind.PROPERTY_NEW, "/a", "")]),
        (closed(), closed(("a",), a=TEXT), [(Kind.REQUIRED_NEW, "/a", "")]),
        (closed(a=TEXT), closed(("a",), a=TEXT), [(Kind.PROPERTY_REQUIRED, "/a", "")]),
        (closed(("a",), a=TEXT), closed(a=TEXT), [(Kind.PROPERTY_OPTIONAL, "/a", "")]),
        (closed(a=TEXT), closed(a=NUMBER), [(Kind.TYPE_CHANGED, "/a", "was string, is integer")]),
        (closed(a=NUMBER), closed(a={"type": "number"}), [(Kind.TYPE_WIDER, "/a", "was integer, is number")]),
        (closed(a={"type": "number"}), closed(a=NUMBER), [(Kind.TYPE_NARROWER, "/a", "was number, is integer")]),
        (closed(a={}), closed(a=TEXT), [(Kind.TYPE_NARROWER, "/a", "was anything, is string")]),
        (closed(a=TEXT), closed(a={}), [(Kind.TYPE_WIDER, "/a", "was string, is anything")]),
        (
            closed(a=colors("RED", "BLUE")),
            closed(a=colors("RED", "GREEN")),
            [(Kind.VALUE_GONE, "/a", '"BLUE"'), (Kind.VALUE_NEW, "/a", '"GREEN"')],
        ),
        (closed(a=TEXT), closed(a=colors("RED")), [(Kind.VALUES_CLOSED, "/a", "")]),
        (closed(a=colors("RED")), closed(a=TEXT), [(Kind.VALUES_OPENED, "/a", "")]),
        (
            closed(a={**NUMBER, "minimum": 0, "maximum": 9}),
            closed(a={**NUMBER, "minimum": 1, "maximum": 10}),
            [
                (Kind.LIMIT_LOOSER, "/a", "maximum was 9, is 10"),
                (Kind.LIMIT_TIGHTER, "/a", "minimum was 0, is 1"),
            ],
        ),
        (closed(a=TEXT), closed(a={**TEXT, "maxLength": 5}), [(Kind.LIMIT_TIGHTER, "/a", "maxLength was none, is 5")]),
        (
            closed(a={**TEXT, "format": "uuid"}),
            closed(a=TEXT),
            [(Kind.LIMIT_LOOSER, "/a", 'format was "uuid", is none')],
        ),
        (
            closed(a={**TEXT, "pattern": "^a"}),
            closed(a={**TEXT, "pattern": "^b"}),
            [(Kind.LIMIT_CHANGED, "/a", 'pattern was "^a", is "^b"')],
        ),
        (
            closed(a={"type": "array", "items": closed(b=TEXT)}),
            closed(a={"type": "array", "items": closed()}),
            [(Kind.PROPERTY_GONE, "/a/*/b", "")],
        ),
        (
            closed(a={"type": "object", "additionalProperties": TEXT}),
            closed(a={"type": "object", "additionalProperties": NUMBER}),
            [(Kind.TYPE_CHANGED, "/a/*", "was string, is integer")],
        ),
        (
            closed(a={"type": "object", "additionalProperties": True}),
            closed(a=closed()),
            [(Kind.OBJECT_CLOSED, "/a", "")],
        ),
        (closed(a=closed()), closed(a={"type": "object"}), [(Kind.OBJECT_OPENED, "/a", "")]),
        (
            closed(a={"anyOf": [colors("A"), NUMBER]}),
            closed(a={"anyOf": [colors("A", "B"), {"type": "boolean"}]}),
            [
                (Kind.VALUE_NEW, "/a", '"B"'),
                (Kind.BRANCH_GONE, "/a", "integer"),
                (Kind.BRANCH_NEW, "/a", "boolean"),
            ],
        ),
        (
            closed(a={"anyOf": [TEXT, NUMBER]}),
            closed(a=TEXT),
            [(Kind.BRANCH_GONE, "/a", "integer")],
        ),
        (
            closed(a={**TEXT, "description": "one", "deprecated": True}),
            closed(a={**TEXT, "description": "two"}),
            [(Kind.TEXT_CHANGED, "/a", "description")],
        ),
        (
            closed(a=TEXT),
            closed(a={**TEXT, "x-mcp-header": "Tenant"}),
            [(Kind.HEADER_CHANGED, "/a", 'was none, is "Tenant"')],
        ),
        (closed(**{"a/b": closed(c=TEXT)}), closed(**{"a/b": closed()}), [(Kind.PROPERTY_GONE, "/a~1b/c", "")]),
    ],
)  # fmt: skip
def test_a_difference_is_of_a_kind(old, new, changes):
    assert compare(old, new) == changes


def test_a_definition_is_compared_wherever_it_stands():
    tree = closed(v=TEXT, kids={"type": "array", "items": {"$ref": "#/$defs/Tree"}})
    old = closed(tree={"$ref": "#/$defs/Tree"}, other={"$ref": "#/$defs/Tree"}) | {"$defs": {"Tree": tree}}
    new = copy.deepcopy(old)
    del new["$defs"]["Tree"]["properties"]["v"]
    assert compare(old, new) == [(Kind.PROPERTY_GONE, "/tree/v", "")]
    renamed = closed(tree={"$ref": "#/$defs/Baum"}, other={"$ref": "#/$defs/Baum"}) | {
        "$defs": {"Baum": closed(v=TEXT, kids={"type": "array", "items": {"$ref": "#/$defs/Baum"}})}
    }
    assert compare(old, renamed) == []
    assert compare(closed(a=closed(b=TEXT)), closed(a={"$ref": "#/$defs/A"}) | {"$defs": {"A": closed(b=TEXT)}}) == []


def test_headers_and_new_fields_say_nothing_of_results():
    assert compare(closed(a=TEXT), closed(a={**TEXT, "x-mcp-header": "T"}), Side.OUTPUT) == []
    (change,) = compare_schemas("tool", Side.OUTPUT, closed(), closed(a=TEXT))
    assert not change.breaks


@cache
def get_schemas():
    """The schemas of all requests that there are, by name, without descriptions that make careful callers."""
    kitchen = make_kitchen_sinks()
    builder = SchemaBuilder(kitchen)
    return {rpc.name: builder.input_schema(rpc) for rpc in kitchen.rpcs}


def list_parts(schema):
    """The parts of a schema that a change may hit."""
    found = [schema]
    for part in found:
        found += [one for one in part.get("properties", {}).values() if isinstance(one, dict)]
        found += [part[keyword] for keyword in ("items", "additionalProperties") if isinstance(part.get(keyword), dict)]
        found += part.get("$defs", {}).values()
    return [part for part in found if "$ref" not in part]  # nothing stands beside a reference


def change(draw, schema):
    """The schema with one thing changed somewhere."""
    changed = copy.deepcopy(schema)
    part = draw(st.sampled_from(list_parts(changed)))
    properties = part.get("properties")
    deeds = ["retype", "bound", "any"]
    deeds += ["drop", "require", "relax"] if properties else []
    deeds += ["add", "close"] if properties is not None else []
    deeds += ["less", "more"] if "enum" in part else []
    match draw(st.sampled_from(deeds)):
        case "retype":
            part.update({"type": draw(st.sampled_from(["string", "integer", "number", "boolean"]))})
        case "bound":
            keyword = draw(st.sampled_from(["minimum", "maximum", "maxLength", "minItems", "maxItems", "pattern"]))
            part[keyword] = "^.{0,2}$" if keyword == "pattern" else draw(st.integers(-1, 5))
            if keyword not in ("minimum", "maximum", "pattern"):
                part[keyword] = abs(part[keyword])
        case "any":
            if part is not changed:
                part.clear()
        case "drop":
            name = draw(st.sampled_from(sorted(properties)))
            del properties[name]
            part["required"] = [one for one in part.get("required", []) if one != name]
        case "require":
            part["required"] = [draw(st.sampled_from(sorted(properties)))]
        case "relax":
            part.pop("required", None)
        case "add":
            properties["brandNew"] = {"type": "string"}
            if draw(st.booleans()):
                part["required"] = [*part.get("required", []), "brandNew"]
        case "close":
            part["additionalProperties"] = not part.get("additionalProperties", True)
        case "less":
            part["enum"] = part["enum"][1:] or ["OTHER"]
        case "more":
            part["enum"] = [*part["enum"], "OTHER"]
    return changed


@pytest.mark.parametrize("name", ["modern.Kitchen/DoAnnotated", "modern.Kitchen/DoTree", "legacy.Kitchen/DoNeeds"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_said_to_break_nothing_takes_every_argument_that_was_taken(name, data):
    old = get_schemas()[name]
    new = change(data.draw, old)
    changes = compare_schemas("tool", Side.INPUT, old, new)
    if any(one.breaks for one in changes):
        return
    instance = data.draw(arguments(old, Manner.LITERAL))
    jsonschema_rs.Draft202012Validator(old, offline=True).validate(instance)
    jsonschema_rs.Draft202012Validator(new, offline=True).validate(instance)


@pytest.mark.parametrize("name", ["modern.Kitchen/DoAnnotated", "modern.Kitchen/DoTree", "legacy.Kitchen/DoNeeds"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_said_to_break_nothing_gives_what_could_be_given(name, data):
    """But for fields and enum values that are new, as protobuf has it."""
    new = get_schemas()[name]
    old = change(data.draw, new)
    changes = compare_schemas("tool", Side.OUTPUT, old, new)
    new_to_readers = {Kind.PROPERTY_NEW, Kind.REQUIRED_NEW, Kind.VALUE_NEW, Kind.OBJECT_OPENED}
    if any(one.breaks or one.kind in new_to_readers for one in changes):
        return
    instance = data.draw(arguments(new, Manner.LITERAL))
    jsonschema_rs.Draft202012Validator(old, offline=True).validate(instance)
