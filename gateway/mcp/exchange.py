"""What a front tells about one message beside the message itself: a neutral value, the same from every front."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from gateway.contract.envelopes import Envelope, Refusal
from gateway.mcp.ports import Metadata


class Outlet(Protocol):
    """The way of a request's own notifications to its client, ahead of its answer."""

    async def notify(self, envelope: Envelope) -> None:
        """Sends one notification; those of one request arrive in the order of the calls, whole.

        Returns once the client's end has room for it, so that whoever produces is slowed down to the reader's pace. A
        reader that takes nothing for long is taken for gone: the request is then cancelled like that of a client which
        left. Being cancelled while it waits sends all of it or nothing.
        """
        ...


class Asker(Protocol):
    """The way of a request's own questions to its client: requests of the server (handshake era alone)."""

    async def ask(
        self, method: str, params: Mapping[str, Any], *, timeout_seconds: float
    ) -> Mapping[str, Any] | Refusal:
        """The client's result, or why there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MirroredHeaders:
    """The parts of a message that a front also got outside of it (MCP 2026-07-28, Streamable HTTP, Request Metadata).

    Values as they came, without the white space around them; None where the header is absent. `parameters` holds the
    `Mcp-Param-*` headers by their name in lower case without the prefix, `doubled` the names of those headers of this
    kind that came more than once, in lower case.
    """

    version: str | None = None
    method: str | None = None
    name: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    doubled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One message's surroundings.

    `front` is the name of the way in, for logs. `mirrored` is None where the front has no headers (stdio), so that
    nothing is held against them. `metadata` is what the front adds to the metadata of the RPC. `outlet` is None where
    the client takes nothing but the answer, `asker` where it cannot be asked. `principal` names who calls, "" where
    nobody was asked to say so. `client_capabilities` and `log_level` are those of the session that the message belongs
    to; None where each request states its own. `headers` are those of the request that arguments of tools come from, by
    their names in lower case, None for one that came more than once.
    """

    front: str
    mirrored: MirroredHeaders | None = None
    metadata: Metadata = ()
    outlet: Outlet | None = None
    asker: Asker | None = None
    principal: str = ""
    client_capabilities: Mapping[str, Any] | None = None
    log_level: str | None = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
