"""The MCP endpoint: one POST, one message, one answer, as JSON unless there is something to stream.

A plain ASGI callable, since this is the path that has to be quick. It refuses what no message of ours can be in (page,
host, HTTP method, content type, accepted types, size), hands the rest to the contract and the dispatcher, and answers
with what they give. Source: MCP 2026-07-28, basic/transports/streamable-http.
"""

from collections.abc import Mapping
from typing import Any

from starlette.types import Receive, Scope, Send

from gateway.contract.envelopes import Envelope, Refusal, refusal_response
from gateway.contract.parsing import parse_message
from gateway.contract.quoting import quote
from gateway.fronts.http.bodies import ClientGone, Oversized, dispose, read_body
from gateway.fronts.http.callers import Callers
from gateway.fronts.http.event_stream import EventStream
from gateway.fronts.http.faults import tell_fault
from gateway.fronts.http.head import SESSION, RequestHead
from gateway.fronts.http.known_heads import KnownHeads
from gateway.fronts.http.negotiation import accepts_events, accepts_json, is_json
from gateway.fronts.http.responses import ACCEPTED, HttpResponse, refuse, respond
from gateway.fronts.http.session_endpoint import SessionEndpoint
from gateway.fronts.http.settings import HttpSettings
from gateway.fronts.http.watching import DisconnectWatch
from gateway.mcp.dispatch import Dispatcher
from gateway.mcp.exchange import Exchange
from gateway.mcp.sessions.belonging import is_of_handshake_era

FRONT = "http"

_SESSION_METHODS = frozenset({"GET", "DELETE"})
_ALLOW = ((b"allow", b"POST"),)


class McpEndpoint:
    """Answers the requests to the MCP path."""

    def __init__(self, dispatcher: Dispatcher, settings: HttpSettings) -> None:
        self._dispatcher = dispatcher
        self._settings = settings
        self._callers = Callers(allowed_hosts=settings.allowed_hosts, allowed_origins=settings.allowed_origins)
        self._heads = KnownHeads(self._refuse_head, settings.argument_headers)
        sessions = dispatcher.sessions
        self._in_session = None if sessions is None else SessionEndpoint(dispatcher, sessions, settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one HTTP request. A client that goes away is not answered, and its call is cancelled."""
        head = self._heads.read(scope["method"], scope["headers"])
        if isinstance(head, HttpResponse):
            await head.send(send)
            return
        if self._in_session is not None and scope["method"] != "POST":
            await self._in_session.serve(scope["method"], head, receive, send)
            return
        try:
            body = await read_body(receive, head, self._settings)
        except ClientGone:
            return
        if isinstance(body, Oversized):
            await dispose(body, receive, send, self._settings)
            return
        if isinstance(body, HttpResponse):
            await body.send(send)
            return
        await self._answer(body, head, receive, send)

    def _refuse_head(self, http_method: str, head: RequestHead) -> HttpResponse | None:
        """The refusal of a request by its head alone, in the order of the specification's rungs."""
        values = head.values
        origin = values.get(b"origin")
        if origin is not None and not (self._callers.is_origin_allowed(origin) and "origin" not in head.doubled):
            return refuse(
                403, f"origin {_show(origin)} may not call this endpoint; http.allowed_origins names those that may"
            )
        host = values.get(b"host")
        if not self._callers.is_host_allowed(host) or "host" in head.doubled:
            return refuse(421, f"host {_show(host)} is not served here; http.allowed_hosts names those that are")
        if http_method != "POST":
            if self._in_session is not None and http_method in _SESSION_METHODS and SESSION in values:
                return None
            return refuse(405, f"{quote(http_method)} is not served here: POST one message", headers=_ALLOW)
        content_type = values.get(b"content-type")
        if content_type is None or not is_json(content_type) or "content-type" in head.doubled:
            return refuse(415, f"the Content-Type must be application/json, got {_show(content_type)}")
        encoding = values.get(b"content-encoding")
        if encoding is not None and encoding.lower() != b"identity":
            return refuse(415, f"the Content-Encoding {_show(encoding)} is not taken: send the body as it is")
        accept = values.get(b"accept")
        if accept is not None and not accepts_json(accept):
            return refuse(406, f"the answer is application/json, which Accept {_show(accept)} leaves out")
        return None

    async def _answer(self, body: bytes, head: RequestHead, receive: Receive, send: Send) -> None:
        """Answers a message, unless the client goes away. The outermost ring: no exception passes it."""
        message: Mapping[str, Any] = {}
        stream: EventStream | None = None
        envelope: Envelope | None
        try:
            parsed = parse_message(body)
            if isinstance(parsed, Refusal):
                envelope = refusal_response(parsed, None)
            else:
                message = parsed
                if self._in_session is not None and is_of_handshake_era(
                    parsed, head.mirrored.version, has_session=SESSION in head.values
                ):
                    await self._in_session.answer(parsed, head, receive, send)
                    return
                with DisconnectWatch(receive, delay_seconds=self._settings.disconnect_check_seconds) as watch:
                    if accepts_events(head.values.get(b"accept")):
                        stream = self._open_stream(send, watch)
                    exchange = Exchange(front=FRONT, mirrored=head.mirrored, outlet=stream, headers=head.kept)
                    envelope = await self._dispatcher.dispatch(parsed, exchange)
                if watch.is_gone:
                    return
        except Exception:  # noqa: BLE001 - the outermost ring
            envelope = tell_fault(message)
        if envelope is None:
            await ACCEPTED.send(send)
        elif stream is not None and stream.has_begun:
            await stream.end(envelope)
        else:
            await respond(envelope).send(send)

    def _open_stream(self, send: Send, watch: DisconnectWatch) -> EventStream:
        """The stream that the answer becomes when something is to be told before it."""
        stream = EventStream(
            send,
            keep_alive_seconds=self._settings.keep_alive_seconds,
            write_timeout_seconds=self._settings.write_timeout_seconds,
            give_up=watch.leave,
        )
        watch.meanwhile = stream.keep_alive
        return stream


def _show(value: bytes | None) -> str:
    return "none" if value is None else quote(value.decode("latin-1"))
