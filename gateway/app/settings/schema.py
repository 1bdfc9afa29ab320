"""The one table of everything that `propylon.yaml` may hold: names, types, ranges, defaults and what each is for.

It is a JSON Schema (2020-12), so editors can use it; `propylon config schema` prints it. Three annotations drive the
loader: `default` fills what is not given, `format` names a check of `settings.formats`, and `writeOnly` marks a value
that is a secret and never appears in a fault.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from gateway.app.settings.content_schema import PROMPT_ENTRY, RESOURCE_ENTRY
from gateway.app.settings.rpc_schema import RPC_ENTRY
from gateway.descriptors.profiles.table import PROFILES


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "description": description, **more}


def _texts(description: str, item_format: str, **more: Any) -> dict[str, Any]:
    item = {"type": "string", "minLength": 1, "format": item_format}
    return {"type": "array", "items": item, "default": [], "description": description, **more}


def _number(description: str, default: float, minimum: float, maximum: float) -> dict[str, Any]:
    return {
        "type": "number",
        "minimum": minimum,
        "maximum": maximum,
        "default": default,
        "description": description,
    }


def _integer(description: str, default: int, minimum: int, maximum: int) -> dict[str, Any]:
    return _number(description, default, minimum, maximum) | {"type": "integer"}


def _flag(description: str, *, default: bool = False) -> dict[str, Any]:
    return {"type": "boolean", "default": default, "description": description}


def _choice(description: str, default: str, *others: str) -> dict[str, Any]:
    return {"type": "string", "enum": [default, *others], "default": default, "description": description}


def _section(description: str, properties: dict[str, Any], *, required: tuple[str, ...] = ()) -> dict[str, Any]:
    section: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "description": description,
    }
    if required:
        return section | {"required": list(required)}
    return section | {"default": {}}


def _metadata(description: str) -> dict[str, Any]:
    value = {"type": "string", "writeOnly": True}
    return {
        "type": "object",
        "format": "metadata",
        "additionalProperties": value,
        "default": {},
        "description": description,
    }


def _profiles(description: str, keys: str, default: Mapping[str, str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "propertyNames": {"pattern": keys},
        "additionalProperties": {"type": "string", "enum": list(PROFILES)},
        "default": dict(default or {}),
        "description": description,
    }


PROFILE_PATHS: Mapping[str, str] = MappingProxyType(
    {"openai": "openai-strict", "gemini": "gemini", "anthropic": "anthropic-strict", "bedrock": "bedrock"}
)
"""The endpoints of profiles that are there unless something else is configured."""

_SELECTION = {
    "include": _texts(
        "Globs over pkg.Service/Method, or names of services; an RPC is offered where one of them fits. "
        "Empty: every RPC.",
        "rpc-glob",
    ),
    "exclude": _texts("Globs of the same kind; an RPC that one of them fits is not offered.", "rpc-glob"),
}

_BACKEND = _section(
    "One gRPC server whose RPCs become tools.",
    {
        "name": _text(
            "What logs, health reports and faults call this backend. Each name stands once.",
            pattern="^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$",
        ),
        "target": _text("Where it listens: HOST:PORT, or a gRPC target such as dns:///HOST:PORT.", format="target"),
        "tls": {
            "type": "object",
            "properties": {
                "roots": _text(
                    "PEM file with the certificate authorities to trust. Absent: those of gRPC.", format="file"
                )
            },
            "additionalProperties": False,
            "description": "Present, even if empty: the connection is made with TLS.",
        },
        "reflection": _flag("Whether the server is asked what it serves; false: its descriptors say it.", default=True),
        "descriptors": _texts("Files that each hold a FileDescriptorSet, as protoc and buf write it.", "file"),
        "protos": _texts("Folders of .proto files, compiled at start.", "folder"),
        "prefix": {
            "type": "string",
            "pattern": "^([A-Za-z][A-Za-z0-9_]{0,19})?$",
            "default": "",
            "description": "Put before the name of each tool of this backend, with an underscore between.",
        },
        **_SELECTION,
        "metadata": _metadata(
            "gRPC metadata sent with each call, its keys in lower case. One that ends in -bin takes base64."
        ),
        "discovery_metadata": _metadata("gRPC metadata sent with server reflection, and with nothing else."),
        "deadline_seconds": _number("How long a call with one reply may take at most.", 30, 0.001, 86_400),
        "receive_limit_bytes": _integer("The largest message taken from the backend.", 4_194_304, 1_024, 1_073_741_824),
        "lane": _flag(
            "Whether ordinary unary calls to a plaintext target take the quick way beside gRPC's own library.",
            default=True,
        ),
    },
    required=("name", "target"),
)

SETTINGS_SCHEMA: Mapping[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "propylon.yaml",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "listen": _text(
            "HOST:PORT that the HTTP front listens on. Port 0 takes a free one.",
            format="listen-address",
            default="127.0.0.1:8080",
        ),
        "backends": {
            "type": "array",
            "items": _BACKEND,
            "default": [],
            "description": "In the order in which their tools are listed.",
        },
        "rpcs": {
            "type": "array",
            "items": RPC_ENTRY,
            "default": [],
            "description": "What is to be known of RPCs, over all backends; see docs/backends.md.",
        },
        "tools": _section(
            "Which RPCs become tools, over all backends, and how they are listed.",
            {
                **_SELECTION,
                "page_size": _integer("Tools on one page of tools/list; 0: all on one.", 0, 0, 10_000),
                "ttl_seconds": _number("How long a client may keep the list.", 60, 0, 86_400),
                "confirm_destructive": _flag(
                    "Ask the user before a call of a destructive tool; clients that cannot ask are refused."
                ),
                "many": _integer("More tools than this are many for a model: the start says so.", 40, 1, 10_000),
                "surface": _choice(
                    "Every tool is listed, or three that search, describe and call the others.", "list", "search"
                ),
            },
        ),
        "profiles": _section(
            "Who sees tools in the form of which model provider; see docs/surface.md.",
            {
                "paths": _profiles(
                    "Endpoints below http.path, and the profile of each.", "^[A-Za-z0-9._~-]{1,64}$", PROFILE_PATHS
                ),
                "clients": _profiles(
                    "Globs over the names that clients state, and the profile of those that fit; the first one counts.",
                    "^.{1,64}$",
                ),
            },
        ),
        "limits": _section(
            "What is refused or cut for its size.",
            {
                "body_bytes": _integer("The largest request taken from a client.", 4_194_304, 1_024, 1_073_741_824),
                "result_bytes": _integer("The largest result sent to a client.", 4_194_304, 1_024, 1_073_741_824),
                "stream_messages": _integer(
                    "How many messages of a server's stream make up a result; the stream is cut there.",
                    1_000,
                    1,
                    1_000_000,
                ),
                "stream_bytes": _integer(
                    "How large these may be together, as JSON; beyond some 320 KiB the official clients refuse the "
                    "result when it comes behind progress.",
                    327_680,
                    1_024,
                    1_073_741_824,
                ),
                "stream_seconds": _number(
                    "How long a server's stream is read before it is cut; most clients wait 60 s for a result.",
                    55,
                    0.001,
                    86_400,
                ),
                "progress_per_second": _integer("How often progress of one call is told at most.", 10, 1, 1_000),
                "listeners": _integer("How many clients may listen for changes at once.", 1_000, 1, 100_000),
                "resource_poll_seconds": _number(
                    "How often a resource that somebody subscribed to is read again.", 10, 1, 86_400
                ),
            },
        ),
        "http": _section(
            "The HTTP front.",
            {
                "path": _text("The path of the MCP endpoint.", format="url-path", default="/mcp"),
                "allowed_hosts": _texts(
                    "Values of the Host header that are served, with or without port. Empty: the loopback names "
                    "when listening on loopback, else every one.",
                    "host",
                ),
                "allowed_origins": _texts(
                    "Further values of the Origin header that are served, beside pages from the allowed hosts.",
                    "origin",
                ),
            },
        ),
        "prompts": {
            "type": "array",
            "items": PROMPT_ENTRY,
            "default": [],
            "description": "Prompts that need no backend.",
        },
        "resources": {
            "type": "array",
            "items": RESOURCE_ENTRY,
            "default": [],
            "description": "Resources that need no backend.",
        },
        "discovery": _section(
            "How the services of the backends are learnt.",
            {
                "retry_initial_seconds": _number(
                    "The pause after a first failure; it doubles with each.", 0.5, 0.01, 3_600
                ),
                "retry_max_seconds": _number("The longest pause between two tries.", 30, 0.01, 3_600),
                "timeout_seconds": _number("How long one backend may take to answer.", 30, 0.1, 3_600),
                "refresh_seconds": _number("How often a backend is asked again; 0: never.", 60, 0, 86_400),
                "ready_when": _choice(
                    "Ready once every backend has been discovered once, or once any has.",
                    "every_backend",
                    "any_backend",
                ),
            },
        ),
        "sealing": _section(
            "How what clients carry for the gateway is sealed.",
            {
                "keys": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 32, "writeOnly": True},
                    "default": [],
                    "description": "Secrets of at least 32 characters, the same on every replica; the first one seals, "
                    "all of them open. Empty: a random one for each start.",
                }
            },
        ),
        "shutdown": _section(
            "What happens on SIGTERM and SIGINT.",
            {"drain_seconds": _number("How long running calls may take to finish.", 10, 0, 3_600)},
        ),
        "errors": _section(
            "What callers are told.",
            {"forward_internal": _flag("Tell callers the message of INTERNAL and DATA_LOSS, which may hold secrets.")},
        ),
        "log": _section(
            "The lines on standard error.",
            {
                "level": _choice("The least level that is written.", "info", "debug", "warning", "error"),
                "format": _choice("One line of text or one JSON object an event.", "text", "json"),
            },
        ),
    },
}
