"""Surfaces: what callers of the tools rely on, as plain values that can be written down and compared."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.contract.quoting import quote
from gateway.descriptors.changes.kinds import Change, Kind, Side
from gateway.descriptors.changes.schemas import compare_schemas

# The hints of MCP's ToolAnnotations, and the value of each that promises more.
_HINTS: Mapping[str, bool] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceTool:
    """One tool as callers see it. `listing` is its entry in tools/list without its name; `aliases` are sorted."""

    rpc: str
    aliases: tuple[str, ...]
    listing: Mapping[str, Any]


Surface = Mapping[str, SurfaceTool]
"""The tools by name."""


def compare_surfaces(old: Surface, new: Surface, *, is_whole: bool = True) -> tuple[Change, ...]:
    """What has changed, by tool. `is_whole` False: the new surface may still lack tools, which are no change then."""
    return tuple(_iterate_changes(old, new, is_whole=is_whole))


def _iterate_changes(old: Surface, new: Surface, *, is_whole: bool) -> Iterator[Change]:
    known = {alias: name for name, tool in new.items() for alias in (name, *tool.aliases)}
    for name in sorted(old):
        # A tool that goes by another name and still by this one has only been renamed.
        now = new.get(known.get(name, ""))
        if now is not None:
            yield from _compare_tools(name, old[name], now, known)
        elif is_whole:
            yield Change(kind=Kind.TOOL_GONE, side=Side.TOOL, tool=name, detail=old[name].rpc)
    for name in sorted(new):
        if name not in old and not any(alias in old for alias in new[name].aliases):
            yield Change(kind=Kind.TOOL_NEW, side=Side.TOOL, tool=name, detail=new[name].rpc)


def _compare_tools(name: str, old: SurfaceTool, new: SurfaceTool, known: Mapping[str, str]) -> Iterator[Change]:
    if old == new:
        return
    if old.rpc != new.rpc:
        detail = f"was {old.rpc}, is {new.rpc}"
        yield Change(kind=Kind.OTHER_RPC, side=Side.TOOL, tool=name, detail=detail)
    for alias in old.aliases:
        if alias not in known:
            yield Change(kind=Kind.ALIAS_GONE, side=Side.TOOL, tool=name, detail=quote(alias))
    for alias in new.aliases:
        if alias not in (*old.aliases, name):
            yield Change(kind=Kind.ALIAS_NEW, side=Side.TOOL, tool=name, detail=quote(alias))
    yield from _compare_hints(name, old.listing.get("annotations", {}), new.listing.get("annotations", {}))
    for member in ("title", "description"):
        if old.listing.get(member) != new.listing.get(member):
            yield Change(kind=Kind.TEXT_CHANGED, side=Side.TOOL, tool=name, detail=member)
    yield from compare_schemas(name, Side.INPUT, old.listing["inputSchema"], new.listing["inputSchema"])
    results = old.listing.get("outputSchema"), new.listing.get("outputSchema")
    match results:
        case (None, None):
            return
        case (None, _):
            yield Change(kind=Kind.RESULT_NEW, side=Side.TOOL, tool=name)
        case (_, None):
            yield Change(kind=Kind.RESULT_GONE, side=Side.TOOL, tool=name)
        case _:
            yield from compare_schemas(name, Side.OUTPUT, *results)


def _compare_hints(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for hint, safe in _HINTS.items():
        # MCP, ToolAnnotations: what is not said is the bolder of the two.
        was, now = (one.get(hint, not safe) for one in (old, new))
        if was != now:
            kind = Kind.HINT_SAFER if now is safe else Kind.HINT_BOLDER
            detail = f"{hint} was {str(was).lower()}, is {str(now).lower()}"
            yield Change(kind=kind, side=Side.TOOL, tool=name, detail=detail)
