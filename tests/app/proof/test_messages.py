from random import Random

import pytest

from gateway.app.proof.messages import Growth, MessageMaker
from gateway.app.proof.offered import MisfitError, offer
from gateway.app.proof.scalars import NoValueError
from gateway.descriptors.schema import SchemaBuilder
from tests.laws.compiled import compile_body
from tests.laws.kitchen_sinks import make_kitchen_sinks

API = make_kitchen_sinks()
TYPES = {rpc.request.full_name: rpc.request for rpc in API.rpcs}
MAKER = MessageMaker(API, tuple(TYPES.values()))


def make(name, growth, seed=0, *, schema=None):
    place = None if schema is None else offer(schema)
    return MAKER.make_message(Random(seed), TYPES[name], growth, place)


def get_bytes(message):
    return type(message).SerializeToString(message, deterministic=True)


def measure_depth(message):
    inner = [value for field, value in type(message).ListFields(message) if field.message_type is not None]
    held = [one for value in inner for one in (value.values() if hasattr(value, "values") else [value])]
    return 1 + max((measure_depth(one) for one in held if hasattr(one, "DESCRIPTOR")), default=0)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("growth", Growth)
def test_messages_are_complete_bounded_and_the_same_again(name, growth):
    made = [make(name, growth, seed) for seed in range(8)]
    assert all(type(message).IsInitialized(message) for message in made)
    assert max(len(get_bytes(message)) for message in made) < 40_000
    assert [get_bytes(message) for message in made] == [get_bytes(make(name, growth, seed)) for seed in range(8)]


def test_the_least_message_has_what_protobuf_requires_alone():
    assert get_bytes(make("modern.Scalars", Growth.LEAST)) == b""
    needs = make("legacy.Needs", Growth.LEAST)
    assert {field.name for field, _ in needs.ListFields()} == {"id", "inner"}


def test_all_fields_come_up_within_a_few_messages():
    descriptor = TYPES["modern.Scalars"]
    seen = set()
    for seed in range(10):
        seen |= {field.name for field, _ in make("modern.Scalars", Growth.ALL, seed).ListFields()}
    assert seen == {field.name for field in descriptor.fields}


def test_every_member_of_a_oneof_comes_up_and_never_two_at_once():
    seen = {make("modern.Choices", Growth.ALL, seed).WhichOneof("pick") for seed in range(80)}
    assert seen == {"a", "b", "c", "d", "e", "f", "g", "h", "i"}


def test_a_chain_goes_deep():
    descriptor = (
        compile_body("message M { M m = 1; string s = 2; } service S { rpc Do(M) returns (M); }").rpcs[0].request
    )
    message = MAKER.make_message(Random(0), descriptor, Growth.CHAIN)
    assert measure_depth(message) > 20


def test_extensions_come_up_in_free_messages_and_not_in_arguments():
    free = [make("legacy.Old", Growth.ALL, seed) for seed in range(10)]
    assert any(field.is_extension for message in free for field, _ in message.ListFields())
    rpc = next(rpc for rpc in API.rpcs if rpc.request.full_name == "legacy.Old")
    schema = SchemaBuilder(API).input_schema(rpc)
    offered = [make("legacy.Old", Growth.ALL, seed, schema=schema) for seed in range(10)]
    assert not any(field.is_extension for message in offered for field, _ in message.ListFields())


ANNOTATED = """
enum Kind { KIND_UNSPECIFIED = 0; BIG = 1; OLD = 2 [deprecated = true]; }
message M { string a = 1; Kind kind = 2; repeated int32 many = 3; map<string, int32> named = 4; }
service S { rpc Do(M) returns (M); }
"""
SMALL = compile_body(ANNOTATED)


def make_offered(growth=Growth.ALL, count=20, required=(), **properties):
    maker = MessageMaker(SMALL)
    schema = {"type": "object", "properties": properties, "required": list(required)}
    descriptor = SMALL.rpcs[0].request
    made = [maker.make_message(Random(seed), descriptor, growth, offer(schema)) for seed in range(count)]
    return made, maker


def test_arguments_keep_to_what_is_offered():
    made, _ = make_offered(
        kind={"type": "string", "enum": ["BIG"]},
        many={"type": "array", "items": {"type": "integer", "minimum": 7, "maximum": 7}, "minItems": 1, "maxItems": 1},
    )
    assert {(message.a, message.kind, tuple(message.many)) for message in made} == {("", 1, (7,))}


def test_a_list_of_different_items_has_no_item_twice():
    items = {"type": "integer", "minimum": 0, "maximum": 1}
    made, _ = make_offered(many={"type": "array", "items": items, "uniqueItems": True})
    assert {tuple(message.many) for message in made} == {(), (0,), (1,), (0, 1), (1, 0)}


def test_different_items_and_keys_are_found_as_many_as_are_asked_for():
    few = {"type": "integer", "minimum": 0, "maximum": 2}
    named = {
        "type": "object",
        "propertyNames": {"pattern": "^[ab0]$"},
        "minProperties": 2,
        "additionalProperties": {"type": "integer"},
    }
    made, _ = make_offered(many={"type": "array", "items": few, "uniqueItems": True, "minItems": 3}, named=named)
    assert {(frozenset(message.many), len(message.many)) for message in made} == {(frozenset({0, 1, 2}), 3)}
    assert all(len(message.named) >= 2 and set(message.named) <= {"a", "b", "0"} for message in made)
    _, maker = make_offered(many={"type": "array", "items": few, "uniqueItems": True, "minItems": 4})
    assert maker.left_out == {"t.M.many": "no 4 different values were found"}


def test_what_is_required_is_always_there():
    made, _ = make_offered(Growth.LEAST, required=["a"], a={"type": "string", "const": "x"}, many={"items": {}})
    assert {message.a for message in made} == {"x"}


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        ({"b": {}}, "t.M has no field for the property b"),
        ({"kind": {"type": "string"}}, "t.Kind is described without its names"),
        ({"kind": {"enum": ["SMALL"]}}, "t.Kind prints no value as SMALL"),
        ({"many": {"type": "array"}}, "described without what it holds"),
        ({"named": {"type": "object", "additionalProperties": True}}, "described without what it holds"),
        ({"a": {"$ref": "#/$defs/A"}}, "#/$defs/A leads nowhere"),
    ],
)
def test_a_schema_of_something_else_is_told(properties, why):
    with pytest.raises(MisfitError) as caught:
        make_offered(**properties)
    assert why in str(caught.value)


def test_a_field_for_which_no_value_is_found_is_left_out_and_said_so_unless_it_is_required():
    hard = {"type": "string", "pattern": "^q{7}$"}
    made, maker = make_offered(a=hard)
    assert {message.a for message in made} == {""}
    assert maker.left_out == {"t.M.a": 'no text was found that fits the pattern "^q{7}$"'}
    with pytest.raises(NoValueError):
        make_offered(a=hard, required=["a"])
