"""Rules about lists and maps as a whole, and about the keys of maps."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from gateway.descriptors.schema.rules.validation.clauses import Clause, exact, said
from gateway.descriptors.schema.rules.validation.texts import LIMIT_LENGTH
from gateway.descriptors.schema.rules.validation.values import list_expressions
from gateway.descriptors.schema.types.scalars import MAP_KEYS
from gateway.descriptors.validation.rules import Rules
from gateway.descriptors.validation.vocabulary import RuleMessage


def list_list_clauses(rules: RuleMessage, predefined: Rules, *, excludes_empty: bool) -> Iterator[Clause]:
    """The clauses of a list's own rules (RepeatedRules). `excludes_empty`: an empty one is known to break them."""
    own = rules.repeated
    yield from _list_sizes(own.min_items, own.max_items, "items", "Items", excludes_empty=excludes_empty)
    if own.unique:
        yield exact("no item twice", {"uniqueItems": True})
    yield from map(said, predefined.list_predefined(own))
    yield from list_expressions(rules)


def list_map_clauses(rules: RuleMessage, predefined: Rules, *, excludes_empty: bool) -> Iterator[Clause]:
    """The same of a map's (MapRules)."""
    own = rules.map
    yield from _list_sizes(own.min_pairs, own.max_pairs, "entries", "Properties", excludes_empty=excludes_empty)
    yield from map(said, predefined.list_predefined(own))
    yield from list_expressions(rules)


def _list_sizes(least: int, most: int, what: str, keyword: str, *, excludes_empty: bool) -> Iterator[Clause]:
    least = max(least, 1) if excludes_empty else least
    if least:
        yield exact(f"at least {least} {what}", {f"min{keyword}": least})
    if 0 < most < LIMIT_LENGTH:
        yield exact(f"at most {most} {what}", {f"max{keyword}": most})


def list_key_clauses(clauses: Iterable[Clause], key: FieldDescriptor) -> Iterator[Clause]:
    """The clauses of a map's keys for the schema of their names: in JSON every key is a string."""
    for clause in clauses:
        if key.type == FieldDescriptor.TYPE_STRING or not clause.keywords:
            yield clause
        elif clause.keywords.keys() == {"enum"}:
            yield exact(clause.text, {"enum": [str(value).lower() for value in clause.keywords["enum"]]})
        else:
            yield said(clause.text)


def name_keys(keywords: Mapping[str, Any], key: FieldDescriptor) -> Mapping[str, Any]:
    """The keyword of a map that holds these keywords of its keys, and those of their type."""
    if not keywords:
        return {}
    return {"propertyNames": {**MAP_KEYS[key.type].schema.get("propertyNames", {}), **keywords}}
