"""Finds the session that an id names, and ends it.

An id is a seal around what `initialize` settled, so that any replica with the same keys understands it. What a process
keeps beside is bounded: of sessions that nobody has used for long only the level of their log is lost, and an id that
was ended long ago, or on another replica, is good again until its seal expires. Source: MCP 2025-11-25, Streamable
HTTP, "Session Management".
"""

from collections import OrderedDict
from collections.abc import Mapping
from itertools import islice
from typing import Any

import orjson

from gateway.mcp.revisions import Era, Revision, find_served
from gateway.mcp.sealing import Sealer
from gateway.mcp.sessions.session import Session

TTL_SECONDS = 24 * 60 * 60.0
LIMIT_LIVE = 10_000
LIMIT_ENDED = 10_000

_KIND = "session"
_LIMIT_LOOKED_AT = 100


class Sessions:
    """The sessions of a process; `limit_live` bounds those whose state it keeps, `limit_ended` the ended ids."""

    def __init__(self, sealer: Sealer, *, limit_live: int = LIMIT_LIVE, limit_ended: int = LIMIT_ENDED) -> None:
        self._sealer = sealer
        self._limit_live = limit_live
        self._limit_ended = limit_ended
        self._live: OrderedDict[str, Session] = OrderedDict()
        self._ended: OrderedDict[str, None] = OrderedDict()

    def open(
        self, revision: Revision, declared: Mapping[str, Any], principal: str = "", *, client_name: str = ""
    ) -> Session:
        """A new session. Of the capabilities that the client declared those count which the revision knows."""
        capabilities = _settle_capabilities(revision, declared)
        content = orjson.dumps([revision.name, capabilities, client_name])
        session_id = self._sealer.seal(_KIND, content, bound_to=principal.encode(), ttl_seconds=TTL_SECONDS)
        return self._keep(
            Session(
                session_id,
                revision=revision,
                client_capabilities=capabilities,
                principal=principal,
                client_name=client_name,
            )
        )

    def find(self, session_id: str, principal: str = "") -> Session | None:
        """The session of that id, or None where it is none of ours, another's, over or expired."""
        session = self._live.get(session_id)
        if session is not None:
            self._live.move_to_end(session_id)
            return session if session.principal == principal else None
        if session_id in self._ended:
            return None
        content = self._sealer.open(_KIND, session_id, bound_to=principal.encode())
        if content is None:
            return None
        name, capabilities, client_name = orjson.loads(content)
        revision = find_served(name, Era.HANDSHAKE)
        if revision is None:
            return None
        return self._keep(
            Session(
                session_id,
                revision=revision,
                client_capabilities=capabilities,
                principal=principal,
                client_name=client_name,
            )
        )

    def has_ended(self, session_id: str) -> bool:
        """Whether a session of that id was ended here, not long ago."""
        return session_id in self._ended

    def end(self, session: Session) -> None:
        """Ends a session and all that goes on in it: its id is no good any more."""
        self._live.pop(session.id, None)
        self._ended[session.id] = None
        if len(self._ended) > self._limit_ended:
            self._ended.popitem(last=False)
        session.close()

    def _keep(self, session: Session) -> Session:
        while len(self._live) >= self._limit_live:
            oldest = islice(self._live.values(), _LIMIT_LOOKED_AT)
            idle = next((one for one in oldest if one.is_idle), None)
            forgotten = idle if idle is not None else next(iter(self._live.values()))
            del self._live[forgotten.id]
        self._live[session.id] = session
        return session


def _settle_capabilities(revision: Revision, declared: Mapping[str, Any]) -> dict[str, Any]:
    """The capabilities that count, and which forms of each: only that much travels in an id."""
    settled: dict[str, Any] = {}
    for name in sorted(revision.client_capabilities):
        value = declared.get(name)
        if isinstance(value, Mapping):
            settled[name] = {form: {} for form in _FORMS if isinstance(value.get(form), Mapping)}
    return settled


# MCP 2025-11-25, ClientCapabilities: the modes of elicitation.
_FORMS = ("form", "url")
