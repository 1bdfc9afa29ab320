"""The immutable set of what is served now. It is built aside (`app.catalogue_builder`) and swapped whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gateway.contract.validation import SchemaValidator
from gateway.mcp.ports import Transcoder, UnaryRpc


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One RPC as a tool. `listing` is its entry in tools/list, whole; `rpc` is "pkg.Service/Method"."""

    name: str
    rpc: str
    backend: str
    listing: Mapping[str, Any]
    transcoder: Transcoder
    call: UnaryRpc
    deadline_seconds: float
    output_validator: SchemaValidator | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Tools by name in listing order, under every name they answer to (`aliases`: old name to current one).

    `version` is a digest of the listing: equal on every replica that serves the same.
    """

    tools: Mapping[str, Tool]
    version: str
    aliases: Mapping[str, str] = field(default_factory=dict)
    instructions: str | None = None

    def find_tool(self, name: str) -> Tool | None:
        """The tool of that name or alias, or None."""
        return self.tools.get(name) or self.tools.get(self.aliases.get(name, ""))
