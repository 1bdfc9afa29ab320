"""`logging/setLevel`: how serious a line must be to be told (handshake era). Source: MCP 2025-11-25, server/logging."""

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.mcp.methods.method import MethodCall, Outcome


async def answer_set_level(call: MethodCall) -> Outcome:
    """An EmptyResult; the level holds for the session from now on. Without a session there is nothing to set."""
    session = call.holder.session if call.holder is not None else None
    if session is None:
        message = "the level holds for a session: send the Mcp-Session-Id that initialize gave"
        return Refusal(condition=Condition.INVALID_REQUEST, message=message)
    session.log_level = call.params["level"]
    return {}
