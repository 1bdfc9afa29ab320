"""The HTTP server under the HTTP front: its socket, uvicorn with uvloop and httptools, and its end.

uvicorn is run without its signal handling, lifespan and access log: when to stop is `app.serving.lifetime`'s to say.
"""

import asyncio
import contextlib
import dataclasses
import errno
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any

import uvicorn

from gateway.app.operator_error import OperatorError
from gateway.app.serving.http_protocol import QuickHttpProtocol
from gateway.app.settings.model import ListenAddress

AsgiApp = Callable[
    [
        MutableMapping[str, Any],
        Callable[[], Awaitable[MutableMapping[str, Any]]],
        Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ],
    Awaitable[None],
]

_BACKLOG = 2048
# How long a client may leave unread, or unacknowledged, what was sent to it; then the kernel ends the connection.
_UNREAD_SECONDS = 30
# Longer than proxies in front keep idle connections by default (60 s), so that it is they who close them.
_KEEP_ALIVE_SECONDS = 75

_BIND_REASONS = {
    errno.EADDRINUSE: "another process listens there; stop it, or choose a port with --listen (0: any free one)",
    errno.EACCES: "the system does not allow it; choose a port from 1024 up with --listen",
    errno.EADDRNOTAVAIL: "this machine has no such address; choose one of its own with --listen",
}


def open_listening_socket(address: ListenAddress) -> socket.socket:
    """A socket bound to the address, not yet listening. Raises `OperatorError` where that cannot be."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise OperatorError(f"cannot listen on {address}: no such host; choose another with --listen") from None
    family, kind, protocol, _, place = found[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bound_silence(listening)
        listening.bind(place)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        raise OperatorError(f"cannot listen on {address}: {_explain_bind(error)}") from None
    return listening


def open_listening_sockets(address: ListenAddress, count: int) -> tuple[socket.socket, ...]:
    """Sockets bound to one address, over which the kernel spreads new connections once they listen (SO_REUSEPORT).

    Raises `OperatorError` where that cannot be, also where somebody else listens there with the same option.
    """
    with open_listening_socket(address) as first:
        family, place = first.family, first.getsockname()
    opened: list[socket.socket] = []
    try:
        for _ in range(count):
            opened.append(socket.socket(family, socket.SOCK_STREAM))
            opened[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            opened[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            _bound_silence(opened[-1])
            opened[-1].bind(place)
            opened[-1].setblocking(False)
    except OSError as error:
        for one in opened:
            one.close()
        raise OperatorError(f"cannot listen on {address}: {_explain_bind(error)}") from None
    return tuple(opened)


def get_address(listening: socket.socket) -> ListenAddress:
    """Where the socket is bound, with the port that port 0 came to."""
    host, port = listening.getsockname()[:2]
    return ListenAddress(host=host, port=port)


def get_url(listening: socket.socket, path: str) -> str:
    """The URL of a path on the socket as a client on this machine writes it."""
    address = get_address(listening)
    if address.host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        address = dataclasses.replace(address, host="127.0.0.1")
    return f"http://{address}{path}"


def _bound_silence(listening: socket.socket) -> None:
    """Has connections of this socket end whose client stopped reading (RFC 5482), where the system can do that.

    Such a connection holds its unsent bytes for as long as it is open, also after the server has closed it.
    """
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_SECONDS * 1000)


def _explain_bind(error: OSError) -> str:
    return _BIND_REASONS.get(error.errno or 0, error.strerror or "it cannot be bound")


class HttpServer:
    """Serves one ASGI application on one socket until told to stop."""

    def __init__(self, application: AsgiApp, listening: socket.socket) -> None:
        config = uvicorn.Config(
            application,
            http=QuickHttpProtocol,
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=_BACKLOG,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        )
        logging.getLogger("uvicorn.error").addFilter(_is_news)
        self._server = _Server(config)
        self._listening = listening

    async def run(self) -> None:
        """Serves until `stop` and until running requests have finished after it, or until `abort`."""
        # At once, so that nobody who is told of it comes too early.
        self._listening.listen(_BACKLOG)
        await self._server.serve(sockets=[self._listening])

    def stop(self) -> None:
        """Takes no new connections, lets running requests finish."""
        self._server.should_exit = True

    def abort(self) -> None:
        """Stops without waiting for running requests."""
        self._server.should_exit = True
        self._server.force_exit = True


def _is_news(record: logging.LogRecord) -> bool:
    """Leaves out what uvicorn says of requests that end as they were meant to.

    A request that was cancelled is a traceback to it, and the answer to a client that was given up an error.
    """
    if record.getMessage() == "ASGI callable returned without completing response.":
        return False
    return not (record.exc_info and record.exc_info[0] is asyncio.CancelledError)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves the signals alone."""
        yield
