"""Which version of a file counts."""

import pytest
from google.protobuf.descriptor_pb2 import EnumDescriptorProto, FileDescriptorProto

from gateway.descriptors.files.versions import Version, choose_version, default_json_name, is_same_shape, make_version

TEXT = """syntax = "proto2"; package v;
import "google/protobuf/descriptor.proto";
extend google.protobuf.FieldOptions { optional string note = 50001; }
// Said.
message M {
  optional string some_name = 1 [(note) = "x"];
  map<string, int32> many = 2;
  enum Kind { A = 0; B = 1 [deprecated = true]; }
  oneof one { string in_one = 3; }
}
service S { rpc Do(M) returns (M) { option deprecated = true; } }
"""


def version(file: FileDescriptorProto) -> Version:
    return make_version(file, file.SerializeToString())


@pytest.fixture
def rich(compile_protos) -> FileDescriptorProto:
    return compile_protos({"v.proto": TEXT}, imports=False)[0]


def strip(file: FileDescriptorProto, *, options: bool) -> FileDescriptorProto:
    """As a reflection server gives it: no comments, no default json names, "proto2" left out, maybe no options."""
    bare = FileDescriptorProto.FromString(file.SerializeToString())
    bare.ClearField("source_code_info")
    bare.ClearField("syntax")
    for field in bare.message_type[0].field:
        field.ClearField("json_name")
    bare.service[0].method[0].client_streaming = False
    if options:
        bare.message_type[0].field[0].ClearField("options")
        bare.message_type[0].enum_type[0].value[1].ClearField("options")
        bare.service[0].method[0].ClearField("options")
    return bare


@pytest.mark.parametrize("options", [True, False])
def test_the_richest_version_of_one_shape_counts(rich, options):
    bare = strip(rich, options=options)
    for versions in ([version(bare), version(rich)], [version(rich), version(bare)]):
        choice = choose_version(versions)
        assert (choice.version.file, choice.differs) == (rich, False)


def test_the_first_counts_where_shapes_differ(rich):
    newer = FileDescriptorProto.FromString(rich.SerializeToString())
    newer.message_type[0].field.add(name="new", number=9, type=9, label=1)
    choice = choose_version([version(newer), version(rich), version(strip(newer, options=True))])
    assert (choice.version.file, choice.differs) == (newer, True)


def test_a_custom_json_name_is_part_of_the_shape(rich):
    renamed = FileDescriptorProto.FromString(rich.SerializeToString())
    renamed.message_type[0].field[0].json_name = "other"
    assert choose_version([version(renamed), version(rich)]).differs


def test_declarations_are_compared_without_options(rich):
    bare = strip(rich, options=True)
    for one, other in zip(
        [rich.message_type[0], rich.service[0], rich.message_type[0].enum_type[0], rich.extension[0]],
        [bare.message_type[0], bare.service[0], bare.message_type[0].enum_type[0], bare.extension[0]],
        strict=True,
    ):
        assert is_same_shape(one, other)
    assert not is_same_shape(rich.message_type[0], EnumDescriptorProto(name="M"))
    changed = strip(rich, options=True)
    changed.message_type[0].enum_type[0].value[1].name = "C"
    assert not is_same_shape(rich.message_type[0], changed.message_type[0])


@pytest.mark.parametrize("name", ["a", "foo_bar", "foo__bar", "_foo", "foo_", "foo_1", "Foo_bar", "fooBar", "a_b_c"])
def test_the_default_json_name_is_protocs(compile_protos, name):
    (file,) = compile_protos({"j.proto": f'syntax = "proto3"; message M {{ string {name} = 1; }}'})
    assert file.message_type[0].field[0].json_name == default_json_name(name)
