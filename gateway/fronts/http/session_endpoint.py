"""The MCP endpoint in the handshake era: POST as ever, GET for the way back to a client, DELETE for the end.

A connection that ends cancels nothing in a session; `notifications/cancelled` does. Streams are not resumed: their
events have no ids. Source: MCP 2025-11-25, basic/transports, "Streamable HTTP".
"""

import contextlib
from typing import Any

from starlette.types import Receive, Send

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Envelope, encode_envelope, error_response
from gateway.contract.parsing import find_request_id
from gateway.contract.quoting import quote
from gateway.fronts.http.event_stream import EventStream
from gateway.fronts.http.faults import tell_fault
from gateway.fronts.http.head import SESSION, RequestHead
from gateway.fronts.http.negotiation import accepts_events
from gateway.fronts.http.responses import ACCEPTED, HttpResponse, refuse, respond_in_session
from gateway.fronts.http.settings import HttpSettings
from gateway.fronts.http.watching import DisconnectWatch
from gateway.mcp.dispatch import Dispatcher
from gateway.mcp.exchange import Exchange
from gateway.mcp.sessions.belonging import INITIALIZE
from gateway.mcp.sessions.session import Session, SessionHolder
from gateway.mcp.sessions.sessions import Sessions

_FRONT = "http"
_ALLOW_POST = ((b"allow", b"POST"),)
_ENDED = HttpResponse(status=204)


class SessionEndpoint:
    """Answers the requests of the handshake era."""

    def __init__(self, dispatcher: Dispatcher, sessions: Sessions, settings: HttpSettings) -> None:
        self._dispatcher = dispatcher
        self._sessions = sessions
        self._settings = settings

    async def answer(self, message: dict[str, Any], head: RequestHead, receive: Receive, send: Send) -> None:
        """Answers a POSTed message. The outermost ring: no exception passes it."""
        holder = SessionHolder()
        session_id = head.find_session_id()
        if session_id is not None and message.get("method") != INITIALIZE:
            holder.session = self._sessions.find(session_id)
            if holder.session is None:
                await _refuse_session(message).send(send)
                return
        stream: EventStream | None = None
        envelope: Envelope | None = None
        before = holder.session
        # Without a session nothing but the end of the connection could cancel what runs.
        delay_seconds = self._settings.disconnect_check_seconds
        with DisconnectWatch(receive, delay_seconds=delay_seconds, is_binding=before is None) as watch:
            if accepts_events(head.values.get(b"accept")):
                stream = self._open_stream(send, watch)
                watch.meanwhile = stream.keep_alive
            exchange = Exchange(front=_FRONT, mirrored=head.mirrored, outlet=stream, headers=head.kept)
            request_id = find_request_id(message)
            running = (
                before.run(request_id, watch.leave)
                if before is not None and request_id is not None
                else contextlib.nullcontext()
            )
            with running:
                try:
                    envelope = await self._dispatcher.dispatch_in_session(message, exchange, holder)
                except Exception:  # noqa: BLE001 - the outermost ring
                    envelope = tell_fault(message)
        if watch.is_gone and stream is not None:
            await stream.close()
        elif envelope is None:
            await ACCEPTED.send(send)
        elif stream is not None and stream.has_begun:
            await stream.end(envelope)
        else:
            opened = holder.session if holder.session is not before else None
            headers = () if opened is None else ((SESSION, opened.id.encode("latin-1")),)
            await respond_in_session(envelope, headers).send(send)

    async def serve(self, http_method: str, head: RequestHead, receive: Receive, send: Send) -> None:
        """Answers a GET or a DELETE, which exist only within a session."""
        session_id = head.find_session_id() or ""
        session = self._sessions.find(session_id)
        if session is None:
            if self._sessions.has_ended(session_id):
                await refuse(404, "this session has ended; initialize opens a new one").send(send)
            else:
                sentence = (
                    f"{quote(http_method)} is served within a session that initialize opened here: POST one message"
                )
                await refuse(405, sentence, headers=_ALLOW_POST).send(send)
        elif http_method == "DELETE":
            self._sessions.end(session)
            await _ENDED.send(send)
        else:
            await self._listen(session, head, receive, send)

    async def _listen(self, session: Session, head: RequestHead, receive: Receive, send: Send) -> None:
        """Tells the client what no request of its own is about, until it goes away or another stream takes over."""
        if not accepts_events(head.values.get(b"accept")):
            await refuse(406, "GET answers with a stream: Accept must take text/event-stream").send(send)
            return
        if not self._dispatcher.has_room_to_tell:
            await refuse(503, "all streams that are kept at once are taken; try again later").send(send)
            return
        with DisconnectWatch(receive, delay_seconds=0.0) as watch:
            stream = self._open_stream(send, watch)
            watch.meanwhile = stream.keep_alive
            await stream.open()
            await self._dispatcher.tell_changes(session, stream)
        if not watch.is_gone:
            await stream.close()

    def _open_stream(self, send: Send, watch: DisconnectWatch) -> EventStream:
        return EventStream(
            send,
            keep_alive_seconds=self._settings.keep_alive_seconds,
            write_timeout_seconds=self._settings.write_timeout_seconds,
            give_up=watch.leave,
        )


def _refuse_session(message: dict[str, Any]) -> HttpResponse:
    """The refusal of an unknown session, upon which a client opens a new one (MCP 2025-11-25, "Session Management")."""
    sentence = "this session is not known here or has ended; initialize opens a new one"
    envelope = error_response(Condition.INVALID_REQUEST, find_request_id(message), sentence, rejection=True)
    return HttpResponse(status=404, body=encode_envelope(envelope))
