"""What a client declared that it can do, and the refusal of a request that needs more.

Source: MCP 2026-07-28, basic, "Per-request protocol fields" and MissingRequiredClientCapabilityError. A request of the
handshake era goes by what its session declared.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.descriptors.facts.values import ClientCapability
from gateway.mcp.exchange import Exchange

CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

# Each capability as a path into ClientCapabilities.
_PATHS: Mapping[ClientCapability, tuple[str, ...]] = MappingProxyType(
    {
        ClientCapability.SAMPLING: ("sampling",),
        ClientCapability.ELICITATION: ("elicitation",),
        ClientCapability.ROOTS: ("roots",),
        ClientCapability.TASKS: ("extensions", ClientCapability.TASKS.value),
    }
)
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def get_capabilities(exchange: Exchange, meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """The ClientCapabilities that hold for one request; empty where none were declared."""
    declared = meta.get(CAPABILITIES_KEY, exchange.client_capabilities)
    return declared if isinstance(declared, Mapping) else _NOTHING


def has_capability(declared: Mapping[str, Any], capability: ClientCapability) -> bool:
    """Whether a client declared the capability: an object, however empty."""
    value: Any = declared
    for step in _PATHS[capability]:
        value = value.get(step) if isinstance(value, Mapping) else None
    return isinstance(value, Mapping)


def refuse_missing(declared: Mapping[str, Any], required: Iterable[ClientCapability], subject: str) -> Refusal | None:
    """The refusal of a request for what its client lacks, or None. `subject` is what needs it: 'the tool "paint"'."""
    missing = sorted((one for one in required if not has_capability(declared, one)), key=lambda one: one.value)
    if not missing:
        return None
    names = " and ".join(one.value for one in missing)
    noun = "capability" if len(missing) == 1 else "capabilities"
    return Refusal(
        condition=Condition.MISSING_CLIENT_CAPABILITY,
        message=f"{subject} needs the client {noun} {names}, which this request does not declare",
        data={"requiredCapabilities": _describe(missing)},
    )


def _describe(missing: Iterable[ClientCapability]) -> dict[str, Any]:
    """The capabilities as ClientCapabilities."""
    described: dict[str, Any] = {}
    for capability in missing:
        place = described
        for step in _PATHS[capability]:
            place = place.setdefault(step, {})
    return described
