"""How the rooms fit together: from settings to a gateway that can be discovered, asked and closed.

What lives as long as the process is built here and handed down; nothing is started yet.
"""

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp

from gateway import __version__
from gateway.app.catalogue_builder import Offer, bind_tools, draft_tools
from gateway.app.configured_offerings import make_configured_offerings
from gateway.app.discovery_loop import DiscoveryLoop, Guard, Source
from gateway.app.offerings_builder import make_offerings
from gateway.app.operator_error import OperatorError
from gateway.app.settings.model import BackendSection, DiscoverySection, Settings, ToolSurface
from gateway.app.views.catalogue_views import CatalogueViews
from gateway.app.views.dispatchers import make_dispatcher, make_patient_dispatcher, make_profile_dispatchers
from gateway.backends.backend import Backend, BackendSettings, DiscoveryLimits
from gateway.backends.channels import ChannelError, ChannelLimits
from gateway.backends.discovery import Discovered, DiscoveryFailed
from gateway.backends.sources import SourceError
from gateway.backends.targets import parse_target
from gateway.contract.validation import PER_REQUEST_REVISION, MessageValidator, load_protocol_schema
from gateway.descriptors.facts.entries import list_argument_headers
from gateway.fronts.http.app import build_http_app
from gateway.fronts.http.health import HealthReport
from gateway.fronts.http.settings import HttpSettings, choose_allowed_hosts
from gateway.mcp.dispatch import Dispatcher, ServerIdentity
from gateway.mcp.progress import ProgressPace
from gateway.mcp.revisions import HANDSHAKE_SERVED
from gateway.mcp.sealing import Sealer, make_random_key
from gateway.mcp.subscriptions.hub import SubscriptionHub
from gateway.mcp.tool_calls.collector import StreamLimits

SERVER = ServerIdentity(name="propylon", title="Propylon", version=__version__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """Everything between the fronts and the network.

    `profile_dispatchers` are those of the profiles' endpoints, by the last part of their paths. `patient_dispatcher` is
    for a client that started the process. `cut_calls` ends every running call, and each later
    one, with UNAVAILABLE.
    """

    settings: Settings
    views: CatalogueViews
    discovery: DiscoveryLoop
    subscriptions: SubscriptionHub
    dispatcher: Dispatcher
    profile_dispatchers: Mapping[str, Dispatcher]
    patient_dispatcher: Dispatcher
    cut_calls: Callable[[], Awaitable[None]]


@asynccontextmanager
async def open_gateway(settings: Settings, *, guard: Guard | None = None) -> AsyncIterator[Gateway]:
    """A gateway over the configured backends, inside the running event loop; its connections are closed at the end.

    `guard` has the last word on what is served.
    """
    backends = [_make_backend(section, settings.discovery) for section in settings.backends]
    sources = [
        _make_source(section, backend, settings) for section, backend in zip(settings.backends, backends, strict=True)
    ]
    discovery = DiscoveryLoop(
        sources,
        settings.discovery,
        ttl_seconds=settings.tools.ttl_seconds,
        configured=make_configured_offerings(settings.prompts, settings.resources),
        guard=guard,
    )
    subscriptions = SubscriptionHub(limit_listeners=settings.limits.listeners)
    discovery.tell_of_swaps(subscriptions.publish)
    searches = settings.tools.surface is ToolSurface.SEARCH
    views = CatalogueViews(lambda: discovery.catalogue, searches=searches, clients=settings.profiles.clients)
    discovery.tell_of_swaps(views.forget)
    options: dict[str, Any] = {
        "catalogue": views.get_plain if searches else lambda: discovery.catalogue,
        "validator": MessageValidator(load_protocol_schema(PER_REQUEST_REVISION)),
        "session_validators": {name: MessageValidator(load_protocol_schema(name)) for name in HANDSHAKE_SERVED},
        "server": SERVER,
        "page_size": settings.tools.page_size or None,
        "result_limit_bytes": settings.limits.result_bytes,
        "stream_limits": StreamLimits(
            messages=settings.limits.stream_messages,
            bytes=min(settings.limits.stream_bytes, settings.limits.result_bytes),
        ),
        "progress_pace": ProgressPace(per_second=settings.limits.progress_per_second),
        "forward_internal": settings.errors.forward_internal,
        "subscriptions": subscriptions,
        "resource_poll_seconds": settings.limits.resource_poll_seconds,
        "sealer": Sealer([key.encode() for key in settings.sealing.keys] or [make_random_key()]),
    }

    async def cut_calls() -> None:
        await asyncio.gather(*(backend.close() for backend in backends))

    try:
        yield Gateway(
            settings=settings,
            views=views,
            discovery=discovery,
            subscriptions=subscriptions,
            dispatcher=make_dispatcher(views, options),
            profile_dispatchers=make_profile_dispatchers(views, settings.profiles.paths, options),
            patient_dispatcher=make_patient_dispatcher(views, discovery.asked, options),
            cut_calls=cut_calls,
        )
    finally:
        await cut_calls()


def make_http_application(gateway: Gateway, health: HealthReport) -> ASGIApp:
    """The HTTP front over this gateway."""
    settings = gateway.settings
    return build_http_app(
        gateway.dispatcher,
        HttpSettings(
            path=settings.http.path,
            allowed_hosts=choose_allowed_hosts(settings.listen.host, settings.http.allowed_hosts),
            allowed_origins=settings.http.allowed_origins,
            body_limit_bytes=settings.limits.body_bytes,
            argument_headers=list_argument_headers(settings.rpcs),
        ),
        health,
        gateway.profile_dispatchers,
    )


def _make_backend(section: BackendSection, discovery: DiscoverySection) -> Backend:
    return Backend(
        BackendSettings(
            name=section.name,
            target=parse_target(section.target),
            tls=section.tls is not None,
            roots_file=section.tls.roots if section.tls else None,
            reflection=section.reflection,
            descriptor_sets=section.descriptors,
            proto_folders=section.protos,
            discovery_metadata=section.discovery_metadata,
            call_metadata=section.metadata,
            channel_limits=ChannelLimits(receive_limit_bytes=section.receive_limit_bytes),
            discovery_limits=DiscoveryLimits(deadline_seconds=discovery.timeout_seconds),
            lane=section.lane,
        )
    )


def _make_source(section: BackendSection, backend: Backend, settings: Settings) -> Source:
    is_first = True

    async def discover() -> Discovered:
        nonlocal is_first
        try:
            return await backend.discover()
        except DiscoveryFailed as failure:
            if is_first and isinstance(failure.__cause__, SourceError | ChannelError):
                # A file that is no use at start is a mistake; one that becomes so later leaves the last good tools.
                raise OperatorError(failure.reason) from None
            raise
        finally:
            is_first = False

    async def build(discovered: Discovered) -> Offer:
        drafts, findings = await asyncio.to_thread(draft_tools, section, settings.tools, discovered, settings.rpcs)
        bound = bind_tools(
            section,
            drafts,
            backend,
            stream_seconds=settings.limits.stream_seconds,
            confirm_destructive=settings.tools.confirm_destructive,
        )
        pairs = tuple(zip(drafts, bound, strict=True))
        offerings, faults = make_offerings(pairs)
        return Offer(
            backend=section.name,
            tools=tuple(tool for draft, tool in pairs if draft.facts.is_tool),
            findings=dataclasses.replace(findings, warnings=(*findings.warnings, *faults)),
            offerings=offerings,
        )

    return Source(name=section.name, discover=discover, build=build, read_signs=backend.read_signs)
