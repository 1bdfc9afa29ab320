"""gateway.v1 content as the protocol writes it, and back: ContentBlock, ResourceContents, PromptMessage, Role.

Source: MCP 2026-07-28, schema, ContentBlock; earlier revisions have the same shapes. What the protocol requires and a
backend left out gets the emptiest value that is legal, so that no client fails over it.
"""

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from gateway.descriptors.facts.vocabulary import get_gateway_class
from gateway.transcoding.converters.outcomes import ROOT_ROOM, BlemishError
from gateway.transcoding.converters.well_known.timestamps import make_timestamp_printer

UNKNOWN_TYPE = "application/octet-stream"

# gateway.v1.Role. A message of a conversation must have a speaker; where none is named, it is the user.
_ROLES: Mapping[int, str] = MappingProxyType({1: "user", 2: "assistant"})
_ROLE_NUMBERS = {name: number for number, name in _ROLES.items()}
_DEFAULT_ROLE = "user"


def print_block(block: Any, default_uri: str) -> dict[str, Any] | None:
    """A gateway.v1.ContentBlock as a ContentBlock; None where it holds a kind that is not known here, or nothing.

    `default_uri` names an embedded resource that has no name of its own.
    """
    kind = block.WhichOneof("block")
    if kind is None:
        return None
    printed = _BLOCKS[kind](getattr(block, kind), default_uri)
    if block.HasField("annotations"):
        annotations = _print_annotations(block.annotations)
        if annotations:
            printed["annotations"] = annotations
    return printed


def print_resource_contents(contents: Any, default_uri: str = "") -> dict[str, Any]:
    """A gateway.v1.ResourceContents as TextResourceContents or BlobResourceContents.

    Without a URI of its own it has the default one; where that is empty too, none.
    """
    uri = contents.uri or default_uri
    printed: dict[str, Any] = {"uri": uri} if uri else {}
    if contents.mime_type:
        printed["mimeType"] = contents.mime_type
    if contents.WhichOneof("contents") == "blob":
        printed["blob"] = _encode(contents.blob)
    else:
        printed["text"] = contents.text
    return printed


def print_prompt_message(message: Any, default_uri: str) -> dict[str, Any] | None:
    """A gateway.v1.PromptMessage as a PromptMessage; None where its content is not known here."""
    content = print_block(message.content, default_uri)
    return None if content is None else {"role": print_role(message.role), "content": content}


def print_role(number: int) -> str:
    """The protocol's Role."""
    return _ROLES.get(number, _DEFAULT_ROLE)


def parse_role(name: Any) -> int:
    """The number of a Role in gateway.v1; 0 for what is none."""
    return _ROLE_NUMBERS.get(name, 0) if isinstance(name, str) else 0


def parse_block(value: Any) -> Any | None:
    """A ContentBlock of a client as a gateway.v1.ContentBlock; None for kinds that have no message there."""
    match value:
        case {"type": "text", "text": str() as text}:
            return _make_block(text={"text": text})
        case {"type": "image" | "audio" as kind, "data": str() as data, "mimeType": str() as mime_type}:
            try:
                return _make_block(**{kind: {"data": base64.b64decode(data), "mime_type": mime_type}})
            except binascii.Error:
                return None
        case _:
            return None


def _make_block(**members: Mapping[str, Any]) -> Any:
    return get_gateway_class("ContentBlock")(**members)


def _print_text(content: Any, _: str) -> dict[str, Any]:
    return {"type": "text", "text": content.text}


def _print_media(kind: str) -> Callable[[Any, str], dict[str, Any]]:
    return lambda content, _: {
        "type": kind,
        "data": _encode(content.data),
        "mimeType": content.mime_type or UNKNOWN_TYPE,
    }


def _print_link(link: Any, default_uri: str) -> dict[str, Any]:
    uri = link.uri or default_uri
    printed: dict[str, Any] = {"type": "resource_link", "uri": uri, "name": link.name or uri}
    told = {"title": link.title, "description": link.description, "mimeType": link.mime_type}
    printed |= {key: value for key, value in told.items() if value}
    if link.HasField("size"):
        printed["size"] = link.size
    return printed


def _print_embedded(contents: Any, default_uri: str) -> dict[str, Any]:
    return {"type": "resource", "resource": print_resource_contents(contents, default_uri)}


_BLOCKS: Mapping[str, Callable[[Any, str], dict[str, Any]]] = MappingProxyType(
    {
        "text": _print_text,
        "image": _print_media("image"),
        "audio": _print_media("audio"),
        "resource_link": _print_link,
        "resource": _print_embedded,
    }
)


def _print_annotations(annotations: Any) -> dict[str, Any]:
    printed: dict[str, Any] = {}
    audience = [_ROLES[number] for number in annotations.audience if number in _ROLES]
    if audience:
        printed["audience"] = audience
    if annotations.HasField("priority") and not math.isnan(annotations.priority):
        printed["priority"] = min(max(annotations.priority, 0.0), 1.0)
    if annotations.HasField("last_modified"):
        # Left out where it is no time of this calendar.
        with suppress(BlemishError):
            printed["lastModified"] = make_timestamp_printer()(annotations.last_modified, ROOT_ROOM)
    return printed


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
