"""Runs a backend's validation rules: one protovalidate validator for all of its types.

The engine keeps what it compiles by the names of messages, so a validator that met two pools would apply the rules of
one to the other. This module knows nothing of JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from gateway.contract.quoting import one_line
from gateway.descriptors.validation.plain_rules import PlainRules
from gateway.descriptors.validation.rules import Rules

if TYPE_CHECKING:
    import protovalidate

LIMIT_REASON = 300

# What the engine raises over a type that it cannot read: it is stricter than protobuf about equal names of fields.
_UNSUPPORTED = (ValueError, TypeError, LookupError, RuntimeError)

# How buf.validate.FieldPathElement's subscripts are spelt in JSON.
_SUBSCRIPTS = {
    "index": "index",
    "bool_key": "boolKey",
    "int_key": "intKey",
    "uint_key": "uintKey",
    "string_key": "stringKey",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One rule that a message breaks.

    `elements`: the way to the field as buf.validate.FieldPath has it in JSON; empty for the message as a whole.
    `oneof`: the name of the oneof that lacks a member, which is in the message at the end of the way, else "".
    """

    elements: tuple[Mapping[str, Any], ...]
    oneof: str
    rule_id: str
    message: str
    is_for_key: bool


class UnusableRules(Exception):
    """Rules that cannot be run on a message. `reason` is one line.

    `is_broken` True says that they do not compile at all, False that one failed over this message's values.
    """

    def __init__(self, reason: str, *, is_broken: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_broken = is_broken


class RuleEngine:
    """The rules of one Api, ready to be run."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._missed: dict[str, frozenset[int]] = {}
        self._faults: dict[str, str | None] = {}

    def find_violations(self, message: Message, *, first_only: bool = False) -> tuple[Violation, ...]:
        """Every rule that the message breaks. Raises `UnusableRules`.

        It must be well-formed, as the parsers make it. What extensions and google.protobuf.Any hold is not looked at.
        """
        found = self._runner.run(message, first_only=first_only)
        return tuple(map(_read_violation, found)) if found else ()

    def find_fault(self, message: Descriptor) -> str | None:
        """Why the rules of this very type cannot be used at all, in one line; None where they can."""
        self.get_missed(message)
        return self._faults[message.full_name]

    def get_missed(self, message: Descriptor) -> frozenset[int]:
        """The numbers of the fields whose absence breaks their own rules, found by running them on an empty message."""
        missed = self._missed.get(message.full_name)
        if missed is None:
            missed = self._missed[message.full_name] = self._find_missed(message)
        return missed

    def _find_missed(self, message: Descriptor) -> frozenset[int]:
        self._faults[message.full_name] = None
        try:
            return _pick_fields(self._runner.run(GetMessageClass(message)()))
        except UnusableRules as failure:
            if failure.is_broken:
                self._faults[message.full_name] = failure.reason
        return self._find_missed_plainly(message)

    def _find_missed_plainly(self, message: Descriptor) -> frozenset[int]:
        """The same by the standard rules alone, where another rule fails on an empty message."""
        try:
            return _pick_fields(self._plain_runner.run(self._plain_rules.get_class(message)()))
        except UnusableRules:
            needs = ((field.number, self._rules.find_field_rules(field)) for field in message.fields)
            return frozenset(number for number, rules in needs if rules is not None and rules.required)

    @cached_property
    def _runner(self) -> "_Runner":
        return _Runner()

    @cached_property
    def _plain_runner(self) -> "_Runner":
        return _Runner()

    @cached_property
    def _plain_rules(self) -> PlainRules:
        return PlainRules(self._rules.files, self._rules.vocabulary)


class _Runner:
    """One validator of protovalidate's, and what it raises. The engine is imported when the first one is made."""

    def __init__(self) -> None:
        import protovalidate

        self._collect = protovalidate.Validator().collect_violations
        self._failures = protovalidate.EvaluationError
        self._faults = (protovalidate.CompilationError, *_UNSUPPORTED)

    def run(self, message: Message, *, first_only: bool = False) -> "list[protovalidate.Violation]":
        try:
            return self._collect(message, fail_fast=first_only)
        except self._failures as error:
            raise UnusableRules(one_line(str(error), LIMIT_REASON), is_broken=False) from None
        except self._faults as error:
            raise UnusableRules(one_line(str(error), LIMIT_REASON), is_broken=True) from None


def _pick_fields(violations: "list[protovalidate.Violation]") -> frozenset[int]:
    paths = (violation.proto.field for violation in violations)
    # A oneof has no number, and what lies deeper is another field's.
    return frozenset(
        path.elements[0].field_number
        for path in paths
        if path is not None and len(path.elements) == 1 and path.elements[0].field_number
    )


def _read_violation(found: "protovalidate.Violation") -> Violation:
    violation = found.proto
    elements = [] if violation.field is None else list(violation.field.elements)
    oneof = ""
    if elements and not elements[-1].field_number:
        oneof = elements.pop().field_name
    return Violation(
        elements=tuple(map(_read_element, elements)),
        oneof=oneof,
        rule_id=violation.rule_id,
        message=violation.message,
        is_for_key=violation.for_key,
    )


def _read_element(element: Any) -> Mapping[str, Any]:
    read = {"fieldName": element.field_name, "fieldNumber": element.field_number}
    if element.subscript is not None:
        read[_SUBSCRIPTS[element.subscript.field]] = element.subscript.value
    return read
