"""Says whether a descriptor file can be read without surprises.

descriptor.proto is proto2, whose strings may hold any bytes: the runtime gives such a string as bytes, and a descriptor
raises when it is asked for one. A twin of descriptor.proto that insists on UTF-8 finds all of them with one parse.
"""

from functools import cache

from google.protobuf.descriptor_pb2 import (
    DESCRIPTOR,
    Edition,
    FeatureSet,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass


def find_parse_error(data: bytes) -> str | None:
    """Why a serialised FileDescriptorProto cannot be read, or None where all its names and texts are sound."""
    try:
        _strict_file_class().FromString(data)
    except DecodeError as error:
        return str(error).rpartition(": ")[2]
    return None


@cache
def _strict_file_class() -> type[Message]:
    twin = FileDescriptorProto.FromString(DESCRIPTOR.serialized_pb)
    twin.syntax = "editions"
    twin.edition = Edition.EDITION_2023
    twin.options.features.utf8_validation = FeatureSet.VERIFY
    twin.options.features.enum_type = FeatureSet.CLOSED
    pending = list(twin.message_type)
    while pending:
        message = pending.pop()
        pending.extend(message.nested_type)
        for field in message.field:
            # Editions know neither `required` nor the option `packed`; neither changes what can be parsed here.
            if field.label == FieldDescriptorProto.LABEL_REQUIRED:
                field.label = FieldDescriptorProto.LABEL_OPTIONAL
            field.options.ClearField("packed")
    pool = DescriptorPool()
    pool.AddSerializedFile(twin.SerializeToString())
    return GetMessageClass(pool.FindMessageTypeByName("google.protobuf.FileDescriptorProto"))
