"""The one table of conditions: what can go wrong, as which code, with which words, and whose fault it is.

A call site names a `Condition` and never a number. This module must never know which condition applies when:
that is each check's and each method's own decision.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


class Fault(enum.Enum):
    """Whose doing a condition is, for logs and metrics."""

    CALLER = "caller"
    GATEWAY = "gateway"
    BACKEND = "backend"


class Condition(enum.Enum):
    """Every condition that an error envelope can state. Closed: a new one is a row of `CONDITIONS`."""

    PARSE_ERROR = "parse_error"
    INVALID_REQUEST = "invalid_request"
    METHOD_NOT_FOUND = "method_not_found"
    INVALID_PARAMS = "invalid_params"
    INTERNAL_ERROR = "internal_error"
    HEADER_MISMATCH = "header_mismatch"
    MISSING_CLIENT_CAPABILITY = "missing_client_capability"
    UNSUPPORTED_PROTOCOL_VERSION = "unsupported_protocol_version"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"
    DEADLINE_EXCEEDED = "deadline_exceeded"
    NOT_FOUND = "not_found"
    ALREADY_EXISTS = "already_exists"
    PERMISSION_DENIED = "permission_denied"
    RESOURCE_EXHAUSTED = "resource_exhausted"
    FAILED_PRECONDITION = "failed_precondition"
    ABORTED = "aborted"
    OUT_OF_RANGE = "out_of_range"
    UNIMPLEMENTED = "unimplemented"
    UNAVAILABLE = "unavailable"
    DATA_LOSS = "data_loss"
    UNAUTHENTICATED = "unauthenticated"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionRow:
    """What one condition looks like on every front.

    `http_status` is the HTTP status when a method answered with this error, `http_status_rejected` the one when the
    message was refused before any method ran. `http_status_in_session` is the one in the handshake era, whose clients
    read errors from answers that succeed, and take a 404 for the end of their session. `grpc_status` is the status
    number on the gRPC front.
    """

    code: int
    message: str
    http_status: int
    http_status_rejected: int
    http_status_in_session: int
    grpc_status: int
    fault: Fault
    retryable: bool = False


def _row(
    code: int,
    message: str,
    grpc_status: int,
    fault: Fault,
    *,
    http: int = 200,
    rejected: int | None = None,
    in_session: int = 200,
    retryable: bool = False,
) -> ConditionRow:
    return ConditionRow(
        code=code,
        message=message,
        http_status=http,
        http_status_rejected=http if rejected is None else rejected,
        http_status_in_session=in_session,
        grpc_status=grpc_status,
        fault=fault,
        retryable=retryable,
    )


# JSON-RPC 2.0 section 5.1 reserves -32768..-32000; MCP 2026-07-28 takes -32020..-32022 of it for its own. A gRPC status
# without a JSON-RPC equivalent is -31000 - status: outside the reserved range, readable and reversible.
CONDITIONS: Mapping[Condition, ConditionRow] = MappingProxyType(
    {
        Condition.PARSE_ERROR: _row(-32700, "Parse error", 3, Fault.CALLER, http=400, in_session=400),
        Condition.INVALID_REQUEST: _row(-32600, "Invalid Request", 3, Fault.CALLER, http=400, in_session=400),
        Condition.METHOD_NOT_FOUND: _row(-32601, "Method not found", 12, Fault.CALLER, http=404),
        Condition.INVALID_PARAMS: _row(-32602, "Invalid params", 3, Fault.CALLER, rejected=400),
        Condition.INTERNAL_ERROR: _row(-32603, "Internal error", 13, Fault.GATEWAY),
        Condition.HEADER_MISMATCH: _row(-32020, "Header mismatch", 3, Fault.CALLER, http=400, in_session=400),
        Condition.MISSING_CLIENT_CAPABILITY: _row(
            -32021, "Missing required client capability", 9, Fault.CALLER, http=400
        ),
        Condition.UNSUPPORTED_PROTOCOL_VERSION: _row(
            -32022, "Unsupported protocol version", 9, Fault.CALLER, http=400, in_session=400
        ),
        Condition.CANCELLED: _row(-31001, "Cancelled", 1, Fault.BACKEND),
        Condition.UNKNOWN: _row(-31002, "Unknown error", 2, Fault.BACKEND),
        Condition.DEADLINE_EXCEEDED: _row(-31004, "Deadline exceeded", 4, Fault.BACKEND, retryable=True),
        Condition.NOT_FOUND: _row(-31005, "Not found", 5, Fault.CALLER),
        Condition.ALREADY_EXISTS: _row(-31006, "Already exists", 6, Fault.CALLER),
        Condition.PERMISSION_DENIED: _row(-31007, "Permission denied", 7, Fault.CALLER),
        Condition.RESOURCE_EXHAUSTED: _row(-31008, "Resource exhausted", 8, Fault.BACKEND, retryable=True),
        Condition.FAILED_PRECONDITION: _row(-31009, "Failed precondition", 9, Fault.CALLER),
        Condition.ABORTED: _row(-31010, "Aborted", 10, Fault.BACKEND, retryable=True),
        Condition.OUT_OF_RANGE: _row(-31011, "Out of range", 11, Fault.CALLER),
        Condition.UNIMPLEMENTED: _row(-31012, "Unimplemented", 12, Fault.BACKEND),
        Condition.UNAVAILABLE: _row(-31014, "Unavailable", 14, Fault.BACKEND, retryable=True),
        Condition.DATA_LOSS: _row(-31015, "Data loss", 15, Fault.BACKEND),
        Condition.UNAUTHENTICATED: _row(-31016, "Unauthenticated", 16, Fault.CALLER),
    }
)
