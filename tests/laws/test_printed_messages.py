import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.root_forms import is_structured
from gateway.descriptors.schema import Direction, SchemaBuilder
from gateway.transcoding.codec import Codec
from tests.laws.kitchen_sinks import list_request_types, make_kitchen_sinks
from tests.laws.messages import MessageMaker

API = make_kitchen_sinks()
CODEC = Codec(API)
SCHEMAS = SchemaBuilder(API)
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
WELL_KNOWN = [
    descriptor
    for file in API.files
    if file.startswith("google/protobuf/") and "descriptor" not in file
    for descriptor in API.pool.FindFileByName(file).message_types_by_name.values()
]
TYPES = list_request_types(API) + WELL_KNOWN

by_type = pytest.mark.parametrize("descriptor", TYPES, ids=lambda descriptor: descriptor.full_name)


def make_validators(descriptor):
    schema = SCHEMAS.message_schema(descriptor, Direction.OUTPUT)
    return (
        jsonschema_rs.Draft202012Validator(schema, offline=True),
        jsonschema.Draft202012Validator(schema),
    )


def get_bytes(message):
    return type(message).SerializeToString(message, deterministic=True)


@by_type
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_printed_fits_the_output_schema_and_parses_back_equal(descriptor, data):
    message = data.draw(MessageMaker(API.pool, any_types=ANY_TYPES).messages(descriptor))
    printed = CODEC.noting_printer_for(descriptor)(message)
    assert printed.notes == ()
    for validator in make_validators(descriptor):
        validator.validate(printed.value)
    assert get_bytes(CODEC.parser_for(descriptor)(printed.value)) == get_bytes(message)


@by_type
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_json_cannot_say_is_printed_so_that_it_fits_the_output_schema_too(descriptor, data):
    message = data.draw(MessageMaker(API.pool, any_types=ANY_TYPES, wild=True).messages(descriptor))
    printed = CODEC.printer_for(descriptor)(message)
    for validator in make_validators(descriptor):
        validator.validate(printed)


@by_type
def test_a_reply_is_structured_exactly_where_its_json_is_an_object(descriptor):
    schema = SCHEMAS.message_schema(descriptor, Direction.OUTPUT)
    assert is_structured(descriptor) == (schema.get("type") == "object")
