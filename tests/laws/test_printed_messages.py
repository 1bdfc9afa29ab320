import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.root_forms import is_structured
from gateway.descriptors.schema import Direction
from tests.laws.messages import MessageMaker
from tests.laws.subjects import REPLIES

ANY_TYPES = (
    "modern.Choices",
    "modern.Names",
    "legacy.Old",
    "edition.Thing",
    "google.protobuf.Any",
    "google.protobuf.BytesValue",
    "google.protobuf.Duration",
    "google.protobuf.Empty",
    "google.protobuf.Struct",
    "google.protobuf.Value",
)

by_reply = pytest.mark.parametrize("subject", REPLIES, ids=lambda subject: subject.name)


def make_messages(subject, *, wild=False):
    any_types = ANY_TYPES if "modern.proto" in subject.api.files else ()
    return MessageMaker(subject.api.pool, any_types=any_types, wild=wild).messages(subject.descriptor)


def make_validators(subject):
    schema = subject.schemas.message_schema(subject.descriptor, Direction.OUTPUT)
    return (jsonschema_rs.Draft202012Validator(schema, offline=True), jsonschema.Draft202012Validator(schema))


def get_bytes(message):
    return type(message).SerializeToString(message, deterministic=True)


@by_reply
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_what_is_printed_fits_the_output_schema_and_parses_back_equal(subject, data):
    message = data.draw(make_messages(subject))
    printed = subject.codec.noting_printer_for(subject.descriptor)(message)
    assert printed.notes == ()
    for validator in make_validators(subject):
        validator.validate(printed.value)
    assert get_bytes(subject.codec.parser_for(subject.descriptor)(printed.value)) == get_bytes(message)


@by_reply
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_what_json_cannot_say_is_printed_so_that_it_fits_the_output_schema_too(subject, data):
    message = data.draw(make_messages(subject, wild=True))
    printed = subject.codec.printer_for(subject.descriptor)(message)
    for validator in make_validators(subject):
        validator.validate(printed)


@by_reply
def test_a_reply_is_structured_exactly_where_its_json_is_an_object(subject):
    schema = subject.schemas.message_schema(subject.descriptor, Direction.OUTPUT)
    assert is_structured(subject.descriptor) == (schema.get("type") == "object")
