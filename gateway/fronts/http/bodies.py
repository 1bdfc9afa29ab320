"""Reads the body of a request, within its bounds, and gets rid of the rest of one that is too large."""

import asyncio
from dataclasses import dataclass

from starlette.types import Receive, Send

from gateway.fronts.http.head import RequestHead
from gateway.fronts.http.responses import HttpResponse, refuse
from gateway.fronts.http.settings import HttpSettings


class ClientGone(Exception):
    """The client went away: there is nobody to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Oversized:
    """A body over the limit: the answer, and how many bytes of the rest are worth reading first."""

    response: HttpResponse
    rest_bytes: int


async def read_body(receive: Receive, head: RequestHead, settings: HttpSettings) -> bytes | Oversized | HttpResponse:
    """The whole body, or how it is refused: too large (413) or begun and never finished (408).

    Raises `ClientGone`. A stated length is believed before a byte is read, so that a client which waits for
    `100 Continue` never sends what would be refused.
    """
    limit = settings.body_limit_bytes
    stated = head.find_length()
    if stated is not None and stated > limit:
        return _refuse_stated(stated, head, settings)
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    body: bytes = message.get("body", b"")
    has_ended = not message.get("more_body", False)
    if not has_ended and len(body) <= limit:
        try:
            async with asyncio.timeout(settings.body_timeout_seconds):
                body, has_ended = await _read_rest(receive, body, limit)
        except TimeoutError:
            sentence = f"the body was not complete after {settings.body_timeout_seconds:g} s"
            return refuse(408, sentence, closes=True)
    if len(body) > limit:
        # Of a length that nobody stated nobody knows how much is still to come. What comes at once is let pass, which
        # saves the connection of a client that does not wait; else it ends.
        left = settings.drain_limit_bytes
        if not has_ended:
            left, has_ended = await _drop(receive, left, settings.drain_patience_seconds)
        return Oversized(response=_refuse_size(limit, closes=not has_ended), rest_bytes=0 if has_ended else left)
    return body


async def dispose(oversized: Oversized, receive: Receive, send: Send, settings: HttpSettings) -> None:
    """Answers an oversized body, and reads on behind the answer as far as is worth it.

    A connection that is closed upon unread bytes is reset, and the answer may be lost with it; so the answer goes out
    first, then the rest is dropped, and only then the exchange ends.
    """
    await oversized.response.send(send, is_last=False)
    if oversized.rest_bytes > 0:
        try:
            await _drop(receive, oversized.rest_bytes, settings.body_timeout_seconds)
        except ClientGone:
            return
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drop(receive: Receive, limit_bytes: int, limit_seconds: float) -> tuple[int, bool]:
    """Reads on and keeps nothing: how many bytes of the limit are left, and whether the body has ended.

    Raises `ClientGone`.
    """
    left = limit_bytes
    try:
        async with asyncio.timeout(limit_seconds):
            while left > 0:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                left -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return left, True
    except TimeoutError:
        pass
    return max(left, 0), False


async def _read_rest(receive: Receive, begun: bytes, limit: int) -> tuple[bytes, bool]:
    """The body and whether it has ended: up to its end, or up to the first bytes over the limit."""
    parts = [begun]
    size = len(begun)
    has_ended = False
    while not has_ended and size <= limit:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        part: bytes = message.get("body", b"")
        size += len(part)
        parts.append(part)
        has_ended = not message.get("more_body", False)
    return b"".join(parts), has_ended


def _refuse_stated(stated: int, head: RequestHead, settings: HttpSettings) -> Oversized:
    # Who waits for leave to send its body sends none now, or all of it against expectation: the connection ends.
    waits = b"expect" in head.values
    closes = waits or stated > settings.body_limit_bytes + settings.drain_limit_bytes
    rest = 0 if waits else min(stated, settings.drain_limit_bytes + settings.body_limit_bytes)
    return Oversized(response=_refuse_size(settings.body_limit_bytes, closes=closes), rest_bytes=rest)


def _refuse_size(limit: int, *, closes: bool) -> HttpResponse:
    return refuse(413, f"the body is larger than the {limit} bytes that are taken", closes=closes)
