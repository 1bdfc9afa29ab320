"""What a backend's options say: standard ones, the google.api family, and any other by field number.

Custom options of dynamic descriptors are read from the bytes of the options message, so they are found whether or not
the file that declares them was served. An extension number that the backend's own pool gives to another extension is
left alone. This module knows nothing of JSON Schema or tools.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from google.protobuf.descriptor import (
    Descriptor,
    EnumDescriptor,
    EnumValueDescriptor,
    FieldDescriptor,
    FileDescriptor,
    MethodDescriptor,
    OneofDescriptor,
    ServiceDescriptor,
)
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool

from gateway.descriptors.files.option_bytes import WireValue, collect_fields, read_numbers, read_texts

AnyDescriptor = (
    Descriptor
    | EnumDescriptor
    | EnumValueDescriptor
    | FieldDescriptor
    | FileDescriptor
    | MethodDescriptor
    | OneofDescriptor
    | ServiceDescriptor
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extension:
    """An extension that is read: its number, its name, and the options message that it extends."""

    number: int
    name: str
    extendee: str


_HTTP = _Extension(number=72295728, name="google.api.http", extendee="MethodOptions")
_METHOD_SIGNATURE = _Extension(number=1051, name="google.api.method_signature", extendee="MethodOptions")
_OPERATION_INFO = _Extension(number=1049, name="google.longrunning.operation_info", extendee="MethodOptions")
_FIELD_BEHAVIOR = _Extension(number=1052, name="google.api.field_behavior", extendee="FieldOptions")
_RESOURCE_REFERENCE = _Extension(number=1055, name="google.api.resource_reference", extendee="FieldOptions")
_FIELD_INFO = _Extension(number=291403980, name="google.api.field_info", extendee="FieldOptions")
_RESOURCE = _Extension(number=1053, name="google.api.resource", extendee="MessageOptions")
_RESOURCE_DEFINITION = _Extension(number=1053, name="google.api.resource_definition", extendee="FileOptions")
_ENUM_VALUE_JSON = _Extension(number=998, name="pb.enumvalue.json", extendee="EnumValueOptions")

# google/api/field_behavior.proto, AIP-203.
_FIELD_BEHAVIORS = {
    1: "OPTIONAL",
    2: "REQUIRED",
    3: "OUTPUT_ONLY",
    4: "INPUT_ONLY",
    5: "IMMUTABLE",
    6: "UNORDERED_LIST",
    7: "NON_EMPTY_DEFAULT",
    8: "IDENTIFIER",
}
# google/api/field_info.proto, AIP-202.
_FIELD_FORMATS = {1: "UUID4", 2: "IPV4", 3: "IPV6", 4: "IPV4_OR_IPV6"}
# google/api/http.proto: the field numbers of HttpRule's pattern.
_HTTP_VERBS = {2: "GET", 3: "PUT", 4: "POST", 5: "DELETE", 6: "PATCH"}
_HTTP_CUSTOM, _HTTP_BODY, _HTTP_ADDITIONAL, _HTTP_RESPONSE_BODY = 8, 7, 11, 12


class Idempotency(Enum):
    """`idempotency_level` of google/protobuf/descriptor.proto."""

    UNKNOWN = 0
    NO_SIDE_EFFECTS = 1
    IDEMPOTENT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRule:
    """A google.api.http binding (AIP-127). `verb` is in capitals, a custom kind as it stands."""

    verb: str
    path: str
    body: str = ""
    response_body: str = ""
    additional: tuple["HttpRule", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceReference:
    """google.api.resource_reference (AIP-122): one of `type` and `child_type` is set."""

    type: str = ""
    child_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """google.api.resource (AIP-123): a type such as "pubsub.googleapis.com/Topic" and its name patterns."""

    type: str
    patterns: tuple[str, ...] = ()
    name_field: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationInfo:
    """google.longrunning.operation_info (AIP-151): message names, relative to the method's package or full."""

    response_type: str = ""
    metadata_type: str = ""


