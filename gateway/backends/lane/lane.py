"""The lane to one backend: its connection, made when it is first wanted and again after it is lost.

Nobody ever waits for it: while there is no connection, calls go the other way. So this connects in the background,
at once where a connection that stood is gone, and with growing pauses where none comes to be.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

import grpc.aio

from gateway import __version__
from gateway.backends.channels import ChannelLimits
from gateway.backends.lane.connection import Connection
from gateway.backends.lane.hpack import encode_header, encode_indexed
from gateway.backends.lane.metadata import encode_metadata
from gateway.backends.lane.places import Place

_CONNECT_SECONDS: Final = 5.0
_FIRST_PAUSE_SECONDS: Final = 0.5
_LIMIT_PAUSE_SECONDS: Final = 30.0

# RFC 7541 appendix A.
_METHOD_POST, _SCHEME_HTTP = encode_indexed(3), encode_indexed(6)

Metadata = Sequence[tuple[str, str | bytes]]


class Lane:
    """The way to one backend. To be made anywhere, used inside one event loop, and closed there."""

    def __init__(self, place: Place, limits: ChannelLimits) -> None:
        self._place = place
        self._limits = limits
        self._connection: Connection | None = None
        self._retired: list[Connection] = []  # which take no more calls and may still have some
        self._connecting: asyncio.Task[bool] | None = None
        self._next_time = 0.0
        self._pause_seconds = _FIRST_PAUSE_SECONDS
        self._is_closed = False
        self.connections = 0  # that came to be so far

    def find_connection(self) -> Connection | None:
        """A connection that takes calls, or None; one is on its way then, or will be."""
        connection = self._connection
        if connection is not None and connection.is_usable:
            return connection
        if self._connecting is None and not self._is_closed:
            loop = asyncio.get_running_loop()
            if loop.time() >= self._next_time:
                self._connecting = loop.create_task(self.connect(), name="lane")
        return None

    def make_headers(self, path: str, metadata: Metadata) -> bytes | None:
        """The block of headers with which every call of an RPC begins; None where metadata is not for the lane."""
        encoded = encode_metadata(metadata)
        if encoded is None:
            return None
        headers = (
            (b":path", path.encode()),
            (b":authority", self._place.authority.encode()),
            (b"te", b"trailers"),
            (b"content-type", b"application/grpc"),
            (b"user-agent", f"propylon/{__version__}".encode()),
        )
        block = b"".join(encode_header(name, value) for name, value in headers)
        return _METHOD_POST + _SCHEME_HTTP + block + encoded

    async def close(self) -> None:
        """Ends the connection; calls under way end as those of a closed channel do. May be called twice."""
        self._is_closed = True
        if self._connecting is not None:
            self._connecting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._connecting
        for connection in (self._connection, *self._retired):
            if connection is not None:
                connection.close(lambda: grpc.aio.UsageError("Channel is closed."))
                await connection.lost

    async def connect(self) -> bool:
        """Makes a connection, for whoever would rather wait for it; whether there is one now."""
        loop = asyncio.get_running_loop()
        try:
            connection = await self._open()
            if connection.is_usable:
                self._retired = [one for one in (*self._retired, self._connection) if one and not one.lost.done()]
                self._connection = connection
                self.connections += 1
                self._pause_seconds = _FIRST_PAUSE_SECONDS
                return True
        except (OSError, TimeoutError, UnicodeError):
            pass  # grpc.aio says what is wrong, to whoever calls
        finally:
            self._connecting = None
        self._next_time = loop.time() + self._pause_seconds
        self._pause_seconds = min(self._pause_seconds * 2, _LIMIT_PAUSE_SECONDS)
        return False

    async def _open(self) -> Connection:
        """A connection whose peer has said what it takes, or that is lost already."""
        loop = asyncio.get_running_loop()
        connection = Connection(
            receive_limit_bytes=self._limits.receive_limit_bytes,
            metadata_limit_bytes=self._limits.metadata_limit_bytes,
            keepalive_seconds=self._limits.keepalive_seconds,
        )
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                if self._place.path:
                    await loop.create_unix_connection(lambda: connection, self._place.path)
                else:
                    await loop.create_connection(lambda: connection, self._place.host, self._place.port)
                await connection.settled
        except BaseException:
            connection.close(asyncio.CancelledError)
            raise
        return connection
