"""Dispatchers for clients that see a view of the catalogue: those of an endpoint, or those of some names."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from gateway.app.serving.patience import PatientDispatcher
from gateway.app.views.catalogue_views import CatalogueViews
from gateway.contract.envelopes import Envelope
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.client_names import find_client_name
from gateway.mcp.dispatch import Dispatcher
from gateway.mcp.exchange import Exchange
from gateway.mcp.sessions.session import SessionHolder

ChooseProfile = Callable[[Mapping[str, Any], SessionHolder | None], str | None]


class ViewDispatcher(Dispatcher):
    """A dispatcher whose catalogue is that of a profile, where a message is from a client of one.

    `choose_profile` gives the name of the profile for a message, and the session that it belongs to.
    """

    def __init__(self, *, views: CatalogueViews, choose_profile: ChooseProfile, **options: Any) -> None:
        super().__init__(**options)
        self._views = views
        self._choose_profile = choose_profile

    async def dispatch(self, message: dict[str, Any], exchange: Exchange) -> Envelope | None:
        """The answer to a message, from its view, which may have to be made first."""
        await self._prepare(message, None)
        return await super().dispatch(message, exchange)

    async def dispatch_in_session(
        self, message: dict[str, Any], exchange: Exchange, holder: SessionHolder
    ) -> Envelope | None:
        """The same in the handshake era."""
        await self._prepare(message, holder)
        return await super().dispatch_in_session(message, exchange, holder)

    def _choose_catalogue(self, message: Mapping[str, Any], holder: SessionHolder | None) -> Catalogue:
        profile = self._choose_profile(message, holder)
        return self._catalogue() if profile is None else self._views.get(profile)

    async def _prepare(self, message: Mapping[str, Any], holder: SessionHolder | None) -> None:
        profile = self._choose_profile(message, holder)
        if profile is not None:
            await self._views.prepare(profile)


def choose_always(profile: str) -> ChooseProfile:
    """The chooser of an endpoint that is one profile's."""
    return lambda _message, _holder: profile


def choose_by_client(views: CatalogueViews) -> ChooseProfile:
    """The chooser that goes by the name of the client."""

    def choose(message: Mapping[str, Any], holder: SessionHolder | None) -> str | None:
        session = None if holder is None else holder.session
        return views.find_profile(session.client_name if session is not None else find_client_name(message))

    return choose


class PatientViewDispatcher(PatientDispatcher, ViewDispatcher):
    """The same for a client that started the process."""


def make_dispatcher(views: CatalogueViews, options: Mapping[str, Any]) -> Dispatcher:
    """The dispatcher of the endpoint that is no profile's."""
    if not views.has_clients:
        return Dispatcher(**options)
    return ViewDispatcher(views=views, choose_profile=choose_by_client(views), **options)


def make_patient_dispatcher(views: CatalogueViews, asked: asyncio.Event, options: Mapping[str, Any]) -> Dispatcher:
    """The same for a client that started the process; `asked` is set when every backend has been asked once."""
    if not views.has_clients:
        return PatientDispatcher(asked=asked, **options)
    return PatientViewDispatcher(asked=asked, views=views, choose_profile=choose_by_client(views), **options)


def make_profile_dispatchers(
    views: CatalogueViews, paths: Mapping[str, str], options: Mapping[str, Any]
) -> Mapping[str, Dispatcher]:
    """The dispatchers of the profiles' endpoints, by the last part of their paths."""
    return {
        path: ViewDispatcher(views=views, choose_profile=choose_always(profile), **options)
        for path, profile in paths.items()
    }
