"""Lines for a client's log: `notifications/message` on a request's own stream, of the level that the client wants.

A client of the per-request era states the level in each request and is sent nothing without it; one of the handshake
era sets it for its session (MCP 2026-07-28, server/utilities/logging; 2025-11-25, `logging/setLevel`).
"""

from collections.abc import Mapping
from typing import Any

import orjson

from gateway.contract.envelopes import notification
from gateway.contract.quoting import one_line
from gateway.mcp.exchange import Exchange, Outlet
from gateway.transcoding.reply_parts import LOG_LEVELS

LOG_METHOD = "notifications/message"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"

LIMIT_DATA_BYTES = 16 * 1024
_LIMIT_TEXT = 1000
_LIMIT_LOGGER = 200


class ClientLog:
    """The log of one request's client."""

    def __init__(self, outlet: Outlet, level: str) -> None:
        self._outlet = outlet
        self._least = LOG_LEVELS.index(level)

    async def tell(self, level: str, data: Any, *, logger: str = "") -> None:
        """Tells a line, if it is serious enough. Data whose JSON is larger than 16 KiB is told as the start of it."""
        if LOG_LEVELS.index(level) < self._least:
            return
        encoded = orjson.dumps(data)
        if len(encoded) > LIMIT_DATA_BYTES:
            data = one_line(encoded.decode(), _LIMIT_TEXT)
        params: dict[str, Any] = {"level": level, "data": data}
        if logger:
            params["logger"] = one_line(logger, _LIMIT_LOGGER)
        await self._outlet.notify(notification(LOG_METHOD, params))


def find_log_level(exchange: Exchange, meta: Mapping[str, Any]) -> str:
    """The least level that the client of this request wants; "" where it wants none."""
    level = meta.get(LOG_LEVEL_KEY, exchange.log_level)
    return level if isinstance(level, str) and level in LOG_LEVELS else ""


def open_log(exchange: Exchange, meta: Mapping[str, Any]) -> ClientLog | None:
    """The log of the client of this request; None where it wants no lines or there is no way to it."""
    level = find_log_level(exchange, meta)
    return ClientLog(exchange.outlet, level) if level and exchange.outlet is not None else None
