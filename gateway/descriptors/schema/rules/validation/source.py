"""The fact source of validation rules: what they say of one field in one place.

Arguments get all that the rules say. Results get next to nothing: servers break their own rules, and a client drops a
result that does not match its schema.
"""

from collections.abc import Iterable, Iterator

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.descriptors.api import Api
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.schema.dialect import Direction, Part
from gateway.descriptors.schema.rules.facts import FieldFacts, Place, Role, find_map_entry
from gateway.descriptors.schema.rules.validation.clauses import Clause, merge_clauses, merge_leniently
from gateway.descriptors.schema.rules.validation.containers import (
    list_key_clauses,
    list_list_clauses,
    list_map_clauses,
    name_keys,
)
from gateway.descriptors.schema.rules.validation.values import ValueReader, find_kind, is_finite, tell_zero
from gateway.descriptors.validation.rules import IGNORE_ALWAYS, IGNORE_IF_ZERO_VALUE, Rules
from gateway.descriptors.validation.vocabulary import RuleMessage

_NUMBER = Part(schema={"type": "number"})


class RuleSource:
    """A `FactSource` of the validation rules of one Api."""

    def __init__(self, api: Api) -> None:
        self._rules = api.rules
        self._engine = api.rule_engine
        self._values = ValueReader(api)

    def __call__(self, place: Place) -> FieldFacts | None:
        """What the rules say of the field, or None."""
        if place.role is Role.UNCHECKED or not self._rules.has_rules(place.message):
            return None
        rules = self._rules.find_field_rules(place.field)
        if place.direction is Direction.OUTPUT:
            return FieldFacts(value=_NUMBER) if is_kept_finite(self._rules, place.field) else None
        if rules is not None and rules.ignore == IGNORE_ALWAYS:
            return FieldFacts(is_unchecked=True)
        groups = tuple(self._list_groups(place.message, place.field))
        if rules is not None:
            return self._read_input(rules, place, groups)
        return FieldFacts(notes=groups) if groups else None

    def _list_groups(self, message: Descriptor, field: FieldDescriptor) -> Iterator[str]:
        """What the message's own rules say of fields that exclude each other (MessageRules.oneof)."""
        rules = self._rules.find_message_rules(message)
        for group in () if rules is None else rules.oneof:
            if field.name in group.fields:
                published = get_field_names(message).published.items()
                names = ", ".join(name for name, other in published if other.name in group.fields)
                yield f"{'exactly' if group.required else 'at most'} one of {names}"

    def _read_input(self, rules: RuleMessage, place: Place, groups: tuple[str, ...]) -> FieldFacts:
        field = place.field
        is_missed = field.number in self._engine.get_missed(place.message)
        excludes_zero = is_missed and not field.has_presence
        # Rules of a field with presence apply wherever it is set. Without, it may be exempt as long as it is empty: by
        # its own rules, or as a member of a group.
        is_exempt = not field.has_presence and (rules.ignore == IGNORE_IF_ZERO_VALUE or bool(groups)) and not is_missed
        entry = find_map_entry(field)
        if entry is not None:
            facts = self._read_map(rules, entry, is_exempt=is_exempt, excludes_zero=excludes_zero)
        elif field.is_repeated:
            facts = self._read_list(rules, field, is_exempt=is_exempt, excludes_zero=excludes_zero)
        else:
            value = self._values.read(rules, field, excludes_zero=excludes_zero, allows_zero=is_exempt)
            keywords, notes = _merge(value.clauses, tell_zero(find_kind(field)) if is_exempt else None)
            facts = FieldFacts(keywords=keywords, notes=notes, value=value.part)
        excluding = field.containing_oneof is not None and len(field.containing_oneof.fields) > 1
        return FieldFacts(
            required=is_missed,
            is_kept=is_missed,
            keywords=facts.keywords,
            outer_keywords=facts.outer_keywords,
            # A member of a oneof is never listed as required.
            notes=(*(("required",) if is_missed and excluding else ()), *groups, *facts.notes),
            value=facts.value,
            is_unchecked=facts.is_unchecked,
        )

    def _read_list(
        self, rules: RuleMessage, field: FieldDescriptor, *, is_exempt: bool, excludes_zero: bool
    ) -> FieldFacts:
        clauses = list_list_clauses(rules, self._rules, excludes_empty=excludes_zero)
        outer_keywords, notes = _merge(clauses, "empty" if is_exempt else None)
        items = rules.repeated.items
        if items.ignore == IGNORE_ALWAYS:
            return FieldFacts(outer_keywords=outer_keywords, notes=notes, is_unchecked=True)
        inner = self._read_element(items, field, "item")
        return FieldFacts(
            keywords=inner.keywords,
            outer_keywords=outer_keywords,
            notes=(*notes, *inner.notes),
            value=inner.value,
        )

    def _read_map(self, rules: RuleMessage, entry: Descriptor, *, is_exempt: bool, excludes_zero: bool) -> FieldFacts:
        clauses = list_map_clauses(rules, self._rules, excludes_empty=excludes_zero)
        outer_keywords, notes = _merge(clauses, "empty" if is_exempt else None)
        key, value = entry.fields_by_number[1], entry.fields_by_number[2]
        keys, values = rules.map.keys, rules.map.values
        if keys.ignore != IGNORE_ALWAYS:
            named = self._read_element(keys, key, "key")
            outer_keywords = {**outer_keywords, **name_keys(named.keywords, key)}
            notes = (*notes, *named.notes)
        if values.ignore == IGNORE_ALWAYS:
            return FieldFacts(outer_keywords=outer_keywords, notes=notes, is_unchecked=True)
        inner = self._read_element(values, value, "value")
        return FieldFacts(
            keywords=inner.keywords,
            outer_keywords=outer_keywords,
            notes=(*notes, *inner.notes),
            value=inner.value,
        )

    def _read_element(self, rules: RuleMessage, value: FieldDescriptor, what: str) -> FieldFacts:
        """The rules of each item, key or value; empty ones say nothing. Elements are never absent."""
        is_exempt = rules.ignore == IGNORE_IF_ZERO_VALUE
        read = self._values.read(rules, value, allows_zero=is_exempt)
        clauses = list_key_clauses(read.clauses, value) if what == "key" else read.clauses
        keywords, notes = _merge(clauses, tell_zero(find_kind(value)) if is_exempt else None)
        return FieldFacts(keywords=keywords, notes=tuple(f"each {what}: {note}" for note in notes), value=read.part)


def _merge(clauses: Iterable[Clause], exempt: str | None) -> tuple[dict[str, object], tuple[str, ...]]:
    return merge_clauses(clauses) if exempt is None else merge_leniently(clauses, exempt)


def is_kept_finite(rules: Rules, field: FieldDescriptor) -> bool:
    """Whether a rule keeps the field's numbers finite, so that they are numbers in results and nothing else."""
    own = rules.find_field_rules(field)
    if own is None or own.ignore == IGNORE_ALWAYS:
        return False
    entry = find_map_entry(field)
    if entry is not None:
        return is_finite(own.map.values, entry.fields_by_number[2])
    return is_finite(own.repeated.items if field.is_repeated else own, field)
