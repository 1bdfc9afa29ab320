"""The comments of a backend's protos, by full name.

Descriptor pools drop source_code_info, so comments are read from the FileDescriptorProtos themselves. A file is indexed
when a comment out of it is first asked for, which keeps the start quick for large APIs. Reflection usually serves none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FileDescriptorProto,
    SourceCodeInfo,
)

from gateway.descriptors.texts.comment_text import CommentText, clean_comment


class _Kind(Enum):
    """What is commented; the value is how many characters of it are shown."""

    BODY = 4096  # services, methods, messages
    PART = 1024  # fields, oneofs, enums and their values


# Field numbers of descriptor.proto, out of which source_code_info's paths are made.
_FILE_MESSAGE, _FILE_ENUM, _FILE_SERVICE, _FILE_EXTENSION = 4, 5, 6, 7
_MESSAGE_FIELD, _MESSAGE_NESTED, _MESSAGE_ENUM, _MESSAGE_EXTENSION, _MESSAGE_ONEOF = 2, 3, 4, 6, 8
_ENUM_VALUE, _SERVICE_METHOD = 2, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raw:
    text: str
    kind: _Kind


class Comments:
    """Comments by full name, cleaned and bounded for models.

    Full names: "shop.v1.Order", "shop.v1.Order.id" (fields, oneofs), "shop.v1.Orders", "shop.v1.Orders.GetOrder",
    "shop.v1.Status", and for an enum's values the enum's name with the value's: "shop.v1.Status.STATUS_OPEN".
    """

    def __init__(self, files: Iterable[FileDescriptorProto]) -> None:
        """Several versions of one file may be given: the first that has a comment for a name is the one that counts."""
        self._files = tuple(file for file in files if file.source_code_info.location)
        self._indexes: dict[int, Mapping[str, _Raw]] = {}
        self._cleaned: dict[str, CommentText] = {}

    def get_comment(self, full_name: str) -> str:
        """The leading comment of that name, else its trailing one, as text for a model; "" where there is none."""
        return self.get_text(full_name).text

    def get_text(self, full_name: str) -> CommentText:
        """The same with what was done to it, for whoever reports comments that were cut or cleaned."""
        if not self._files:
            return _NONE
        known = self._cleaned.get(full_name)
        if known is None:
            known = self._cleaned[full_name] = self._clean(full_name)
        return known

    def _clean(self, full_name: str) -> CommentText:
        for index in self._candidates(full_name):
            raw = self._get_index(index).get(full_name)
            if raw is not None:
                return clean_comment(raw.text, limit_characters=raw.kind.value)
        return _NONE

    def _candidates(self, full_name: str) -> tuple[int, ...]:
        """The files that declare the name or what encloses it."""
        scope = full_name
        while scope:
            found = self._files_by_symbol.get(scope)
            if found is not None:
                return found
            scope = scope.rpartition(".")[0]
        return ()

    @cached_property
    def _files_by_symbol(self) -> Mapping[str, tuple[int, ...]]:
        """The places in `_files` of every top level name."""
        places: dict[str, tuple[int, ...]] = {}
        for index, file in enumerate(self._files):
            scope = f"{file.package}." if file.package else ""
            for declared in (file.message_type, file.enum_type, file.service, file.extension):
                for item in declared:
                    name = scope + item.name
                    places[name] = (*places.get(name, ()), index)
        return places

    def _get_index(self, place: int) -> Mapping[str, _Raw]:
        index = self._indexes.get(place)
        if index is None:
            index = self._indexes[place] = _index_file(self._files[place])
        return index


_NONE = CommentText(text="")


def _index_file(file: FileDescriptorProto) -> dict[str, _Raw]:
    """Every commented name of the file."""
    by_path: dict[tuple[int, ...], str] = {}
    for location in file.source_code_info.location:
        text = _get_text(location)
        if text:
            by_path.setdefault(tuple(location.path), text)
    return {name: _Raw(text=by_path[path], kind=kind) for path, name, kind in _walk_file(file) if path in by_path}


def _get_text(location: SourceCodeInfo.Location) -> str:
    for text in (location.leading_comments, location.trailing_comments):
        # The runtime gives bytes for what is not UTF-8.
        readable = text if isinstance(text, str) else bytes(text).decode("utf-8", "replace")
        if readable.strip():
            return readable
    return ""


def _walk_file(file: FileDescriptorProto) -> Iterable[tuple[tuple[int, ...], str, _Kind]]:
    """(path, full name, kind) of everything in the file that can carry a comment."""
    scope = f"{file.package}." if file.package else ""
    for number, service in enumerate(file.service):
        yield (_FILE_SERVICE, number), scope + service.name, _Kind.BODY
        for place, method in enumerate(service.method):
            yield (_FILE_SERVICE, number, _SERVICE_METHOD, place), f"{scope}{service.name}.{method.name}", _Kind.BODY
    for number, extension in enumerate(file.extension):
        yield (_FILE_EXTENSION, number), scope + extension.name, _Kind.PART
    for number, enum in enumerate(file.enum_type):
        yield from _walk_enum(enum, (_FILE_ENUM, number), scope)
    pending: list[tuple[DescriptorProto, tuple[int, ...], str]] = [
        (message, (_FILE_MESSAGE, number), scope) for number, message in enumerate(file.message_type)
    ]
    while pending:
        message, path, outer = pending.pop()
        name = outer + message.name
        inner = f"{name}."
        yield path, name, _Kind.BODY
        for number, field in enumerate(message.field):
            yield (*path, _MESSAGE_FIELD, number), inner + field.name, _Kind.PART
        for number, oneof in enumerate(message.oneof_decl):
            yield (*path, _MESSAGE_ONEOF, number), inner + oneof.name, _Kind.PART
        for number, extension in enumerate(message.extension):
            yield (*path, _MESSAGE_EXTENSION, number), inner + extension.name, _Kind.PART
        for number, enum in enumerate(message.enum_type):
            yield from _walk_enum(enum, (*path, _MESSAGE_ENUM, number), inner)
        for number, nested in enumerate(message.nested_type):
            pending.append((nested, (*path, _MESSAGE_NESTED, number), inner))


def _walk_enum(
    enum: EnumDescriptorProto, path: tuple[int, ...], scope: str
) -> Iterable[tuple[tuple[int, ...], str, _Kind]]:
    name = scope + enum.name
    yield path, name, _Kind.PART
    for number, value in enumerate(enum.value):
        yield (*path, _ENUM_VALUE, number), f"{name}.{value.name}", _Kind.PART
