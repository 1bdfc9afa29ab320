"""`initialize`: settles a revision and opens a session of the handshake era.

Source: MCP 2025-11-25, basic/lifecycle.
"""

from collections.abc import Mapping
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.mcp.client_names import read_client_name
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.sessions.sessions import Sessions


class Initialize:
    """Answers initialize; `capabilities` are what the methods make up, `server` is who answers."""

    def __init__(
        self, sessions: Sessions, *, capabilities: Mapping[str, Mapping[str, Any]], server: Mapping[str, str]
    ) -> None:
        self._sessions = sessions
        self._capabilities = {name: dict(capabilities[name]) for name in sorted(capabilities)}
        self._server = server

    async def answer(self, call: MethodCall) -> Outcome:
        """An InitializeResult; the session is put into the call's holder."""
        if call.holder is None:
            return Refusal(condition=Condition.INVALID_REQUEST, message="no session can be opened here")
        call.holder.session = self._sessions.open(
            call.revision,
            call.params["capabilities"],
            call.exchange.principal,
            client_name=read_client_name(call.params.get("clientInfo")),
        )
        result: dict[str, Any] = {
            "protocolVersion": call.revision.name,
            "capabilities": self._capabilities,
            "serverInfo": {
                name: value for name, value in self._server.items() if name not in call.revision.unknown_server_members
            },
        }
        if call.catalogue.instructions:
            result["instructions"] = call.catalogue.instructions
        return result
