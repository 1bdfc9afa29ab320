"""A task as the protocol writes it (io.modelcontextprotocol/tasks): what is common to all its answers."""

import enum
from datetime import UTC, datetime
from typing import Any

from gateway.contract.quoting import one_line
from gateway.mcp.tasks.handles import TaskHandle
from gateway.transcoding.operations import OperationState
from gateway.transcoding.reply_parts import ProgressPart
from gateway.transcoding.rpc_status import RpcStatus

_CANCELLED = 1
_LIMIT_MESSAGE = 500


class TaskStatus(enum.Enum):
    """How a task stands; the value is the protocol's word."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


def is_cancelled(error: RpcStatus | None) -> bool:
    """Whether an operation that ended like this was cancelled (google/longrunning/operations.proto)."""
    return error is not None and error.code == _CANCELLED


def describe_task(
    task_id: str, handle: TaskHandle, status: TaskStatus, state: OperationState, *, poll_seconds: float, now: float
) -> dict[str, Any]:
    """The members of a Task.

    An operation does not say when it last changed, so that is `now`, the moment of the look (seconds since the epoch).
    """
    task: dict[str, Any] = {
        "taskId": task_id,
        "status": status.value,
        "createdAt": _format_time(handle.created_at_ms / 1000),
        "lastUpdatedAt": _format_time(now),
        "ttlMs": handle.ttl_ms,
        "pollIntervalMs": max(1, round(poll_seconds * 1000)),
    }
    message = _find_message(state)
    if message:
        task["statusMessage"] = one_line(message, _LIMIT_MESSAGE)
    return task


def _find_message(state: OperationState) -> str:
    progress = state.progress
    if state.status_message or progress is None:
        return state.status_message
    return progress.message or _show_progress(progress)


def _show_progress(progress: ProgressPart) -> str:
    return f"{progress.progress:g}" if progress.total is None else f"{progress.progress:g} of {progress.total:g}"


def _format_time(seconds: float) -> str:
    """RFC 3339 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
