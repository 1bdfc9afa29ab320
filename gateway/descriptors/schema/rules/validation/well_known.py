"""Rules about google.protobuf's own messages: instants, spans of time, masks, Any. All but one are told in words.

The forms that they have in JSON are too free for keywords: one instant can be written in many time zones.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from gateway.descriptors.schema.dialect import Part
from gateway.descriptors.schema.rules.validation.clauses import LIMIT_CHOICES, Clause, said
from gateway.descriptors.schema.rules.validation.numbers import tell_bounds
from gateway.descriptors.schema.types.special_messages import ANY, SPECIAL_MESSAGES
from gateway.descriptors.validation.vocabulary import RuleMessage

_LIMIT_NAMED = 8

_WHEN = MappingProxyType({"gt": "after", "gte": "at or after", "lt": "before", "lte": "at or before"})
_HOW_LONG = MappingProxyType({"gt": "longer than", "gte": "at least", "lt": "shorter than", "lte": "at most"})
_NOW = MappingProxyType({"gt_now": "after now", "lt_now": "before now"})


def list_timestamp_clauses(rules: RuleMessage) -> Iterator[Clause]:
    """The clauses of TimestampRules."""
    if rules.HasField("const"):
        yield said(f"exactly {_write(rules.const)}")
    yield from _list_bounds(rules, _WHEN)
    if rules.HasField("within"):
        yield said(f"within {_write(rules.within)} of now")


def list_duration_clauses(rules: RuleMessage) -> Iterator[Clause]:
    """The clauses of DurationRules."""
    if rules.HasField("const"):
        yield said(f"exactly {_write(rules.const)}")
    yield from _list_bounds(rules, _HOW_LONG)
    choices = list(map(_write, getattr(rules, "in")))
    if choices:
        yield said(f"one of {', '.join(choices)}")
    if rules.not_in:
        yield said(f"not {' or '.join(map(_write, rules.not_in))}")


def list_mask_clauses(rules: RuleMessage) -> Iterator[Clause]:
    """The clauses of FieldMaskRules; paths as JSON has them."""
    if rules.HasField("const"):
        yield said(f"exactly {', '.join(map(_write_path, rules.const.paths)) or 'empty'}")
    choices = list(getattr(rules, "in"))
    if choices:
        yield said(f"only paths in or below {', '.join(map(_write_path, choices))}")
    if rules.not_in:
        yield said(f"no paths in or below {', '.join(map(_write_path, rules.not_in))}")


def list_any_clauses(rules: RuleMessage) -> Iterator[Clause]:
    """The clauses of AnyRules but for `in`, which `make_any_part` has."""
    choices = list(getattr(rules, "in"))
    if len(choices) > LIMIT_CHOICES:
        yield said(f'"@type" one of {len(choices)}: {", ".join(choices[:_LIMIT_NAMED])}')
    if rules.not_in:
        yield said(f'"@type" not {" or ".join(rules.not_in)}')


def make_any_part(rules: RuleMessage) -> Part | None:
    """The schema of an Any of these types; None where the rules name none, or too many."""
    choices = list(getattr(rules, "in"))
    if not choices or len(choices) > LIMIT_CHOICES:
        return None
    part = SPECIAL_MESSAGES[ANY].input
    properties = part.schema["properties"]
    kind = {**properties["@type"], "enum": list(dict.fromkeys(choices))}
    return Part(schema={**part.schema, "properties": {**properties, "@type": kind}}, notes=part.notes)


def _list_bounds(rules: RuleMessage, words: Mapping[str, str]) -> Iterator[Clause]:
    names = [rules.WhichOneof(oneof) for oneof in ("greater_than", "less_than")]
    low, high = (None if name is None else _tell_bound(rules, name, words) for name in names)
    if low is None and high is None:
        return
    bounds = [getattr(rules, name) for name in names if name in words]
    is_inverted = len(bounds) == 2 and _measure(bounds[1]) < _measure(bounds[0])
    yield said(tell_bounds(low, high, is_inverted=is_inverted))


def _tell_bound(rules: RuleMessage, name: str, words: Mapping[str, str]) -> str | None:
    if name in _NOW:
        return _NOW[name] if getattr(rules, name) else None
    return f"{words[name]} {_write(getattr(rules, name))}"


def _write(value: RuleMessage) -> str:
    """An instant or a span of time as ProtoJSON has it; one that is none, as it stands."""
    try:
        text: str = value.ToJsonString()
    except ValueError:
        return f"{value.seconds} s and {value.nanos} ns"
    return text


def _measure(value: RuleMessage) -> tuple[int, int]:
    return value.seconds, value.nanos


def _write_path(path: str) -> str:
    """The path as ProtoJSON spells it."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), path)


CLAUSES: Mapping[str, Callable[[RuleMessage], Iterator[Clause]]] = MappingProxyType(
    {
        "timestamp": list_timestamp_clauses,
        "duration": list_duration_clauses,
        "field_mask": list_mask_clauses,
        "any": list_any_clauses,
    }
)
"""By the name of their rules in buf.validate.FieldRules."""
