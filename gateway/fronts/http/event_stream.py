"""One answer as server-sent events, begun only once there is something to stream.

Every event is one chunk, whole, on its way before the next: a proxy in between has nothing to wait for. No event has an
id, for no stream is resumed. What a client may not read for long is bounded by time: the server's write buffer holds
some 64 KiB, a producer waits for room in it, and a reader that makes none within `write_timeout_seconds` is given up.

Sources: MCP 2026-07-28, Streamable HTTP, "Receiving Messages"; WHATWG HTML, "Server-sent events".
"""

import asyncio
import logging
from collections.abc import Callable

from starlette.types import Send

from gateway.contract.envelopes import Envelope, encode_envelope

_HEADERS = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)
_KEEP_ALIVE = b": keep-alive\n\n"

_log = logging.getLogger("propylon.http")


class EventStream:
    """The answer to one request, as far as it is a stream. A `gateway.mcp.exchange.Outlet`.

    `give_up` is called when the client has stopped reading: it must cancel the request's task. Until `has_begun`
    nothing has been sent, and the answer may still be of another form.
    """

    __slots__ = (
        "_ended",
        "_give_up",
        "_keep_alive_seconds",
        "_lock",
        "_send",
        "_write_timeout_seconds",
        "_wrote_at",
        "has_begun",
    )

    def __init__(
        self,
        send: Send,
        *,
        keep_alive_seconds: float,
        write_timeout_seconds: float,
        give_up: Callable[[], None],
    ) -> None:
        self._send = send
        self._keep_alive_seconds = keep_alive_seconds
        self._write_timeout_seconds = write_timeout_seconds
        self._give_up = give_up
        self._lock: asyncio.Lock | None = None
        self._wrote_at = 0.0
        self._ended = False
        self.has_begun = False

    async def notify(self, envelope: Envelope) -> None:
        """Sends one notification as an event; returns when the client's side has room for it."""
        if not await self._write(_make_event(envelope)):
            self._give_up()
            await asyncio.sleep(0)  # where the request's own task finds itself cancelled

    async def keep_alive(self) -> None:
        """Sends a comment whenever nothing has been sent for `keep_alive_seconds`; begins the stream by it. Endless."""
        clock = asyncio.get_running_loop().time
        began = clock()
        while True:
            pause = max(self._wrote_at, began) + self._keep_alive_seconds - clock()
            if pause > 0:
                await asyncio.sleep(pause)
            elif not await self._write(_KEEP_ALIVE):
                self._give_up()
                return

    async def open(self) -> None:
        """Begins the stream though there is nothing to send yet, so that the client knows that it stands."""
        await self._write(_KEEP_ALIVE)

    async def close(self) -> None:
        """Ends the stream without a response; begins it where it had not."""
        await self._write(b"", is_last=True)

    async def end(self, envelope: Envelope) -> None:
        """Sends the response as the last event, and ends the stream."""
        await self._write(_make_event(envelope), is_last=True)

    async def _write(self, event: bytes, *, is_last: bool = False) -> bool:
        """Whether the event is out; what comes behind the end is dropped."""
        if self._lock is None:
            self._lock = asyncio.Lock()
        try:
            async with asyncio.timeout(self._write_timeout_seconds), self._lock:
                if self._ended:
                    return True
                if not self.has_begun:
                    await self._send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
                    self.has_begun = True
                await self._send({"type": "http.response.body", "body": event, "more_body": not is_last})
                self._ended = is_last
                self._wrote_at = asyncio.get_running_loop().time()
        except TimeoutError:
            _log.info("a client stopped reading its answer", extra={"seconds": self._write_timeout_seconds})
            return False
        return True


def _make_event(envelope: Envelope) -> bytes:
    return b"event: message\ndata: " + encode_envelope(envelope) + b"\n\n"
