"""`ping`: whether somebody is there (handshake era). Source: MCP 2025-11-25, basic/utilities/ping."""

from gateway.mcp.methods.method import MethodCall, Outcome


async def answer_ping(_: MethodCall) -> Outcome:
    """An EmptyResult."""
    return {}
