"""Messages to JSON objects, in two tiers.

The *complete* printer asks a message what is set and notes the place of everything that JSON cannot say. The *fast*
one is compiled, reads the fields one by one and places nothing: where it fails, the whole message is printed again by
complete printers. Measured, reading them one by one wins as soon as one field in five is set; a type with more than
`LIMIT_FAST` fields, of which replies tend to set few, is left to the complete printer.

Fields stand in the order of their numbers. Implicitly present fields are left out where they are zero, the others where
they are not set (ProtoJSON); null is printed for nothing but null values.
"""

import keyword
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from gateway.transcoding.converters.outcomes import BlemishError, Cause, Print, TooDeepError, gather

LIMIT_FAST = 40

Has = Callable[[Any, str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePrinter:
    """How a value is printed: by `print` (None: JSON has it as it is), or by a Python expression that does the same.

    In `template`, {value} stands for an expression that gives the value, and {helper} for the name of `helper`.
    """

    print: Print | None
    template: str
    helper: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPrinter:
    """How one field is printed, under `key`.

    `has` says whether it is set; None where a value that is true in Python is set and any other is not.
    """

    name: str
    key: str
    value: ValuePrinter
    has: Has | None


ListFields = Callable[[Message], Sequence[tuple[FieldDescriptor, Any]]]
"""What is set in a message, in the order of the fields' numbers."""

GetEntry = Callable[[FieldDescriptor], tuple[str, Print | None]]
"""A field's key and printer."""

Rescue = Callable[[Any, FieldDescriptor], tuple[Any, tuple[Cause, ...]]]
"""Reads a map whose text is not UTF-8 from a message: its entries, and what had to be replaced."""


def make_complete_printer(list_fields: ListFields, get_entry: GetEntry, rescue: Rescue) -> Print:
    """The printer of any message type, with the place of every blemish."""
    entries: dict[FieldDescriptor, tuple[str, Print | None]] = {}
    find_entry = entries.get

    def print_message(message: Any, room: int) -> dict[str, Any]:
        if room < 1:
            raise TooDeepError
        room -= 1
        printed: dict[str, Any] = {}
        causes: list[Cause] | None = None
        for field, item in list_fields(message):
            entry = find_entry(field)
            if entry is None:
                entry = entries[field] = get_entry(field)
            key, print_item = entry
            if print_item is None:
                printed[key] = item
                continue
            try:
                printed[key] = print_item(item, room)
            except BlemishError as blemish:
                printed[key] = blemish.value
                causes = gather(causes, key, blemish.causes)
            except UnicodeDecodeError:
                printed[key], causes = _print_rescued(rescue(message, field), key, print_item, room, causes)
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


class FastPrinters:
    """Makes printers for types without extensions; each is compiled when it is first called.

    All compiled functions share one namespace, in which they find one another by name.
    """

    def __init__(self) -> None:
        self._namespace: dict[str, Any] = {"TooDeepError": TooDeepError}
        self._names: dict[Print, str] = {}

    def make(self, type_name: str, make_fields: Callable[[], Sequence[FieldPrinter]]) -> Print:
        """The printer of one type."""
        name = f"print_{len(self._names)}"
        compiled: Print | None = None

        def print_message(message: Any, room: int) -> Any:
            nonlocal compiled
            if compiled is None:
                # From here on the other compiled functions call the compiled one and not this.
                compiled = self._namespace[name] = self._compile(type_name, name, make_fields())
            return compiled(message, room)

        self._names[print_message] = name
        self._namespace[name] = print_message
        return print_message

    def _compile(self, type_name: str, name: str, fields: Sequence[FieldPrinter]) -> Print:
        lines = [
            f"def {name}(message, room):",
            "    if room < 1:",
            "        raise TooDeepError",
            "    room -= 1",
            "    printed = {}",
        ]
        for number, field in enumerate(fields):
            has, helper = f"has_{name}_{number}", self._bind(field.value.helper, f"helper_{name}_{number}")
            self._namespace[has] = field.has
            read = f"item = {_read(field.name)}"
            keep = f"    printed[{field.key!r}] = {field.value.template.format(value='item', helper=helper)}"
            if field.has is None:
                block = [read, "if item:", keep]
            else:
                block = [f"if {has}(message, {field.name!r}):", f"    {read}", keep]
            lines += [f"    {line}" for line in block]
        lines.append("    return printed")
        # The source is made of the templates of this room; whatever a descriptor says stands in it as a literal.
        exec(compile("\n".join(lines), f"<printer of {type_name}>", "exec"), self._namespace)  # noqa: S102
        compiled: Print = self._namespace[name]
        return compiled

    def _bind(self, helper: Any, name: str) -> str:
        """The name of a helper in the namespace: the one that it has as a printer of this, else the one given."""
        known = self._names.get(helper) if callable(helper) else None
        if known is not None:
            return known
        self._namespace[name] = helper
        return name


def _read(name: str) -> str:
    if name.isidentifier() and not keyword.iskeyword(name):
        return f"message.{name}"
    return f"getattr(message, {name!r})"
