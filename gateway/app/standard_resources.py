"""Resources by the names of google.api: standard Get RPCs as templates, standard List RPCs as their completions.

Sources: AIP-122 (resource names), AIP-131 (Get), AIP-132 (List). This module must never know how an RPC is called.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.descriptors.api import Rpc
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.options import Options, Resource
from gateway.mcp.catalogue import Tool
from gateway.mcp.offerings.uri_templates import UriTemplate, parse_uri_template
from gateway.mcp.offerings.values import Completer, RpcSource
from gateway.transcoding.reply_parts import CompletionPart


@dataclass(frozen=True, slots=True)
class NameMaker:
    """Makes one argument of an RPC out of the variables of a pattern: a resource name, whole.

    KeyError for a variable that has no value.
    """

    argument: str
    pattern: UriTemplate

    def __call__(self, values: Mapping[str, str]) -> Mapping[str, Any]:
        """The arguments."""
        if not self.pattern.text:
            return {}
        name = self.pattern.text
        for variable in self.pattern.variables:
            name = name.replace(f"{{{variable}}}", values[variable])
        return {self.argument: name}


@dataclass(frozen=True, slots=True)
class _IdReader:
    """Reads the ids out of a listed page: the last variable of the names' pattern."""

    member: str
    pattern: UriTemplate

    def __call__(self, value: Any) -> CompletionPart:
        listed = value.get(self.member, ()) if isinstance(value, dict) else ()
        found = (self.pattern.find_values(str(one.get("name", ""))) for one in listed)
        ids = tuple(dict.fromkeys(one[self.pattern.variables[-1]] for one in found if one))
        return CompletionPart(values=ids, has_more=bool(isinstance(value, dict) and value.get("nextPageToken")))


def list_standard_patterns(rpc: Rpc) -> Iterator[tuple[str, str]]:
    """The resource type and each name pattern of what a standard Get RPC gives."""
    name = rpc.request.fields_by_name.get("name")
    if not rpc.method.startswith("Get") or name is None or name.type != FieldDescriptor.TYPE_STRING:
        return
    resource = _find_resource(rpc.response)
    if resource is not None:
        for pattern in resource.patterns:
            if "{" in pattern:
                yield resource.type, pattern


class ListingRpcs:
    """The standard List RPCs among some tools, by the name pattern of what they list."""

    def __init__(self, pairs: Iterable[tuple[Rpc, Tool]]) -> None:
        self._by_pattern: dict[str, tuple[Tool, str]] = {}
        for rpc, tool in pairs:
            for pattern, member in _list_listed_patterns(rpc):
                self._by_pattern.setdefault(pattern, (tool, member))

    def make_completers(self, owner: str, pattern: str) -> Iterator[Completer]:
        """Completers for the variables of a template over this pattern, as far as something lists their values."""
        segments = pattern.split("/")
        for end, segment in enumerate(segments, start=1):
            found = self._by_pattern.get("/".join(segments[:end]))
            if found is None or not (segment.startswith("{") and segment.endswith("}")):
                continue
            tool, member = found
            try:
                parent = parse_uri_template("/".join(segments[: max(end - 2, 0)]))
                listed = parse_uri_template("/".join(segments[:end]))
            except ValueError:
                continue
            yield Completer(
                owner=owner,
                argument=segment[1:-1],
                source=RpcSource(tool=tool, make_arguments=NameMaker("parent", parent)),
                read_values=_IdReader(member, listed),
            )


def _list_listed_patterns(rpc: Rpc) -> Iterator[tuple[str, str]]:
    """The name patterns of what a standard List RPC lists, and the member of its reply that lists them."""
    if not rpc.method.startswith("List") or rpc.client_streaming or rpc.server_streaming:
        return
    for name, field in get_field_names(rpc.response).published.items():
        if field.is_repeated and field.message_type is not None:
            resource = _find_resource(field.message_type)
            for pattern in resource.patterns if resource is not None else ():
                yield pattern, name


def _find_resource(message: Descriptor) -> Resource | None:
    return Options(message.file.pool).resource(message)
