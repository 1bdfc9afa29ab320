"""Messages to JSON objects. A printer compiles itself when it is first called, so that recursive types end.

Narrow types are read field by field, wide ones by asking what is set: measured, the border lies at about sixteen
fields. Fields stand in the order of their numbers. Implicitly present fields are left out where they are zero, the
others where they are not set (ProtoJSON); null is printed for nothing but null values.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from gateway.transcoding.converters.outcomes import BlemishError, Cause, Print, TooDeepError, gather

LIMIT_NARROW = 16

Has = Callable[[Any, str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPrinter:
    """How one field is printed: under `key`, by `print` (None: JSON has the value as it is).

    `has` says whether it is set; None where a value that is true in Python is set and any other is not.
    """

    name: str
    key: str
    print: Print | None
    has: Has | None


FieldSource = Callable[[], Sequence[FieldPrinter]]
ExtensionSource = Callable[[FieldDescriptor], FieldPrinter]
Rescue = Callable[[Any, str], tuple[Any, tuple[Cause, ...]]]
"""Reads a map whose text is not UTF-8 from a message: its entries, and what had to be replaced."""


def make_narrow_printer(get_fields: FieldSource, rescue: Rescue) -> Print:
    """A printer for message types of few fields and no extensions."""
    fields: list[tuple[str, str, Print | None, Has | None]] | None = None

    def print_message(message: Any, room: int) -> dict[str, Any]:
        nonlocal fields
        if room < 1:
            raise TooDeepError
        if fields is None:
            fields = [(field.name, field.key, field.print, field.has) for field in get_fields()]
        room -= 1
        printed: dict[str, Any] = {}
        causes: list[Cause] | None = None
        for name, key, print_item, has in fields:
            if has is None:
                item = getattr(message, name)
                if not item:
                    continue
            elif has(message, name):
                item = getattr(message, name)
            else:
                continue
            if print_item is None:
                printed[key] = item
                continue
            try:
                printed[key] = print_item(item, room)
            except BlemishError as blemish:
                printed[key] = blemish.value
                causes = gather(causes, key, blemish.causes)
            except UnicodeDecodeError:
                printed[key], causes = _print_rescued(rescue(message, name), key, print_item, room, causes)
        if causes is not None:
            raise BlemishError(printed, *causes)
        return printed

    return print_message


def make_wide_printer(
    list_fields: Callable[[Message], Sequence[tuple[FieldDescriptor, Any]]],
    get_fields: FieldSource,
    get_extension: ExtensionSource,
    rescue: Rescue,
) -> Print:
    """A printer for message types of many fields, or of extensions."""
    fields: Mapping[str, FieldPrinter] | None = None

    def print_message(message: Any, room: int) -> dict[str, Any]:
        nonlocal fields
        if room < 1:
            raise TooDeepError
        if fields is None:
            fields = {field.name: field for field in get_fields()}
        room -= 1
        printed: dict[str, Any] = {}
        causes: list[Cause] | None = None
        for descriptor, item in list_fields(message):
            field = get_extension(descriptor) if descriptor.is_extension else fields[descriptor.name]
            if field.print is None:
                printed[field.key] = item
                continue
            try:
                printed[field.key] = field.print(item, room)
            except BlemishError as blemish:
                printed[field.key] = blemish.value
                causes = gather(causes, field.key, blemish.causes)
            except UnicodeDecodeError:
                rescued = rescue(message, field.name)
                printed[field.key], causes = _print_rescued(rescued, field.key, field.print, room, causes)
        if causes is not None:
            raise BlemishError(printed, *causes)
        return printed

    return print_message


def _print_rescued(
    rescued: tuple[Any, tuple[Cause, ...]], key: str, print_item: Print, room: int, causes: list[Cause] | None
) -> tuple[Any, list[Cause]]:
    entries, why = rescued
    causes = gather(causes, key, why)
    try:
        return print_item(entries, room), causes
    except BlemishError as blemish:
        return blemish.value, gather(causes, key, blemish.causes)
