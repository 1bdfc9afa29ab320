"""What a front tells about one message beside the message itself: a neutral value, the same from every front."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gateway.mcp.ports import Metadata


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
    nothing is held against them. `metadata` is what the front adds to the metadata of the RPC.
    """

    front: str
    mirrored: MirroredHeaders | None = None
    metadata: Metadata = ()
