"""Which revisions of MCP exist, what each of them knows, and which are served: one table, no comparisons of dates.

A revision that is served later is a row with `is_served`, and whoever asks a revision for a feature reads a column of
its row. This module must never know how a message carries its revision: that is `mcp.admission`'s.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.contract.quoting import one_line, quote
from gateway.contract.validation import PER_REQUEST_REVISION

_LIMIT_REQUESTED = 64


class Era(enum.Enum):
    """How a client states what it speaks (MCP 2026-07-28, basic/versioning: "modern" and "legacy")."""

    PER_REQUEST = "per-request"  # every request carries revision and capabilities in `_meta`
    HANDSHAKE = "handshake"  # an `initialize` request opens a session


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One dated revision and its features.

    `unknown_members` are the members of a result that this revision has no word for: they are not sent in it.
    `has_server_info`: every result names the server in its `_meta`.
    """

    name: str
    era: Era
    is_served: bool = False
    has_server_info: bool = False
    unknown_members: frozenset[str] = frozenset()


_SINCE_2026 = frozenset({"resultType", "ttlMs", "cacheScope"})

# Newest first: the order in which a client is told what it may choose from.
REVISIONS: Mapping[str, Revision] = MappingProxyType(
    {
        row.name: row
        for row in (
            Revision(name=PER_REQUEST_REVISION, era=Era.PER_REQUEST, is_served=True, has_server_info=True),
            Revision(name="2025-11-25", era=Era.HANDSHAKE, unknown_members=_SINCE_2026),
            Revision(name="2025-06-18", era=Era.HANDSHAKE, unknown_members=_SINCE_2026),
            Revision(name="2025-03-26", era=Era.HANDSHAKE, unknown_members=_SINCE_2026),
            Revision(name="2024-11-05", era=Era.HANDSHAKE, unknown_members=_SINCE_2026),
        )
    }
)

# What a client may put into `_meta` of its next request: the same list in server/discover and in a refusal.
PER_REQUEST_SERVED = tuple(row.name for row in REVISIONS.values() if row.is_served and row.era is Era.PER_REQUEST)


def find_served(name: str) -> Revision | None:
    """The row of a revision that is served, or None."""
    row = REVISIONS.get(name)
    return row if row is not None and row.is_served else None


def judge_era(body_revision: str | None, header_revision: str | None) -> Era:
    """The era that a message is judged in: by the revision in its `_meta`, else by its version header.

    A body that states a revision in `_meta` is of the per-request era, for no other has that field. Without one, a
    header that is absent or names a handshake revision makes it the handshake era (MCP 2026-07-28, basic/versioning,
    "Backward Compatibility with Initialization-Based Versions").
    """
    if body_revision is not None:
        return Era.PER_REQUEST
    if header_revision is None:
        return Era.HANDSHAKE
    row = REVISIONS.get(header_revision)
    return Era.PER_REQUEST if row is None else row.era


def refuse_revision(requested: str) -> Refusal:
    """The refusal of a revision that is not served; names those that are, for a client of an earlier era shows it."""
    served = ", ".join(PER_REQUEST_SERVED)
    return Refusal(
        condition=Condition.UNSUPPORTED_PROTOCOL_VERSION,
        message=f"protocol version {quote(requested)} is not served here; served is {served}",
        data={"supported": list(PER_REQUEST_SERVED), "requested": one_line(requested, _LIMIT_REQUESTED)},
    )
