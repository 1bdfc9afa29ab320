"""How a connection to a backend behaves: the one place where gRPC's channel options are chosen.

Names of options: `grpc/impl/channel_arg_names.h` of gRPC core. This module must never know what is called over a
channel.
"""

import logging
import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc
import grpc.aio

from gateway import __version__
from gateway.backends.targets import Target

_LOG = logging.getLogger("propylon.backends")

# Servers that keep gRPC's defaults answer pings more often than this with GOAWAY too_many_pings (gRFC A8).
GENTLE_KEEPALIVE_SECONDS = 300.0


class ChannelError(Exception):
    """A channel that cannot be opened as configured; one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelLimits:
    """What a channel takes, and how it notices a dead peer.

    `receive_limit_bytes` bounds a message, `metadata_limit_bytes` the headers or trailers of one answer. gRPC's own
    bound on those is 8 KiB, which loses larger error details; a server outside gRPC's core sends them in base64, so
    128 KiB are room for 96 KiB of details. `keepalive_seconds` is how long a silent connection with calls on it goes
    unquestioned (0: for ever). It also makes the kernel give a connection up 20 s after a packet stays
    unacknowledged, which is how a call notices that a packet filter swallows everything.
    """

    receive_limit_bytes: int = 4 * 1024 * 1024
    metadata_limit_bytes: int = 128 * 1024
    keepalive_seconds: float = 360.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """How to reach a backend: its target, and whether with TLS against which roots (None: those of gRPC)."""

    target: Target
    tls: bool = False
    roots_file: Path | None = None


def open_channel(transport: Transport, limits: ChannelLimits) -> grpc.aio.Channel:
    """A channel to the backend, not yet connected; to be opened inside the running event loop, and to be closed.

    Raises `ChannelError` where the file of roots is of no use.

    It retries nothing that a server may have seen: without a service config gRPC repeats only what provably never
    left or was refused unseen (gRFC A6, transparent retries).
    """
    logging.getLogger("grpc._cython.cygrpc").addFilter(_FOLD_BAD_TEXT)
    options = _make_options(transport.target, limits)
    if not (transport.tls or transport.target.tls):
        return grpc.aio.insecure_channel(transport.target.address, options=options)
    roots = None if transport.roots_file is None else _read_roots(transport.roots_file)
    credentials = grpc.ssl_channel_credentials(root_certificates=roots)
    return grpc.aio.secure_channel(transport.target.address, credentials, options=options)


def check_keepalive(limits: ChannelLimits, backend: str) -> None:
    """Warns once where the keepalive is so short that a server with gRPC's defaults closes the connection over it."""
    if 0 < limits.keepalive_seconds < GENTLE_KEEPALIVE_SECONDS:
        _LOG.warning(
            "backend %s: keepalive_seconds %g is under %g, which servers with gRPC's defaults answer with GOAWAY "
            "too_many_pings",
            backend,
            limits.keepalive_seconds,
            GENTLE_KEEPALIVE_SECONDS,
        )


def _make_options(target: Target, limits: ChannelLimits) -> list[tuple[str, str | int]]:
    options: list[tuple[str, str | int]] = [
        ("grpc.primary_user_agent", f"propylon/{__version__}"),
        ("grpc.max_receive_message_length", limits.receive_limit_bytes),
        # Between the two limits gRPC refuses at random; equal, they are one limit.
        ("grpc.max_metadata_size", limits.metadata_limit_bytes),
        ("grpc.absolute_max_metadata_size", limits.metadata_limit_bytes),
        # A restarted backend is found again within about a second, one that swallows packets within five (this option
        # bounds an attempt, whatever its name says), one that moved within two of DNS knowing it.
        ("grpc.initial_reconnect_backoff_ms", 200),
        ("grpc.max_reconnect_backoff_ms", 1000),
        ("grpc.min_reconnect_backoff_ms", 5000),
        ("grpc.dns_min_time_between_resolutions_ms", 2000),
    ]
    if limits.keepalive_seconds > 0:
        options.append(("grpc.keepalive_time_ms", round(limits.keepalive_seconds * 1000)))
        options.append(("grpc.keepalive_timeout_ms", 20_000))
    if target.loopback:
        # gRPC would send even these through the proxy that HTTP_PROXY names.
        options.append(("grpc.enable_http_proxy", 0))
    return options


def _read_roots(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ChannelError(f"the roots in {path} cannot be read: {error.strerror}") from error
    if b"-----BEGIN CERTIFICATE-----" not in content:
        raise ChannelError(f"the roots in {path} are no PEM certificates: -----BEGIN CERTIFICATE----- is not in it")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=content.decode("ascii", "ignore"))
    except ssl.SSLError as error:
        raise ChannelError(f"the roots in {path} are no PEM certificates: one of them cannot be read") from error
    return content


class _FoldBadText(logging.Filter):
    """grpc.aio logs a traceback for every status message that is not UTF-8 (and reads it as Latin-1)."""

    def filter(self, record: logging.LogRecord) -> bool:
        if str(record.msg).startswith("Invalid encoding on"):
            record.msg = "a backend sent a status message that is not UTF-8; it is read as Latin-1"
            record.args, record.exc_info, record.exc_text = (), None, None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


_FOLD_BAD_TEXT = _FoldBadText()
