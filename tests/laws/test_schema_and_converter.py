import jsonschema
import jsonschema_rs
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.schema import Direction, SchemaBuilder
from gateway.transcoding.codec import Codec
from gateway.transcoding.errors import ArgumentProblems
from tests.laws.arguments import Manner, arguments
from tests.laws.kitchen_sinks import list_request_types, make_kitchen_sinks
from tests.laws.value_judgements import is_about_value

API = make_kitchen_sinks()
CODEC = Codec(API)
SCHEMAS = SchemaBuilder(API)

by_type = pytest.mark.parametrize("descriptor", list_request_types(API), ids=lambda descriptor: descriptor.full_name)


def find_schema(descriptor):
    return SCHEMAS.message_schema(descriptor, Direction.INPUT)


def find_problems(descriptor, instance):
    """What the converter has against JSON as it comes from the wire."""
    try:
        CODEC.parser_for(descriptor)(orjson.loads(orjson.dumps(instance)))
    except ArgumentProblems as refusal:
        return refusal.problems
    return ()


@by_type
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_arguments_that_keep_to_the_schema_and_its_descriptions_are_accepted(descriptor, data):
    schema = find_schema(descriptor)
    instance = data.draw(arguments(schema, Manner.CAREFUL))
    jsonschema_rs.Draft202012Validator(schema, offline=True).validate(instance)
    assert find_problems(descriptor, instance) == ()


@by_type
@settings(max_examples=60, deadline=None)
@given(data=st.data(), manner=st.sampled_from([Manner.LITERAL, Manner.NEAR]))
def test_what_the_converter_refuses_for_its_shape_the_schema_refuses(descriptor, data, manner):
    schema = find_schema(descriptor)
    instance = data.draw(arguments(schema, manner))
    accepted = jsonschema_rs.Draft202012Validator(schema, offline=True).is_valid(instance)
    assert accepted == jsonschema.Draft202012Validator(schema).is_valid(instance)
    if manner is Manner.LITERAL:
        assert accepted
    if accepted:
        problems = find_problems(descriptor, instance)
        assert [problem for problem in problems if not is_about_value(descriptor, instance, problem.at)] == []
