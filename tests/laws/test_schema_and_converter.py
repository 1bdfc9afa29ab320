import jsonschema
import jsonschema_rs
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.schema import Direction
from gateway.transcoding.errors import ArgumentProblems
from tests.laws.arguments import Manner, arguments
from tests.laws.subjects import REQUESTS
from tests.laws.value_judgements import is_about_value

by_request = pytest.mark.parametrize("subject", REQUESTS, ids=lambda subject: subject.name)


def find_problems(subject, instance):
    """What the converter has against JSON as it comes from the wire."""
    try:
        subject.codec.parser_for(subject.descriptor)(orjson.loads(orjson.dumps(instance)))
    except ArgumentProblems as refusal:
        return refusal.problems
    return ()


@by_request
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_arguments_that_keep_to_the_schema_and_its_descriptions_are_accepted(subject, data):
    schema = subject.schemas.message_schema(subject.descriptor, Direction.INPUT)
    instance = data.draw(arguments(schema, Manner.CAREFUL))
    jsonschema_rs.Draft202012Validator(schema, offline=True).validate(instance)
    assert find_problems(subject, instance) == ()


@by_request
@settings(max_examples=40, deadline=None)
@given(data=st.data(), manner=st.sampled_from([Manner.LITERAL, Manner.NEAR]))
def test_what_the_converter_refuses_for_its_shape_the_schema_refuses(subject, data, manner):
    schema = subject.schemas.message_schema(subject.descriptor, Direction.INPUT)
    instance = data.draw(arguments(schema, manner))
    accepted = jsonschema_rs.Draft202012Validator(schema, offline=True).is_valid(instance)
    assert accepted == jsonschema.Draft202012Validator(schema).is_valid(instance)
    if manner is Manner.LITERAL:
        assert accepted
    if accepted:
        problems = find_problems(subject, instance)
        assert [problem for problem in problems if not is_about_value(subject.descriptor, instance, problem.at)] == []
