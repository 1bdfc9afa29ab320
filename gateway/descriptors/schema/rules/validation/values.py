"""The rules of one value (a field's, an item's, a key's) as clauses, whatever its type.

Rules of one type on a value of another are a mistake that the engine reports; they say nothing here.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from gateway.descriptors.api import Api
from gateway.descriptors.schema.dialect import Direction, Part
from gateway.descriptors.schema.rules.validation import numbers, well_known
from gateway.descriptors.schema.rules.validation.clauses import Clause, choose, exact, said
from gateway.descriptors.schema.rules.validation.texts import at_least_bytes, list_bytes_clauses, list_string_clauses
from gateway.descriptors.schema.types.enums import make_enum_part
from gateway.descriptors.validation.rules import tell_rule
from gateway.descriptors.validation.vocabulary import RuleMessage

UNTOLD = "a rule of the backend that has no words"

_TYPES: Mapping[int, str] = MappingProxyType(
    {
        getattr(FieldDescriptor, f"TYPE_{name.upper()}"): name
        for name in (*numbers.KINDS, "bool", "string", "bytes", "enum")
    }
)
_MESSAGES: Mapping[str, str] = MappingProxyType(
    {
        "google.protobuf.Any": "any",
        "google.protobuf.BoolValue": "bool",
        "google.protobuf.BytesValue": "bytes",
        "google.protobuf.DoubleValue": "double",
        "google.protobuf.Duration": "duration",
        "google.protobuf.FieldMask": "field_mask",
        "google.protobuf.FloatValue": "float",
        "google.protobuf.Int32Value": "int32",
        "google.protobuf.Int64Value": "int64",
        "google.protobuf.StringValue": "string",
        "google.protobuf.Timestamp": "timestamp",
        "google.protobuf.UInt32Value": "uint32",
        "google.protobuf.UInt64Value": "uint64",
    }
)


def find_kind(value: FieldDescriptor) -> str | None:
    """The name that buf.validate.FieldRules gives to the rules of this type of value, a list or map aside."""
    if value.message_type is not None:
        return _MESSAGES.get(value.message_type.full_name)
    return _TYPES.get(value.type)


def tell_zero(kind: str | None) -> str:
    """The zero value of that kind in a word, as a rule's exemption names it."""
    return "false" if kind == "bool" else "0" if kind in numbers.KINDS else "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueFacts:
    """What the rules say of one value. `part`: a schema in place of its type's own; `clauses` come on top of it."""

    clauses: tuple[Clause, ...]
    part: Part | None = None


def _list_bool_clauses(rules: RuleMessage) -> Iterator[Clause]:
    if rules.HasField("const"):
        yield choose([rules.const], ["true" if rules.const else "false"])


_CLAUSES: Mapping[str, Callable[[RuleMessage], Iterator[Clause]]] = MappingProxyType(
    {
        **{name: partial(numbers.list_number_clauses, name) for name in numbers.KINDS},
        **well_known.CLAUSES,
        "bool": _list_bool_clauses,
        "bytes": list_bytes_clauses,
        "string": list_string_clauses,
    }
)


class ValueReader:
    """Reads the rules of values of one Api."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def read(
        self, rules: RuleMessage, value: FieldDescriptor, *, excludes_zero: bool = False, allows_zero: bool = False
    ) -> ValueFacts:
        """What these FieldRules say of the value.

        `excludes_zero`: the type's zero value is known to break them; `allows_zero`: it is exempt from them, which the
        clauses do not consider.
        """
        kind = find_kind(value)
        clauses = list(_exclude_zero(kind, rules)) if excludes_zero else []
        part = None
        if kind is not None and rules.WhichOneof("type") == kind:
            own = getattr(rules, kind)
            if kind in _CLAUSES:
                clauses += _CLAUSES[kind](own)
            if kind == "any":
                part = well_known.make_any_part(own)
            clauses += map(said, self._api.rules.list_predefined(own))
        if kind == "enum":
            part, told = self._read_enum(rules, value, excludes_zero=excludes_zero, allows_zero=allows_zero)
            clauses += told
        return ValueFacts(clauses=(*clauses, *list_expressions(rules)), part=part)

    def _read_enum(
        self, rules: RuleMessage, value: FieldDescriptor, *, excludes_zero: bool, allows_zero: bool
    ) -> tuple[Part | None, list[Clause]]:
        enum = value.enum_type
        if enum is None:
            return None, []
        every = frozenset(one.number for one in enum.values)
        allowed = _find_allowed_numbers(enum, rules.enum) if rules.HasField("enum") else every
        if excludes_zero:
            allowed -= {0}
        elif allows_zero:
            allowed |= every & {0}
        if allowed == every:
            return None, []
        if not allowed:
            return None, [_tell_numbers(rules.enum)]
        part = make_enum_part(enum, Direction.INPUT, self._api.comments, self._api.options, allowed=allowed)
        return part, []


def list_expressions(rules: RuleMessage) -> Iterator[Clause]:
    """The rules in the Common Expression Language of FieldRules or MessageRules, in the words that they have."""
    texts = [tell_rule(rule) or UNTOLD for rule in rules.cel]
    # The short form of a rule is nothing but its expression.
    texts += [UNTOLD] * len(rules.cel_expression)
    return map(said, dict.fromkeys(texts))


def is_finite(rules: RuleMessage, value: FieldDescriptor) -> bool:
    """Whether the rules keep NaN and the infinities out of a floating-point value."""
    kind = find_kind(value)
    return kind in ("float", "double") and rules.WhichOneof("type") == kind and bool(getattr(rules, kind).finite)


def _exclude_zero(kind: str | None, rules: RuleMessage) -> Iterator[Clause]:
    """That the value is not its type's zero, where that has to be said."""
    match kind:
        case "string":
            yield exact("not empty", {"minLength": 1})
        case "bytes":
            yield exact("not empty", at_least_bytes(1))
        case "bool":
            yield exact("true", {"enum": [True]})
        case "uint32" | "fixed32":
            yield exact("not 0", {"minimum": 1})
        case _ if kind in numbers.KINDS and rules.required:
            yield said("not 0")


def _find_allowed_numbers(enum: EnumDescriptor, rules: RuleMessage) -> frozenset[int]:
    """The numbers with a name that EnumRules allow."""
    allowed = frozenset(value.number for value in enum.values)
    if rules.HasField("const"):
        allowed &= {rules.const}
    choices = getattr(rules, "in")
    if choices:
        allowed &= frozenset(choices)
    return allowed - frozenset(rules.not_in)


def _tell_numbers(rules: RuleMessage) -> Clause:
    """What the rules allow where no number of it has a name."""
    numbers = [rules.const] if rules.HasField("const") else list(getattr(rules, "in"))
    return said(f"number {' or '.join(map(str, numbers))}" if numbers else "none of the named values")
