"""Files without the parts that cannot be built."""

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from gateway.descriptors.files.pruning import allow_json_name_conflicts, prune_file

TEXT = """syntax = "proto3"; package s;
import public "google/protobuf/timestamp.proto"; import "google/protobuf/any.proto";
// Broken but for what is nested in it.
message A { google.protobuf.Any any = 1; message Kept { string x = 1; } oneof o { string y = 2; } }
message B { google.protobuf.Any any = 1; map<string, string> m = 2; }
message C { string x = 1; }
enum E { Z = 0; }
service Half { rpc Bad(A) returns (C); rpc Good(C) returns (C); }
service Gone { rpc Bad(A) returns (C); }
service Empty {}
"""


@pytest.fixture
def file(compile_protos) -> FileDescriptorProto:
    return compile_protos({"s.proto": TEXT}, imports=False)[0]


def test_broken_parts_go_and_what_is_nested_in_them_stays(file):
    broken = {"s.A", "s.B", "s.Half/Bad", "s.Gone/Bad"}
    pruned = prune_file(
        file.SerializeToString(), declared_elsewhere=set(), broken=broken, imports=["google/protobuf/timestamp.proto"]
    )
    shell, kept = pruned.message_type
    assert (shell.name, [nested.name for nested in shell.nested_type]) == ("A", ["Kept"])
    assert (list(shell.field), list(shell.oneof_decl)) == ([], [])
    assert kept == file.message_type[2]
    assert [(service.name, [method.name for method in service.method]) for service in pruned.service] == [
        ("Half", ["Good"]),
        ("Empty", []),
    ]
    assert (list(pruned.dependency), list(pruned.public_dependency)) == (["google/protobuf/timestamp.proto"], [0])


def test_what_another_file_declares_goes_whole(file):
    pruned = prune_file(
        file.SerializeToString(), declared_elsewhere={"s.A", "s.E", "s.Half"}, broken={}, imports=["b", "a"]
    )
    assert [message.name for message in pruned.message_type] == ["B", "C"]
    assert list(pruned.enum_type) == []
    assert [service.name for service in pruned.service] == ["Gone", "Empty"]
    assert (list(pruned.dependency), list(pruned.public_dependency)) == (["b", "a"], [])


def test_every_message_may_be_allowed_json_name_conflicts(file):
    allowed = allow_json_name_conflicts(file.SerializeToString())
    assert all(message.options.deprecated_legacy_json_field_conflicts for message in allowed.message_type)
    assert allowed.message_type[0].nested_type[0].options.deprecated_legacy_json_field_conflicts
