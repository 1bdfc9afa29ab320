"""Which revisions of MCP exist, what each of them knows, and which are served: one table, no comparisons of dates.

A revision that is served later is a row with `is_served`, and whoever asks a revision for a feature reads a column of
its row. This module must never know how a message carries its revision: that is `mcp.admission`'s.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.contract.quoting import one_line, quote
from gateway.contract.validation import PER_REQUEST_REVISION

_LIMIT_REQUESTED = 64


class Era(enum.Enum):
    """How a client states what it speaks (MCP 2026-07-28, basic/versioning: "modern" and "legacy")."""

    PER_REQUEST = "per-request"  # every request carries revision and capabilities in `_meta`
    HANDSHAKE = "handshake"  # an `initialize` request opens a session


class Structured(enum.Enum):
    """What `structuredContent` of a tool's result may be."""

    ANYTHING = "anything"
    OBJECTS = "objects"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One dated revision and its features.

    What it has no word for is not sent in it: `unknown_members` of a result, `unknown_tool_members` of an entry of
    tools/list, `unknown_server_members` of who answers `initialize`, `unknown_content` types of content blocks,
    `unknown_question_members` of what a client is asked.
    `unknown_params` of a request mean nothing in it. `client_capabilities` are those that a client can declare in it.

    `has_server_info`: every result names the server in its `_meta`. `has_tasks`: a client may take a task for an answer
    (the extension io.modelcontextprotocol/tasks). `has_plain_schemas`: the schemas of tools are of
    type object, and each of their properties is an object. `structured` is what `structuredContent` may be.
    """

    name: str
    era: Era
    is_served: bool = False
    has_server_info: bool = False
    has_tasks: bool = False
    has_plain_schemas: bool = False
    structured: Structured = Structured.ANYTHING
    unknown_members: frozenset[str] = frozenset()
    unknown_params: frozenset[str] = frozenset()
    unknown_tool_members: frozenset[str] = frozenset()
    unknown_server_members: frozenset[str] = frozenset()
    unknown_content: frozenset[str] = frozenset()
    unknown_question_members: frozenset[str] = frozenset()
    client_capabilities: frozenset[str] = frozenset()


def _make_handshake_row(name: str, **features: Any) -> Revision:
    """A revision of the handshake era, in which all before 2026-07-28 agree but for these features."""
    return Revision(
        name=name,
        era=Era.HANDSHAKE,
        has_plain_schemas=True,
        unknown_members=frozenset({"resultType", "ttlMs", "cacheScope"}),
        unknown_params=frozenset({"inputResponses", "requestState"}),
        **features,
    )


_SINCE_2025_06 = frozenset({"outputSchema", "title", "_meta"})
_SINCE_2025_11 = frozenset({"icons", "execution"})

# Newest first: the order in which a client is told what it may choose from.
REVISIONS: Mapping[str, Revision] = MappingProxyType(
    {
        row.name: row
        for row in (
            Revision(
                name=PER_REQUEST_REVISION, era=Era.PER_REQUEST, is_served=True, has_server_info=True, has_tasks=True
            ),
            _make_handshake_row(
                "2025-11-25",
                is_served=True,
                structured=Structured.OBJECTS,
                client_capabilities=frozenset({"sampling", "elicitation", "roots"}),
            ),
            _make_handshake_row(
                "2025-06-18",
                is_served=True,
                structured=Structured.OBJECTS,
                unknown_tool_members=_SINCE_2025_11,
                unknown_server_members=frozenset({"description", "websiteUrl"}),
                unknown_question_members=frozenset({"mode"}),
                client_capabilities=frozenset({"sampling", "elicitation", "roots"}),
            ),
            _make_handshake_row(
                "2025-03-26",
                is_served=True,
                structured=Structured.NOTHING,
                unknown_tool_members=_SINCE_2025_06 | _SINCE_2025_11,
                unknown_server_members=frozenset({"title", "description", "websiteUrl"}),
                unknown_content=frozenset({"resource_link"}),
                client_capabilities=frozenset({"sampling", "roots"}),
            ),
            _make_handshake_row("2024-11-05"),
        )
    }
)

# What a client may put into `_meta` of its next request: the same list in server/discover and in a refusal.
PER_REQUEST_SERVED = tuple(row.name for row in REVISIONS.values() if row.is_served and row.era is Era.PER_REQUEST)
# What `initialize` may settle on, the newest first.
HANDSHAKE_SERVED = tuple(row.name for row in REVISIONS.values() if row.is_served and row.era is Era.HANDSHAKE)


def find_served(name: str, era: Era = Era.PER_REQUEST) -> Revision | None:
    """The row of a revision that is served in an era, or None."""
    row = REVISIONS.get(name)
    return row if row is not None and row.is_served and row.era is era else None


def negotiate(requested: object) -> Revision:
    """The revision that a handshake settles on: the requested one, else the newest that is served.

    Source: MCP 2025-11-25, basic/lifecycle, "Version Negotiation".
    """
    row = find_served(requested, Era.HANDSHAKE) if isinstance(requested, str) else None
    return row or REVISIONS[HANDSHAKE_SERVED[0]]


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


def refuse_revision(requested: str, era: Era = Era.PER_REQUEST) -> Refusal:
    """The refusal of a revision that is not served; names those that are, for a client of an earlier era shows it.

    `era` is the one that the message is of. `supported` are those of the per-request era either way: what a request may
    simply state, as server/discover has it.
    """
    served = ", ".join(PER_REQUEST_SERVED)
    if era is Era.HANDSHAKE:
        served += f", and after initialize {', '.join(HANDSHAKE_SERVED)}"
    return Refusal(
        condition=Condition.UNSUPPORTED_PROTOCOL_VERSION,
        message=f"protocol version {quote(requested)} is not served here; served is {served}",
        data={"supported": list(PER_REQUEST_SERVED), "requested": one_line(requested, _LIMIT_REQUESTED)},
    )
