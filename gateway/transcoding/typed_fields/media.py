"""Takes media out of a printed reply: fields whose media type is known become content, and a short text stands there.

A model sees an image, hears a sound and reads a text, but makes nothing of base64. What stands in the place of such a
value is a string like the base64 was, so that the result keeps to the tool's output schema. This module works on what
the printers made, after them: printing knows nothing of media.
"""

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.contract.content_blocks import count_base64_bytes, is_text_type
from gateway.contract.distilled import Problem, make_pointer
from gateway.contract.quoting import one_line, quote
from gateway.descriptors.facts.annotations import iterate_reachable
from gateway.descriptors.facts.values import MediaType
from gateway.descriptors.field_names import get_field_names
from gateway.transcoding.converters.type_index import get_message_type, is_map
from gateway.transcoding.reply_parts import Attachment
from gateway.transcoding.typed_fields.content import UNKNOWN_TYPE

LIMIT_MEDIA_TYPE = 100

_WRAPPERS: Mapping[str, bool] = MappingProxyType(
    {"google.protobuf.BytesValue": True, "google.protobuf.StringValue": False}
)

_NO_BASE64 = "is no base64, which it would have to be as"

Steps = tuple[str | int, ...]
Place = tuple[Steps, Any, Any]
"""Where a value stands: the steps to it, and the object or array that it is in, with its key there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """One field of a message in its printed form: media itself, or a message (`inner`) that has some in it.

    `beside` is the printed name of the field that says the media type, where `media_type` does not.
    """

    name: str
    iterate: Callable[[dict[str, Any], str], Iterator[Place]]
    inner: Descriptor | None = None
    media_type: str = ""
    beside: str = ""
    is_bytes: bool = False


def find_media_faults(response: Descriptor, media_types: Mapping[str, MediaType]) -> Iterator[str]:
    """A line for each media type that cannot be used, in the order of the fields."""
    for message in iterate_reachable(response):
        for field in message.fields:
            media_type = media_types.get(field.full_name)
            if media_type is None:
                continue
            if _holds_bytes(field) is None:
                yield f"the media type of {field.full_name} is not used: it is neither bytes nor string"
            elif media_type.beside and _find_sibling(message, media_type) is None:
                yield (
                    f"the media type of {field.full_name} is not used: "
                    f"{message.full_name} has no string field {media_type.beside}"
                )


class MediaExtractor:
    """Takes the media out of the replies of one RPC."""

    def __init__(self, response: Descriptor, media_types: Mapping[str, MediaType]) -> None:
        """`media_types` by the full names of fields; those that cannot be used are passed over."""
        self._media_types = media_types
        self._root = response
        self._members: dict[str, tuple[_Member, ...]] = {}
        self._holders = _find_holders(response, media_types)

    @property
    def is_idle(self) -> bool:
        """Whether no reply can hold media."""
        return not self._holders

    def extract(self, value: Any) -> tuple[tuple[Attachment, ...], tuple[Problem, ...]]:
        """The media in a printed reply, which are no longer in it then, and notes on what was left as it is."""
        found: list[Attachment] = []
        notes: list[Problem] = []
        pending: list[tuple[Descriptor, Any, Steps]] = [(self._root, value, ())]
        while pending:
            message, printed, steps = pending.pop()
            inside: list[tuple[Descriptor, Any, Steps]] = []
            for member in self._list_members(message):
                for more, parent, key in member.iterate(printed, member.name):
                    place = (*steps, *more)
                    if member.inner is not None:
                        inside.append((member.inner, parent[key], place))
                    else:
                        _take(member, printed, (place, parent, key), found, notes)
            pending.extend(reversed(inside))
        return tuple(found), tuple(notes)

    def _list_members(self, message: Descriptor) -> tuple[_Member, ...]:
        known = self._members.get(message.full_name)
        if known is None:
            known = self._members[message.full_name] = tuple(self._make_members(message))
        return known

    def _make_members(self, message: Descriptor) -> Iterator[_Member]:
        names = get_field_names(message).printed
        for field in message.fields:
            name, iterate = names[field.number], _choose_iteration(field)
            media_type = _find_media_type(field, self._media_types)
            if media_type is not None:
                sibling = _find_sibling(message, media_type)
                yield _Member(
                    name=name,
                    iterate=iterate,
                    media_type=media_type.name,
                    beside="" if sibling is None else names[sibling.number],
                    is_bytes=bool(_holds_bytes(field)),
                )
            else:
                inner = _get_value(field).message_type
                if inner is not None and inner.full_name in self._holders:
                    yield _Member(name=name, iterate=iterate, inner=inner)


def _take(
    member: _Member, printed: dict[str, Any], place: Place, found: list[Attachment], notes: list[Problem]
) -> None:
    steps, parent, key = place
    value = parent[key]
    if not value or not isinstance(value, str):
        return
    media_type = (printed.get(member.beside) if member.beside else member.media_type) or UNKNOWN_TYPE
    if not member.is_bytes:
        if is_text_type(media_type):
            return  # text in text is where it belongs
        if not _is_base64(value):
            notes.append(Problem(at=make_pointer(steps), text=f"{_NO_BASE64} {quote(media_type)}"))
            return
    found.append(Attachment(at=make_pointer(steps), media_type=media_type, encoded=value))
    shown = one_line(media_type, LIMIT_MEDIA_TYPE)
    parent[key] = f"{shown}, {count_base64_bytes(value)} bytes, in the content of this result"


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _iterate_one(printed: dict[str, Any], name: str) -> Iterator[Place]:
    if name in printed:
        yield (name,), printed, name


def _iterate_list(printed: dict[str, Any], name: str) -> Iterator[Place]:
    values = printed.get(name, ())
    for index in range(len(values)):
        yield (name, index), values, index


def _iterate_map(printed: dict[str, Any], name: str) -> Iterator[Place]:
    values = printed.get(name, {})
    for key in values:
        yield (name, key), values, key


def _choose_iteration(field: FieldDescriptor) -> Callable[[dict[str, Any], str], Iterator[Place]]:
    if is_map(field):
        return _iterate_map
    return _iterate_list if field.is_repeated else _iterate_one


def _get_value(field: FieldDescriptor) -> FieldDescriptor:
    """The field with the type of the values: of a map its entries' value, else the field itself."""
    return get_message_type(field).fields_by_name["value"] if is_map(field) else field


