"""`tools/list`: the tools in the order of their names, on one page unless a page size is set.

Every entry is encoded once for a catalogue and a revision, so that a page is a copy of bytes. Source: MCP 2026-07-28,
server/tools, server/utilities/pagination and caching.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import orjson

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.contract.quoting import quote
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.methods.cursors import decode_cursor, encode_cursor
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.revisions import Revision
from gateway.mcp.sessions.forms import fit_tool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listing:
    """A catalogue's entries, encoded, and all of them as one JSON array."""

    catalogue: Catalogue
    names: tuple[str, ...]
    entries: tuple[bytes, ...]
    whole: orjson.Fragment


class ToolsList:
    """Answers tools/list; `page_size` is the number of tools a page, None for one page."""

    def __init__(self, *, page_size: int | None = None) -> None:
        self._page_size = page_size
        self._listings: dict[str, _Listing] = {}

    async def answer(self, call: MethodCall) -> Outcome:
        """A ListToolsResult, or invalid_params for a cursor that none of our pages ended with.

        An empty cursor is taken for none: clients send their zero value.
        """
        listing = self._get_listing(call.catalogue, call.revision)
        cursor = call.params.get("cursor")
        start = 0
        if cursor:
            name = decode_cursor(cursor)
            if name is None:
                return _refuse_cursor(cursor)
            start = bisect_right(listing.names, name)
        return self._make_page(listing, start)

    def _get_listing(self, catalogue: Catalogue, revision: Revision) -> _Listing:
        """The encoded entries of this catalogue; catalogues are swapped whole, so identity tells them apart."""
        listing = self._listings.get(revision.name)
        if listing is None or listing.catalogue is not catalogue:
            if any(kept.catalogue is not catalogue for kept in self._listings.values()):
                self._listings.clear()
            listing = self._listings[revision.name] = _encode_listing(catalogue, revision)
        return listing

    def _make_page(self, listing: _Listing, start: int) -> dict[str, Any]:
        end = len(listing.names) if self._page_size is None else min(start + self._page_size, len(listing.names))
        is_whole = start == 0 and end == len(listing.names)
        page: dict[str, Any] = {
            "resultType": "complete",
            "tools": listing.whole if is_whole else _join(listing.entries[start:end]),
            "ttlMs": listing.catalogue.ttl_ms,
            "cacheScope": listing.catalogue.cache_scope,
        }
        if end < len(listing.names):
            page["nextCursor"] = encode_cursor(listing.names[end - 1])
        return page


def _encode_listing(catalogue: Catalogue, revision: Revision) -> _Listing:
    names = tuple(sorted(catalogue.listed))
    entries = tuple(catalogue.listed[name].encoded_listing for name in names)
    if revision.unknown_tool_members or revision.has_plain_schemas:
        entries = tuple(fit_tool(entry, revision) for entry in entries)
    return _Listing(catalogue=catalogue, names=names, entries=entries, whole=_join(entries))


def _join(entries: tuple[bytes, ...]) -> orjson.Fragment:
    return orjson.Fragment(b"[" + b",".join(entries) + b"]")


def _refuse_cursor(cursor: str) -> Refusal:
    return Refusal(
        condition=Condition.INVALID_PARAMS,
        message=f"cursor {quote(cursor)} is not one that tools/list gave; start again without a cursor",
        rejection=False,
    )
