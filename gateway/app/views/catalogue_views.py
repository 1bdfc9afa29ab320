"""The views of the catalogue that is served now: made when they are first asked for, once for each catalogue.

What a profile cannot list is told in the log, each time it changes.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from gateway.app.views.profile_view import ProfileView, Unlisted, judge_tool, make_profile_view
from gateway.app.views.reports import summarise_unlisted, tell_unlisted
from gateway.descriptors.profiles.table import PROFILES
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.search.tools import make_search_view

_LIMIT_CLIENTS = 1000
# Between two tools of a report, which nobody waits for: some seconds for a thousand.
_REST_SECONDS = 0.002


@dataclass(slots=True)
class _Made:
    """A profile's view of one catalogue, and what has been told of it."""

    base: Catalogue | None = None
    view: ProfileView | None = None
    told: tuple[Unlisted, ...] = ()
    making: asyncio.Lock = field(default_factory=asyncio.Lock)


class CatalogueViews:
    """What clients see of the catalogue.

    `catalogue` gives the one that is served now. `searches`: three tools stand for all of them. `clients` says by a
    glob over a client's name which profile is its own; the first that fits counts.
    """

    def __init__(
        self,
        catalogue: Callable[[], Catalogue],
        *,
        searches: bool = False,
        clients: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._catalogue = catalogue
        self._searches = searches
        self._clients = tuple(clients)
        self._chosen: dict[str, str | None] = {}
        self._made = {name: _Made() for name in PROFILES}
        self._searched: tuple[Catalogue, Catalogue] | None = None

    @property
    def has_clients(self) -> bool:
        """Whether some clients have a profile by their name."""
        return bool(self._clients)

    def get_plain(self) -> Catalogue:
        """What clients without a profile see."""
        catalogue = self._catalogue()
        if not self._searches:
            return catalogue
        if self._searched is None or self._searched[0] is not catalogue:
            self._searched = (catalogue, make_search_view(catalogue))
        return self._searched[1]

    def get(self, profile: str) -> Catalogue:
        """What clients of a profile see. Made now where `prepare` has not done it."""
        made, base = self._made[profile], self.get_plain()
        if made.view is not None and made.base is base:
            return made.view.catalogue
        view = make_profile_view(base, PROFILES[profile])
        self._keep(profile, base, view)
        return view.catalogue

    async def prepare(self, profile: str) -> None:
        """Makes a profile's view aside, where there is none yet of what is served now."""
        made = self._made[profile]
        if made.base is self.get_plain():
            return
        async with made.making:
            base = self.get_plain()
            if made.base is not base:
                self._keep(profile, base, await asyncio.to_thread(make_profile_view, base, PROFILES[profile]))

    async def report(self, profiles: Iterable[str]) -> None:
        """Tells the log what these profiles do not list of what is served now, without any hurry: calls go first.

        No view is kept. It ends early where something else is served meanwhile.
        """
        base = self.get_plain()
        for profile in profiles:
            unlisted: list[Unlisted] = []
            for tool in base.listed.values():
                found = await asyncio.to_thread(judge_tool, tool, PROFILES[profile])
                unlisted += [] if found is None else [found]
                await asyncio.sleep(_REST_SECONDS)
                if self.get_plain() is not base:
                    return
            summarise_unlisted(profile, unlisted, len(base.listed))

    def forget(self, before: Catalogue, now: Catalogue) -> None:
        """Lets the views of a catalogue go that is no longer served."""
        self._searched = None
        for made in self._made.values():
            made.base = made.view = None

    def find_profile(self, client: str) -> str | None:
        """The profile of a client of that name, None where it has none."""
        if client not in self._chosen:
            if len(self._chosen) >= _LIMIT_CLIENTS:
                self._chosen.clear()
            found = (profile for glob, profile in self._clients if fnmatchcase(client, glob))
            self._chosen[client] = next(found, None)
        return self._chosen[client]

    def _keep(self, profile: str, base: Catalogue, view: ProfileView) -> None:
        made = self._made[profile]
        made.base, made.view = base, view
        self._tell(profile, view)

    def _tell(self, profile: str, view: ProfileView) -> None:
        """Tells what a view does not list, where that is news."""
        made = self._made[profile]
        if view.unlisted != made.told:
            made.told = view.unlisted
            tell_unlisted(profile, view)
