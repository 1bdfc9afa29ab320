"""The files of google.rpc's error details and of protobuf's own types, for backends whose descriptors lack them."""

from collections.abc import Iterator

from google.protobuf import (
    any_pb2,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    struct_pb2,
    timestamp_pb2,
    wrappers_pb2,
)
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.rpc import error_details_pb2, status_pb2

_MODULES = (
    any_pb2,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    struct_pb2,
    timestamp_pb2,
    wrappers_pb2,
    error_details_pb2,
    status_pb2,
)


def iterate_common_files() -> Iterator[FileDescriptorProto]:
    """The files, imports before those that import them."""
    for module in _MODULES:
        yield FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
