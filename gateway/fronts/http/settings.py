"""What an operator may decide about the HTTP front."""

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass

LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """How the HTTP front serves.

    `allowed_hosts` are the values of the Host header that are served, `name` for any port or `name:port`, IPv6 in
    brackets; None serves every one. A page from one of these hosts may call too; `allowed_origins` are the further
    values of Origin that may (`https://app.example.com`). With no hosts named, no page may call but those of
    `allowed_origins`, since a rebound DNS name would be its own origin.

    `body_limit_bytes` bounds a request's body. Of a body that is refused for its size `drain_limit_bytes` more are read
    and dropped, for at most `body_timeout_seconds`, so that the client gets to read the answer; that is also how long a
    body may take once it has begun. Where no length was stated, the answer waits for up to `drain_patience_seconds` for
    the body's end, with which the connection is kept. After `disconnect_check_seconds` a call is watched for its client
    going away; shorter ones are not worth it.

    A call that has sent nothing for `keep_alive_seconds` gets a comment, where its client takes server-sent events; a
    client that reads nothing for `write_timeout_seconds` while an event waits for it is taken for gone.

    `argument_headers` are the headers, in lower case, that arguments of tools come from.
    """

    path: str = "/mcp"
    allowed_hosts: tuple[str, ...] | None = LOOPBACK_HOSTS
    allowed_origins: tuple[str, ...] = ()
    body_limit_bytes: int = 4 * 1024 * 1024
    drain_limit_bytes: int = 16 * 1024 * 1024
    drain_patience_seconds: float = 0.5
    body_timeout_seconds: float = 30.0
    disconnect_check_seconds: float = 0.01
    keep_alive_seconds: float = 15.0
    write_timeout_seconds: float = 30.0
    argument_headers: frozenset[str] = frozenset()


def choose_allowed_hosts(listen_host: str, configured: Collection[str]) -> tuple[str, ...] | None:
    """The hosts that are served: those configured, else the loopback names on a loopback address, else every one.

    Source: MCP 2026-07-28, Streamable HTTP, "Security & Endpoint" (DNS rebinding).
    """
    if configured:
        return tuple(configured)
    return LOOPBACK_HOSTS if _is_loopback(listen_host) else None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
