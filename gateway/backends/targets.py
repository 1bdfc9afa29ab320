"""Where a backend listens: reads what an operator wrote, before anything is connected.

Whatever gRPC would only refuse at the first call, or would take for something else, is refused here in one line that
says what to write instead. This module must never know what is done with a target.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gateway.contract.quoting import quote

EXAMPLE = "localhost:50051"

# What follows a scheme becomes the address for gRPC, and whether it is on this machine.
_Resolver = Callable[[str, str], tuple[str, bool]]


class TargetError(ValueError):
    """A target that cannot be meant; the message is one line and names what would be right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A backend's address. `text` is what the operator wrote, `address` what gRPC is given (a name of its resolvers,
    see gRPC's "Name Resolution"), `tls` whether the text itself asks for TLS, `loopback` whether it cannot leave this
    machine.
    """

    text: str
    address: str
    tls: bool
    loopback: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _HostPort:
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower().rstrip(".") == "localhost"


_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_HOST_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_BRACKETED = re.compile(r"\[([^\]]*)\](?::(.*))?")
_LIMIT_HOST = 253
# What fits into a socket's address (unix(7), sun_path) beside the byte that ends it.
_LIMIT_SOCKET_BYTES = 107

# Whether a URL of this scheme asks for TLS. None of them says anything else: gRPC has no paths.
_URL_SCHEMES: Mapping[str, bool] = MappingProxyType({"http": False, "grpc": False, "https": True, "grpcs": True})


def parse_target(text: str) -> Target:
    """The target that an operator's text means. Raises `TargetError`.

    | text | means |
    | --- | --- |
    | `HOST:PORT`, `10.0.0.1:50051`, `[::1]:50051` | that host, found by DNS where it is a name, without TLS |
    | `http://HOST:PORT`, `grpc://HOST:PORT` | the same: plaintext HTTP/2, nothing of HTTP/1 |
    | `https://HOST:PORT`, `grpcs://HOST:PORT` | that host with TLS |
    | `dns:///HOST:PORT`, `dns://SERVER/HOST:PORT` | that host, found by DNS (by that DNS server), without TLS |
    | `ipv4:ADDRESS:PORT,…`, `ipv6:[ADDRESS]:PORT,…` | the first of these addresses that answers, without TLS |
    | `unix:/PATH`, `unix:///PATH`, `unix-abstract:NAME` | a socket of this machine, without TLS |

    A port is never guessed: gRPC would take 443 for a missing one.
    """
    if not text:
        raise TargetError(f"the target is empty: write HOST:PORT, for example {EXAMPLE}")
    if not text.isprintable() or " " in text:
        raise _refusal(text, f"it holds a space or a control character; write HOST:PORT, for example {EXAMPLE}")
    match = _SCHEME.fullmatch(text)
    if match is not None:
        scheme, rest = match[1].lower(), match[2]
        if scheme in _URL_SCHEMES and rest.startswith("//"):
            place = _parse_host_port(text, rest[2:], scheme=f"{scheme}://")
            return Target(text=text, address=f"dns:///{place}", tls=_URL_SCHEMES[scheme], loopback=place.loopback)
        if scheme in _RESOLVERS:
            address, loopback = _RESOLVERS[scheme](text, rest)
            return Target(text=text, address=address, tls=False, loopback=loopback)
        if rest.startswith("//"):
            known = ", ".join([*(f"{name}://" for name in _URL_SCHEMES), *(f"{name}:" for name in _RESOLVERS)])
            raise _refusal(text, f"the scheme is not known; write HOST:PORT or one of {known}")
    place = _parse_host_port(text, text, scheme="")
    return Target(text=text, address=f"dns:///{place}", tls=False, loopback=place.loopback)


def _refusal(text: str, reason: str) -> TargetError:
    # What stands before an "@" may be a password.
    shown = "(not shown: it holds an @)" if "@" in text else quote(text)
    return TargetError(f"target {shown}: {reason}")


def _parse_host_port(text: str, place: str, *, scheme: str) -> _HostPort:
    if "@" in place:
        raise _refusal(text, "a target takes no user and password; give credentials as metadata")
    head = re.split(r"[/?#]", place, maxsplit=1)[0]
    if head != place:
        raise _refusal(text, f"gRPC has no paths; write {scheme}{head or EXAMPLE}")
    if place.startswith("["):
        match = _BRACKETED.fullmatch(place)
        if match is None or not _is_ipv6(match[1]):
            raise _refusal(text, "no IPv6 address stands between the brackets; write for example [::1]:50051")
        host, port = match[1], match[2]
    elif place.count(":") > 1:
        host, _, port = place.rpartition(":")
        if _is_ipv6(host) and port.isdecimal():
            raise _refusal(text, f"an IPv6 address stands in brackets; write {scheme}[{host}]:{port}")
        if _is_ipv6(place):
            raise _refusal(text, f"an IPv6 address stands in brackets; write {scheme}[{place}]:PORT")
        raise _refusal(text, f"it has more than one port; write HOST:PORT, for example {EXAMPLE}")
    else:
        host, colon, given = place.partition(":")
        port = given if colon else None
        if not _is_host(host):
            raise _refusal(text, f"{quote(host)} is no host name; write HOST:PORT, for example {EXAMPLE}")
    if not port:
        shown = f"[{host}]" if ":" in host else host
        raise _refusal(text, f"the port is missing; write {scheme}{shown}:PORT, for example {scheme}{shown}:50051")
    if not _is_port(port):
        raise _refusal(text, f"{quote(port)} is no port; write a number from 1 to 65535")
    return _HostPort(host=host, port=int(port))


def _is_host(host: str) -> bool:
    if re.fullmatch(r"[0-9.]+", host):
        return _is_ipv4(host)
    return len(host) <= _LIMIT_HOST and _HOST_NAME.fullmatch(host) is not None


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 5 and 0 < int(text) <= 65535


def _is_ipv4(host: str) -> bool:
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return True


def _is_ipv6(host: str) -> bool:
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return True


def _parse_dns(text: str, rest: str) -> tuple[str, bool]:
    server, name = "", rest
    if rest.startswith("//"):
        server, slash, name = rest[2:].partition("/")
        if not slash:
            raise _refusal(text, f"a third slash is missing; write dns:///{server or EXAMPLE}")
    place = _parse_host_port(text, name, scheme=f"dns://{server}/")
    authority = _parse_dns_server(text, server, str(place)) if server else ""
    return f"dns://{authority}/{place}", place.loopback


def _parse_dns_server(text: str, server: str, name: str) -> str:
    """The server's address and port: gRPC takes no name for it, and an IPv6 address only with a port."""
    host, _, port = (server, "", "53") if server.endswith("]") or ":" not in server else server.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    if not (_is_port(port) and (_is_ipv6(host[1:-1]) if is_bracketed else _is_ipv4(host))):
        reason = f"{quote(server)} is no address of a DNS server; write dns:///{name} to use the system's"
        raise _refusal(text, reason)
    return f"{host}:{port}"


