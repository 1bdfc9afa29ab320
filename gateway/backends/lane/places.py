"""Which backends the lane can reach: those behind a plain socket, without a proxy in between."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gateway.backends.targets import Target

_HOST_PORT = re.compile(r"(?:dns:///|ipv4:|ipv6:)(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:,/]+)):(\d+)")
_SOCKET = re.compile(r"unix:(/.+)")
# What gRPC's core looks for a proxy in, in this order.
_PROXY_VARIABLES = ("grpc_proxy", "https_proxy", "http_proxy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where to connect: host and port, or the path of a socket. `authority` is what the calls name as theirs."""

    authority: str
    host: str = ""
    port: int = 0
    path: str = ""


def find_place(target: Target, *, tls: bool, environ: Mapping[str, str] = os.environ) -> Place | None:
    """Where a target without TLS is connected to directly; None where that is grpc.aio's alone to know."""
    if tls or target.tls:
        return None
    socket = _SOCKET.fullmatch(target.address)
    if socket is not None:
        return Place(authority="localhost", path=socket[1])
    place = _HOST_PORT.fullmatch(target.address)
    if place is None or (not target.loopback and any(environ.get(name) for name in _PROXY_VARIABLES)):
        return None
    host = place[1] or place[2]
    authority = f"[{host}]:{place[3]}" if ":" in host else f"{host}:{place[3]}"
    return Place(authority=authority, host=host, port=int(place[3]))