class Options:
    """Typed questions to the options of the descriptors of one pool."""

    def __init__(self, pool: DescriptorPool, files: Iterable[FileDescriptorProto] = ()) -> None:
        """`files` are where resource definitions are looked for when a reference is explained."""
        self._pool = pool
        self._files = tuple(files)
        self._foreign: dict[_Extension, bool] = {}

    def raw_option(self, descriptor: AnyDescriptor, number: int) -> tuple[bytes, ...]:
        """The payloads of the length-delimited option of that field number, in wire order; empty where it is not set.

        The payloads of a singular message option merge by concatenation: `b"".join(...)`.
        """
        return tuple(value for value in self._values(descriptor, number) if isinstance(value, bytes))

    def raw_numbers(self, descriptor: AnyDescriptor, number: int) -> tuple[int, ...]:
        """The values of the varint option of that field number (bool, enum, integers), packed or not."""
        return read_numbers(self._values(descriptor, number))

    def is_unclaimed(self, extendee: str, number: int, name: str) -> bool:
        """Whether the pool gives that number of an options message ("FieldOptions") to no extension but `name`."""
        return not self._is_foreign(_Extension(number=number, name=name, extendee=extendee))

    def is_deprecated(self, descriptor: AnyDescriptor) -> bool:
        """Whether the descriptor itself, or for a method its service, carries `deprecated = true`."""
        if isinstance(descriptor, MethodDescriptor) and self.is_deprecated(descriptor.containing_service):
            return True
        return descriptor.has_options and bool(getattr(descriptor.GetOptions(), "deprecated", False))

    def idempotency(self, method: MethodDescriptor) -> Idempotency:
        """The method's `idempotency_level`."""
        level: int = method.GetOptions().idempotency_level if method.has_options else 0
        return Idempotency(level)

    def http_rule(self, method: MethodDescriptor) -> HttpRule | None:
        """The method's google.api.http binding, or None where it has none with a pattern."""
        payloads = self._payloads(method, _HTTP)
        return _read_http_rule(b"".join(payloads)) if payloads else None

    def method_signatures(self, method: MethodDescriptor) -> tuple[str, ...]:
        """The method's google.api.method_signature entries, such as "parent,topic" (AIP-4232)."""
        return read_texts(list(self._payloads(method, _METHOD_SIGNATURE)))

    def operation_info(self, method: MethodDescriptor) -> OperationInfo | None:
        """What a method that returns google.longrunning.Operation ends in (AIP-151)."""
        payloads = self._payloads(method, _OPERATION_INFO)
        if not payloads:
            return None
        fields = collect_fields(b"".join(payloads))
        return OperationInfo(response_type=_last_text(fields, 1), metadata_type=_last_text(fields, 2))

    def field_behaviors(self, field: FieldDescriptor) -> frozenset[str]:
        """The field's google.api.field_behavior names (AIP-203), such as "REQUIRED"; unknown numbers are left out."""
        if not field.has_options or self._is_foreign(_FIELD_BEHAVIOR):
            return frozenset()
        numbers = self.raw_numbers(field, _FIELD_BEHAVIOR.number)
        return frozenset(_FIELD_BEHAVIORS[number] for number in numbers if number in _FIELD_BEHAVIORS)

    def field_format(self, field: FieldDescriptor) -> str | None:
        """The format of google.api.field_info (AIP-202): "UUID4", "IPV4", "IPV6", "IPV4_OR_IPV6" or None."""
        numbers = read_numbers(collect_fields(b"".join(self._payloads(field, _FIELD_INFO))).get(1, []))
        return _FIELD_FORMATS.get(numbers[-1]) if numbers else None

    def resource_reference(self, field: FieldDescriptor) -> ResourceReference | None:
        """What resource the field names (AIP-122), or None."""
        payloads = self._payloads(field, _RESOURCE_REFERENCE)
        if not payloads:
            return None
        fields = collect_fields(b"".join(payloads))
        return ResourceReference(type=_last_text(fields, 1), child_type=_last_text(fields, 2))

    def resource(self, message: Descriptor) -> Resource | None:
        """The resource that the message is (AIP-123), or None."""
        payloads = self._payloads(message, _RESOURCE)
        return _read_resource(b"".join(payloads)) if payloads else None

    def resource_patterns(self, reference: ResourceReference) -> tuple[str, ...]:
        """The name patterns that a reference may take ("projects/{project}/topics/{topic}"); empty where unknown.

        A `child_type` is answered with the patterns of its parents: the child's without the last two segments.
        """
        if reference.type:
            return self._patterns_by_type.get(reference.type, ())
        parents = [pattern.rsplit("/", 2)[0] for pattern in self._patterns_by_type.get(reference.child_type, ())]
        return tuple(dict.fromkeys(parent for parent in parents if parent and "/" in parent))

    def json_string(self, value: EnumValueDescriptor) -> str | None:
        """The enum value's own JSON name, `(pb.enumvalue.json).string` of edition 2026, or None."""
        payloads = self._payloads(value, _ENUM_VALUE_JSON)
        if not payloads:
            return None
        return _last_text(collect_fields(b"".join(payloads)), 1) or None

    def is_paged(self, method: MethodDescriptor) -> bool:
        """Whether the RPC lists in pages as AIP-158 has it: page_size and page_token in, next_page_token out."""
        asked = method.input_type.fields_by_name
        return "page_size" in asked and "page_token" in asked and "next_page_token" in method.output_type.fields_by_name

    @cached_property
    def _patterns_by_type(self) -> Mapping[str, tuple[str, ...]]:
        patterns: dict[str, tuple[str, ...]] = {}
        for file in self._files:
            resources: list[bytes] = []
            if file.HasField("options") and not self._is_foreign(_RESOURCE_DEFINITION):
                resources += _pick(file.options.SerializeToString(), _RESOURCE_DEFINITION.number)
            if not self._is_foreign(_RESOURCE):
                pending = list(file.message_type)
                while pending:
                    message = pending.pop()
                    pending.extend(message.nested_type)
                    if message.HasField("options"):
                        resources.append(b"".join(_pick(message.options.SerializeToString(), _RESOURCE.number)))
            for payload in resources:
                resource = _read_resource(payload)
                if resource is not None and resource.patterns:
                    patterns.setdefault(resource.type, resource.patterns)
        return patterns

    def _values(self, descriptor: AnyDescriptor, number: int) -> list[WireValue]:
        if not descriptor.has_options:
            return []
        return collect_fields(descriptor.GetOptions().SerializeToString()).get(number, [])

    def _payloads(self, descriptor: AnyDescriptor, extension: _Extension) -> tuple[bytes, ...]:
        if not descriptor.has_options or self._is_foreign(extension):
            return ()
        return self.raw_option(descriptor, extension.number)

    def _is_foreign(self, extension: _Extension) -> bool:
        """Whether the pool gives the extension's number to an extension of another name."""
        known = self._foreign.get(extension)
        if known is None:
            known = self._foreign[extension] = self._find_owner(extension) not in (None, extension.name)
        return known

    def _find_owner(self, extension: _Extension) -> str | None:
        try:
            extendee = self._pool.FindMessageTypeByName(f"google.protobuf.{extension.extendee}")
            found = self._pool.FindExtensionByNumber(extendee, extension.number)
        except KeyError:
            return None
        return found.full_name


