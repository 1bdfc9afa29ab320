"""What a backend is told of the call of one of its RPCs, where it asks for it (`transcoding.call_context`)."""

from collections.abc import Mapping
from typing import Any

from gateway.descriptors.facts.values import ClientCapability
from gateway.mcp.capabilities import get_capabilities, has_capability
from gateway.mcp.exchange import Exchange
from gateway.mcp.log_messages import find_log_level
from gateway.mcp.progress import TOKEN_KEY
from gateway.transcoding.call_context import CallContext, ClientAbilities

_NO_ANSWERS: Mapping[str, Mapping[str, Any]] = {}


def make_call_context(
    exchange: Exchange,
    meta: Mapping[str, Any],
    *,
    answers: Mapping[str, Mapping[str, Any]] = _NO_ANSWERS,
    state: bytes = b"",
) -> CallContext:
    """The context of one request; `answers` and `state` are those of a call that is repeated with input."""
    return CallContext(
        client=describe_client(get_capabilities(exchange, meta)),
        answers=answers,
        state=state,
        wants_progress=exchange.outlet is not None and TOKEN_KEY in meta,
        principal=exchange.principal,
        log_level="" if exchange.outlet is None else find_log_level(exchange, meta),
    )


def describe_client(declared: Mapping[str, Any]) -> ClientAbilities:
    """What a client with these ClientCapabilities can do.

    An empty `elicitation` means forms alone (MCP 2026-07-28, client/elicitation, "Capabilities").
    """
    elicitation = declared.get("elicitation")
    modes = elicitation if isinstance(elicitation, Mapping) else None
    return ClientAbilities(
        sampling=has_capability(declared, ClientCapability.SAMPLING),
        elicitation=modes is not None and ("form" in modes or not modes),
        elicitation_url=modes is not None and "url" in modes,
        roots=has_capability(declared, ClientCapability.ROOTS),
        tasks=has_capability(declared, ClientCapability.TASKS),
    )
