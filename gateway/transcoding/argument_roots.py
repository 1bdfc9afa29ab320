"""Arguments that are not the request itself: those that hold it in one member, that list a stream of them, or
that have no say in some of its fields.

Which do is in `descriptors.root_forms`.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from gateway.contract.distilled import Problem, make_pointer
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.root_forms import MESSAGES_PROPERTY, VALUE_PROPERTY
from gateway.descriptors.typed_fields import list_filled_in
from gateway.transcoding.codec import Parser
from gateway.transcoding.converters.explanations import expect_structure
from gateway.transcoding.converters.outcomes import LIMIT_CAUSES
from gateway.transcoding.converters.type_index import get_class
from gateway.transcoding.errors import ArgumentProblems

_TYPE_KEY = "@type"
_FILLED_IN = "is filled in by the gateway and is no argument"


def make_value_parser(parse: Parser, descriptor: Descriptor) -> Parser:
    """A parser of arguments whose one member `value` holds the whole request (`descriptors.root_forms`)."""
    message_class = get_class(descriptor)
    takes_null = descriptor.full_name == "google.protobuf.Value"

    def parse_value(arguments: Any) -> Any:
        if type(arguments) is dict and _TYPE_KEY in arguments:
            return parse(arguments)
        _refuse_others(arguments, f"is not an argument; the request stands in `{VALUE_PROPERTY}`", VALUE_PROPERTY)
        value = arguments.get(VALUE_PROPERTY)
        if value is None and not (takes_null and VALUE_PROPERTY in arguments):
            return message_class()
        try:
            return parse(value)
        except ArgumentProblems as refusal:
            inside = (Problem(at=f"/{VALUE_PROPERTY}{problem.at}", text=problem.text) for problem in refusal.problems)
            raise ArgumentProblems(tuple(inside), is_complete=refusal.is_complete) from None

    return parse_value


def refuse_filled_in(parse: Parser, descriptor: Descriptor) -> Parser:
    """The parser of a request, refusing arguments for what the gateway fills in (`descriptors.typed_fields`).

    It is `parse` itself where the request has none. Such an argument is refused together with whatever else is wrong.
    """
    taken = {field.name for field in list_filled_in(descriptor)}
    if not taken:
        return parse
    spellings = {name for name, field in get_field_names(descriptor).accepted.items() if field.name in taken}

    def parse_others(arguments: Any) -> Message:
        if not isinstance(arguments, Mapping) or spellings.isdisjoint(arguments):
            return parse(arguments)
        problems = [Problem(at=make_pointer((name,)), text=_FILLED_IN) for name in arguments if name in spellings]
        is_complete = True
        try:
            parse({name: value for name, value in arguments.items() if name not in spellings})
        except ArgumentProblems as refusal:
            problems += refusal.problems
            is_complete = refusal.is_complete
        raise ArgumentProblems(tuple(problems), is_complete=is_complete)

    return parse_others


def parse_list(parse: Parser, arguments: Mapping[str, Any]) -> list[Message]:
    """The messages of a client's stream (`descriptors.root_forms`). Raises ArgumentProblems with the causes in any."""
    hint = f"is not an argument; the messages of the stream stand in `{MESSAGES_PROPERTY}`"
    _refuse_others(arguments, hint, MESSAGES_PROPERTY)
    listed = arguments.get(MESSAGES_PROPERTY)
    if listed is None:
        return []
    if not isinstance(listed, list):
        text = expect_structure("an array of messages", listed)
        raise ArgumentProblems((Problem(at=f"/{MESSAGES_PROPERTY}", text=text),))
    messages: list[Message] = []
    problems: list[Problem] = []
    is_complete = True
    for position, value in enumerate(listed):
        try:
            messages.append(parse(value))
        except ArgumentProblems as refusal:
            at = f"/{MESSAGES_PROPERTY}/{position}"
            problems += (Problem(at=at + problem.at, text=problem.text) for problem in refusal.problems)
            is_complete = refusal.is_complete and is_complete
            if len(problems) >= LIMIT_CAUSES:
                is_complete = is_complete and position == len(listed) - 1
                break
    if problems:
        raise ArgumentProblems(tuple(problems), is_complete=is_complete)
    return messages


def _refuse_others(arguments: Mapping[str, Any], text: str, only: str) -> None:
    """Raises ArgumentProblems where there is an argument beside the only one."""
    problems = tuple(Problem(at=make_pointer((key,)), text=text) for key in arguments if key != only)
    if problems:
        raise ArgumentProblems(problems)
