"""The file that a surface is locked in: JSON that is the same on every machine, a line for each fact, fit for review.

Each tool has a hash of its entry, and the whole a hash of those: a file that was changed by hand is told from one that
was written.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from gateway.app.operator_error import OperatorError
from gateway.contract.quoting import quote
from gateway.descriptors.changes.surfaces import Surface, SurfaceTool
from gateway.mcp.catalogue import Catalogue

DEFAULT_FILE = Path("propylon.lock.json")
VERSION = 1

_LIMIT_BYTES = 64 * 1024 * 1024
_REMEDY = "write it anew with propylon lock"
_MEMBERS = ("title", "description", "inputSchema", "outputSchema", "annotations")


def make_surface(catalogue: Catalogue) -> Surface:
    """What callers of this catalogue rely on."""
    return {name: _make_tool(tool.rpc, tool.aliases, dict(tool.listing)) for name, tool in catalogue.tools.items()}


def encode_surface(surface: Surface) -> bytes:
    """The content of the file."""
    tools = {name: _describe(tool) for name, tool in sorted(surface.items())}
    content = {
        "lockVersion": VERSION,
        "hash": _digest({name: tool["hash"] for name, tool in tools.items()}),
        "tools": tools,
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def write_surface(path: Path, surface: Surface) -> bool:
    """Writes the file; false where it says that already. Raises `OperatorError` where it cannot be written."""
    content = encode_surface(surface)
    try:
        if path.is_file() and path.read_bytes() == content:
            return False
        path.write_bytes(content)
    except OSError as error:
        raise OperatorError(f"cannot write {path}: {error.strerror or error}") from None
    return True


def read_surface(path: Path) -> Surface:
    """The surface in a file. Raises `OperatorError`, in one line, where it is none or was changed by hand."""
    try:
        content = path.read_bytes()[: _LIMIT_BYTES + 1]
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror or error}; {_REMEDY}") from None
    try:
        read = orjson.loads(content)
    except orjson.JSONDecodeError:
        raise OperatorError(f"{path} is no JSON; {_REMEDY}") from None
    if not isinstance(read, dict) or not isinstance(read.get("tools"), dict):
        raise OperatorError(f"{path} locks no tools; is it the right file?")
    if read.get("lockVersion") != VERSION:
        raise OperatorError(f"{path} is of another version of propylon ({quote(read.get('lockVersion'))}); {_REMEDY}")
    return {name: _read_tool(path, name, entry) for name, entry in read["tools"].items()}


def _make_tool(rpc: str, aliases: tuple[str, ...], listing: Mapping[str, Any]) -> SurfaceTool:
    kept = {member: listing[member] for member in _MEMBERS if member in listing}
    return SurfaceTool(rpc=rpc, aliases=tuple(sorted(aliases)), listing=kept)


def _describe(tool: SurfaceTool) -> dict[str, Any]:
    described: dict[str, Any] = {"rpc": tool.rpc, **({"aliases": list(tool.aliases)} if tool.aliases else {})}
    described |= tool.listing
    return {"hash": _digest(described), **described}


def _read_tool(path: Path, name: str, entry: Any) -> SurfaceTool:
    match entry:
        case {"hash": str(digest), "rpc": str(rpc), "inputSchema": dict()}:
            described = {key: value for key, value in entry.items() if key != "hash"}
            if _digest(described) != digest:
                raise OperatorError(f"{path} was changed by hand at the tool {quote(name)}; {_REMEDY}")
            return _make_tool(rpc, tuple(entry.get("aliases", ())), entry)
        case _:
            raise OperatorError(f"{path} has no sound entry for the tool {quote(name)}; {_REMEDY}")


def _digest(value: Any) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
