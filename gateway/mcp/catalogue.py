"""The immutable set of what is served now. It is built aside (`app.catalogue_builder`) and swapped whole."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from gateway.contract.validation import SchemaValidator
from gateway.descriptors.facts.values import ClientCapability
from gateway.mcp.listing import Listing
from gateway.mcp.mirroring.parameters import HeaderParameter
from gateway.mcp.offerings.values import NO_OFFERINGS, Offerings
from gateway.mcp.passage import Passage
from gateway.mcp.ports import HeaderReader, Headers, StreamRpc, Transcoder, UnaryRpc
from gateway.mcp.tasks.long_running import LongRunning


class Whole(enum.Enum):
    """What the values of a stream's messages are together."""

    LIST = "list"
    LAST = "last"  # the last one is the result, the others were on the way to it
    NOTHING = "nothing"  # the messages are content and have no values


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One RPC as a tool. `listing` is its entry in tools/list, whole, kept as text; `rpc` is "pkg.Service/Method".

    Exactly one of `call` and `stream` is set: a unary RPC, or one of the streaming kinds; `has_many_replies` says of
    those whether the server streams too. `output_validator` is held to each single reply. `header_parameters` follows
    from the listing: the arguments that clients mirror in `Mcp-Param-*` headers. `aliases` are further names that lead
    to it, which are not listed. `required_capabilities` are what a client must have declared before it is called.
    `takes_context`: its requests want to know of their call. `tells_progress`: its stream says how far the work is by
    itself. `whole` is what the values of its stream are together. `has_sensitive_values`: not all of its values may be
    logged. `wants_confirmation`: the user is asked before it is called. `header_reader` is set where arguments come
    from headers of the caller's request, and gives the transcoder for each. `long_running` is set where the RPC starts
    an operation: the replies of the transcoder and the output schema are then what operations end in.
    """

    name: str
    rpc: str
    backend: str
    listing: Mapping[str, Any]
    transcoder: Transcoder
    deadline_seconds: float
    call: UnaryRpc | None = None
    stream: StreamRpc | None = None
    has_many_replies: bool = False
    output_validator: SchemaValidator | None = None
    aliases: tuple[str, ...] = ()
    required_capabilities: frozenset[ClientCapability] = frozenset()
    takes_context: bool = False
    tells_progress: bool = False
    whole: Whole = Whole.LIST
    has_sensitive_values: bool = False
    wants_confirmation: bool = False
    header_reader: HeaderReader | None = None
    long_running: LongRunning | None = None
    header_parameters: tuple[HeaderParameter, ...] = field(init=False)

    def __post_init__(self) -> None:
        if (self.call is None) is (self.stream is None):
            raise ValueError(f"tool {self.name} must be either a unary or a streaming RPC")
        listing = self.listing if isinstance(self.listing, Listing) else Listing(self.listing)
        object.__setattr__(self, "listing", listing)
        object.__setattr__(self, "header_parameters", listing.header_parameters)

    def with_headers(self, headers: Headers) -> "Tool":
        """The tool for a call whose request has these headers."""
        return (
            self if self.header_reader is None else replace(self, transcoder=self.header_reader.with_headers(headers))
        )

    @property
    def encoded_listing(self) -> bytes:
        """The entry in tools/list as JSON text in UTF-8."""
        return cast("Listing", self.listing).encoded


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The tools by name; tools/list gives them in the order of their names. `aliases` leads from old names to current.

    `version` is a digest of the listing: equal on every replica that serves the same. `ttl_ms` is how long a client may
    keep a list (0: not at all, as long as the catalogue is not whole), `cache_scope` "public" unless what is listed
    depends on the caller. `offerings` are the prompts and resources beside the tools.

    `shown` are the tools that tools/list gives in the place of all; None: it gives all. `passage` leads to the others.
    """

    tools: Mapping[str, Tool]
    version: str
    aliases: Mapping[str, str] = field(default_factory=dict)
    instructions: str | None = None
    ttl_ms: int = 0
    cache_scope: Literal["public", "private"] = "public"
    offerings: Offerings = NO_OFFERINGS
    shown: Mapping[str, Tool] | None = None
    passage: Passage | None = None

    @property
    def listed(self) -> Mapping[str, Tool]:
        """The tools that tools/list gives, by name."""
        return self.tools if self.shown is None else self.shown

    def find_tool(self, name: str) -> Tool | None:
        """The tool of that name or alias, or None."""
        return self.tools.get(name) or self.tools.get(self.aliases.get(name, ""))
