"""From RPCs that are offered as prompts, resources or completions to what is listed and who answers it.

Backends say so by annotation, the operator by configuration; a standard Get RPC of a resource (AIP-131) whose names
have patterns (AIP-122) is a template of resources by itself. This module must never know how an RPC is called.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from gateway.app.standard_resources import ListingRpcs, NameMaker, list_standard_patterns
from gateway.app.tool_drafts import ToolDraft
from gateway.contract.quoting import quote
from gateway.descriptors.facts.values import CompletionFacts, PromptFacts, ResourceFacts
from gateway.mcp.catalogue import Tool
from gateway.mcp.offerings.uri_templates import UriTemplate, parse_uri_template
from gateway.mcp.offerings.values import Completer, Offerings, Prompt, Resource, ResourceTemplate, RpcSource

_RESOURCE_SCHEME = "grpc"
_JSON = "application/json"


@dataclass(slots=True, kw_only=True)
class _Gathered:
    """What is offered so far, and what could not be."""

    prompts: dict[str, Prompt] = field(default_factory=dict)
    resources: dict[str, Resource] = field(default_factory=dict)
    templates: dict[str, ResourceTemplate] = field(default_factory=dict)
    completers: list[Completer] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def make_offerings(pairs: Iterable[tuple[ToolDraft, Tool]]) -> tuple[Offerings, tuple[str, ...]]:
    """What the RPCs of these drafts are offered as beside tools, and one-line causes why some of it is not."""
    gathered = _Gathered()
    pairs = tuple(pairs)
    listing = ListingRpcs((draft.rpc, tool) for draft, tool in pairs if draft.facts.is_tool)
    for draft, tool in pairs:
        facts = draft.facts
        asked = (facts.prompt, facts.resource, facts.completion)
        if facts.hidden:
            continue
        if tool.call is None:
            if any(asked):
                gathered.faults.append(f"{tool.rpc} is a stream: it cannot be a prompt, a resource or a completion")
            continue
        if facts.prompt is not None:
            _add_prompt(gathered, draft, tool, facts.prompt)
        if facts.resource is not None:
            _add_resource(gathered, draft, tool, facts.resource)
        elif facts.is_tool:
            _add_standard_templates(gathered, draft, tool, listing)
        if facts.completion is not None:
            _add_completer(gathered, tool, facts.completion)
    return _seal(gathered), tuple(gathered.faults)


def combine_offerings(parts: Iterable[Offerings]) -> Offerings:
    """All of them as one; of two with one name or URI the first counts, in the order of the parts."""
    gathered = _Gathered()
    for part in parts:
        gathered.prompts = {**part.prompts, **gathered.prompts}
        gathered.resources = {**part.resources, **gathered.resources}
        gathered.templates = {**{one.template.text: one for one in part.templates}, **gathered.templates}
        gathered.completers += part.completers
    return _seal(gathered)


def seal_offerings(*, prompts: Mapping[str, Prompt], resources: Mapping[str, Resource]) -> Offerings:
    """Offerings of these prompts by name and resources by URI."""
    return _seal(_Gathered(prompts=dict(prompts), resources=dict(resources)))


def _add_prompt(gathered: _Gathered, draft: ToolDraft, tool: Tool, facts: PromptFacts) -> None:
    name = facts.name or tool.name
    if name in gathered.prompts:
        gathered.faults.append(f"{tool.rpc} is not offered as the prompt {quote(name)}: another RPC is that already")
        return
    schema = draft.listing["inputSchema"]
    required = schema.get("required", ())
    arguments = [
        _drop_empty({"name": key, "description": shape.get("description", ""), "required": key in required or None})
        for key, shape in schema["properties"].items()
    ]
    listing = {
        "name": name,
        "title": facts.title or draft.listing["title"],
        "description": facts.description or draft.listing["description"],
        "arguments": arguments,
    }
    gathered.prompts[name] = Prompt(
        name=name, listing=_drop_empty(listing), source=RpcSource(tool=tool), choices=_find_choices(schema)
    )


def _add_resource(gathered: _Gathered, draft: ToolDraft, tool: Tool, facts: ResourceFacts) -> None:
    listing = {
        "name": facts.name or tool.name,
        "title": facts.title or draft.listing["title"],
        "description": facts.description or draft.listing["description"],
        "mimeType": facts.mime_type,
    }
    if facts.uri:
        if facts.uri in gathered.resources:
            gathered.faults.append(f"{tool.rpc} is not offered as {quote(facts.uri)}: another RPC is that already")
            return
        entry = _drop_empty({"uri": facts.uri, **listing})
        gathered.resources[facts.uri] = Resource(uri=facts.uri, listing=entry, source=RpcSource(tool=tool))
        return
    try:
        template = parse_uri_template(facts.uri_template)
    except ValueError as fault:
        gathered.faults.append(f"{tool.rpc} is not offered as a template: {fault}")
        return
    properties = draft.listing["inputSchema"]["properties"]
    unknown = [name for name in template.variables if name not in properties]
    if unknown:
        gathered.faults.append(
            f"{tool.rpc} is not offered as the template {quote(template.text)}: its request has no {quote(unknown[0])}"
        )
        return
    _add_template(gathered, tool, template, listing, draft.listing["inputSchema"])


def _add_template(
    gathered: _Gathered,
    tool: Tool,
    template: UriTemplate,
    listing: Mapping[str, Any],
    schema: Mapping[str, Any],
    source: RpcSource | None = None,
) -> None:
    if template.text in gathered.templates:
        gathered.faults.append(f"{tool.rpc} is not offered as {quote(template.text)}: another RPC is that already")
        return
    gathered.templates[template.text] = ResourceTemplate(
        template=template,
        listing=_drop_empty({"uriTemplate": template.text, **listing}),
        source=source or RpcSource(tool=tool),
        choices=_find_choices(schema),
    )


def _add_completer(gathered: _Gathered, tool: Tool, facts: CompletionFacts) -> None:
    owner = facts.prompt or facts.resource_template
    gathered.completers.append(Completer(owner=owner, argument=facts.argument, source=RpcSource(tool=tool)))


def _add_standard_templates(gathered: _Gathered, draft: ToolDraft, tool: Tool, listing: ListingRpcs) -> None:
    """A template for each pattern of the resource that a standard Get RPC gives, completed by what is listed."""
    for type_name, pattern in list_standard_patterns(draft.rpc):
        domain, _, kind = type_name.partition("/")
        try:
            template = parse_uri_template(f"{_RESOURCE_SCHEME}://{domain}/{pattern}")
            names = parse_uri_template(pattern)
        except ValueError:
            continue  # wildcards and compound segments are no level 1
        entry = {
            "name": kind or type_name,
            "title": draft.listing["title"],
            "description": draft.listing["description"],
            "mimeType": _JSON,
        }
        source = RpcSource(tool=tool, make_arguments=NameMaker("name", names))
        _add_template(gathered, tool, template, entry, {}, source)
        gathered.completers += listing.make_completers(template.text, pattern)


def _find_choices(schema: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The values of the properties that can take but a few."""
    properties = schema.get("properties", {})
    return {key: tuple(shape["enum"]) for key, shape in properties.items() if isinstance(shape.get("enum"), list)}


def _drop_empty(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value not in ("", None)}


def _seal(gathered: _Gathered) -> Offerings:
    prompts = {name: gathered.prompts[name] for name in sorted(gathered.prompts)}
    resources = {uri: gathered.resources[uri] for uri in sorted(gathered.resources)}
    templates = tuple(gathered.templates[text] for text in sorted(gathered.templates))
    listed = [one.listing for one in resources.values()] + [one.listing for one in templates]
    return Offerings(
        prompts=prompts,
        resources=resources,
        templates=templates,
        completers=tuple(gathered.completers),
        prompts_version=_digest(one.listing for one in prompts.values()),
        resources_version=_digest(listed),
    )


def _digest(listings: Iterable[Mapping[str, Any]]) -> str:
    encoded = orjson.dumps(list(listings))
    return hashlib.sha256(encoded).hexdigest()[:32]
