"""From a reply's bytes to JSON, checked against the tool's output schema."""

from collections.abc import Mapping
from typing import Any

import orjson

from gateway.contract.envelopes import Refusal
from gateway.contract.tool_results import tool_success_json
from gateway.mcp.catalogue import Tool
from gateway.mcp.methods.method import Outcome
from gateway.mcp.tool_calls.failures import refuse_reply, refuse_size
from gateway.transcoding.errors import BadReply


def tell_reply(tool: Tool, reply: bytes, meta: Mapping[str, Any], *, limit_bytes: int) -> Outcome:
    """The result of a call with one reply."""
    value = read_reply(tool, reply, meta)
    if isinstance(value, Refusal):
        return value
    encoded = orjson.dumps(value)
    if len(encoded) > limit_bytes:
        return refuse_size(tool, len(encoded), limit_bytes)
    return tool_success_json(encoded, is_structured=isinstance(value, dict))


def read_reply(tool: Tool, reply: bytes, meta: Mapping[str, Any]) -> Any:
    """The JSON values of a reply, or the `Refusal` of one that is not what the backend describes."""
    try:
        value = tool.transcoder.decode_reply(reply)
    except BadReply as error:
        return refuse_reply(tool, "the backend's reply could not be read", error.reason, meta)
    if tool.output_validator is not None:
        fault = tool.output_validator.validate(value)
        if fault is not None:
            return refuse_reply(tool, "the backend's reply breaks the tool's output schema", fault.message, meta)
    return value
