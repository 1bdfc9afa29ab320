"""Prompts and resources that stand in the configuration and need no backend."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gateway.app.offerings_builder import seal_offerings
from gateway.app.settings.model import PromptSection, ResourceSection
from gateway.mcp.offerings.values import Offerings, Prompt, Resource

_TEXT = "text/plain"
_BYTES = "application/octet-stream"


def make_configured_offerings(prompts: tuple[PromptSection, ...], resources: tuple[ResourceSection, ...]) -> Offerings:
    """What these sections offer; of two with one name or URI the first counts."""
    named = {section.name: _make_prompt(section) for section in reversed(prompts)}
    located = {section.uri: _make_resource(section) for section in reversed(resources)}
    return seal_offerings(prompts=named, resources=located)


def _make_prompt(section: PromptSection) -> Prompt:
    arguments = [
        _drop_empty({"name": one["name"], "description": one.get("description"), "required": one["required"] or None})
        for one in section.arguments
    ]
    listing = {
        "name": section.name,
        "title": section.title,
        "description": section.description,
        "arguments": arguments,
    }
    messages = tuple(
        {"role": one["role"], "content": {"type": "text", "text": one["text"]}} for one in section.messages
    )
    choices = {one["name"]: tuple(one["values"]) for one in section.arguments if one["values"]}
    return Prompt(name=section.name, listing=_drop_empty(listing), messages=messages, choices=choices)


def _make_resource(section: ResourceSection) -> Resource:
    listing = {
        "uri": section.uri,
        "name": section.name or section.uri,
        "title": section.title,
        "description": section.description,
        "mimeType": section.mime_type or (_TEXT if section.file is None else None),
    }
    return Resource(uri=section.uri, listing=_drop_empty(listing), read=lambda: (_read(section),))


def _read(section: ResourceSection) -> dict[str, Any]:
    """The contents now. Raises OSError where the file cannot be read."""
    if section.file is None:
        return {"uri": section.uri, "mimeType": section.mime_type or _TEXT, "text": section.text or ""}
    return _tell_bytes(section, Path(section.file).read_bytes())


def _tell_bytes(section: ResourceSection, data: bytes) -> dict[str, Any]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        encoded = base64.b64encode(data).decode()
        return {"uri": section.uri, "mimeType": section.mime_type or _BYTES, "blob": encoded}
    return {"uri": section.uri, "mimeType": section.mime_type or _TEXT, "text": text}


def _drop_empty(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value not in ("", None)}
