"""What a client calls itself: in `_meta` of each request, or once in `initialize`.

Nothing has looked at the message yet when it is asked, and a name proves nothing: it may only choose between forms of
the same offer.
"""

from collections.abc import Mapping
from typing import Any

CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
LIMIT_CHARACTERS = 64


def find_client_name(message: Mapping[str, Any]) -> str:
    """The name, at most 64 characters of it; "" where there is none."""
    params = message.get("params")
    if not isinstance(params, Mapping):
        return ""
    meta = params.get("_meta")
    stated = meta.get(CLIENT_KEY) if isinstance(meta, Mapping) else None
    return read_client_name(stated if stated is not None else params.get("clientInfo"))


def read_client_name(stated: Any) -> str:
    """The name in an Implementation of the protocol."""
    name = stated.get("name") if isinstance(stated, Mapping) else None
    return name[:LIMIT_CHARACTERS] if isinstance(name, str) else ""
