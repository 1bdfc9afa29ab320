"""What a backend's annotations say (proto/gateway/v1/annotations.proto), in the words of the configuration.

An annotation becomes the mapping that an operator would write for the same fact, so that both are read by one reader
(`facts.reading`). Annotations are read from the bytes of the options: the file that declares them need not be served.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import DecodeError, Message

from gateway.contract.quoting import one_line, quote
from gateway.descriptors.api import Api
from gateway.descriptors.facts.vocabulary import get_gateway_class
from gateway.descriptors.texts.comment_text import clean_comment

EXTENSION_NUMBER = 51731
HTTP_BODY = "google.api.HttpBody"
HTTP_BODY_FILE = "google/api/httpbody.proto"
_EXTENSIONS = {"MethodOptions": "gateway.v1.method", "FieldOptions": "gateway.v1.field"}
# How the extension begins on the wire: (51731 << 3) | 2 as a varint.
_TAG = b"\x9a\xa1\x19"

LIMIT_TITLE, LIMIT_DESCRIPTION = 200, 4096

_DURATION = "google.protobuf.Duration"
_JSON_SUFFIX = "_json"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAnnotation:
    """What is said of one field; empty texts say nothing."""

    header: str = ""
    media_type: str = ""
    media_type_field: str = ""
    sensitive: bool = False


AnnotatedField = tuple[FieldDescriptor, FieldAnnotation]


class Annotations:
    """The annotations of one Api. Costs next to nothing where the backend has none."""

    def __init__(self, api: Api) -> None:
        self._options = api.options
        self._is_used = any(_TAG in file.SerializeToString() for file in api.files.values()) and all(
            api.options.is_unclaimed(extendee, EXTENSION_NUMBER, name) for extendee, name in _EXTENSIONS.items()
        )
        self._has_bodies = HTTP_BODY_FILE in api.files
        self._fields: dict[str, tuple[AnnotatedField, ...]] = {}
        self._walked: dict[str, tuple[AnnotatedField, ...]] = {}

    def read_method(self, method: MethodDescriptor, faults: list[str]) -> dict[str, Any]:
        """What is said of an RPC, as its entry in the configuration would say it.

        What cannot be read is left out and adds a line to `faults`.
        """
        payload = self._read(method)
        if payload is None:
            return {}
        annotation = _parse("MethodAnnotation", payload)
        if annotation is None:
            faults.append("its annotation is no gateway.v1.MethodAnnotation")
            return {}
        return _as_configured(annotation, faults)

    def list_fields(self, message: Descriptor) -> tuple[AnnotatedField, ...]:
        """The annotated fields of one message, in the order of declaration; not those of messages in it."""
        if not self._is_used:
            return ()
        known = self._fields.get(message.full_name)
        if known is None:
            known = self._fields[message.full_name] = tuple(self._iterate_fields(message))
        return known

    def walk_fields(self, root: Descriptor) -> tuple[AnnotatedField, ...]:
        """The annotated fields of a message and of all that it can hold, each once, the nearest first."""
        if not self._is_used:
            return ()
        known = self._walked.get(root.full_name)
        if known is None:
            reached = iterate_reachable(root)
            known = self._walked[root.full_name] = tuple(pair for one in reached for pair in self.list_fields(one))
        return known

    def holds_bodies(self, response: Descriptor) -> bool:
        """Whether a google.api.HttpBody stands in a reply, whose own fields say its media type."""
        return self._has_bodies and any(message.full_name == HTTP_BODY for message in iterate_reachable(response))

    def _iterate_fields(self, message: Descriptor) -> Iterator[AnnotatedField]:
        for field in message.fields:
            payload = self._read(field)
            said: Any = None if payload is None else _parse("FieldAnnotation", payload)
            if said is not None:
                annotation = FieldAnnotation(
                    header=said.header,
                    media_type=said.media_type,
                    media_type_field=said.media_type_field,
                    sensitive=said.sensitive,
                )
                yield field, annotation

    def _read(self, descriptor: MethodDescriptor | FieldDescriptor) -> bytes | None:
        """The annotation's bytes; None where there is none. Two of one message merge by concatenation."""
        if not self._is_used or not descriptor.has_options:
            return None
        payloads = self._options.raw_option(descriptor, EXTENSION_NUMBER)
        return b"".join(payloads) if payloads else None


def iterate_reachable(root: Descriptor) -> Iterator[Descriptor]:
    """A message type and every one that it can hold, each once, the nearest first."""
    seen = {root.full_name}
    pending = deque([root])
    while pending:
        message = pending.popleft()
        yield message
        for field in message.fields:
            inner = field.message_type
            if inner is not None and inner.full_name not in seen:
                seen.add(inner.full_name)
                pending.append(inner)


def _parse(name: str, payload: bytes) -> Message | None:
    """The annotation, or None where the bytes are none."""
    try:
        return get_gateway_class(name).FromString(payload)
    except DecodeError:
        return None


def _as_configured(message: Message, faults: list[str]) -> dict[str, Any]:
    """A message of annotations.proto as configuration says it.

    Enum values go by their last words in lower case and durations in seconds, JSON text is read; what is UNSPECIFIED is
    left out, as is what is not set.
    """
    said: dict[str, Any] = {}
    for field, value in message.ListFields():
        if field.enum_type is not None:
            words = [_enum_word(field, number) for number in (value if field.is_repeated else [value])]
            named = [word for word in words if word is not None]
            if named:
                said[field.name] = named if field.is_repeated else named[0]
        elif field.message_type is None:
            if not field.name.endswith(_JSON_SUFFIX):
                said[field.name] = _read_plain(field, value)
            else:
                read = _read_json(field.name, value, faults)
                said |= {} if read is None else {field.name.removesuffix(_JSON_SUFFIX): read}
        elif field.message_type.full_name == _DURATION:
            said[f"{field.name}_seconds"] = value.seconds + value.nanos / 1_000_000_000
        else:
            said[field.name] = _as_configured(value, faults)
    return said


def _read_plain(field: FieldDescriptor, value: Any) -> Any:
    """A scalar; texts for models and people are as clean as comments are."""
    if field.name == "description":
        return clean_comment(value, limit_characters=LIMIT_DESCRIPTION).text
    if field.name == "title":
        return one_line(value, LIMIT_TITLE)
    return list(value) if field.is_repeated else value


def _enum_word(field: FieldDescriptor, number: int) -> str | None:
    """ "sampling" of CLIENT_CAPABILITY_SAMPLING; None for the unspecified, and for numbers that are not known here."""
    enum: Any = field.enum_type
    value = enum.values_by_number.get(number)
    if value is None or number == 0:
        return None
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    word: str = value.name.removeprefix(prefix).lower()
    return word


def _read_json(name: str, text: str, faults: list[str]) -> dict[str, Any] | None:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        faults.append(f"{name} of its annotation is no JSON: {error.msg} at line {error.lineno} column {error.colno}")
        return None
    if not isinstance(value, dict):
        faults.append(f"{name} of its annotation must be a JSON object, got {quote(value)}")
        return None
    return value
