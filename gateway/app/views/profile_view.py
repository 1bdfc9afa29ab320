"""A catalogue as the clients of one profile see it: the tools that fit, in the profile's form."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gateway.descriptors.profiles.fitting import fit_tool
from gateway.descriptors.profiles.limits import find_list_warnings
from gateway.descriptors.profiles.profile import Profile
from gateway.descriptors.profiles.projection import Projection, project_output
from gateway.mcp.catalogue import Catalogue, Tool
from gateway.mcp.listing import Listing
from gateway.mcp.passage import Passage
from gateway.mcp.ports import HeaderReader, Headers
from gateway.transcoding.surface.restoring_transcoder import RestoringTranscoder

_NULL_NOTE = "An argument that is not needed is null."


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlisted:
    """A tool that a profile cannot list, and every reason why, each in one line."""

    tool: str
    rpc: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileView:
    """What one profile makes of a catalogue. `warnings` are about the listed tools together."""

    catalogue: Catalogue
    unlisted: tuple[Unlisted, ...]
    warnings: tuple[str, ...]


def make_profile_view(catalogue: Catalogue, profile: Profile) -> ProfileView:
    """The view. It takes some tenths of a millisecond for each tool, and is fit for any thread."""
    tools: dict[str, Tool] = {}
    unlisted: list[Unlisted] = []
    schemas: list[Mapping[str, Any]] = []
    for name, tool in catalogue.listed.items():
        listing = dict(tool.listing)
        fitted = fit_tool(name, listing["inputSchema"], profile)
        if isinstance(fitted, tuple):
            unlisted.append(Unlisted(tool=name, rpc=tool.rpc, reasons=fitted))
        else:
            tools[name] = _project_tool(tool, listing, fitted, profile)
            schemas.append(fitted.schema)
    is_whole = catalogue.shown is None
    viewed = replace(
        catalogue,
        tools=tools if is_whole else _put_in(catalogue.tools, tools),
        shown=None if is_whole else tools,
        aliases={alias: name for alias, name in catalogue.aliases.items() if not is_whole or name in tools},
        passage=_project_passage(catalogue.passage, tools),
        version=f"{catalogue.version}-{profile.name}",
    )
    return ProfileView(catalogue=viewed, unlisted=tuple(unlisted), warnings=find_list_warnings(schemas, profile))


def judge_tool(tool: Tool, profile: Profile) -> Unlisted | None:
    """Whether the view would not list this one tool, and why."""
    fitted = fit_tool(tool.name, tool.listing["inputSchema"], profile)
    return Unlisted(tool=tool.name, rpc=tool.rpc, reasons=fitted) if isinstance(fitted, tuple) else None


def _put_in(tools: Mapping[str, Tool], projected: Mapping[str, Tool]) -> dict[str, Tool]:
    """The tools with those that are listed in their projected form; the others are called in the neutral form."""
    return {name: projected.get(name, tool) for name, tool in tools.items()}


def _project_passage(passage: Passage | None, projected: Mapping[str, Tool]) -> Passage | None:
    """The passage for arguments in the profile's form; None where the profile cannot list it."""
    tool = None if passage is None else projected.get(passage.tool.name)
    return None if tool is None else Passage(tool=tool, reader=tool.transcoder)


def _project_tool(tool: Tool, listing: dict[str, Any], projection: Projection, profile: Profile) -> Tool:
    listing["inputSchema"] = projection.schema
    if "outputSchema" in listing:
        listing["outputSchema"] = project_output(listing["outputSchema"], profile)
    if profile.requires_all and projection.schema.get("properties"):
        listing["description"] = f"{listing['description']}\n\n{_NULL_NOTE}"
    if projection.is_same:
        return replace(tool, listing=Listing(listing))
    hides = tool.has_sensitive_values
    return replace(
        tool,
        listing=Listing(listing),
        transcoder=RestoringTranscoder(tool.transcoder, projection, hides_values=hides),
        header_reader=None if tool.header_reader is None else _Restored(tool.header_reader, projection, hides),
    )


@dataclass(frozen=True, slots=True)
class _Restored:
    """A reader of headers whose transcoders restore arguments."""

    reader: HeaderReader
    projection: Projection
    hides_values: bool

    def with_headers(self, headers: Headers) -> RestoringTranscoder:
        """The transcoder for one request with these headers."""
        inner = self.reader.with_headers(headers)
        return RestoringTranscoder(inner, self.projection, hides_values=self.hides_values)
