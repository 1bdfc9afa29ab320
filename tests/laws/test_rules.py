"""Law P6 with validation rules: what the gate refuses, the schema refuses or says; what the rules allow passes both."""

from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.distilled import Distilled
from gateway.descriptors.schema.builder import SchemaBuilder
from gateway.descriptors.schema.rules.facts import find_map_entry
from gateway.transcoding.codec import Codec
from gateway.transcoding.rpc_transcoder import RpcTranscoder
from tests.laws.ruled_messages import BODIES, make_plain_api, make_ruled_api


class Subject:
    """The RPC whose request is one of the bodies, as callers meet it."""

    def __init__(self, body: str) -> None:
        api, plain = make_ruled_api(body), make_plain_api(body)
        codec = Codec(api, tell=pytest.fail)
        self.request = api.rpcs[0].request
        assert codec.list_rule_faults(self.request) == ()
        self._transcoder = RpcTranscoder(codec, api.rpcs[0])
        schema = SchemaBuilder(api).input_schema(api.rpcs[0])
        self._validator = jsonschema_rs.Draft202012Validator(schema, offline=True)
        self.tells = list_told(schema) != list_told(SchemaBuilder(plain).input_schema(plain.rpcs[0]))

    def is_accepted(self, arguments: Any) -> bool:
        """Whether the published schema takes the arguments."""
        return self._validator.is_valid(arguments)

    def encode(self, arguments: Any) -> bytes | Distilled:
        """The request, or why not."""
        return self._transcoder.encode_arguments(arguments)

    def print(self, request: bytes) -> Any:
        """A request as JSON."""
        return self._transcoder.decode_reply(request)


def list_told(schema: Any) -> list[str]:
    """What a schema says to those who read it: descriptions, and formats, which are no more than that by default."""
    if isinstance(schema, list):
        return [text for inner in schema for text in list_told(inner)]
    if not isinstance(schema, dict):
        return []
    own = [schema[name] for name in ("description", "format") if isinstance(schema.get(name), str)]
    return own + [text for inner in schema.values() for text in list_told(inner)]


get_subject = cache(Subject)

_WORDS = (
    *(
        "",
        "a",
        "b",
        "ab",
        "abc",
        "abbc",
        "abcabc",
        "ABC",
        "é",
        "éé",
        "ééé",
        "a.b",
        "a.",
        "(b)",
        "x(b)",
        "a|b",
        "1.a",
        "x",
    ),
    *(
        "a@b.c",
        "a@b",
        "example.com",
        "-x.com",
        "10.0.0.1",
        "10.0.0.256",
        "2001:db8::1",
        "https://a.b/c?d=e",
        "/x",
        "a b",
    ),
    *("123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    *("10.0.0.1/8", "10.0.0.0/8", "a.b:80", "x", "a b"),
)
_TEXTS = st.sampled_from(_WORDS) | st.text(alphabet="abcxABC.1é@", max_size=7)
_INTEGERS = (*range(-2, 12), 2**31 - 1)
_NUMBERS = st.sampled_from((*_INTEGERS, 0.5, 3.5, 0.1, 0.2, 0.3, -0.25, 5.5, 1e30))
_BASE64 = ("", "YQ==", "YQ", "YWI=", "YWJj", "YWJjZA==", "YWJjZGU=", "Yg==", "AAECAw==", "AAECAwQFBgcICQoLDA0ODw==")
_SPECIAL = {
    "google.protobuf.Any": st.sampled_from(
        ({"@type": "type.googleapis.com/t.In", "text": "ab"}, {"@type": "type.googleapis.com/t.Back"})
    ),
    "google.protobuf.Duration": st.sampled_from(("1s", "3s", "3.000s", "8.999s", "9s")),
    "google.protobuf.FieldMask": st.sampled_from(("oneTwo", "oneTwo.x", "two", "")),
    "google.protobuf.Int64Value": st.sampled_from(_INTEGERS).map(str),
    "google.protobuf.StringValue": _TEXTS,
    "google.protobuf.Timestamp": st.sampled_from(
        ("2000-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "2900-01-01T00:00:00Z")
    ),
}
_LIMIT_LEVELS = 4


def draw_message(message: Descriptor, levels: int = _LIMIT_LEVELS) -> st.SearchStrategy[Any]:
    """JSON of the right types for a message, whatever its rules."""
    fields = {field.json_name: _draw_field(field, levels) for field in message.fields} if levels else {}
    return st.fixed_dictionaries({}, optional=fields)


def _draw_field(field: FieldDescriptor, levels: int) -> st.SearchStrategy[Any]:
    entry = find_map_entry(field)
    if entry is not None:
        keys = _draw_value(entry.fields_by_number[1], levels).map(lambda key: str(key).lower())
        return st.dictionaries(keys, _draw_value(entry.fields_by_number[2], levels), max_size=3)
    value = _draw_value(field, levels)
    return st.lists(value, max_size=4) if field.is_repeated else value


def _draw_value(field: FieldDescriptor, levels: int) -> st.SearchStrategy[Any]:
    if field.message_type is not None:
        special = _SPECIAL.get(field.message_type.full_name)
        return draw_message(field.message_type, levels - 1) if special is None else special
    if field.enum_type is not None:
        return st.sampled_from([value.name for value in field.enum_type.values])
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return _TEXTS
        case FieldDescriptor.TYPE_BYTES:
            return st.sampled_from(_BASE64)
        case FieldDescriptor.TYPE_BOOL:
            return st.booleans()
        case FieldDescriptor.TYPE_DOUBLE | FieldDescriptor.TYPE_FLOAT:
            return _NUMBERS
        case FieldDescriptor.TYPE_INT64:
            return st.sampled_from(_INTEGERS).map(str)
        case FieldDescriptor.TYPE_FIXED64:
            return st.sampled_from(_INTEGERS[2:]).map(str)
        case FieldDescriptor.TYPE_UINT32:
            return st.sampled_from(_INTEGERS[2:])
        case _:
            return st.sampled_from(_INTEGERS)


@pytest.mark.parametrize("body", BODIES, ids=str)
@given(st.data())
def test_what_the_gate_refuses_the_schema_refuses_or_says_and_what_it_takes_the_schema_takes(body, data):
    subject = get_subject(body)
    arguments = data.draw(draw_message(subject.request))
    request = subject.encode(arguments)
    if isinstance(request, Distilled):
        assert not subject.is_accepted(arguments) or subject.tells, request.message
    else:
        # In the one canonical spelling: a schema offers no other.
        assert subject.is_accepted(subject.print(request))
