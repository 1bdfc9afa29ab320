"""Puts what is told into the forms that a revision of the handshake era knows; what it has no word for is left out.

The columns of `mcp.revisions` say what that is. This module must never know a revision by its name.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from gateway.mcp.revisions import Revision, Structured

# Results that are lists of things which revisions have described in ever more words.
_LISTS = ("prompts", "resources", "resourceTemplates")
_SCHEMAS = ("inputSchema", "outputSchema")


def fit_result(result: dict[str, Any], revision: Revision) -> dict[str, Any]:
    """The result in this revision's words. Takes it over."""
    for member in revision.unknown_members:
        result.pop(member, None)
    if "content" in result:
        _fit_call(result, revision)
    if "messages" in result and revision.unknown_content:
        result["messages"] = [_fit_message(message, revision.unknown_content) for message in _read(result["messages"])]
    if revision.unknown_tool_members:
        for name in _LISTS:
            if name in result:
                result[name] = [_drop(entry, revision.unknown_tool_members) for entry in _read(result[name])]
    return result


def fit_tool(encoded: bytes, revision: Revision) -> bytes:
    """An entry of tools/list, as JSON text, in this revision's words.

    Where a revision wants schemas of type object, an output schema that is none is left out, and properties that are no
    objects are told as the objects which mean the same.
    """
    entry = _drop(orjson.loads(encoded), revision.unknown_tool_members)
    if revision.has_plain_schemas:
        output = entry.get("outputSchema")
        if output is not None and (not isinstance(output, dict) or output.get("type") != "object"):
            del entry["outputSchema"]
        for name in _SCHEMAS:
            properties = entry[name].get("properties") if name in entry else None
            if isinstance(properties, dict):
                entry[name]["properties"] = {key: _fit_property(value) for key, value in properties.items()}
    return orjson.dumps(entry)


def _fit_call(result: dict[str, Any], revision: Revision) -> None:
    """The same for the result of a tool's call."""
    if revision.unknown_content:
        result["content"] = [_fit_block(block, revision.unknown_content) for block in _read(result["content"])]
    if "structuredContent" not in result or revision.structured is Structured.ANYTHING:
        return
    text = orjson.dumps(result["structuredContent"])
    if revision.structured is Structured.OBJECTS and text.startswith(b"{"):
        return
    del result["structuredContent"]
    if not any(block.get("type") == "text" for block in _read(result["content"])):
        result["content"] = [*_read(result["content"]), {"type": "text", "text": text.decode()}]


def _fit_message(message: Mapping[str, Any], unknown: frozenset[str]) -> Mapping[str, Any]:
    """A message of a prompt, which has one block of content."""
    content = message.get("content")
    return {**message, "content": _fit_block(content, unknown)} if isinstance(content, Mapping) else message


def _fit_block(block: Mapping[str, Any], unknown: frozenset[str]) -> Mapping[str, Any]:
    if block.get("type") not in unknown:
        return block
    told = [str(block[name]) for name in ("name", "uri") if name in block]
    return {"type": "text", "text": ": ".join(told)}


def _fit_property(schema: Any) -> Any:
    """A schema as an object: `true` lets everything pass as {} does, `false` nothing."""
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    return schema


def _drop(entry: Mapping[str, Any], unknown: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in unknown}


def _read(value: Any) -> list[Any]:
    """A list as values, where it may be kept as JSON text."""
    if isinstance(value, list | tuple):
        return list(value)
    entries: list[Any] = orjson.loads(orjson.dumps(value))
    return entries
