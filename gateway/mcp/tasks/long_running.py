"""What a tool has whose RPC starts a long-running operation: how to follow it, and on which terms it is a task."""

from dataclasses import dataclass

from gateway.descriptors.facts.values import TaskSupport
from gateway.mcp.ports import OperationCodec, UnaryRpc

DEFAULT_TTL_SECONDS = 24 * 3600.0
DEFAULT_POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LongRunning:
    """The operations of one RPC.

    `get` and `cancel` are RPCs of google.longrunning.Operations, `provide_input` is that of
    gateway.v1.TaskInputService, all of the tool's own backend. A task can be asked for during `ttl_seconds`, and should
    be asked for no more often than every `poll_seconds`.
    """

    codec: OperationCodec
    get: UnaryRpc
    cancel: UnaryRpc
    provide_input: UnaryRpc
    support: TaskSupport = TaskSupport.UNSPECIFIED
    ttl_seconds: float = DEFAULT_TTL_SECONDS
    poll_seconds: float = DEFAULT_POLL_SECONDS
