"""Rules about numbers: bounds, choices, and which bounds JSON Schema can say of which type."""

import math
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from gateway.descriptors.schema.rules.validation.clauses import Clause, choose, exact, said
from gateway.descriptors.validation.vocabulary import RuleMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """How the numbers of one rule type stand in JSON."""

    is_integer: bool = True
    is_text: bool = False
    is_short: bool = False

    def write(self, number: int | float) -> int | float | str:
        """The number as JSON has it."""
        if self.is_text:
            return str(number)
        return _shorten(number) if self.is_short else number


_SHORT = ("int32", "uint32", "sint32", "fixed32", "sfixed32")
_LONG = ("int64", "uint64", "sint64", "fixed64", "sfixed64")
KINDS: Mapping[str, _Kind] = MappingProxyType(
    {
        **dict.fromkeys(_SHORT, _Kind()),
        **dict.fromkeys(_LONG, _Kind(is_text=True)),
        "float": _Kind(is_integer=False, is_short=True),
        "double": _Kind(is_integer=False),
    }
)
"""By the name of their rules in buf.validate.FieldRules."""

UNSIGNED = frozenset({"uint32", "fixed32", "uint64", "fixed64"})


def list_number_clauses(name: str, rules: RuleMessage) -> Iterator[Clause]:
    """The clauses of Int32Rules, DoubleRules and the like."""
    kind = KINDS[name]
    if rules.HasField("const"):
        yield _choose(kind, [rules.const])
    yield from _list_bounds(kind, rules)
    choices = getattr(rules, "in")
    if choices:
        yield _choose(kind, choices)
    if rules.not_in:
        yield said(f"not {' or '.join(_show(kind.write(number)) for number in rules.not_in)}")


_WORDS = MappingProxyType({"gt": "greater than", "gte": "at least", "lt": "less than", "lte": "at most"})


def tell_bounds(lower: str | None, upper: str | None, *, is_inverted: bool) -> str:
    """Two bounds in words. Inverted ones leave a gap between them (buf.validate, "exclusive" ranges)."""
    joint = " or " if is_inverted else " and "
    return joint.join(bound for bound in (lower, upper) if bound is not None)


def _list_bounds(kind: _Kind, rules: RuleMessage) -> Iterator[Clause]:
    low, high = rules.WhichOneof("greater_than"), rules.WhichOneof("less_than")
    bounds = [(name, kind.write(getattr(rules, name))) for name in (low, high) if name is not None]
    texts = [f"{_WORDS[name]} {_show(number)}" for name, number in bounds]
    is_inverted = low is not None and high is not None and getattr(rules, high) < getattr(rules, low)
    if is_inverted:
        yield said(tell_bounds(texts[0], texts[1], is_inverted=True))
        return
    for text, (name, number) in zip(texts, bounds, strict=True):
        if kind.is_text or (isinstance(number, float) and not math.isfinite(number)):
            yield said(text)
        else:
            yield exact(text, _bound(kind, name, number))


def _bound(kind: _Kind, name: str, number: Any) -> Mapping[str, Any]:
    match name:
        case "gte":
            return {"minimum": number}
        case "lte":
            return {"maximum": number}
        # Some providers know inclusive bounds alone.
        case "gt":
            return {"minimum": number + 1} if kind.is_integer else {"exclusiveMinimum": number}
        case _:
            return {"maximum": number - 1} if kind.is_integer else {"exclusiveMaximum": number}


def _choose(kind: _Kind, numbers: Iterable[int | float]) -> Clause:
    listed = [kind.write(number) for number in numbers]
    clause = choose(listed, map(_show, listed))
    is_sayable = all(math.isfinite(number) for number in numbers)
    return clause if is_sayable else said(clause.text)


def _show(number: int | float | str) -> str:
    return str(number).removesuffix(".0")


def _shorten(number: float) -> float:
    """The shortest number that reads back as the same float32."""
    for digits in range(1, 10):
        short = float(f"{number:.{digits}g}")
        try:
            if struct.pack("<f", short) == struct.pack("<f", number):
                return short
        except OverflowError:  # rounded up beyond the largest float32
            continue
    return number
