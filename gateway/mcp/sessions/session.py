"""One session of the handshake era, as far as this process has a hand in it.

What `initialize` settled stands in the session's id (`mcp.sessions.sessions`) and never changes; what is here beside it
is of this process alone: the level of the log, what runs and may be cancelled, what the client was asked, which
resources it watches, and the stream on which it hears of things that no request of its own is about.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from gateway.contract.envelopes import RequestId
from gateway.mcp.exchange import Outlet
from gateway.mcp.revisions import Revision
from gateway.mcp.sessions.questions import Questions
from gateway.mcp.subscriptions.hub import Listener
from gateway.mcp.subscriptions.resource_watch import ResourceWatch


class Session:
    """A client after its `initialize`. `log_level` is None until the client sets one: it is sent no lines before."""

    def __init__(
        self,
        session_id: str,
        *,
        revision: Revision,
        client_capabilities: Mapping[str, Any],
        principal: str = "",
        client_name: str = "",
    ) -> None:
        self.id = session_id
        self.client_name = client_name
        self.revision = revision
        self.client_capabilities = client_capabilities
        self.principal = principal
        self.log_level: str | None = None
        self.questions = Questions(revision)
        self.back_channel: Outlet | None = None
        self.watch: ResourceWatch | None = None
        self._listener: Listener | None = None
        self._running: dict[RequestId, Callable[[], None]] = {}

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits for anything here: forgetting the session would be noticed by its log level alone."""
        return not self._running and self._listener is None

    @contextmanager
    def run(self, request_id: RequestId, cancel: Callable[[], None]) -> Iterator[None]:
        """Has a request be cancelled by its id for as long as the block runs."""
        self._running[request_id] = cancel
        try:
            yield
        finally:
            if self._running.get(request_id) is cancel:
                del self._running[request_id]

    def cancel(self, request_id: RequestId) -> None:
        """Cancels the request of that id; one that is unknown, or over, is ignored, as the protocol asks."""
        cancel = self._running.get(request_id)
        if cancel is not None:
            cancel()

    @contextmanager
    def listen(self, outlet: Outlet, listener: Listener) -> Iterator[None]:
        """Makes this stream the way to the client for as long as the block runs, in place of one that was before.

        The same is never told on two streams (MCP 2025-11-25, Streamable HTTP, "Multiple Connections"): of the one
        before the listener is closed.
        """
        if self._listener is not None:
            self._listener.close()
        self._listener, self.back_channel = listener, outlet
        try:
            yield
        finally:
            if self._listener is listener:
                self._listener = self.back_channel = None

    def close(self) -> None:
        """Ends everything that goes on."""
        for cancel in tuple(self._running.values()):
            cancel()
        if self._listener is not None:
            self._listener.close()


@dataclass(slots=True, kw_only=True)
class SessionHolder:
    """Where a front keeps the session that its messages belong to: a connection's, or that of one request.

    `initialize` puts the session in.
    """

    session: Session | None = None