def _parse_addresses(family: str, is_address: Callable[[str], bool], example: str) -> _Resolver:
    def parse(text: str, rest: str) -> tuple[str, bool]:
        places = [_parse_host_port(text, part, scheme=f"{family}:") for part in rest.split(",")]
        if not all(is_address(place.host) for place in places):
            raise _refusal(text, f"{family}: takes addresses and no names; write for example {example}")
        return f"{family}:{','.join(map(str, places))}", all(place.loopback for place in places)

    return parse


def _parse_unix(text: str, rest: str) -> tuple[str, bool]:
    path = rest.removeprefix("//")
    if not path or path.endswith("/") or (rest.startswith("//") and not path.startswith("/")):
        raise _refusal(text, "no socket is named; write for example unix:/run/backend.sock")
    _check_socket_length(text, path)
    return f"unix:{path}", True


def _parse_abstract_unix(text: str, rest: str) -> tuple[str, bool]:
    if not rest:
        raise _refusal(text, "no socket is named; write for example unix-abstract:backend")
    _check_socket_length(text, rest)
    return f"unix-abstract:{rest}", True


def _check_socket_length(text: str, name: str) -> None:
    size = len(name.encode())
    if size > _LIMIT_SOCKET_BYTES:
        raise _refusal(text, f"the socket's name has {size} bytes; a socket has at most {_LIMIT_SOCKET_BYTES}")


_RESOLVERS: Mapping[str, _Resolver] = MappingProxyType(
    {
        "dns": _parse_dns,
        "ipv4": _parse_addresses("ipv4", _is_ipv4, "ipv4:127.0.0.1:50051"),
        "ipv6": _parse_addresses("ipv6", _is_ipv6, "ipv6:[::1]:50051"),
        "unix": _parse_unix,
        "unix-abstract": _parse_abstract_unix,
    }
)
