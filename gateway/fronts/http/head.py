"""The headers of one request that this front reads, gathered in one pass over them.

ASGI hands header names over in lower case and values as bytes, in the order in which they came.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gateway.mcp.exchange import MirroredHeaders

_VERSION, _METHOD, _NAME = b"mcp-protocol-version", b"mcp-method", b"mcp-name"
_PARAMETER_PREFIX = b"mcp-param-"
_ACCEPT = b"accept"
SESSION = b"mcp-session-id"

_READ = frozenset(
    {
        b"host",
        b"origin",
        b"content-type",
        b"content-encoding",
        b"content-length",
        b"expect",
        _ACCEPT,
        _VERSION,
        _METHOD,
        _NAME,
        SESSION,
    }
)
_BLANKS = b" \t"
_NOTHING: Mapping[str, str | None] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHead:
    """One request's headers by name, without the white space around their values.

    `values` holds those that this front reads, the first of each kind, all lines of Accept as one (RFC 9110 section
    5.3). `parameters` holds the `mcp-param-` headers by the rest of their name. `doubled` are the names of those that
    came more than once though they hold one value. `mirrored` is what the headers say about the message in the body.
    `kept` holds those that the gateway was told to keep, by lower-case name; None for one that came more than once.
    """

    values: Mapping[bytes, bytes]
    parameters: Mapping[str, str]
    doubled: tuple[str, ...]
    mirrored: MirroredHeaders
    kept: Mapping[str, str | None]

    def find_session_id(self) -> str | None:
        """The session that the client states, or None."""
        value = self.values.get(SESSION)
        return None if value is None else value.decode("latin-1")

    def find_length(self) -> int | None:
        """The length in bytes that the client states for the body, or None."""
        value = self.values.get(b"content-length")
        return int(value) if value is not None and value.isdigit() and len(value) < 20 else None


def read_head(headers: Sequence[tuple[bytes, bytes]], kept: Collection[str] = ()) -> RequestHead:
    """The head of a request with these raw headers; `kept` names further ones, in lower case, that are of use."""
    values: dict[bytes, bytes] = {}
    parameters: dict[str, str] = {}
    doubled: list[str] = []
    for name, value in headers:
        if name in _READ:
            if name not in values:
                values[name] = value.strip(_BLANKS)
            elif name == _ACCEPT:
                values[name] += b"," + value
            else:
                doubled.append(name.decode("latin-1"))
        elif name.startswith(_PARAMETER_PREFIX):
            token = name[len(_PARAMETER_PREFIX) :].decode("latin-1")
            if token in parameters:
                doubled.append(name.decode("latin-1"))
            parameters.setdefault(token, value.strip(_BLANKS).decode("latin-1"))
    mirrored = MirroredHeaders(
        version=_get_text(values, _VERSION),
        method=_get_text(values, _METHOD),
        name=_get_text(values, _NAME),
        parameters=parameters,
        doubled=tuple(doubled),
    )
    return RequestHead(
        values=values,
        parameters=parameters,
        doubled=mirrored.doubled,
        mirrored=mirrored,
        kept=_keep(headers, kept) if kept else _NOTHING,
    )


def _keep(headers: Sequence[tuple[bytes, bytes]], names: Collection[str]) -> Mapping[str, str | None]:
    found: dict[str, str | None] = {}
    for raw, value in headers:
        name = raw.decode("latin-1")
        if name in names:
            found[name] = None if name in found else value.strip(_BLANKS).decode("latin-1")
    return found


def _get_text(values: Mapping[bytes, bytes], name: bytes) -> str | None:
    value = values.get(name)
    return None if value is None else value.decode("latin-1")
