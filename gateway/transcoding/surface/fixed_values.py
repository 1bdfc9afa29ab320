"""Where the value of one fixed field comes from: a constant, a header of the caller's request, the environment.

A value that cannot be one of its field is found when the tool is made, as far as it is known then.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from gateway.contract.quoting import one_line
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.rpc_facts import ArgumentFacts
from gateway.transcoding.codec import Codec
from gateway.transcoding.converters.type_index import get_containing_type, is_map
from gateway.transcoding.errors import ArgumentProblems

_LIMIT_REASON = 200
# The messages that ProtoJSON writes as one string or number: these can come from text.
_TEXT_MESSAGES = frozenset(
    f"google.protobuf.{name}"
    for name in (
        *("Timestamp", "Duration", "FieldMask", "Value"),
        *(f"{kind}Value" for kind in ("Bool", "Bytes", "Double", "Float", "Int32", "Int64", "UInt32", "UInt64")),
        "StringValue",
    )
)
_FLAG_MESSAGE = "google.protobuf.BoolValue"
_FLAGS: Mapping[str, bool] = {"true": True, "false": False}


class UnfixableError(Exception):
    """A field cannot get its value from where the operator says. `reason` is one line without any value."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = one_line(reason, _LIMIT_REASON)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedValue:
    """The value of one field, as ProtoJSON, or the header that has it (its name in lower case).

    `is_flag`: the field is a bool, whose words in a header are no strings.
    """

    header: str = ""
    value: Any = field(default=None, repr=False)
    is_flag: bool = False

    def read(self, text: str) -> Any:
        """The value of a header's text."""
        return _FLAGS.get(text, text) if self.is_flag else text


def make_fixed_value(
    facts: ArgumentFacts, target: FieldDescriptor, path: str, codec: Codec, environ: Mapping[str, str]
) -> FixedValue | None:
    """The value of a field, None for one that stays unset. Raises `UnfixableError`."""
    is_flag = target.cpp_type == FieldDescriptor.CPPTYPE_BOOL or _get_type_name(target) == _FLAG_MESSAGE
    if facts.has_constant:
        _check(facts.constant, target, f"the constant for {path}", codec)
        return FixedValue(value=facts.constant)
    if not (facts.header or facts.environment):
        return None
    if target.is_repeated or (target.message_type is not None and _get_type_name(target) not in _TEXT_MESSAGES):
        raise UnfixableError(f"{path} is no single value, so it can only have a constant")
    if facts.header:
        return FixedValue(header=facts.header.lower(), is_flag=is_flag)
    text = environ.get(facts.environment)
    if text is None:
        raise UnfixableError(f"the environment has no {facts.environment}, which {path} is taken from")
    made = FixedValue(is_flag=is_flag)
    value = made.read(text)
    _check(value, target, f"the value of {facts.environment} for {path}", codec)
    return FixedValue(value=value)


def _check(value: Any, target: FieldDescriptor, what: str, codec: Codec) -> None:
    """Raises `UnfixableError` where the parser would not take the value for the field."""
    if value is None and _get_type_name(target) != "google.protobuf.Value":
        raise UnfixableError(f"{what} is null, which sets nothing; leave all sources out to hide it")
    name = next(iter(_list_spellings(target)))
    try:
        codec.parser_for(get_containing_type(target))({name: value})
    except ArgumentProblems as refusal:
        # What else the message needs is given elsewhere.
        own = [
            problem for problem in refusal.problems if problem.at == f"/{name}" or problem.at.startswith(f"/{name}/")
        ]
        if own:
            raise UnfixableError(f"{what} cannot be its value: {own[0].text.partition(', got ')[0]}") from None


def _list_spellings(target: FieldDescriptor) -> tuple[str, ...]:
    names = get_field_names(get_containing_type(target)).published
    return tuple(name for name, one in names.items() if one.number == target.number)


def _get_type_name(target: FieldDescriptor) -> str:
    return "" if target.message_type is None or is_map(target) else target.message_type.full_name
