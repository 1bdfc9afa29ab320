"""Task ids: sealed handles to operations, so that any replica with the keys answers and nobody keeps anything.

An id tells nothing, cannot be guessed, opens for the principal it was given to alone, and expires with its task.
"""

from dataclasses import dataclass

import orjson

from gateway.mcp.sealing import Sealer

KIND = "task"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskHandle:
    """Which operation a task is: `tool` is the name of the tool whose call started it, on `backend`.

    Times are in milliseconds, `created_at_ms` since the epoch.
    """

    backend: str
    tool: str
    operation: str
    created_at_ms: int
    ttl_ms: int


def seal_handle(sealer: Sealer, handle: TaskHandle, principal: str) -> str:
    """The task id: URL-safe text."""
    content = orjson.dumps([handle.backend, handle.tool, handle.operation, handle.created_at_ms, handle.ttl_ms])
    return sealer.seal(KIND, content, bound_to=principal.encode(), ttl_seconds=handle.ttl_ms / 1000)


def open_handle(sealer: Sealer, task_id: str, principal: str) -> TaskHandle | None:
    """The handle in a task id; None where this gateway did not give it to this principal, or it has expired."""
    content = sealer.open(KIND, task_id, bound_to=principal.encode())
    if content is None:
        return None
    backend, tool, operation, created_at_ms, ttl_ms = orjson.loads(content)
    return TaskHandle(backend=backend, tool=tool, operation=operation, created_at_ms=created_at_ms, ttl_ms=ttl_ms)
