"""From what a backend offers to the tools that are listed: built aside, whole, the same on every start and replica.

The order is that of the configured backends, then of the RPC names. Output schemas are compiled here, once, never
in a call. This module must never know when a backend is asked.
"""

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from gateway.app.settings.model import BackendSection, ToolsSection
from gateway.backends.discovery import Discovered, DiscoveryFailed
from gateway.contract.quoting import quote
from gateway.contract.validation import DeferredValidator, SchemaValidator
from gateway.descriptors.api import Api, Rpc, describe_api
from gateway.descriptors.schema.builder import SchemaBuilder
from gateway.descriptors.schema.dialect import Direction
from gateway.descriptors.selection import Selection
from gateway.descriptors.tool_names import make_tool_name
from gateway.descriptors.tool_texts import find_text_warning, make_annotations, make_description, make_title
from gateway.mcp.catalogue import Catalogue, Tool
from gateway.mcp.listing import Listing
from gateway.mcp.ports import StreamRpc, UnaryRpc
from gateway.transcoding.codec import Codec
from gateway.transcoding.rpc_transcoder import RpcTranscoder

_LOG = logging.getLogger("propylon.catalogue")
RPC_META_KEY = "dev.propylon/rpc"
# What one backend may take: no model reads a list of that size, and each byte of it costs about thirty of memory.
LIMIT_TOOLS = 10_000
LIMIT_LIST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A service or RPC that is not offered, and why, in one line."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDraft:
    """A tool but for the RPC's callable, which belongs to an event loop."""

    name: str
    rpc: str
    client_streaming: bool
    server_streaming: bool
    listing: Listing
    transcoder: RpcTranscoder
    output_validator: SchemaValidator | None


