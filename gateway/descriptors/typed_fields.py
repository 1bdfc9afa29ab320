"""Which fields of a request or reply have a meaning of their own: those whose type is one of proto/gateway/v1.

The rule is about the fields of the root alone, and about their type alone: a backend names and numbers them as it
likes. Such a field of a request is filled in by the gateway and is no argument; such a field of a reply is content,
progress and the like and no part of the structured result. What they mean is written in proto/gateway/v1.
"""

from google.protobuf.descriptor import Descriptor, FieldDescriptor

CALL_CONTEXT = "gateway.v1.CallContext"
COMPLETION_QUERY = "gateway.v1.CompletionQuery"
FILLED_IN = frozenset({CALL_CONTEXT, COMPLETION_QUERY})
"""The types of fields of a request that the gateway fills in."""

PROGRESS = "gateway.v1.Progress"
LOG_MESSAGE = "gateway.v1.LogMessage"
CONTENT_BLOCK = "gateway.v1.ContentBlock"
INPUT_REQUIRED = "gateway.v1.InputRequired"
PROMPT_MESSAGE = "gateway.v1.PromptMessage"
RESOURCE_CONTENTS = "gateway.v1.ResourceContents"
COMPLETION_VALUES = "gateway.v1.CompletionValues"
TAKEN_OUT = frozenset(
    {
        PROGRESS,
        LOG_MESSAGE,
        CONTENT_BLOCK,
        INPUT_REQUIRED,
        PROMPT_MESSAGE,
        RESOURCE_CONTENTS,
        COMPLETION_VALUES,
    }
)
"""The types of fields of a reply that are no part of the structured result."""

STREAM_EVENT = "gateway.v1.StreamEvent"
STREAM_EVENT_VALUE = "structured"
"""The field of a StreamEvent that is a result by itself, and not a member of one."""


def is_filled_in(field: FieldDescriptor) -> bool:
    """Whether a field is of a type that the gateway fills in, wherever it stands."""
    return field.message_type is not None and field.message_type.full_name in FILLED_IN


def list_filled_in(request: Descriptor) -> tuple[FieldDescriptor, ...]:
    """The fields of a request that the gateway fills in."""
    return _list_fields(request, FILLED_IN)


def list_taken_out(response: Descriptor) -> tuple[FieldDescriptor, ...]:
    """The fields of a reply that are taken out of it before it is printed."""
    return _list_fields(response, TAKEN_OUT)


def has_progress(response: Descriptor) -> bool:
    """Whether a reply can say how far the work is."""
    return bool(_list_fields(response, frozenset({PROGRESS})))


def is_nothing_else(response: Descriptor) -> bool:
    """Whether a reply has such fields and no other, so that there is nothing to be a structured result."""
    if response.full_name == STREAM_EVENT:
        return True
    return 0 < len(response.fields) == len(list_taken_out(response))


def _list_fields(message: Descriptor, types: frozenset[str]) -> tuple[FieldDescriptor, ...]:
    return tuple(
        field for field in message.fields if field.message_type is not None and field.message_type.full_name in types
    )