def _pick(data: bytes, number: int) -> list[bytes]:
    return [value for value in collect_fields(data).get(number, []) if isinstance(value, bytes)]


def _last_text(fields: Mapping[int, list[WireValue]], number: int) -> str:
    texts = read_texts(fields.get(number, []))
    return texts[-1] if texts else ""


def _read_resource(payload: bytes) -> Resource | None:
    fields = collect_fields(payload)
    kind = _last_text(fields, 1)
    if not kind:
        return None
    return Resource(type=kind, patterns=read_texts(fields.get(2, [])), name_field=_last_text(fields, 3))


def _read_http_rule(payload: bytes, *, nested: bool = False) -> HttpRule | None:
    fields = collect_fields(payload)
    verb, path = "", ""
    for number, value in fields.items():
        if number in _HTTP_VERBS:
            verb, path = _HTTP_VERBS[number], _last_text(fields, number)
        elif number == _HTTP_CUSTOM and isinstance(value[-1], bytes):
            custom = collect_fields(value[-1])
            verb, path = _last_text(custom, 1), _last_text(custom, 2)
    if not verb:
        return None
    # "Nested bindings must not contain an additional_bindings field themselves" (google/api/http.proto).
    more = [] if nested else [value for value in fields.get(_HTTP_ADDITIONAL, []) if isinstance(value, bytes)]
    inner = (_read_http_rule(value, nested=True) for value in more)
    return HttpRule(
        verb=verb,
        path=path,
        body=_last_text(fields, _HTTP_BODY),
        response_body=_last_text(fields, _HTTP_RESPONSE_BODY),
        additional=tuple(rule for rule in inner if rule is not None),
    )
