"""Takes the fields of the types of gateway.v1 out of a reply, and reads them.

A reply is of the backend's own pool, whose gateway.v1 may be another version than ours: each such field passes as bytes
to our own class, so that one reader reads all versions. Replies without such fields never come here.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message

from gateway.contract.distilled import Problem
from gateway.descriptors.facts.vocabulary import get_gateway_class
from gateway.descriptors.typed_fields import (
    COMPLETION_VALUES,
    CONTENT_BLOCK,
    INPUT_REQUIRED,
    LOG_MESSAGE,
    PROGRESS,
    PROMPT_MESSAGE,
    RESOURCE_CONTENTS,
    list_taken_out,
)
from gateway.transcoding.converters.outcomes import ROOT_ROOM, BlemishError
from gateway.transcoding.converters.type_index import get_class
from gateway.transcoding.converters.well_known.dynamic_values import print_value
from gateway.transcoding.errors import BadReply
from gateway.transcoding.reply_parts import LOG_LEVELS, CompletionPart, LogPart, Parts, ProgressPart
from gateway.transcoding.typed_fields.content import print_block, print_prompt_message, print_resource_contents
from gateway.transcoding.typed_fields.questions import print_input_required

LIMIT_COMPLETIONS = 100
"""Values of one completion (MCP 2026-07-28, server/utilities/completion)."""

# gateway.v1.LogLevel, by its numbers; an unspecified one is info.
_LEVELS = ("info", *LOG_LEVELS)

Read = Callable[[Any, str], Any]
"""From a message of our own gateway.v1, and the default URI, to a part; None where nothing of it is known here."""


def _read_progress(message: Any, _: str) -> ProgressPart:
    total = message.total if message.HasField("total") else None
    return ProgressPart(progress=message.progress, total=total, message=message.message)


def _read_log(message: Any, _: str) -> LogPart:
    try:
        data = print_value(message.data, ROOT_ROOM) if message.HasField("data") else None
    except BlemishError as blemish:
        data = blemish.value
    level = _LEVELS[message.level if 0 <= message.level < len(_LEVELS) else 0]
    return LogPart(level=level, logger=message.logger, data=data)


def _read_completion(message: Any, _: str) -> CompletionPart:
    total = message.total if message.HasField("total") else None
    values = tuple(message.values[:LIMIT_COMPLETIONS])
    more = len(message.values) > len(values)
    return CompletionPart(
        values=values, total=len(message.values) if more and total is None else total, has_more=more or message.has_more
    )


# For each type of `descriptors.typed_fields.TAKEN_OUT`: the member of Parts that it goes to, and its reader.
READERS: Mapping[str, tuple[str, Read]] = MappingProxyType(
    {
        PROGRESS: ("progress", _read_progress),
        LOG_MESSAGE: ("logs", _read_log),
        CONTENT_BLOCK: ("content", print_block),
        INPUT_REQUIRED: ("input_required", print_input_required),
        PROMPT_MESSAGE: ("prompt_messages", print_prompt_message),
        RESOURCE_CONTENTS: ("resource_contents", lambda message, _: print_resource_contents(message)),
        COMPLETION_VALUES: ("completion", _read_completion),
    }
)
_SINGLE = frozenset({"input_required", "completion"})

_UNKNOWN = "is of a kind that this gateway does not know; left out"


class ReplySplitter:
    """Splits the replies of one RPC."""

    def __init__(self, response: Descriptor, *, default_uri: str) -> None:
        """`default_uri` names embedded resources that have no name of their own."""
        message_class = get_class(response)
        self._clear: Callable[[Message, str], None] = message_class.ClearField
        self._has: Callable[[Message, str], bool] = message_class.HasField
        self._default_uri = default_uri
        self._fields = [
            (field.name, field.json_name, field.is_repeated, *READERS[field.message_type.full_name], _parser_for(field))
            for field in list_taken_out(response)
            if field.message_type is not None
        ]

    def split(self, message: Message) -> tuple[Parts, tuple[Problem, ...]] | None:
        """The parts, which are no longer in the message then, and notes on what was left out; None where there is none.

        Raises BadReply where a part is not what it should be.
        """
        found: dict[str, list[Any]] = {}
        notes: list[Problem] = []
        for name, json_name, is_repeated, member, read, parse in self._fields:
            value = getattr(message, name)
            if not (value if is_repeated else self._has(message, name)):
                continue
            parts = found.setdefault(member, [])
            for index, one in enumerate(value if is_repeated else (value,)):
                part = read(parse(one), self._default_uri)
                if part is None:
                    notes.append(Problem(at=f"/{json_name}/{index}" if is_repeated else f"/{json_name}", text=_UNKNOWN))
                else:
                    parts.append(part)
            self._clear(message, name)
        if not found:
            return None
        # Of several fields of a kind that can be there once, the last counts, as in protobuf itself.
        members: dict[str, Any] = {
            member: (parts[-1] if parts else None) if member in _SINGLE else tuple(parts)
            for member, parts in found.items()
        }
        return Parts(**members), tuple(notes)


def _parser_for(field: Any) -> Callable[[Any], Any]:
    """From a message of the backend's pool to the same of ours."""
    name = field.message_type.full_name
    parse = get_gateway_class(name.rpartition(".")[2]).FromString
    serialize = get_class(field.message_type).SerializePartialToString

    def convert(message: Any) -> Any:
        try:
            return parse(serialize(message))
        except DecodeError:
            raise BadReply(f"the field {field.name} of the reply is not a readable {name}") from None

    return convert
