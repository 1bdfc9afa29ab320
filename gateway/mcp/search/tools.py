"""The three tools that stand for all of a catalogue's: search_tools, describe_tool and call_tool.

The first two answer from the catalogue itself. The third is a way through: what it names is called as if the client
had called it by its own name, with the same checks.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from gateway.contract.distilled import Distilled
from gateway.contract.quoting import one_line
from gateway.contract.status_report import StatusReport
from gateway.contract.validation import SchemaValidator
from gateway.mcp.catalogue import Catalogue, Tool
from gateway.mcp.passage import NAME_ARGUMENT, NESTED_ARGUMENT, Passage, refuse_name
from gateway.mcp.ports import Metadata
from gateway.mcp.search.ranking import Ranking
from gateway.transcoding.call_context import CallContext, CompletionQuery
from gateway.transcoding.printed import Printed
from gateway.transcoding.rpc_status import RpcStatus

SEARCH, DESCRIBE, CALL = "search_tools", "describe_tool", "call_tool"
BACKEND = "propylon"

_LIMIT_HITS, _USUAL_HITS = 50, 10
_LIMIT_PURPOSE = 300
_SUBJECT = "arguments"
_DEADLINE_SECONDS = 30.0

_NO_CHANGE = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
_ANY_CHANGE = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}


def _closed(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_NAME = {"type": "string", "description": f"The tool's name, as {SEARCH} gives it."}
_SEARCH_INPUT = _closed(
    {
        "query": {
            "type": "string",
            "description": "What is to be done, in a few words, such as: cancel an order. Empty: all tools by name.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": _LIMIT_HITS,
            "description": f"How many tools to give; {_USUAL_HITS} where it is absent.",
        },
    },
    "query",
)
_SEARCH_OUTPUT = {
    "type": "object",
    "properties": {
        "tools": {
            "type": "array",
            "description": "The tools that fit, the best first.",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "title": {"type": "string"},
                    "description": {"type": "string"},
                    "arguments": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "Their names, those that are required with a star.",
                    },
                },
                "required": ["name"],
            },
        },
        "total": {"type": "integer", "description": "How many tools fit at all."},
    },
    "required": ["tools", "total"],
}
_DESCRIBE_OUTPUT = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "title": {"type": "string"},
        "description": {"type": "string"},
        "inputSchema": {"type": "object", "description": "The JSON Schema of its arguments."},
        "outputSchema": {"type": "object", "description": "The JSON Schema of its result."},
    },
    "required": ["name", "inputSchema"],
}
_CALL_INPUT = _closed(
    {
        NAME_ARGUMENT: _NAME,
        NESTED_ARGUMENT: {
            "type": "object",
            "additionalProperties": True,
            "description": f"The tool's own arguments, as {DESCRIBE} gives their schema.",
        },
    },
    NAME_ARGUMENT,
)


def make_search_view(catalogue: Catalogue) -> Catalogue:
    """The catalogue with these three tools in the place of all that it lists; each of the others can still be called.

    A tool of a backend that has the name of one of the three cannot be reached.
    """
    search = _make_tool(
        SEARCH,
        "Search tools",
        f"Finds tools among {len(catalogue.tools):,} by what they do. {DESCRIBE} tells how a tool is called, {CALL} "
        "calls it.",
        _SEARCH_INPUT,
        _NO_CHANGE,
        _SEARCH_OUTPUT,
    )
    describe = _make_tool(
        DESCRIBE,
        "Describe a tool",
        f"Gives a tool's description and the schemas of its arguments and its result. {SEARCH} finds its name.",
        _closed({NAME_ARGUMENT: _NAME}, NAME_ARGUMENT),
        _NO_CHANGE,
        _DESCRIBE_OUTPUT,
    )
    call = _make_tool(
        CALL, "Call a tool", f"Calls a tool that {SEARCH} found, as {DESCRIBE} tells.", _CALL_INPUT, _ANY_CHANGE
    )
    search = replace(search, call=_Search(catalogue))
    describe = replace(
        describe,
        call=_Describe(catalogue),
        transcoder=_DescribingTranscoder(describe.listing["inputSchema"], catalogue),
    )
    return replace(
        catalogue,
        tools={**catalogue.tools, SEARCH: search, DESCRIBE: describe},
        shown={tool.name: tool for tool in (call, describe, search)},
        passage=Passage(tool=call, reader=call.transcoder),
        version=f"{catalogue.version}-search",
        instructions=catalogue.instructions or _instruct(len(catalogue.tools)),
    )


def _instruct(count: int) -> str:
    return (
        f"There are {count:,} tools. Find those that fit with {SEARCH}, read with {DESCRIBE} how one is called, and "
        f"call it with {CALL}."
    )


def _make_tool(
    name: str,
    title: str,
    description: str,
    input_schema: Mapping[str, Any],
    annotations: Mapping[str, bool],
    output_schema: Mapping[str, Any] | None = None,
) -> Tool:
    listing: dict[str, Any] = {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": input_schema,
        "annotations": annotations,
    }
    if output_schema is not None:
        listing["outputSchema"] = output_schema
    return Tool(
        name=name,
        rpc=f"{BACKEND}/{name}",
        backend=BACKEND,
        listing=listing,
        transcoder=OwnTranscoder(input_schema),
        deadline_seconds=_DEADLINE_SECONDS,
        call=_never,
        output_validator=None if output_schema is None else SchemaValidator(output_schema),
    )


class OwnTranscoder:
    """The values of a tool of the gateway's own: JSON as it is. Satisfies `gateway.mcp.ports.Transcoder`."""

    def __init__(self, input_schema: Mapping[str, Any]) -> None:
        self._validator = SchemaValidator(input_schema, subject=_SUBJECT)

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        """The arguments as JSON text, or every reason why they do not fit the schema."""
        refusal = self._validator.validate(arguments)
        return orjson.dumps(arguments) if refusal is None else refusal

    def encode_requests(self, arguments: Mapping[str, Any]) -> Sequence[bytes] | Distilled:
        """The same as a list."""
        encoded = self.encode_arguments(arguments)
        return encoded if isinstance(encoded, Distilled) else (encoded,)

    def fill_in(self, request: bytes, context: CallContext, query: CompletionQuery | None = None) -> bytes:
        """The request: these tools want to know nothing more."""
        return request

    def read_reply(self, reply: bytes) -> Printed:
        """The JSON of a reply."""
        return Printed(value=orjson.loads(reply))

    def report_status(self, status: RpcStatus) -> StatusReport:
        """The status as it is."""
        return StatusReport(code=status.code, message=status.message)


