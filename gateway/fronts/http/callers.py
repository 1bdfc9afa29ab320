"""Which hosts and web pages may reach the endpoint: the guard against DNS rebinding.

A browser sends the name that it looked up as Host and the page that asks as Origin; a page of a foreign site that had
its name rebound to a loopback address is told by both. Source: MCP 2026-07-28, Streamable HTTP, "Security & Endpoint".
"""

from collections.abc import Iterable

_SCHEMES = (b"http://", b"https://")


class HostList:
    """Names that a Host header may have; each entry is `name` for any port, or `name:port`. Case does not matter."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(name.lower().encode() for name in names)

    def has(self, authority: bytes) -> bool:
        """Whether a host with or without a port is one of these."""
        authority = authority.lower()
        if authority in self._names:
            return True
        name, colon, port = authority.rpartition(b":")
        return bool(colon) and port.isdigit() and name in self._names


class Callers:
    """The hosts and origins that are served, as `HttpSettings` states them."""

    def __init__(self, *, allowed_hosts: Iterable[str] | None, allowed_origins: Iterable[str]) -> None:
        self._hosts = None if allowed_hosts is None else HostList(allowed_hosts)
        self._origins = frozenset(origin.lower().rstrip("/").encode() for origin in allowed_origins)

    def is_host_allowed(self, host: bytes | None) -> bool:
        """Whether requests to this host are served; with a list of hosts, a request without one is not."""
        if self._hosts is None:
            return True
        return host is not None and self._hosts.has(host)

    def is_origin_allowed(self, origin: bytes) -> bool:
        """Whether this page may call. `null`, the origin of sandboxed and local documents, never may."""
        origin = origin.lower()
        if origin in self._origins:
            return True
        if self._hosts is None:
            return False
        scheme = next((scheme for scheme in _SCHEMES if origin.startswith(scheme)), None)
        return scheme is not None and self._hosts.has(origin[len(scheme) :])
