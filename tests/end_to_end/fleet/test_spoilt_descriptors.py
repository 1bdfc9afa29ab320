"""The law of discovery: whatever the files say, what comes of them is tools that work and reasons for all the rest."""

import contextlib
import random

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.app.catalogue_builder import draft_tools
from gateway.app.settings.loader import default_settings, make_backend
from gateway.backends.discovery import describe_set
from gateway.transcoding.errors import BadReply
from tests.end_to_end.fleet.kit import compile_protos
from tests.end_to_end.fleet.mutations import spoil

TEXT = """
syntax = "proto3"; package m;
import "google/protobuf/timestamp.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/any.proto";
import "google/protobuf/field_mask.proto"; import "google/protobuf/wrappers.proto";
import "google/api/annotations.proto"; import "google/api/field_behavior.proto"; import "google/api/resource.proto";
message Req {
  string name = 1 [(google.api.field_behavior) = REQUIRED, (google.api.resource_reference).type = "m.x/Thing"];
  map<string, Inner> by_name = 2; map<int64, Kind> kinds = 3; repeated Inner list = 4;
  oneof choice { string text = 5; Inner inner = 6; Kind kind = 7; }
  optional int32 count = 8; google.protobuf.FieldMask mask = 9; google.protobuf.Timestamp at = 10;
  google.protobuf.Struct free = 11; google.protobuf.Any any = 12; google.protobuf.StringValue wrapped = 13;
}
message Inner { Req again = 1; bytes data = 2; double ratio = 3; Kind kind = 4; }
message Res {
  option (google.api.resource) = { type: "m.x/Thing" pattern: "things/{thing}" };
  string name = 1; repeated Req all = 2; string next_page_token = 3;
}
enum Kind { KIND_UNSPECIFIED = 0; KIND_GOOD = 1; }
service S {
  rpc Do(Req) returns (Res) { option (google.api.http) = { post: "/v1/{name=things/*}" body: "*" }; }
  rpc Watch(Inner) returns (stream Res); rpc Push(stream Req) returns (Inner);
}
"""
ARGUMENTS = (
    {},
    {"name": "a"},
    {"byName": {"a": {}}, "kinds": {"1": "KIND_GOOD"}, "list": [{}]},
    {"text": 1, "inner": {}},
)


@pytest.fixture(scope="module")
def files() -> list[FileDescriptorProto]:
    return compile_protos({"m.proto": TEXT})


@settings(max_examples=max(settings().max_examples, 300))
@given(seed=st.integers(0, 2**32))
def test_whatever_a_file_says_there_are_tools_that_work_and_reasons(
    files: list[FileDescriptorProto], seed: int
) -> None:
    chance = random.Random(seed)
    section, tools = make_backend(name="b", target="localhost:1"), default_settings().tools
    drafts, findings = draft_tools(section, tools, describe_set(spoil(files, chance)))
    assert all(reason.isprintable() for reason in (*findings.warnings, *(one.reason for one in findings.skipped)))
    for draft in drafts:
        for arguments in ARGUMENTS:
            draft.transcoder.encode_arguments(arguments)
        for reply in (b"", b"\x0a\x00", b"\x12\x02\x0a\x00", chance.randbytes(6)):
            with contextlib.suppress(BadReply):
                draft.transcoder.decode_reply(reply)
