"""`resources/subscribe` and `resources/unsubscribe` of the handshake era, and the watching that both eras share.

Source: MCP 2025-11-25, server/resources, "Subscriptions"; in 2026-07-28 subscriptions/listen takes their place.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.methods.resources import Resources, find_resource, refuse_uri
from gateway.mcp.subscriptions.resource_watch import LIMIT_URIS, ResourceDigests, ResourceWatch


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceWatcher:
    """Watches resources by reading them: `catalogue` gives what is served at each moment."""

    resources: Resources
    digests: ResourceDigests
    catalogue: Callable[[], Catalogue]

    def choose(self, call: MethodCall, uris: Iterable[str]) -> tuple[str, ...]:
        """Those of the URIs that are resources here, each once, at most 50."""
        known = (uri for uri in dict.fromkeys(uris) if find_resource(call.catalogue, uri) is not None)
        return tuple(known)[:LIMIT_URIS]

    def open(self, call: MethodCall) -> ResourceWatch:
        """A watch for whoever made this call, with what it may see."""

        async def read(uri: str) -> Outcome:
            params = {"uri": uri, "_meta": call.params.get("_meta", {})}
            silent = replace(call.exchange, outlet=None, asker=None)
            return await self.resources.answer_read(
                replace(call, params=params, exchange=silent, catalogue=self.catalogue())
            )

        return ResourceWatch(self.digests, call.exchange.principal, read)


class ResourceSubscriptions:
    """Answers both methods; the session hears of changes on its own stream (`Dispatcher.tell_changes`)."""

    def __init__(self, watcher: ResourceWatcher) -> None:
        self._watcher = watcher

    async def subscribe(self, call: MethodCall) -> Outcome:
        """An EmptyResult; invalid_params for a URI that is no resource, resource_exhausted for one too many."""
        uri = call.params["uri"]
        if find_resource(call.catalogue, uri) is None:
            return refuse_uri(uri)
        session = None if call.holder is None else call.holder.session
        if session is None:
            message = "a subscription holds for a session: send the Mcp-Session-Id that initialize gave"
            return Refusal(condition=Condition.INVALID_REQUEST, message=message, rejection=False)
        watch = session.watch = session.watch or self._watcher.open(call)
        if not await watch.add(uri):
            message = f"a session may subscribe to {LIMIT_URIS} resources; unsubscribe from one first"
            return Refusal(condition=Condition.RESOURCE_EXHAUSTED, message=message, rejection=False)
        return {}

    async def unsubscribe(self, call: MethodCall) -> Outcome:
        """An EmptyResult, whether or not there was such a subscription."""
        session = None if call.holder is None else call.holder.session
        if session is not None and session.watch is not None:
            session.watch.discard(call.params["uri"])
        return {}
