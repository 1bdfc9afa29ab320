"""From what a backend offers to the tools that are listed: built aside, whole, the same on every start and replica.

The order is that of the configured backends, then of the RPC names. Output schemas are compiled here, once, never
in a call. This module must never know when a backend is asked.
"""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from google.protobuf.descriptor import Descriptor

from gateway.app.offerings_builder import combine_offerings
from gateway.app.operations import bind_operations, list_task_needs
from gateway.app.settings.model import BackendSection, ToolsSection
from gateway.app.tool_drafts import ToolDraft, ToolDrafter
from gateway.backends.discovery import Discovered, DiscoveryFailed
from gateway.contract.quoting import quote
from gateway.descriptors.api import Api, describe_api
from gateway.descriptors.facts.values import Confirmation
from gateway.descriptors.rpc_facts import RpcEntry, RpcFacts, find_idle_entries, iterate_field_paths
from gateway.descriptors.selection import Selection
from gateway.descriptors.typed_fields import STREAM_EVENT, is_nothing_else
from gateway.mcp.catalogue import Catalogue, Tool, Whole
from gateway.mcp.offerings.values import NO_OFFERINGS, Offerings
from gateway.mcp.ports import StreamRpc, UnaryRpc

_LOG = logging.getLogger("propylon.catalogue")
# What one backend may take: no model reads a list of that size, and each byte of it costs about thirty of memory.
LIMIT_TOOLS = 10_000
LIMIT_LIST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A service or RPC that is not offered, and why, in one line."""

    name: str
    reason: str


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
    choice; `rpcs` names every RPC that links, offered or not. `fitting_paths` are those of the field paths in the
    configured facts that fit an RPC of this backend (`descriptors.rpc_facts`).
    """

    rpcs: tuple[str, ...] = ()
    skipped: tuple[LeftOut, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    fitting_paths: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What one backend adds to the catalogue, and what is to be said of it."""

    backend: str
    tools: tuple[Tool, ...]
    findings: Findings
    offerings: Offerings = NO_OFFERINGS


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
    section: BackendSection, tools: ToolsSection, discovered: Discovered, entries: Sequence[RpcEntry] = ()
) -> tuple[tuple[ToolDraft, ...], Findings]:
    """Everything about one backend's tools that takes time: schemas, converters, validators. Fit for any thread.

    An RPC that is offered as something else than a tool is drafted like one, behind all others. `entries` are the
    configured facts about RPCs. What the files or the facts do not allow is among the findings.
    Raises `DiscoveryFailed` where the tools are more than one backend may have.
    """
    api = describe_api(discovered.files, discovered.services)
    everywhere = Selection(include=tools.include, exclude=tools.exclude)
    here = Selection(include=section.include, exclude=section.exclude)
    drafts: list[ToolDraft] = []
    left_out: list[LeftOut] = []
    unlisted: list[ToolDraft] = []
    refused: list[LeftOut] = []
    warnings = [*discovered.warnings, *api.warnings, *_warn_of_idle_patterns(here, api)]
    drafter = ToolDrafter(api, section.prefix, entries, tell=partial(_tell, section.name))
    size = 0
    for rpc in api.rpcs:
        facts = drafter.read_facts(rpc)
        if not (everywhere.is_selected(rpc.name) and here.is_selected(rpc.name)):
            left_out.append(LeftOut(name=rpc.name, reason="not chosen by include and exclude"))
        elif not facts.is_tool:
            left_out.append(LeftOut(name=rpc.name, reason=_explain_no_tool(facts)))
            other = None if facts.hidden else drafter.draft(rpc, facts)
            if isinstance(other, ToolDraft):
                unlisted.append(other)
        elif isinstance(draft := drafter.draft(rpc, facts), str):
            refused.append(LeftOut(name=rpc.name, reason=draft))
        else:
            drafts.append(draft)
            warnings += [warning for warning in drafts[-1].warnings if warning not in warnings]
            size += len(drafts[-1].listing.encoded)
            if len(drafts) > LIMIT_TOOLS or size > LIMIT_LIST_BYTES:
                limits = f"more than {LIMIT_TOOLS:,} tools, or than {LIMIT_LIST_BYTES:,} bytes of them in tools/list"
                raise DiscoveryFailed(f"{limits}, the limits for one backend; choose fewer with include and exclude")
    if not (discovered.services or discovered.skipped):
        warnings.append("it has no service but gRPC's own (reflection, health)")
    skipped = [LeftOut(name=name, reason=reason) for name, reason in discovered.skipped]
    skipped += [LeftOut(name=one.name, reason=one.reason) for one in api.skipped]
    findings = Findings(
        rpcs=tuple(rpc.name for rpc in api.rpcs),
        skipped=(*skipped, *refused),
        left_out=tuple(left_out),
        warnings=tuple(warnings),
        fitting_paths=drafter.fitting_paths,
    )
    return (*drafts, *unlisted), findings


def _explain_no_tool(facts: RpcFacts) -> str:
    if facts.hidden:
        return "hidden"
    what = {"prompt": facts.prompt, "resource": facts.resource, "completion": facts.completion}
    offered = " and ".join(name for name, value in what.items() if value is not None)
    return f"offered as a {offered} and not as a tool; also_tool makes it both"


def bind_tools(
    section: BackendSection,
    drafts: Iterable[ToolDraft],
    source: RpcSource,
    *,
    stream_seconds: float,
    confirm_destructive: bool = False,
) -> tuple[Tool, ...]:
    """The tools of these drafts, with callables of the source; to be asked for inside the event loop.

    An RPC's deadline is what the facts say; else `stream_seconds` where the server streams, and the backend's. The user
    is asked before a call where the facts say so, or where they say nothing, the tool is destructive and
    `confirm_destructive` is set.
    """
    return tuple(_bind(section, draft, source, stream_seconds, confirm_destructive) for draft in drafts)


def _wants_confirmation(draft: ToolDraft, confirm_destructive: bool) -> bool:
    match draft.facts.confirmation:
        case Confirmation.ALWAYS:
            return True
        case Confirmation.NEVER:
            return False
        case Confirmation.UNSPECIFIED:
            return confirm_destructive and draft.listing["annotations"]["destructiveHint"] is True


def _bind(
    section: BackendSection, draft: ToolDraft, source: RpcSource, stream_seconds: float, confirm_destructive: bool
) -> Tool:
    rpc, facts = draft.rpc, draft.facts
    long_running = bind_operations(draft, source)
    client_streaming, server_streaming = rpc.client_streaming, rpc.server_streaming
    is_stream = client_streaming or server_streaming
    usual_seconds = stream_seconds if server_streaming else section.deadline_seconds
    return Tool(
        name=draft.name,
        rpc=rpc.name,
        aliases=facts.aliases,
        backend=section.name,
        listing=draft.listing,
        transcoder=draft.transcoder,
        call=None if is_stream else source.unary(rpc.name),
        stream=source.stream(rpc.name, client_streaming=client_streaming, server_streaming=server_streaming)
        if is_stream
        else None,
        has_many_replies=server_streaming,
        deadline_seconds=usual_seconds if facts.deadline_seconds is None else facts.deadline_seconds,
        output_validator=draft.output_validator,
        required_capabilities=facts.required_capabilities | list_task_needs(long_running),
        takes_context=draft.transcoder.takes_context,
        tells_progress=draft.transcoder.tells_progress,
        whole=_choose_whole(rpc.response),
        has_sensitive_values=bool(facts.sensitive),
        wants_confirmation=_wants_confirmation(draft, confirm_destructive),
        header_reader=draft.header_reader,
        long_running=long_running,
    )


def _choose_whole(response: Descriptor) -> Whole:
    if response.full_name == STREAM_EVENT:
        return Whole.LAST
    return Whole.NOTHING if is_nothing_else(response) else Whole.LIST


def find_idle_patterns(
    tools: ToolsSection, offers: Iterable[Offer], entries: Sequence[RpcEntry] = ()
) -> tuple[str, ...]:
    """The patterns over all backends that fit no RPC of any of them, which most often are misspelt."""
    selection = Selection(include=tools.include, exclude=tools.exclude)
    names = [name for offer in offers for name in offer.findings.rpcs]
    return tuple(dict.fromkeys((*selection.find_idle_patterns(names), *find_idle_entries(entries, names))))


def find_idle_paths(offers: Iterable[Offer], entries: Sequence[RpcEntry]) -> tuple[str, ...]:
    """Where the configured facts name a field that no RPC has which their pattern fits: JSON pointers."""
    fitting = frozenset[str]().union(*(offer.findings.fitting_paths for offer in offers))
    return tuple(path for path in iterate_field_paths(entries) if path not in fitting)


def combine_offers(offers: Iterable[Offer], *, ttl_ms: int = 0, configured: Offerings = NO_OFFERINGS) -> Catalogue:
    """One catalogue of what is configured and all offers, in their order; raises `NameCollision` over two tools."""
    offers = tuple(offers)
    owners: dict[str, Tool] = {}
    tools = [tool for offer in offers for tool in offer.tools]
    for tool in tools:
        for name in (tool.name, *tool.aliases):
            other = owners.setdefault(name, tool)
            if other is not tool:
                raise NameCollision(name, other, tool)
    named = {tool.name: tool for tool in tools}
    aliases = {alias: tool.name for alias, tool in owners.items() if alias not in named}
    return Catalogue(
        tools=named,
        aliases=aliases,
        version=_digest(named),
        ttl_ms=ttl_ms,
        offerings=combine_offerings((configured, *(offer.offerings for offer in offers))),
    )


def _warn_of_idle_patterns(selection: Selection, api: Api) -> Iterator[str]:
    for pattern in selection.find_idle_patterns(rpc.name for rpc in api.rpcs):
        yield f"{quote(pattern)} fits no RPC of this backend; is it misspelt?"


def _digest(tools: Mapping[str, Tool]) -> str:
    """Equal wherever the same is listed: no address, time or process is part of it."""
    listings = b"\n".join(tool.encoded_listing for tool in tools.values())
    return hashlib.sha256(listings).hexdigest()[:32]


def _tell(backend: str, warning: str) -> None:
    """What comes up in calls, where there are no findings any more."""
    _LOG.warning("validation rules", extra={"backend": backend, "warning": warning})
