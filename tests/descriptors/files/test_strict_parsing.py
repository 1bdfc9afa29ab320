"""Files that cannot be read without surprises are found."""

import pytest
from google.protobuf.descriptor_pb2 import DESCRIPTOR, FileDescriptorProto

from gateway.descriptors.files.strict_parsing import find_parse_error

PLACES = {
    "name": lambda file: setattr(file, "name", "@@"),
    "package": lambda file: setattr(file, "package", "@@"),
    "an import": lambda file: file.dependency.append("@@"),
    "a json_name": lambda file: file.message_type.add().field.add(json_name="@@"),
    "a default": lambda file: file.extension.add(default_value="@@"),
    "an enum value": lambda file: file.enum_type.add().value.add(name="@@"),
    "an RPC's type": lambda file: file.service.add().method.add(input_type="@@"),
    "an option": lambda file: setattr(file.options, "go_package", "@@"),
}


@pytest.mark.parametrize("place", PLACES)
def test_text_that_is_not_utf8_is_found_wherever_it_stands(place):
    file = FileDescriptorProto()
    PLACES[place](file)
    data = file.SerializeToString()
    assert find_parse_error(data) is None
    assert find_parse_error(data.replace(b"@@", b"\xff\xfe")) == "String field had bad UTF-8"


def test_files_nested_too_deeply_are_found():
    file = FileDescriptorProto()
    message = file.message_type.add()
    for _ in range(200):
        message = message.nested_type.add()
    assert find_parse_error(file.SerializeToString()) == "Exceeded upb_DecodeOptions_MaxDepth"


def test_sound_files_of_every_kind_are_read(compile_protos):
    text = """syntax = "proto2"; package s;
        import "google/api/annotations.proto"; import "google/api/field_behavior.proto";
        message M { required string a = 1 [default = "ü", (google.api.field_behavior) = REQUIRED];
          repeated int32 b = 2 [packed = true]; optional bytes c = 3 [default = "\\377"]; extensions 5 to max; }
        service S { rpc Do(M) returns (M) { option (google.api.http) = { get: "/v1/m" }; } }"""
    for file in compile_protos({"s.proto": text}):
        assert find_parse_error(file.SerializeToString()) is None
    assert find_parse_error(DESCRIPTOR.serialized_pb) is None
