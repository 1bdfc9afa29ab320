"""The dispatcher of one profile's endpoint: like any other, over that profile's view of the catalogue."""

from typing import Any

from gateway.app.views.catalogue_views import CatalogueViews
from gateway.contract.envelopes import Envelope
from gateway.mcp.dispatch import Dispatcher
from gateway.mcp.exchange import Exchange
from gateway.mcp.sessions.session import SessionHolder


class ProfileDispatcher(Dispatcher):
    """A dispatcher whose catalogue may have to be made first, which is done aside."""

    def __init__(self, views: CatalogueViews, profile: str, **options: Any) -> None:
        super().__init__(**options | {"catalogue": lambda: views.get(profile)})
        self._views = views
        self._profile = profile

    async def dispatch(self, message: dict[str, Any], exchange: Exchange) -> Envelope | None:
        """The answer to a message, from the profile's view."""
        await self._views.prepare(self._profile)
        return await super().dispatch(message, exchange)

    async def dispatch_in_session(
        self, message: dict[str, Any], exchange: Exchange, holder: SessionHolder
    ) -> Envelope | None:
        """The same in the handshake era."""
        await self._views.prepare(self._profile)
        return await super().dispatch_in_session(message, exchange, holder)
