"""The stdio front as something that can be told to stop: its input then ends as if the client had closed it."""

import asyncio

from gateway.fronts.stdio import StdioSettings, serve_stdio
from gateway.fronts.stdio.streams import ByteSource, claim_standard_streams
from gateway.mcp.dispatch import Dispatcher


class StdioServer:
    """Serves the process's own standard input and output until they end or `stop` is called."""

    def __init__(self, dispatcher: Dispatcher, *, line_limit_bytes: int) -> None:
        self._dispatcher = dispatcher
        self._settings = StdioSettings(line_limit_bytes=line_limit_bytes)
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        """Serves; at the end what is still in flight has a moment to finish and is then cancelled."""
        with claim_standard_streams() as (source, sink):
            streams = (_StoppableSource(source, self._stopping), sink)
            await serve_stdio(self._dispatcher, self._settings, streams=streams)

    def stop(self) -> None:
        """Takes no more input."""
        self._stopping.set()

    def abort(self) -> None:
        """Stops; there is little to wait for."""
        self._stopping.set()


class _StoppableSource:
    """Bytes from a source until an event says that there are no more."""

    def __init__(self, source: ByteSource, stopping: asyncio.Event) -> None:
        self._source = source
        self._stopping = stopping

    async def read(self) -> bytes:
        reading = asyncio.ensure_future(self._source.read())
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait((reading, stopping), return_when=asyncio.FIRST_COMPLETED)
            return reading.result() if reading.done() else b""
        finally:
            reading.cancel()
            stopping.cancel()
