"""The table of what the operator may say about RPCs: an item of the list `rpcs`.

Each fact has the name that it has in proto/gateway/v1/annotations.proto, where it is there; what it means is written at
`descriptors.facts.values`. No fact has a default: what is not said follows from the RPC.
"""

from collections.abc import Mapping
from typing import Any

_HEADER_NAME = r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
_TOOL_NAME = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"
_MEDIA_TYPE = r"^[A-Za-z0-9.+_-]+/[A-Za-z0-9.+_-]+(;.*)?$"


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "description": description, **more}


def _flag(description: str) -> dict[str, Any]:
    return {"type": "boolean", "description": description}


def _choice(description: str, *values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values), "description": description}


def _seconds(description: str, maximum: float) -> dict[str, Any]:
    return {"type": "number", "minimum": 0.001, "maximum": maximum, "description": description}


def _list(description: str, item: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(item), "description": description}


def _map(description: str, value: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": dict(value), "description": description, **more}


def _group(description: str, properties: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "additionalProperties": False,
        "description": description,
        **more,
    }


_PATH = _text("A field, by the names that lead to it: order.customer_id.")
_OBJECT = _map("Arguments.", {})

_ARGUMENT = _group(
    "One of these; none: the field is not offered and stays unset.",
    {
        "constant": {"writeOnly": True, "description": "A fixed value."},
        "header": _text("A header of the caller's HTTP request.", pattern=_HEADER_NAME),
        "environment": _text("A variable of the gateway's environment.", pattern="^[A-Za-z_][A-Za-z0-9_]*$"),
    },
    format="argument-source",
)

RPC_ENTRY: Mapping[str, Any] = _group(
    "What is to be known of the RPCs that match. Later entries win over earlier ones, and over annotations.",
    {
        "match": _text("A glob over pkg.Service/Method, or the name of a service.", format="rpc-glob"),
        "name": _text("The tool's name, behind the backend's prefix.", pattern=_TOOL_NAME),
        "aliases": _list("Further names of the tool.", _text("A name.", pattern=_TOOL_NAME)),
        "title": _text("A short title for people."),
        "description": _text("What the tool does, for models."),
        "examples": _list("Arguments that make sense, each an object.", _OBJECT),
        "hints": _group(
            "What a client may assume about a call.",
            {
                "read_only": _flag("It changes nothing."),
                "destructive": _flag("It may destroy something."),
                "idempotent": _flag("The same call again changes nothing more."),
                "open_world": _flag("It reaches out of the backend's own world."),
            },
        ),
        "required_capabilities": _list(
            "What a client must have declared; else the call is refused.",
            _choice("A capability.", "sampling", "elicitation", "roots", "tasks"),
        ),
        "confirmation": _choice("Whether the user is asked before the backend is called.", "never", "always"),
        "task": _group(
            "Whether a call may, or must, go on as a task.",
            {
                "support": _choice("Whether it does.", "none", "optional", "required"),
                "ttl_seconds": _seconds("How long a finished task can still be asked for.", 31_536_000),
                "poll_interval_seconds": _seconds("How often a client should ask.", 86_400),
            },
        ),
        "input_schema": _map("The tool's input schema, in the place of the derived one.", {}),
        "output_schema": _map("The tool's output schema, in the place of the derived one.", {}),
        "hidden": _flag("Offered neither as a tool nor as anything else."),
        "also_tool": _flag("Offered as a tool as well as what follows."),
        "prompt": _group(
            "Offered as a prompt.",
            {
                "name": _text("The prompt's name."),
                "title": _text("A short title for people."),
                "description": _text("What the prompt is for."),
            },
        ),
        "resource": _group(
            "Offered as a resource (uri) or a template of resources (uri_template).",
            {
                "uri": _text("The URI of the one resource that the RPC reads."),
                "uri_template": _text("A URI template; its variables are fields of the request."),
                "name": _text("The resource's name."),
                "title": _text("A short title for people."),
                "description": _text("What the resource is."),
                "mime_type": _text("The media type of what is read.", pattern=_MEDIA_TYPE),
            },
            format="resource-address",
        ),
        "completion": _group(
            "What the RPC completes: an argument of a prompt or of a resource template.",
            {
                "prompt": _text("The name of a prompt."),
                "resource_template": _text("A URI template."),
                "argument": _text("The argument's name; absent: every argument."),
            },
            format="completion-reference",
        ),
        "deadline_seconds": _seconds(
            "How long a call may take at most, in the place of deadline_seconds or stream_seconds.", 86_400
        ),
        "output_mask": _list("The fields that are left of a reply.", _PATH),
        "headers": _map(
            "Arguments that clients mirror in headers, by path: the name behind Mcp-Param-.",
            _text("A header's name.", pattern=_HEADER_NAME),
        ),
        "arguments": _map("Where the values of fields come from in the place of the caller, by path.", _ARGUMENT),
        "media_types": _map(
            "The media types of bytes and text in a reply, by path; beside: the field next to it that says it.",
            {
                "anyOf": [
                    {"type": "string", "pattern": _MEDIA_TYPE},
                    {
                        "type": "object",
                        "properties": {"beside": {"type": "string", "minLength": 1}},
                        "required": ["beside"],
                        "additionalProperties": False,
                    },
                ]
            },
        ),
        "sensitive": _list("Fields that are never logged and never quoted in a refusal, by path.", _PATH),
    },
    required=["match"],
)
