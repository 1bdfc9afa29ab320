"""Whether the headers that every request mirrors agree with its body.

Source: MCP 2026-07-28, Streamable HTTP, "Standard Request Headers" and "Server Validation".
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from gateway.contract.envelopes import Refusal
from gateway.mcp.exchange import MirroredHeaders
from gateway.mcp.mirroring.mismatch import refuse_header
from gateway.mcp.mirroring.values import MALFORMED, decode_header_value

VERSION_HEADER = "MCP-Protocol-Version"
METHOD_HEADER = "Mcp-Method"
NAME_HEADER = "Mcp-Name"

# Which parameter `Mcp-Name` mirrors, by method. It binds methods that are not served too: an intermediary may have
# routed on the header already.
NAME_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "tools/call": "name",
        "prompts/get": "name",
        "resources/read": "uri",
        # The Tasks extension (io.modelcontextprotocol/tasks).
        "tasks/get": "taskId",
        "tasks/update": "taskId",
        "tasks/cancel": "taskId",
    }
)


def check_agreement(method: str, params: Mapping[str, Any], revision: str, mirrored: MirroredHeaders) -> Refusal | None:
    """The refusal of the first header that is doubled, missing or different, or None where all agree.

    `revision` is the one that `_meta` states. Values are compared with regard to case. A name in the body that is no
    string is left to the check of the message's shape.
    """
    if mirrored.doubled:
        for header in (VERSION_HEADER, METHOD_HEADER, NAME_HEADER):
            if header.lower() in mirrored.doubled:
                return refuse_header(header, "came more than once")
    if mirrored.version != revision:
        return _refuse_difference(VERSION_HEADER, revision, mirrored.version)
    if mirrored.method != method:
        return _refuse_difference(METHOD_HEADER, method, mirrored.method)
    source = NAME_SOURCES.get(method)
    return None if source is None else _check_name(params.get(source), mirrored.name)


def _check_name(name: Any, header_value: str | None) -> Refusal | None:
    if not isinstance(name, str) or (header_value == name and name.isascii() and name.isprintable()):
        return None
    if header_value is not None:
        decoded = decode_header_value(header_value)
        if decoded is None:
            return refuse_header(NAME_HEADER, MALFORMED, expected=name, received=header_value)
        if decoded == name:
            return None
    return _refuse_difference(NAME_HEADER, name, header_value)


def _refuse_difference(header: str, expected: str, received: str | None) -> Refusal:
    problem = "is missing" if received is None else "differs from the body"
    return refuse_header(header, problem, expected=expected, received=received)
