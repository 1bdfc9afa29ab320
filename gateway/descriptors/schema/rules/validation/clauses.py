"""One rule about a value, in words and in keywords, and how several of them become one schema."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from gateway.contract.quoting import one_line

LIMIT_TEXT = 160
LIMIT_CHOICES = 200
"""More choices than these are told in words, as far as there is room; some providers refuse enums of 1,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One rule. `is_whole`: the keywords say all that the text says, so the text is not needed beside them."""

    text: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    is_whole: bool = False


def exact(text: str, keywords: Mapping[str, Any]) -> Clause:
    """A rule that the keywords say as well as the text."""
    return Clause(text=text, keywords=keywords, is_whole=True)


def partly(text: str, keywords: Mapping[str, Any]) -> Clause:
    """A rule of which the keywords say a part: they refuse nothing that the rule allows."""
    return Clause(text=text, keywords=keywords)


def said(text: str) -> Clause:
    """A rule that no keyword can say."""
    return Clause(text=text)


def choose(values: Sequence[Any], shown: Iterable[str]) -> Clause:
    """That the value is one of these; `shown` is how they are written in a text."""
    texts = list(shown)
    text = texts[0] if len(texts) == 1 else f"one of {', '.join(texts)}"
    return exact(text, {"enum": list(dict.fromkeys(values))}) if len(texts) <= LIMIT_CHOICES else said(text)


# Two rules for one keyword: the stricter one. A keyword that is not here holds one rule, and the next is told in words.
_STRICTER: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        **dict.fromkeys(("minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"), max),
        **dict.fromkeys(("maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"), min),
        "uniqueItems": lambda one, other: one or other,
        "enum": lambda one, other: [value for value in one if value in other],
    }
)


def merge_clauses(clauses: Iterable[Clause]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The keywords of all these rules, and the texts of those that the keywords do not say in full."""
    keywords: dict[str, Any] = {}
    notes: list[str] = []
    for clause in clauses:
        merged = _merge(keywords, clause.keywords)
        if merged is not None:
            keywords = merged
        if merged is None or not clause.is_whole:
            notes.append(one_line(clause.text, LIMIT_TEXT))
    if "enum" in keywords:
        keywords["enum"] = [value for value in keywords["enum"] if _is_within(value, keywords)] or keywords["enum"]
    return keywords, tuple(notes)


def _is_within(value: Any, keywords: Mapping[str, Any]) -> bool:
    """Whether a choice keeps the bounds beside it."""
    size = len(value) if isinstance(value, str) else value
    least, most = ("minLength", "maxLength") if isinstance(value, str) else ("minimum", "maximum")
    return bool(keywords.get(least, size) <= size <= keywords.get(most, size))


def _merge(keywords: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any] | None:
    """Both together, or None where they cannot stand together."""
    merged = dict(keywords)
    for keyword, value in more.items():
        if keyword not in merged:
            merged[keyword] = value
            continue
        choose_stricter = _STRICTER.get(keyword)
        stricter = choose_stricter(merged[keyword], value) if choose_stricter else None
        if stricter is None or stricter == []:
            return None
        merged[keyword] = stricter
    return merged


# Bounds that an empty value keeps in any case.
_HOLD_FOR_EMPTY = frozenset({"maxLength", "maxItems", "maxProperties", "uniqueItems"})


def merge_leniently(clauses: Iterable[Clause], exempt: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The same for rules from which one value, such as "empty", is exempt: words where a keyword would refuse it."""
    bounds: list[Clause] = []
    texts: list[str] = []
    for clause in clauses:
        if clause.is_whole and clause.keywords.keys() <= _HOLD_FOR_EMPTY:
            bounds.append(clause)
        else:
            texts.append(one_line(clause.text, LIMIT_TEXT))
    keywords, notes = merge_clauses(bounds)
    return keywords, (*notes, *([f"unless {exempt}: {', '.join(texts)}"] if texts else []))
