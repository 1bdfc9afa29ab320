"""An API of any number of RPCs as platform teams write them: services of one resource each, with custom methods."""

from collections.abc import Iterator

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.duration_pb2 import DESCRIPTOR as DURATION
from google.protobuf.timestamp_pb2 import DESCRIPTOR as TIMESTAMP

PACKAGE = "big.v1"
RPCS_PER_SERVICE = 20

_KINDS = (
    ("string", FieldDescriptorProto.TYPE_STRING),
    ("int32", FieldDescriptorProto.TYPE_INT32),
    ("int64", FieldDescriptorProto.TYPE_INT64),
    ("bool", FieldDescriptorProto.TYPE_BOOL),
    ("double", FieldDescriptorProto.TYPE_DOUBLE),
    ("bytes", FieldDescriptorProto.TYPE_BYTES),
)
_METHODS = ("Get", "List", "Create", "Update", "Delete")


def make_files(rpcs: int) -> list[FileDescriptorProto]:
    """The files of an API of so many RPCs, imports first: a file for each service, with the messages of its own."""
    files = [FileDescriptorProto.FromString(file.serialized_pb) for file in (TIMESTAMP, DURATION)]
    return files + [
        _make_service_file(index, min(RPCS_PER_SERVICE, rpcs - start))
        for index, start in enumerate(range(0, rpcs, RPCS_PER_SERVICE))
    ]


def make_wide_message(name: str, fields: int) -> DescriptorProto:
    """A message with so many fields of every scalar type, an enum, lists, a map and a nested message among them."""
    message = DescriptorProto(name=name)
    message.nested_type.add(name="Address").field.extend(_make_scalars(5))
    labels = message.nested_type.add(name="LabelsEntry")
    labels.options.map_entry = True
    labels.field.extend([_make_field("key", 1, _KINDS[0][1]), _make_field("value", 2, _KINDS[0][1])])
    state = EnumDescriptorProto(name="State")
    for number, value in enumerate(("STATE_UNSPECIFIED", "ACTIVE", "SUSPENDED", "DELETED")):
        state.value.add(name=value, number=number)
    message.enum_type.append(state)
    own = f".{PACKAGE}.{name}"
    message.field.extend(_make_scalars(fields - 7))
    number = fields - 6
    message.field.append(_make_field("state", number, FieldDescriptorProto.TYPE_ENUM, f"{own}.State"))
    message.field.append(_make_field("address", number + 1, FieldDescriptorProto.TYPE_MESSAGE, f"{own}.Address"))
    message.field.append(_make_field("old_addresses", number + 2, FieldDescriptorProto.TYPE_MESSAGE, f"{own}.Address"))
    message.field.append(_make_field("labels", number + 3, FieldDescriptorProto.TYPE_MESSAGE, f"{own}.LabelsEntry"))
    message.field.append(_make_field("tag_names", number + 4, FieldDescriptorProto.TYPE_STRING))
    for field in message.field[-3:]:
        field.label = FieldDescriptorProto.LABEL_REPEATED
    for offset, (field_name, type_name) in enumerate((("create_time", "Timestamp"), ("max_age", "Duration")), 5):
        full_name = f".google.protobuf.{type_name}"
        message.field.append(_make_field(field_name, number + offset, FieldDescriptorProto.TYPE_MESSAGE, full_name))
    return message


def _make_service_file(index: int, rpcs: int) -> FileDescriptorProto:
    resource = f"Resource{index}"
    file = FileDescriptorProto(
        name=f"big/v1/resource_{index}.proto",
        package=PACKAGE,
        syntax="proto3",
        dependency=[TIMESTAMP.name, DURATION.name],
        message_type=[make_wide_message(resource, 16)],
    )
    service = file.service.add(name=f"{resource}Service")
    for name in _name_methods(resource, rpcs):
        request = file.message_type.add(name=f"{name}Request")
        request.field.extend(_make_scalars(5))
        response = file.message_type.add(name=f"{name}Response")
        response.field.extend(_make_scalars(3))
        held = response.field.add(name="resource", number=4, type=FieldDescriptorProto.TYPE_MESSAGE)
        held.type_name = f".{PACKAGE}.{resource}"
        held.label = FieldDescriptorProto.LABEL_OPTIONAL
        if name.startswith(("Create", "Update")):
            request.field.append(_make_field("resource", 6, FieldDescriptorProto.TYPE_MESSAGE, held.type_name))
        service.method.add(
            name=name, input_type=f".{PACKAGE}.{request.name}", output_type=f".{PACKAGE}.{response.name}"
        )
    return file


def _name_methods(resource: str, count: int) -> Iterator[str]:
    for number in range(count):
        verb = _METHODS[number] if number < len(_METHODS) else f"Apply{number}To"
        yield f"{verb}{resource}"


def _make_scalars(count: int) -> list[FieldDescriptorProto]:
    return [
        _make_field(f"{_KINDS[number % len(_KINDS)][0]}_setting_{number}", number + 1, _KINDS[number % len(_KINDS)][1])
        for number in range(count)
    ]


def _make_field(
    name: str, number: int, kind: FieldDescriptorProto.Type.ValueType, type_name: str = ""
) -> FieldDescriptorProto:
    return FieldDescriptorProto(
        name=name, number=number, type=kind, type_name=type_name or None, label=FieldDescriptorProto.LABEL_OPTIONAL
    )