class RpcSource(Protocol):
    """Where the callables of a backend's RPCs come from; both take "pkg.Service/Method"."""

    def unary(self, rpc_name: str) -> UnaryRpc:
        """The callable of a unary RPC."""
        ...

    def stream(self, rpc_name: str, *, client_streaming: bool, server_streaming: bool) -> StreamRpc:
        """The callable of an RPC of which at least one side streams."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What is to be said of one backend.

    `skipped` holds services and RPCs that should be there and cannot, `left_out` those that are not offered by
    choice; `rpcs` names every RPC that links, offered or not.
    """

    rpcs: tuple[str, ...] = ()
    skipped: tuple[LeftOut, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What one backend adds to the catalogue, and what is to be said of it."""

    backend: str
    tools: tuple[Tool, ...]
    findings: Findings


class NameCollision(Exception):
    """Two RPCs would get one tool name. `reason` names both and their backends, and says what to do."""

    def __init__(self, name: str, first: Tool, second: Tool) -> None:
        remedy = "exclude one of the two"
        if first.backend != second.backend:
            remedy = f"give one backend a prefix, or {remedy}"
        self.reason = (
            f'two RPCs would be the tool "{name}": {first.rpc} of backend {first.backend} and {second.rpc} of backend '
            f"{second.backend}; {remedy}"
        )
        super().__init__(self.reason)


def draft_tools(
    section: BackendSection, tools: ToolsSection, discovered: Discovered
) -> tuple[tuple[ToolDraft, ...], Findings]:
    """Everything about one backend's tools that takes time: schemas, converters, validators. Fit for any thread.

    What the files do not allow is among the findings. Raises `DiscoveryFailed` where the tools are more than one
    backend may have.
    """
    api = describe_api(discovered.files, discovered.services)
    everywhere = Selection(include=tools.include, exclude=tools.exclude)
    here = Selection(include=section.include, exclude=section.exclude)
    drafts: list[ToolDraft] = []
    left_out: list[LeftOut] = []
    warnings = [*discovered.warnings, *api.warnings, *_warn_of_idle_patterns(here, api)]
    drafter = _Drafter(api, section.prefix, tell=partial(_tell, section.name))
    size = 0
    for rpc in api.rpcs:
        if not (everywhere.is_selected(rpc.name) and here.is_selected(rpc.name)):
            left_out.append(LeftOut(name=rpc.name, reason="not chosen by include and exclude"))
        else:
            drafts.append(drafter.draft(rpc))
            warnings += [fault for fault in drafter.list_rule_faults(rpc) if fault not in warnings]
            size += len(drafts[-1].listing.encoded)
            if len(drafts) > LIMIT_TOOLS or size > LIMIT_LIST_BYTES:
                limits = f"more than {LIMIT_TOOLS:,} tools, or than {LIMIT_LIST_BYTES:,} bytes of them in tools/list"
                raise DiscoveryFailed(f"{limits}, the limits for one backend; choose fewer with include and exclude")
            warning = find_text_warning(rpc, api)
            warnings += [] if warning is None else [warning]
    if not (discovered.services or discovered.skipped):
        warnings.append("it has no service but gRPC's own (reflection, health)")
    skipped = [LeftOut(name=name, reason=reason) for name, reason in discovered.skipped]
    skipped += [LeftOut(name=one.name, reason=one.reason) for one in api.skipped]
    findings = Findings(
        rpcs=tuple(rpc.name for rpc in api.rpcs),
        skipped=tuple(skipped),
        left_out=tuple(left_out),
        warnings=tuple(warnings),
    )
    return tuple(drafts), findings


def bind_tools(
    section: BackendSection, drafts: Iterable[ToolDraft], source: RpcSource, *, stream_seconds: float
) -> tuple[Tool, ...]:
    """The tools of these drafts, with callables of the source; to be asked for inside the event loop.

    `stream_seconds` is the deadline of RPCs whose server streams; the others have the backend's.
    """
    return tuple(_bind(section, draft, source, stream_seconds) for draft in drafts)


def _bind(section: BackendSection, draft: ToolDraft, source: RpcSource, stream_seconds: float) -> Tool:
    client_streaming, server_streaming = draft.client_streaming, draft.server_streaming
    is_stream = client_streaming or server_streaming
    return Tool(
        name=draft.name,
        rpc=draft.rpc,
        backend=section.name,
        listing=draft.listing,
        transcoder=draft.transcoder,
        call=None if is_stream else source.unary(draft.rpc),
        stream=source.stream(draft.rpc, client_streaming=client_streaming, server_streaming=server_streaming)
        if is_stream
        else None,
        has_many_replies=server_streaming,
        deadline_seconds=stream_seconds if server_streaming else section.deadline_seconds,
        output_validator=draft.output_validator,
    )


def find_idle_patterns(tools: ToolsSection, offers: Iterable[Offer]) -> tuple[str, ...]:
    """The patterns over all backends that fit no RPC of any of them, which most often are misspelt."""
    selection = Selection(include=tools.include, exclude=tools.exclude)
    return selection.find_idle_patterns(name for offer in offers for name in offer.findings.rpcs)


def combine_offers(offers: Iterable[Offer], *, ttl_ms: int = 0) -> Catalogue:
    """One catalogue of all offers in their order. Raises `NameCollision`: nothing is ever overwritten."""
    tools: dict[str, Tool] = {}
    for offer in offers:
        for tool in offer.tools:
            if tool.name in tools:
                raise NameCollision(tool.name, tools[tool.name], tool)
            tools[tool.name] = tool
    return Catalogue(tools=tools, version=_digest(tools), ttl_ms=ttl_ms)


class _Drafter:
    """Drafts the tools of one backend: one codec and one schema builder for all of them."""

    def __init__(self, api: Api, prefix: str, *, tell: Callable[[str], None]) -> None:
        self._api = api
        self._prefix = prefix
        self._codec = Codec(api, tell=tell)
        self._schemas = SchemaBuilder(api)

    def list_rule_faults(self, rpc: Rpc) -> tuple[str, ...]:
        """A line for each type in the RPC's request whose validation rules cannot be used."""
        return self._codec.list_rule_faults(rpc.request)

    def draft(self, rpc: Rpc) -> ToolDraft:
        name = make_tool_name(rpc.name, prefix=self._prefix)
        output_schema = self._schemas.output_schema(rpc)
        reply_schema = output_schema
        if rpc.server_streaming:
            reply_schema = self._schemas.message_schema(rpc.response, Direction.OUTPUT)
        return ToolDraft(
            name=name,
            rpc=rpc.name,
            client_streaming=rpc.client_streaming,
            server_streaming=rpc.server_streaming,
            listing=Listing(self._make_listing(rpc, name, output_schema)),
            transcoder=RpcTranscoder(self._codec, rpc),
            output_validator=None if reply_schema is None else DeferredValidator(reply_schema, subject="result"),
        )

    def _make_listing(self, rpc: Rpc, name: str, output_schema: Mapping[str, Any] | None) -> Mapping[str, Any]:
        """The tool's entry in tools/list (MCP 2026-07-28, Tool)."""
        listing: dict[str, Any] = {
            "name": name,
            "title": make_title(rpc, self._api),
            "description": make_description(rpc, self._api),
            "inputSchema": self._schemas.input_schema(rpc),
        }
        if output_schema is not None:
            listing["outputSchema"] = output_schema
        listing["annotations"] = make_annotations(rpc, self._api)
        listing["_meta"] = {RPC_META_KEY: rpc.name}
        return listing


def _tell(backend: str, warning: str) -> None:
    """What comes up in calls, where there are no findings any more."""
    _LOG.warning("validation rules", extra={"backend": backend, "warning": warning})


def _warn_of_idle_patterns(selection: Selection, api: Api) -> Iterator[str]:
    for pattern in selection.find_idle_patterns(rpc.name for rpc in api.rpcs):
        yield f"{quote(pattern)} fits no RPC of this backend; is it misspelt?"


def _digest(tools: Mapping[str, Tool]) -> str:
    """Equal wherever the same is listed: no address, time or process is part of it."""
    listings = b"\n".join(tool.encoded_listing for tool in tools.values())
    return hashlib.sha256(listings).hexdigest()[:32]
