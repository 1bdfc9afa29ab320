"""From a reply's bytes to a result: JSON checked against the tool's output schema, or content as it is."""

from collections.abc import Mapping
from typing import Any

import orjson

from gateway.contract.content_blocks import MENDED, make_content
from gateway.contract.distilled import Problem
from gateway.contract.envelopes import Refusal
from gateway.contract.remarks import note_cuts, note_values
from gateway.contract.shortening import shorten
from gateway.contract.tool_results import content_result, tool_success, tool_success_json
from gateway.mcp.catalogue import Tool
from gateway.mcp.methods.method import Outcome
from gateway.mcp.tool_calls.failures import log_shortened, refuse_reply, refuse_size
from gateway.mcp.tool_calls.parts import list_blocks, measure
from gateway.transcoding.errors import BadReply
from gateway.transcoding.printed import Body, Printed
from gateway.transcoding.reply_parts import Parts


def tell_printed(tool: Tool, printed: Printed, meta: Mapping[str, Any], *, limit_bytes: int) -> Outcome:
    """The result of a call with one reply, which `read_reply` has read.

    One whose JSON is larger than `limit_bytes` has its lists shortened, and says so; it is refused where that does not
    help. A tool without an output schema answers in text alone.
    """
    if printed.body is not None:
        return _tell_body(tool, printed.body, printed.notes, limit_bytes)
    if printed.parts is not None:
        return _tell_with_parts(tool, printed, printed.parts, meta, limit_bytes)
    encoded = orjson.dumps(printed.value)
    is_structured = tool.output_validator is not None
    if len(encoded) > limit_bytes:
        return _tell_shortened(tool, printed, len(encoded), limit_bytes, is_structured=is_structured)
    result = tool_success_json(encoded, is_structured=is_structured)
    if printed.notes:
        note_values(result, printed.notes)
    return result


def read_reply(tool: Tool, reply: bytes, meta: Mapping[str, Any]) -> Printed | Refusal:
    """The reply as JSON values, or the refusal of one that is not what the backend describes."""
    try:
        printed = tool.transcoder.read_reply(reply)
    except BadReply as error:
        return refuse_reply(tool, "the backend's reply could not be read", error.reason, meta)
    if tool.output_validator is not None and not _is_no_result(tool, printed):
        fault = tool.output_validator.validate(printed.value)
        if fault is not None:
            places = "at " + ", ".join(location["at"] for location in fault.errors)
            reason = places if tool.has_sensitive_values else fault.message
            return refuse_reply(tool, "the backend's reply breaks the tool's output schema", reason, meta)
    return printed


def refuse_question(tool: Tool, meta: Mapping[str, Any]) -> Refusal:
    """The refusal of a call whose backend asks back although its request has no place for the answers."""
    reason = "its request has no field of type gateway.v1.CallContext"
    return refuse_reply(tool, "the backend asks for input and has no place for the answers", reason, meta)


def _is_no_result(tool: Tool, printed: Printed) -> bool:
    """Whether there is nothing in the reply for the output schema to hold to."""
    parts = printed.parts
    return parts is not None and (parts.input_required is not None or (parts.is_everything and tool.has_many_replies))


def _tell_with_parts(tool: Tool, printed: Printed, parts: Parts, meta: Mapping[str, Any], limit_bytes: int) -> Outcome:
    """The result of a reply that says more than its value: that, where there is one, and content behind it."""
    blocks, notes = list_blocks(tool, parts)
    encoded = orjson.dumps(printed.value)
    size_bytes = measure(blocks) + len(encoded)
    if size_bytes > limit_bytes:
        return refuse_size(tool, size_bytes, limit_bytes)
    is_structured = tool.output_validator is not None
    if parts.is_everything:
        result = content_result(blocks, encoded if is_structured else None)
    else:
        result = tool_success_json(encoded, is_structured=is_structured, extra_content=blocks)
    note_values(result, (*printed.notes, *notes))
    return result


def _tell_shortened(tool: Tool, printed: Printed, size_bytes: int, limit_bytes: int, *, is_structured: bool) -> Outcome:
    shortened = shorten(printed.value, limit_bytes)
    if shortened is None:
        return refuse_size(tool, size_bytes, limit_bytes)
    log_shortened(tool, size_bytes, limit_bytes)
    result = tool_success_json(shortened.encoded, is_structured=is_structured)
    note_cuts(result, shortened.cuts, limit_bytes)
    note_values(result, printed.notes)
    return result


def _tell_body(tool: Tool, body: Body, notes: tuple[Problem, ...], limit_bytes: int) -> Outcome:
    if len(body.data) > limit_bytes:
        return refuse_size(tool, len(body.data), limit_bytes)
    content = make_content(body.content_type, body.data, uri=f"grpc:///{tool.rpc}")
    first, *others = content.blocks
    result = tool_success(None, first["text"], extra_content=others)
    note_values(result, notes if content.is_exact else (*notes, Problem(at="", text=MENDED)))
    return result
