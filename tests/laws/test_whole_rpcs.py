import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.root_forms import RootForm, get_root_form, is_structured
from gateway.descriptors.schema import SchemaBuilder
from gateway.transcoding.codec import Codec
from gateway.transcoding.rpc_transcoder import RpcTranscoder
from tests.laws.arguments import Manner, arguments
from tests.laws.compiled import compile_body
from tests.laws.kitchen_sinks import WELL_KNOWN, WELL_KNOWN_FILES
from tests.laws.messages import MessageMaker

_RPCS = " ".join(f"rpc Do{name}(google.protobuf.{name}) returns (google.protobuf.{name});" for name in WELL_KNOWN)
API = compile_body(
    f"service S {{ {_RPCS} }}", imports=tuple(f"google/protobuf/{name}.proto" for name in WELL_KNOWN_FILES)
)
CODEC = Codec(API)
SCHEMAS = SchemaBuilder(API)
TYPE_NAMES = ("google.protobuf.StringValue", "google.protobuf.Empty")

by_rpc = pytest.mark.parametrize("rpc", API.rpcs, ids=lambda rpc: rpc.request.name)


@by_rpc
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_arguments_that_keep_to_the_schema_of_a_special_request_become_one(rpc, data):
    schema = SCHEMAS.input_schema(rpc)
    instance = data.draw(arguments(schema, Manner.CAREFUL))
    request = RpcTranscoder(CODEC, rpc).encode_arguments(instance)
    assert isinstance(request, bytes)


@by_rpc
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_special_reply_fits_its_output_schema_and_is_a_request_again(rpc, data):
    message = data.draw(MessageMaker(API.pool, any_types=TYPE_NAMES).messages(rpc.response))
    reply = type(message).SerializeToString(message, deterministic=True)
    transcoder = RpcTranscoder(CODEC, rpc)
    printed = transcoder.decode_reply(reply)
    schema = SCHEMAS.output_schema(rpc)
    assert (schema is not None) == is_structured(rpc.response)
    if schema is not None:
        jsonschema_rs.Draft202012Validator(schema, offline=True).validate(printed)
    again = {"value": printed} if get_root_form(rpc.request) is RootForm.VALUE else printed
    request = transcoder.encode_arguments(again)
    assert isinstance(request, bytes)
    read = type(message).FromString(request)
    assert type(read).SerializeToString(read, deterministic=True) == reply
