"""How the rooms fit together: from settings to a gateway that can be discovered, asked and closed.

What lives as long as the process is built here and handed down; nothing is started yet.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gateway import __version__
from gateway.app.catalogue_builder import LeftOut, Offer, build_offer
from gateway.app.discovery_loop import DiscoveryLoop, Source
from gateway.app.settings.model import BackendSection, Settings, ToolsSection
from gateway.backends.backend import Backend, BackendSettings, Discovered
from gateway.contract.validation import PER_REQUEST_REVISION, MessageValidator, load_protocol_schema
from gateway.mcp.dispatch import Dispatcher, ServerIdentity

SERVER = ServerIdentity(name="propylon", title="Propylon", version=__version__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """Everything between the fronts and the network."""

    settings: Settings
    discovery: DiscoveryLoop
    dispatcher: Dispatcher


@asynccontextmanager
async def open_gateway(settings: Settings) -> AsyncIterator[Gateway]:
    """A gateway over the configured backends, inside the running event loop; its connections are closed at the end.

    Closing cancels the calls that still run.
    """
    backends = [Backend(_make_backend_settings(section)) for section in settings.backends]
    discovery = DiscoveryLoop(
        [
            _make_source(section, backend, settings.tools)
            for section, backend in zip(settings.backends, backends, strict=True)
        ],
        settings.discovery,
        ttl_seconds=settings.tools.ttl_seconds,
    )
    dispatcher = Dispatcher(
        catalogue=lambda: discovery.catalogue,
        validator=MessageValidator(load_protocol_schema(PER_REQUEST_REVISION)),
        server=SERVER,
        page_size=settings.tools.page_size or None,
        result_limit_bytes=settings.limits.result_bytes,
        forward_internal=settings.errors.forward_internal,
    )
    try:
        yield Gateway(settings=settings, discovery=discovery, dispatcher=dispatcher)
    finally:
        await asyncio.gather(*(backend.close() for backend in backends))


def _make_backend_settings(section: BackendSection) -> BackendSettings:
    raise NotImplementedError(section)


def _make_source(section: BackendSection, backend: Backend, tools: ToolsSection) -> Source:
    def build(discovered: Discovered) -> Offer:
        offer = build_offer(section, tools, discovered.files, discovered.services, backend.unary)
        return _add_discovery_findings(offer, discovered)

    return Source(name=section.name, discover=backend.discover, build=build)


def _add_discovery_findings(offer: Offer, discovered: Discovered) -> Offer:
    raise NotImplementedError(LeftOut, offer, discovered)
