"""`resources/list`, `resources/templates/list` and `resources/read`.

Source: MCP 2026-07-28, server/resources.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.contract.quoting import one_line, quote
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.methods.pages import make_page
from gateway.mcp.offerings.asking import RpcAsker
from gateway.mcp.offerings.values import Resource, ResourceTemplate
from gateway.transcoding.printed import Printed

_JSON = "application/json"
_LIMIT_URI = 200


class Resources:
    """Answers the three methods. `limit_bytes` bounds the JSON of what is read."""

    def __init__(self, asker: RpcAsker, *, limit_bytes: int, page_size: int | None = None) -> None:
        self._asker = asker
        self._limit_bytes = limit_bytes
        self._page_size = page_size

    async def answer_list(self, call: MethodCall) -> Outcome:
        """A ListResourcesResult."""
        entries = ((uri, one.listing) for uri, one in call.catalogue.offerings.resources.items())
        return make_page(call, "resources", entries, self._page_size)

    async def answer_templates(self, call: MethodCall) -> Outcome:
        """A ListResourceTemplatesResult."""
        entries = ((one.template.text, one.listing) for one in call.catalogue.offerings.templates)
        return make_page(call, "resourceTemplates", entries, self._page_size)

    async def answer_read(self, call: MethodCall) -> Outcome:
        """A ReadResourceResult; invalid_params with `data.uri` where there is no such resource."""
        uri = call.params["uri"]
        found = find_resource(call.catalogue, uri)
        if found is None:
            return refuse_uri(uri)
        entry, values = found
        if isinstance(entry, Resource) and entry.read is not None:
            try:
                return self._tell(call, entry.read())
            except OSError:
                return refuse_uri(uri)
        if entry.source is None:
            return refuse_uri(uri)
        reply = await self._asker.ask(entry.source, values, call, uri=uri)
        if not isinstance(reply, Printed):
            return reply
        return self._tell(call, _make_contents(reply, uri, entry.listing.get("mimeType")))

    def _tell(self, call: MethodCall, contents: tuple[Mapping[str, Any], ...]) -> Outcome:
        size_bytes = len(orjson.dumps(contents))
        if size_bytes > self._limit_bytes:
            message = f"the resource has {size_bytes} bytes, over the gateway's limit of {self._limit_bytes} bytes"
            return Refusal(condition=Condition.RESOURCE_EXHAUSTED, message=message, rejection=False)
        return {
            "resultType": "complete",
            "contents": list(contents),
            # What a backend says may change at any time; whoever reads again is told the new.
            "ttlMs": 0,
            "cacheScope": call.catalogue.cache_scope,
        }


def find_resource(catalogue: Catalogue, uri: str) -> tuple[Resource | ResourceTemplate, Mapping[str, str]] | None:
    """What is served under a URI, and the values of its template's variables."""
    resource = catalogue.offerings.resources.get(uri)
    if resource is not None:
        return resource, {}
    for template in catalogue.offerings.templates:
        values = template.template.find_values(uri)
        if values is not None:
            return template, values
    return None


def _make_contents(reply: Printed, uri: str, mime_type: str | None) -> tuple[Mapping[str, Any], ...]:
    """The contents of a reply: those that it says it is, or its value as JSON text.

    Contents that do not say their URI or media type have those that the resource was listed with.
    """
    if reply.parts is not None and reply.parts.resource_contents:
        known = {"uri": uri} if mime_type is None else {"uri": uri, "mimeType": mime_type}
        return tuple({**known, **one} for one in reply.parts.resource_contents)
    text = orjson.dumps(reply.value).decode()
    return ({"uri": uri, "mimeType": mime_type or _JSON, "text": text},)


def refuse_uri(uri: str) -> Refusal:
    """The refusal of a URI under which nothing is served (MCP 2026-07-28, server/resources, "Error Handling")."""
    return Refusal(
        condition=Condition.INVALID_PARAMS,
        message=f"Resource not found: {quote(uri)}",
        data={"uri": one_line(uri, _LIMIT_URI)},
        rejection=False,
    )
