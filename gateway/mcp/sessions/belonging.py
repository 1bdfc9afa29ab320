"""Whether a message belongs to the handshake era, and so to a session or to the beginning of one.

Source: MCP 2026-07-28, basic/versioning, "Backward Compatibility with Initialization-Based Versions".
"""

from collections.abc import Mapping
from typing import Any

from gateway.mcp.admission import REVISION_KEY
from gateway.mcp.revisions import Era, judge_era

INITIALIZE = "initialize"

# What a client may send before it has a session.
_OPENING = frozenset({INITIALIZE, "ping"})


def is_of_handshake_era(message: Mapping[str, Any], version_header: str | None, *, has_session: bool) -> bool:
    """Whether the message is to be answered in the handshake era.

    `version_header` is the value of MCP-Protocol-Version, None where there is none. Without it and without a session
    only what may open one is of that era: anything else is told what a message of the present era looks like.
    """
    if version_header is not None and judge_era(None, version_header) is Era.PER_REQUEST:
        return False
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    if isinstance(meta, dict) and isinstance(meta.get(REVISION_KEY), str):
        return False
    if has_session or version_header is not None:
        return True
    return message.get("method") in _OPENING or (
        "method" not in message and ("result" in message or "error" in message)
    )
