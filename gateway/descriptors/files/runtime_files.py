"""The descriptor files that come with this process's own libraries, read as data.

A backend need not serve google/protobuf/*.proto, and often leaves out google/api, google/rpc, buf/validate and
gateway/v1 as well. Their descriptors are copied from the modules of protobuf, googleapis-common-protos and
protovalidate, and from the descriptor set of proto/gateway/v1; a backend's pool never shares them.
"""

import importlib
import importlib.resources
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from gateway.descriptors.files.symbols import read_declarations

# Their messages have a JSON form of their own, which converters and schemas know by name, so that the fields must be
# the known ones: these files are never taken from a backend.
SPECIAL_FILES = frozenset(
    f"google/protobuf/{stem}.proto"
    for stem in ("any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers")
)

VALIDATE_FILE = "buf/validate/validate.proto"

_GATEWAY_FOLDER = "gateway/v1/"
_GATEWAY_SET = "gateway_v1.binpb"

_STEMS: Mapping[str, tuple[str, ...]] = {
    "google/protobuf": (
        *("any", "api", "descriptor", "duration", "empty", "field_mask", "source_context", "struct", "timestamp"),
        *("type", "wrappers", "compiler/plugin", "json_enumvalue_options", "json_options"),
    ),
    "google/api": (
        *("annotations", "auth", "backend", "billing", "client", "config_change", "consumer", "context", "control"),
        *("distribution", "documentation", "endpoint", "error_reason", "field_behavior", "field_info", "http"),
        *("httpbody", "label", "launch_stage", "log", "logging", "metric", "monitored_resource", "monitoring"),
        *("policy", "quota", "resource", "routing", "service", "source_info", "system_parameter", "usage"),
        "visibility",
    ),
    "google/rpc": ("code", "error_details", "http", "status", "context/attribute_context"),
    "google/type": (
        *("calendar_period", "color", "date", "datetime", "dayofweek", "decimal", "expr", "fraction", "interval"),
        *("latlng", "localized_text", "money", "month", "phone_number", "postal_address", "quaternion", "timeofday"),
    ),
    "google/cloud": ("common_resources", "extended_operations", "location/locations"),
    "google/logging/type": ("http_request", "log_severity"),
    "google/longrunning": ("operations",),
}
_KNOWN_FILES = frozenset(f"{folder}/{stem}.proto" for folder, stems in _STEMS.items() for stem in stems)


def find_runtime_file(name: str) -> FileDescriptorProto | None:
    """The file of that name, such as "google/protobuf/any.proto", or None where the libraries have none."""
    if name == VALIDATE_FILE:
        return _find_validate_file()
    if name.startswith(_GATEWAY_FOLDER):
        return next((file for file in iterate_gateway_files() if file.name == name), None)
    if name not in _KNOWN_FILES:
        return None
    try:
        module = importlib.import_module(name.removesuffix(".proto").replace("/", ".") + "_pb2")
    except ImportError:
        return None
    file = FileDescriptorProto()
    module.DESCRIPTOR.CopyToProto(file)
    # Some libraries move a file: google/longrunning/operations.proto is built from operations_proto.proto.
    file.name = name
    return file


def iterate_gateway_files() -> Iterator[FileDescriptorProto]:
    """The files of proto/gateway/v1 and all that they import, imports before those that import them."""
    folder = importlib.resources.files("gateway.descriptors.files")
    yield from FileDescriptorSet.FromString((folder / _GATEWAY_SET).read_bytes()).file


def _find_validate_file() -> FileDescriptorProto:
    # A tenth of a second that only backends with such rules should cost.
    import protovalidate

    return FileDescriptorProto.FromString(protovalidate.FieldPathPb.desc().file.proto.to_binary())


def find_declaring_file(symbol: str) -> str | None:
    """The name of the known file that declares that message or enum, or None."""
    if not symbol.startswith("google."):
        return None
    return _files_by_type().get(symbol)


@cache
def _files_by_type() -> Mapping[str, str]:
    return MappingProxyType(dict(_walk_types()))


def _walk_types() -> Iterator[tuple[str, str]]:
    for name in sorted(_KNOWN_FILES):
        file = find_runtime_file(name)
        if file is not None:
            for declaration in read_declarations(file):
                for type_name in declaration.types:
                    yield type_name, name
