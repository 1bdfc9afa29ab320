"""The one table of gRPC statuses: seventeen rows, each with its condition, its dialect and whether to retry.

Source of numbers and names: the gRPC core specification, "Status codes and their use in gRPC". The dialects are ours.
"""

import enum
from dataclasses import dataclass

from gateway.contract.conditions import Condition


class Dialect(enum.Enum):
    """How a failed tools/call is told: as a result with `isError` (a model can mend it) or as a JSON-RPC error."""

    TOOL = "tool"
    PROTOCOL = "protocol"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusRow:
    """One gRPC status. `condition` is None for OK alone."""

    number: int
    name: str
    condition: Condition | None
    dialect: Dialect
    retryable: bool = False


def _row(
    number: int, condition: Condition | None, dialect: Dialect, *, name: str = "", retryable: bool = False
) -> StatusRow:
    label = name or (condition.name if condition else "OK")
    return StatusRow(number=number, name=label, condition=condition, dialect=dialect, retryable=retryable)


_TOOL, _PROTOCOL = Dialect.TOOL, Dialect.PROTOCOL

STATUSES: tuple[StatusRow, ...] = (
    _row(0, None, _TOOL),
    _row(1, Condition.CANCELLED, _PROTOCOL),
    _row(2, Condition.UNKNOWN, _TOOL),
    _row(3, Condition.INVALID_PARAMS, _TOOL, name="INVALID_ARGUMENT"),
    _row(4, Condition.DEADLINE_EXCEEDED, _TOOL, retryable=True),
    _row(5, Condition.NOT_FOUND, _TOOL),
    _row(6, Condition.ALREADY_EXISTS, _TOOL),
    _row(7, Condition.PERMISSION_DENIED, _TOOL),
    _row(8, Condition.RESOURCE_EXHAUSTED, _TOOL, retryable=True),
    _row(9, Condition.FAILED_PRECONDITION, _TOOL),
    _row(10, Condition.ABORTED, _TOOL, retryable=True),
    _row(11, Condition.OUT_OF_RANGE, _TOOL),
    _row(12, Condition.UNIMPLEMENTED, _PROTOCOL),
    _row(13, Condition.INTERNAL_ERROR, _PROTOCOL, name="INTERNAL"),
    _row(14, Condition.UNAVAILABLE, _TOOL, retryable=True),
    _row(15, Condition.DATA_LOSS, _PROTOCOL),
    _row(16, Condition.UNAUTHENTICATED, _PROTOCOL),
)

UNKNOWN_STATUS = STATUSES[2]


def get_status_row(number: int) -> StatusRow:
    """The row of a gRPC status number; an integer outside 0..16 is treated as UNKNOWN, as gRPC clients do."""
    return STATUSES[number] if 0 <= number < len(STATUSES) else UNKNOWN_STATUS
