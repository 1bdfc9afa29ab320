"""The wire form of options, also where it is garbage."""

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.files.option_bytes import collect_fields, drop_field, read_fields, read_numbers, read_texts


def test_fields_are_read_in_wire_order():
    data = b"\x08\x96\x01\x12\x02hi\x1d\x01\x00\x00\x00\x21\x02\x00\x00\x00\x00\x00\x00\x00\x08\x01"
    assert list(read_fields(data)) == [(1, 150), (2, b"hi"), (3, 1), (4, 2), (1, 1)]
    assert collect_fields(data) == {1: [150, 1], 2: [b"hi"], 3: [1], 4: [2]}


def test_groups_are_passed_over():
    assert list(read_fields(b"\x0b\x10\x05\x13\x08\x01\x14\x0c\x18\x07")) == [(3, 7)]


def test_numbers_are_read_packed_and_not():
    assert read_numbers([1, b"\x02\x96\x01", 3]) == (1, 2, 150, 3)
    assert read_texts([b"a\xff", 5, "é".encode()]) == ("a\ufffd", "é")


def test_a_field_is_dropped_wherever_it_stands(compile_protos):
    (file,) = compile_protos({"c.proto": 'syntax = "proto3"; package c;\n// C.\nmessage M {}'})
    bare = FileDescriptorProto.FromString(file.SerializeToString())
    bare.ClearField("source_code_info")
    number = FileDescriptorProto.SOURCE_CODE_INFO_FIELD_NUMBER
    data = file.SerializeToString()
    assert drop_field(data, number) == bare.SerializeToString()
    assert drop_field(data + data, number) == bare.SerializeToString() * 2
    assert drop_field(b"\x08\x01", 2) == b"\x08\x01"


@settings(max_examples=60)
@given(data=st.binary(max_size=60), number=st.integers(1, 5))
def test_any_bytes_can_be_read(data, number):
    fields = list(read_fields(data))
    dropped = drop_field(data, number)
    assert [field for field in read_fields(dropped) if field[0] != number] == [
        field for field in fields if field[0] != number
    ]
    for values in collect_fields(data).values():
        read_numbers(values)
        read_texts(values)