class _DescribingTranscoder(OwnTranscoder):
    """Refuses to describe what is not there."""

    def __init__(self, input_schema: Mapping[str, Any], catalogue: Catalogue) -> None:
        super().__init__(input_schema)
        self._catalogue = catalogue

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        encoded = super().encode_arguments(arguments)
        if isinstance(encoded, Distilled) or self._catalogue.find_tool(arguments[NAME_ARGUMENT]) is not None:
            return encoded
        return refuse_name(arguments[NAME_ARGUMENT], self._catalogue.tools)


class _Search:
    """Answers search_tools; the index is made when it is first asked for, aside."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._ranking: asyncio.Task[Ranking] | None = None

    async def __call__(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        """The tools that fit, as `_SEARCH_OUTPUT` says."""
        asked = orjson.loads(request)
        if self._ranking is None:
            self._ranking = asyncio.create_task(asyncio.to_thread(self._make_ranking), name="index of tools")
        ranking = await asyncio.shield(self._ranking)
        hits, total = ranking.find(asked["query"], int(asked.get("limit") or _USUAL_HITS))
        found = [_summarise(dict(self._catalogue.tools[hit.name].listing)) for hit in hits]
        return orjson.dumps({"tools": found, "total": total})

    def _make_ranking(self) -> Ranking:
        return Ranking(dict(tool.listing) for tool in self._catalogue.tools.values())


class _Describe:
    """Answers describe_tool with the tool's entry, as tools/list would have it."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    async def __call__(self, request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
        """The entry; that there is one has been looked at before."""
        tool = self._catalogue.find_tool(orjson.loads(request)[NAME_ARGUMENT])
        return b"{}" if tool is None else tool.encoded_listing


async def _never(request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
    raise NotImplementedError("this tool leads to others and is not called itself")


def _summarise(listing: Mapping[str, Any]) -> dict[str, Any]:
    schema = listing["inputSchema"]
    required = schema.get("required", ())
    return {
        "name": listing["name"],
        "title": listing.get("title", ""),
        "description": one_line(listing.get("description", "").partition("\n\n")[0], _LIMIT_PURPOSE),
        "arguments": [f"{name}*" if name in required else name for name in schema.get("properties", {})],
    }
