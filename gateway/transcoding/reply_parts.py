"""What a reply says beside its structured value, as values that anybody can read: no protobuf here.

These come from fields of the types of proto/gateway/v1 (`descriptors.typed_fields`) and from fields that hold media.
Content stands as the protocol writes it (MCP 2026-07-28, schema, ContentBlock and the like).
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""The protocol's LoggingLevel (RFC 5424), the least serious first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressPart:
    """How far the work is: `progress` in any unit, out of `total` where that is known."""

    progress: float
    total: float | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPart:
    """A line for the client's log. `level` is one of `LOG_LEVELS`, `data` any JSON value."""

    level: str
    data: Any
    logger: str = ""


class InputKind(enum.Enum):
    """What is asked of a client, by what it must be able to do."""

    FORM = "form"
    URL = "url"
    SAMPLING = "sampling"
    ROOTS = "roots"


@dataclass(frozen=True, slots=True, kw_only=True)
class InputQuestion:
    """One question: the protocol's method ("elicitation/create") and its parameters as JSON values."""

    kind: InputKind
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputPart:
    """The work cannot go on without answers: the questions by the backend's own keys, and its state to hand back.

    `operation` names the long-running operation that waits for them, "" where the RPC itself asks.
    """

    questions: Mapping[str, InputQuestion]
    state: bytes = b""
    operation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionPart:
    """Completions, the best first. `total`: how many there are in all, where it is known."""

    values: tuple[str, ...]
    total: int | None = None
    has_more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A value of the reply that is media: it is content, and only a short text stands in its place.

    `at` is the JSON pointer to that place, `encoded` the base64 of the media.
    """

    at: str
    media_type: str
    encoded: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """All that one reply says beside its value.

    `is_everything`: the message says nothing beside these, so that its value is no result. `resource_contents` have no
    "uri" where the backend left it to the gateway. `input_required`, where it is set, is the whole answer.
    """

    content: tuple[Mapping[str, Any], ...] = ()
    attachments: tuple[Attachment, ...] = ()
    progress: tuple[ProgressPart, ...] = ()
    logs: tuple[LogPart, ...] = ()
    input_required: InputPart | None = None
    prompt_messages: tuple[Mapping[str, Any], ...] = ()
    resource_contents: tuple[Mapping[str, Any], ...] = ()
    completion: CompletionPart | None = None
    is_everything: bool = False


NO_PARTS = Parts()
