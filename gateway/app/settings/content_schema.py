"""The table of prompts and resources that need no backend: items of the lists `prompts` and `resources`."""

from collections.abc import Mapping
from typing import Any


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "description": description, **more}


_ARGUMENT: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": _text("What {{name}} in a message stands for.", pattern="^[A-Za-z0-9_.-]+$"),
        "description": _text("What it is, for whoever fills it in."),
        "required": {"type": "boolean", "default": False, "description": "The prompt is refused without it."},
        "values": {
            "type": "array",
            "items": {"type": "string"},
            "default": [],
            "description": "The values that completion offers.",
        },
    },
}

_MESSAGE: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["text"],
    "properties": {
        "role": {
            "type": "string",
            "enum": ["user", "assistant"],
            "default": "user",
            "description": "Who says it.",
        },
        "text": _text("What is said, {{name}} in the place of arguments."),
    },
}

PROMPT_ENTRY: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "messages"],
    "properties": {
        "name": _text("By which it is asked for."),
        "title": _text("A short title for people."),
        "description": _text("What it is for."),
        "arguments": {"type": "array", "items": _ARGUMENT, "default": [], "description": "What is filled in."},
        "messages": {"type": "array", "items": _MESSAGE, "minItems": 1, "description": "The conversation so far."},
    },
}

RESOURCE_ENTRY: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["uri"],
    "properties": {
        "uri": _text("By which it is read, such as docs://style-guide.", pattern="^[A-Za-z][A-Za-z0-9+.-]*:.+$"),
        "name": _text("Its name; the URI where there is none."),
        "title": _text("A short title for people."),
        "description": _text("What it is."),
        "mime_type": _text("Its media type; text/plain, or application/octet-stream for a file that is no text."),
        "text": {"type": "string", "description": "The contents."},
        "file": _text("The file that holds the contents, read each time; from the folder of propylon.yaml."),
    },
    "oneOf": [{"required": ["text"]}, {"required": ["file"]}],
}
