"""Pages of lists that are small and not cached: prompts, resources and templates of resources.

Source: MCP 2026-07-28, server/utilities/pagination and caching.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.contract.quoting import quote
from gateway.mcp.methods.cursors import decode_cursor, encode_cursor
from gateway.mcp.methods.method import MethodCall, Outcome


def make_page(
    call: MethodCall, member: str, entries: Iterable[tuple[str, Mapping[str, Any]]], page_size: int | None
) -> Outcome:
    """One page of entries in the order of their keys, as `member` of a result; invalid_params for a foreign cursor."""
    ordered = sorted(entries, key=lambda entry: entry[0])
    keys = [key for key, _ in ordered]
    start = 0
    cursor = call.params.get("cursor")
    if cursor:
        last = decode_cursor(cursor)
        if last is None:
            return _refuse_cursor(cursor)
        start = bisect_right(keys, last)
    end = len(keys) if page_size is None else min(start + page_size, len(keys))
    page: dict[str, Any] = {
        "resultType": "complete",
        member: [entry for _, entry in ordered[start:end]],
        "ttlMs": call.catalogue.ttl_ms,
        "cacheScope": call.catalogue.cache_scope,
    }
    if end < len(keys):
        page["nextCursor"] = encode_cursor(keys[end - 1])
    return page


def _refuse_cursor(cursor: str) -> Refusal:
    """The refusal of a cursor that no page of ours ended with."""
    return Refusal(
        condition=Condition.INVALID_PARAMS,
        message=f"cursor {quote(cursor)} is not one that this list gave; start again without a cursor",
        rejection=False,
    )
