"""Serves MCP over a stream of lines: each line a message, each answer a line, requests side by side.

A request's notifications are lines between the others, written one after the other as its answer is: a client that does
not read holds up its own requests, and costs no more memory than one line for each.

Source: MCP 2026-07-28, basic/transports/stdio and basic/patterns/cancellation.
"""

import asyncio
import contextlib
import logging
import os
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Envelope, Refusal, encode_envelope, error_response, refusal_response
from gateway.contract.parsing import find_request_id, parse_message
from gateway.contract.quoting import quote
from gateway.fronts.stdio.in_flight import RequestsInFlight
from gateway.fronts.stdio.lines import LineCutter, OverlongLine
from gateway.fronts.stdio.settings import StdioSettings
from gateway.fronts.stdio.streams import ByteSink, ByteSource, claim_standard_streams
from gateway.mcp.dispatch import Dispatcher
from gateway.mcp.exchange import Exchange
from gateway.mcp.sessions.belonging import is_of_handshake_era
from gateway.mcp.sessions.session import SessionHolder

FRONT = "stdio"
_CANCELLED_METHOD = "notifications/cancelled"
_INITIALIZED_METHOD = "notifications/initialized"

_log = logging.getLogger("propylon.stdio")


async def serve_stdio(
    dispatcher: Dispatcher,
    settings: StdioSettings | None = None,
    *,
    streams: tuple[ByteSource, ByteSink] | None = None,
) -> None:
    """Serves until the input ends or nobody reads the output any more; then cancels what is in flight and returns.

    `streams` None takes the process's own standard streams, and keeps everything else off standard output meanwhile.
    """
    chosen = settings or StdioSettings()
    with contextlib.nullcontext(streams) if streams is not None else claim_standard_streams() as (source, sink):
        await _Session(dispatcher, chosen, source, sink).serve()


class _Session:
    """One client, from its first line to the end of its input. The `Outlet` of all its requests."""

    def __init__(self, dispatcher: Dispatcher, settings: StdioSettings, source: ByteSource, sink: ByteSink) -> None:
        self._dispatcher = dispatcher
        self._settings = settings
        self._source = source
        self._sink = sink
        self._exchange = Exchange(front=FRONT, outlet=self)
        self._holder = SessionHolder()
        self._telling: asyncio.Task[None] | None = None
        self._unwritten = 0
        self._has_written = asyncio.Event()

    async def serve(self) -> None:
        settings = self._settings
        try:
            async with asyncio.TaskGroup() as group:
                requests = RequestsInFlight(group, limit=settings.in_flight_limit, waiting_limit=settings.waiting_limit)
                await self._read_lines(requests, group)
                await requests.finish(grace_seconds=settings.closing_grace_seconds)
                if self._telling is not None:
                    self._telling.cancel()
        except* OSError as errors:
            # Nobody reads the output, or the input broke: the client is gone, and its calls with it.
            _log.info("the client is gone", extra={"reason": str(errors.exceptions[0])})

    async def notify(self, envelope: Envelope) -> None:
        """Writes one notification as a line."""
        await self._write(envelope)

    async def _read_lines(self, requests: RequestsInFlight, group: asyncio.TaskGroup) -> None:
        cutter = LineCutter(limit_bytes=self._settings.line_limit_bytes)
        while chunk := await self._source.read():
            for line in cutter.feed(chunk):
                await self._take(line, requests, group)
        for line in cutter.close():
            await self._take(line, requests, group)

    async def _take(self, line: bytes | OverlongLine, requests: RequestsInFlight, group: asyncio.TaskGroup) -> None:
        """Sets going what one line asks for; waits only for a client that does not read what it asked for before."""
        while self._unwritten >= self._settings.in_flight_limit:
            self._has_written.clear()
            await self._has_written.wait()
        if isinstance(line, OverlongLine):
            await self._refuse(None, f"the line is longer than the {line.limit_bytes} bytes that are taken")
            return
        message = parse_message(line)
        if isinstance(message, Refusal):
            await self._write(refusal_response(message, None))
            return
        if message.get("method") == _CANCELLED_METHOD and "id" not in message:
            self._cancel(message, requests)
            return
        request_id = find_request_id(message)
        if request_id is None:
            await self._answer(message)
            if message.get("method") == _INITIALIZED_METHOD:
                self._begin_telling(group)
        elif requests.has(request_id):
            await self._refuse(
                request_id, f"request {quote(request_id)} is still in flight: each request needs an id of its own"
            )
        elif not requests.start(request_id, lambda: self._answer(message)):
            sentence = "too many requests are in flight: wait for an answer, or cancel one"
            await self._write(error_response(Condition.RESOURCE_EXHAUSTED, request_id, sentence, rejection=True))
        else:
            await asyncio.sleep(0)

    def _cancel(self, message: dict[str, Any], requests: RequestsInFlight) -> None:
        """Cancels the request that the notification names; one that is unknown or malformed is ignored, as asked."""
        params = message.get("params")
        request_id = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(request_id, str | int) and not isinstance(request_id, bool):
            requests.cancel(request_id)

    def _begin_telling(self, group: asyncio.TaskGroup) -> None:
        """Tells a client of the handshake era of changes from now on, which is once it says that it is ready."""
        session = self._holder.session
        if session is not None:
            if self._telling is not None:
                self._telling.cancel()
            self._telling = group.create_task(self._dispatcher.tell_changes(session, self))

    async def _answer(self, message: dict[str, Any]) -> None:
        envelope = await self._dispatch(message)
        if envelope is not None:
            await self._write(envelope)

    async def _dispatch(self, message: dict[str, Any]) -> Envelope | None:
        """The answer to a message. The outermost ring: only a cancellation passes it."""
        try:
            if self._dispatcher.sessions is not None and is_of_handshake_era(
                message, None, has_session=self._holder.session is not None
            ):
                return await self._dispatcher.dispatch_in_session(message, self._exchange, self._holder)
            return await self._dispatcher.dispatch(message, self._exchange)
        except Exception:  # noqa: BLE001 - the outermost ring
            reference = os.urandom(8).hex()
            _log.exception("a message could not be answered", extra={"reference": reference})
            sentence = f"the gateway failed inside (reference {reference})"
            return error_response(Condition.INTERNAL_ERROR, find_request_id(message), sentence)

    async def _refuse(self, request_id: str | int | None, sentence: str) -> None:
        await self._write(error_response(Condition.INVALID_REQUEST, request_id, sentence, rejection=True))

    async def _write(self, envelope: Envelope) -> None:
        self._unwritten += 1
        try:
            await self._sink.write(encode_envelope(envelope) + b"\n")
        finally:
            self._unwritten -= 1
            self._has_written.set()