def _holds_bytes(field: FieldDescriptor) -> bool | None:
    """True for bytes, False for text, None for what is neither; wrappers count as what they wrap."""
    value = _get_value(field)
    if value.message_type is not None:
        return _WRAPPERS.get(value.message_type.full_name)
    return {FieldDescriptor.TYPE_BYTES: True, FieldDescriptor.TYPE_STRING: False}.get(value.type)


def _find_media_type(field: FieldDescriptor, media_types: Mapping[str, MediaType]) -> MediaType | None:
    """The field's media type, where it has one that can be used."""
    media_type = media_types.get(field.full_name)
    if media_type is None or _holds_bytes(field) is None or field.containing_type is None:
        return None
    if media_type.beside and _find_sibling(field.containing_type, media_type) is None:
        return None
    return media_type


def _find_sibling(message: Descriptor, media_type: MediaType) -> FieldDescriptor | None:
    """The string field that says the media type, or None."""
    field = message.fields_by_name.get(media_type.beside)
    if field is None or field.type != FieldDescriptor.TYPE_STRING or field.is_repeated:
        return None
    return field


def _find_holders(response: Descriptor, media_types: Mapping[str, MediaType]) -> frozenset[str]:
    """The types below the response that have media in them, however deep."""
    below: dict[str, set[str]] = {}
    holders: set[str] = set()
    for message in iterate_reachable(response):
        for field in message.fields:
            if _find_media_type(field, media_types) is not None:
                holders.add(message.full_name)
            elif field.message_type is not None:
                below.setdefault(field.message_type.full_name, set()).add(message.full_name)
    pending = list(holders)
    while pending:
        for above in below.get(pending.pop(), set()) - holders:
            holders.add(above)
            pending.append(above)
    return frozenset(holders)
