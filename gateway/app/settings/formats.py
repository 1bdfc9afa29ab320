"""What a JSON Schema cannot check about a configured value: one function for each `format` of the table.

Each takes the value and the folder that relative paths start from, and yields what is wrong: the steps to it below the
value, and one line. A value that may be a secret is never part of it; any other is quoted whole or not at all.
"""

import base64
import binascii
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gateway.app.settings.model import ListenAddress, Metadata
from gateway.contract.quoting import quote

Finding = tuple[tuple[str, ...], str]
Check = Callable[[Any, Path], Iterator[Finding]]

_METADATA_KEY = re.compile(r"[0-9a-z_.-]+")
_METADATA_VALUE = re.compile(r"[\x20-\x7e]*")
# The HTTP/2 headers that gRPC writes itself ("gRPC over HTTP2", Requests); "grpc-" is reserved for it as a whole.
_RESERVED_KEYS = frozenset({"te", "content-type", "user-agent", "host", "content-length", "connection", "grpc"})
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?", re.ASCII)
_ORIGIN = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.+)", re.ASCII)
_RPC_GLOB = re.compile(r"[A-Za-z0-9_.*?!/\[\]-]+")
_TAKEN_PATHS = frozenset({"/healthz", "/readyz", ""})
_URL_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)+/?", re.ASCII)


def parse_listen_address(text: str) -> ListenAddress | str:
    """The address of HOST:PORT or [IPv6]:PORT, or what is wrong with it."""
    host, colon, port = text.rpartition(":")
    if not colon or not host:
        return f"must be HOST:PORT such as 127.0.0.1:8080, got {quote(text)}"
    bracketed = host.startswith("[") and host.endswith("]")
    if ":" in host and not bracketed:
        return f"must have its IPv6 address in brackets, such as [::1]:8080, got {quote(text)}"
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535):
        return f"must end in a port from 0 to 65535, got {quote(text)}"
    return ListenAddress(host=host[1:-1] if bracketed else host, port=int(port))


def parse_metadata(entries: Mapping[str, str]) -> Metadata:
    """The metadata of a mapping that `_metadata` has nothing to say against: keys in lower case, -bin values as bytes.

    gRPC takes lower case alone; operators write names of headers as they know them from HTTP.
    """
    return tuple(
        (key.lower(), base64.b64decode(value, validate=True) if key.lower().endswith("-bin") else value)
        for key, value in entries.items()
    )


def _listen_address(value: str, _: Path) -> Iterator[Finding]:
    address = parse_listen_address(value)
    if isinstance(address, str):
        yield (), address


def _target(value: str, _: Path) -> Iterator[Finding]:
    from gateway.backends.targets import TargetError, parse_target

    try:
        parse_target(value)
    except TargetError as error:
        yield (), str(error)


# os.path says of a name that is too long, or holds a null, that there is nothing of it; pathlib raises.


def _file(value: str, folder: Path) -> Iterator[Finding]:
    path = folder / value
    if not os.path.isfile(path):
        yield (), f"must be a file, and {quote(value)} {_what_it_is(path)}"


def _folder(value: str, folder: Path) -> Iterator[Finding]:
    path = folder / value
    if not os.path.isdir(path):
        yield (), f"must be a folder, and {quote(value)} {_what_it_is(path)}"


def _what_it_is(path: Path) -> str:
    if os.path.isdir(path):
        return "is a folder"
    return (
        "is something else"
        if os.path.exists(path)
        else "is not there; a relative path starts from the file's own folder"
    )


def _metadata(value: Mapping[str, str], _: Path) -> Iterator[Finding]:
    """Source: "gRPC over HTTP2", Custom-Metadata."""
    first: dict[str, str] = {}
    for key, content in value.items():
        problem = _metadata_problem(key.lower(), content)
        if problem:
            yield (key,), problem
        elif first.setdefault(key.lower(), key) != key:
            yield (key,), f"is {quote(first[key.lower()])} again: a metadata key has no case"


def _metadata_problem(key: str, content: object) -> str | None:
    if _METADATA_KEY.fullmatch(key) is None:
        return f"{quote(key)} is no metadata key: take letters, digits, - _ and ."
    if key.startswith("grpc-") or key in _RESERVED_KEYS:
        return f"{quote(key)} is written by gRPC itself and cannot be set"
    if not isinstance(content, str):
        return None  # the schema says it
    if key.endswith("-bin"):
        try:
            base64.b64decode(content, validate=True)
        except (binascii.Error, ValueError):
            return "must be base64, since the key ends in -bin"
        return None
    if _METADATA_VALUE.fullmatch(content) is None:
        return "must be printable ASCII, without line breaks; a key that ends in -bin takes any bytes as base64"
    return None


def _rpc_glob(value: str, _: Path) -> Iterator[Finding]:
    if _RPC_GLOB.fullmatch(value) is None or value.removeprefix("/").count("/") > 1:
        yield (), f'must be a glob such as "shop.v1.*" or "*/Delete*", got {quote(value)}'


def _argument_source(value: Mapping[str, Any], _: Path) -> Iterator[Finding]:
    if len(value) > 1:
        yield (), f"takes one of {', '.join(sorted(value))} alone: a value has one source"


def _resource_address(value: Mapping[str, Any], _: Path) -> Iterator[Finding]:
    if ("uri" in value) is ("uri_template" in value):
        yield (), "must have either uri, for one resource, or uri_template, for a template of resources"


def _completion_reference(value: Mapping[str, Any], _: Path) -> Iterator[Finding]:
    if ("prompt" in value) is ("resource_template" in value):
        yield (), "must have either prompt or resource_template: what the completed argument belongs to"


def _url_path(value: str, _: Path) -> Iterator[Finding]:
    if value.rstrip("/") in _TAKEN_PATHS:
        yield (), f"{quote(value)} is taken; choose another, such as /mcp"
    elif _URL_PATH.fullmatch(value) is None or {".", ".."} & set(value.split("/")):
        yield (), f'must be a path such as "/mcp", got {quote(value)}'


def _host(value: str, _: Path) -> Iterator[Finding]:
    if not _is_host(value):
        yield (), f"must be a host such as mcp.example.com or mcp.example.com:8080, got {quote(value)}"


def _origin(value: str, _: Path) -> Iterator[Finding]:
    match = _ORIGIN.fullmatch(value)
    if match is None or not _is_host(match[2]):
        yield (), f"must be an origin such as https://app.example.com, got {quote(value)}"


def _is_host(text: str) -> bool:
    match = _HOST.fullmatch(text)
    return match is not None and int(match[2] or 1) <= 65535


FORMATS: Mapping[str, Check] = MappingProxyType(
    {
        "listen-address": _listen_address,
        "target": _target,
        "file": _file,
        "folder": _folder,
        "metadata": _metadata,
        "rpc-glob": _rpc_glob,
        "argument-source": _argument_source,
        "resource-address": _resource_address,
        "completion-reference": _completion_reference,
        "url-path": _url_path,
        "host": _host,
        "origin": _origin,
    }
)
