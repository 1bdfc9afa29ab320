"""The table of changes: what can happen to a tool, and whom it breaks.

Whoever calls a tool writes its arguments and reads its results, so a change of a schema is judged by its direction:
what takes less breaks arguments; what gives more, or other things, breaks results. Two rules are protobuf's rather than
JSON Schema's (protobuf.dev, "Updating A Message Type"): readers are used to fields and enum values that are new.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


class Side(enum.Enum):
    """What a change is about."""

    TOOL = "tool"
    INPUT = "input"
    OUTPUT = "output"


class Kind(enum.Enum):
    """One kind of change; the value is its name in reports."""

    TOOL_GONE = "tool gone"
    TOOL_NEW = "tool new"
    OTHER_RPC = "other RPC"
    ALIAS_GONE = "alias gone"
    ALIAS_NEW = "alias new"
    HINT_BOLDER = "hint bolder"
    HINT_SAFER = "hint safer"
    RESULT_GONE = "structured result gone"
    RESULT_NEW = "structured result new"
    TEXT_CHANGED = "text changed"
    PROPERTY_GONE = "property gone"
    PROPERTY_NEW = "property new"
    PROPERTY_REQUIRED = "property required"
    PROPERTY_OPTIONAL = "property optional"
    REQUIRED_NEW = "required property new"
    TYPE_CHANGED = "type changed"
    TYPE_NARROWER = "type narrower"
    TYPE_WIDER = "type wider"
    VALUE_GONE = "enum value gone"
    VALUE_NEW = "enum value new"
    VALUES_CLOSED = "values listed"
    VALUES_OPENED = "values no longer listed"
    LIMIT_TIGHTER = "limit tighter"
    LIMIT_LOOSER = "limit looser"
    LIMIT_CHANGED = "limit changed"
    OBJECT_CLOSED = "object closed"
    OBJECT_OPENED = "object opened"
    BRANCH_GONE = "alternative gone"
    BRANCH_NEW = "alternative new"
    HEADER_CHANGED = "header changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """Whether the kind breaks callers, by what it is about; a side that is absent cannot have it."""

    tool: bool | None = None
    input: bool | None = None
    output: bool | None = None


_SAFE, _BREAKS = False, True

_ROWS: Mapping[Kind, _Row] = MappingProxyType(
    {
        Kind.TOOL_GONE: _Row(tool=_BREAKS),
        Kind.TOOL_NEW: _Row(tool=_SAFE),
        Kind.OTHER_RPC: _Row(tool=_BREAKS),
        Kind.ALIAS_GONE: _Row(tool=_BREAKS),
        Kind.ALIAS_NEW: _Row(tool=_SAFE),
        # Clients call without asking what they are told is harmless.
        Kind.HINT_BOLDER: _Row(tool=_BREAKS),
        Kind.HINT_SAFER: _Row(tool=_SAFE),
        Kind.RESULT_GONE: _Row(tool=_BREAKS),
        Kind.RESULT_NEW: _Row(tool=_SAFE),
        Kind.TEXT_CHANGED: _Row(tool=_SAFE, input=_SAFE, output=_SAFE),
        Kind.PROPERTY_GONE: _Row(input=_BREAKS, output=_BREAKS),
        Kind.PROPERTY_NEW: _Row(input=_SAFE, output=_SAFE),
        Kind.PROPERTY_REQUIRED: _Row(input=_BREAKS, output=_SAFE),
        Kind.PROPERTY_OPTIONAL: _Row(input=_SAFE, output=_BREAKS),
        Kind.REQUIRED_NEW: _Row(input=_BREAKS, output=_SAFE),
        Kind.TYPE_CHANGED: _Row(input=_BREAKS, output=_BREAKS),
        Kind.TYPE_NARROWER: _Row(input=_BREAKS, output=_SAFE),
        Kind.TYPE_WIDER: _Row(input=_SAFE, output=_BREAKS),
        Kind.VALUE_GONE: _Row(input=_BREAKS, output=_SAFE),
        Kind.VALUE_NEW: _Row(input=_SAFE, output=_SAFE),
        Kind.VALUES_CLOSED: _Row(input=_BREAKS, output=_SAFE),
        Kind.VALUES_OPENED: _Row(input=_SAFE, output=_BREAKS),
        Kind.LIMIT_TIGHTER: _Row(input=_BREAKS, output=_SAFE),
        Kind.LIMIT_LOOSER: _Row(input=_SAFE, output=_BREAKS),
        Kind.LIMIT_CHANGED: _Row(input=_BREAKS, output=_BREAKS),
        Kind.OBJECT_CLOSED: _Row(input=_BREAKS, output=_SAFE),
        Kind.OBJECT_OPENED: _Row(input=_SAFE, output=_SAFE),
        Kind.BRANCH_GONE: _Row(input=_BREAKS, output=_SAFE),
        Kind.BRANCH_NEW: _Row(input=_SAFE, output=_BREAKS),
        Kind.HEADER_CHANGED: _Row(input=_BREAKS),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change. `at` is the pointer to it in the arguments or the result; "*" stands for any item or entry there."""

    kind: Kind
    side: Side
    tool: str
    at: str = ""
    detail: str = ""

    @property
    def breaks(self) -> bool:
        """Whether callers of the tool may no longer work."""
        return breaks(self.kind, self.side)

    def describe(self) -> str:
        """The change in one line."""
        place = f"{self.side.value} {self.at}".rstrip() if self.side is not Side.TOOL else ""
        told = f"{self.kind.value}: {self.detail}" if self.detail else self.kind.value
        return ": ".join(part for part in (self.tool, place, told) if part)


def breaks(kind: Kind, side: Side) -> bool:
    """Whether a kind of change breaks callers on that side. Raises ValueError where the side cannot have it."""
    verdict: bool | None = getattr(_ROWS[kind], side.value)
    if verdict is None:
        raise ValueError(f"{kind.value} is no change of {side.value}")
    return verdict


def list_kinds() -> tuple[tuple[Kind, Mapping[Side, bool]], ...]:
    """The whole table: each kind with its verdict on each side that can have it."""
    return tuple(
        (kind, {side: verdict for side in Side if (verdict := getattr(row, side.value)) is not None})
        for kind, row in _ROWS.items()
    )
