"""What goes back over HTTP: a status, headers and the bytes of one envelope."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.types import Send

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Envelope, encode_envelope, error_response

_JSON_HEADER = (b"content-type", b"application/json")
_CLOSE_HEADER = (b"connection", b"close")

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """One whole answer, headers that follow from it left out."""

    status: int
    body: bytes = b""
    headers: Headers = ()

    async def send(self, send: Send, *, is_last: bool = True) -> None:
        """Sends it. `is_last` False leaves the answer open, though all its bytes are out, until `finish`."""
        headers = [(b"content-length", b"%d" % len(self.body)), *self.headers]
        if self.body:
            headers.append(_JSON_HEADER)
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": not is_last})


ACCEPTED = HttpResponse(status=202)


def respond(envelope: Envelope) -> HttpResponse:
    """The answer that carries an envelope, with the status of its condition."""
    return HttpResponse(status=envelope.http_status, body=encode_envelope(envelope))


def respond_in_session(envelope: Envelope, headers: Headers = ()) -> HttpResponse:
    """The same in the handshake era."""
    return HttpResponse(status=envelope.http_status_in_session, body=encode_envelope(envelope), headers=headers)


def refuse(status: int, sentence: str, *, headers: Headers = (), closes: bool = False) -> HttpResponse:
    """The refusal of a request before its message was read: a JSON-RPC error without an id (MCP 2026-07-28).

    `closes` announces that the connection ends with this answer.
    """
    envelope = error_response(Condition.INVALID_REQUEST, None, sentence, rejection=True)
    extra = (*headers, _CLOSE_HEADER) if closes else headers
    return HttpResponse(status=status, body=encode_envelope(envelope), headers=extra)
