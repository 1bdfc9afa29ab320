"""`server/discover`: which revisions, capabilities and instructions a client finds here.

It answers from constants and the catalogue at hand, so it is quick while backends are still being discovered.
Source: MCP 2026-07-28, server/discover.
"""

from collections.abc import Mapping
from typing import Any

from gateway.mcp.methods.method import MethodCall
from gateway.mcp.revisions import PER_REQUEST_SERVED


class ServerDiscover:
    """Answers server/discover; `capabilities` are what the methods make up, by name, with their settings."""

    def __init__(self, *, capabilities: Mapping[str, Mapping[str, Any]]) -> None:
        self._capabilities = {name: dict(capabilities[name]) for name in sorted(capabilities)}

    async def answer(self, call: MethodCall) -> dict[str, Any]:
        """A DiscoverResult; the dispatcher adds the server's identity."""
        result: dict[str, Any] = {
            "resultType": "complete",
            "supportedVersions": PER_REQUEST_SERVED,
            "capabilities": self._capabilities,
            "ttlMs": call.catalogue.ttl_ms,
            "cacheScope": call.catalogue.cache_scope,
        }
        if call.catalogue.instructions:
            result["instructions"] = call.catalogue.instructions
        return result
