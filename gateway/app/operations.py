"""The long-running operations of a draft, with the RPCs of its backend that follow them."""

from typing import Protocol

from gateway.app.tool_drafts import ToolDraft
from gateway.descriptors.facts.values import ClientCapability, TaskSupport
from gateway.descriptors.long_running import OPERATIONS_SERVICE
from gateway.mcp.ports import UnaryRpc
from gateway.mcp.tasks.long_running import DEFAULT_POLL_SECONDS, DEFAULT_TTL_SECONDS, LongRunning

INPUT_RPC = "gateway.v1.TaskInputService/ProvideInput"


class UnarySource(Protocol):
    """Where the callables of a backend's unary RPCs come from."""

    def unary(self, rpc_name: str) -> UnaryRpc:
        """The callable of the RPC "pkg.Service/Method"."""
        ...


def bind_operations(draft: ToolDraft, source: UnarySource) -> LongRunning | None:
    """How the operations of the draft's RPC are followed, or None where it starts none.

    Whether the backend serves the RPCs for that is seen when they are called: many do that do not tell of them.
    """
    if draft.operations is None:
        return None
    task = draft.facts.task
    return LongRunning(
        codec=draft.operations,
        get=source.unary(f"{OPERATIONS_SERVICE}/GetOperation"),
        cancel=source.unary(f"{OPERATIONS_SERVICE}/CancelOperation"),
        provide_input=source.unary(INPUT_RPC),
        support=task.support,
        ttl_seconds=DEFAULT_TTL_SECONDS if task.ttl_seconds is None else task.ttl_seconds,
        poll_seconds=DEFAULT_POLL_SECONDS if task.poll_interval_seconds is None else task.poll_interval_seconds,
    )


def list_task_needs(long_running: LongRunning | None) -> frozenset[ClientCapability]:
    """What a client must declare to call a tool on these terms: the extension where its calls are always tasks."""
    is_always = long_running is not None and long_running.support is TaskSupport.REQUIRED
    return frozenset({ClientCapability.TASKS}) if is_always else frozenset()
