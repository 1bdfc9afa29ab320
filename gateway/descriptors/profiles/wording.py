"""What a keyword that a provider does not take says, in words for the description.

A model then reads what its grammar cannot hold it to; the value gate holds it to that.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from gateway.contract.quoting import one_line
from gateway.descriptors.profiles.profile import Profile
from gateway.descriptors.schema.dialect import LIMIT_DESCRIPTION

_LIMIT_WORDS = 160
_NOTHING = ""


def describe_with(description: str, notes: tuple[str, ...]) -> str:
    """A description with notes behind it, as one bounded line."""
    said = "; ".join(note for note in dict.fromkeys(notes) if note and note not in description)
    return one_line(f"{description} ({said})" if description and said else description or said, LIMIT_DESCRIPTION)


def list_lost(schema: Mapping[str, Any], profile: Profile) -> Iterator[tuple[str, str]]:
    """The keywords that can be left out of a schema and must be, each with the words that say the same ("": none).

    A keyword that words cannot stand for stays: it is for the profile's limits to refuse.
    """
    for keyword, value in schema.items():
        word = _WORDS.get(keyword)
        if word is not None and not _is_taken(keyword, value, profile):
            yield keyword, one_line(word(value), _LIMIT_WORDS)


def _is_taken(keyword: str, value: Any, profile: Profile) -> bool:
    if keyword == "format":
        return value in profile.formats
    if keyword == "minItems" and profile.least_items is not None:
        return value in profile.least_items
    return keyword in profile.keywords


def _say_nothing(_: Any) -> str:
    return _NOTHING


def _say_names(schema: Any) -> str:
    match schema:
        case {"enum": list(names)}:
            return f"keys are {', '.join(map(str, names))}"
        case {"pattern": str(pattern)}:
            return f"keys match {pattern}"
        case _:
            return _NOTHING


_WORDS: Mapping[str, Callable[[Any], str]] = MappingProxyType(
    {
        "$comment": _say_nothing,
        "$schema": _say_nothing,
        "const": lambda value: f"always {value}",
        "contentEncoding": lambda value: f"in {value}",
        "default": lambda value: f"{value} where it is not given",
        "deprecated": lambda value: "deprecated" if value else _NOTHING,
        "examples": _say_nothing,
        "exclusiveMaximum": lambda value: f"below {value}",
        "exclusiveMinimum": lambda value: f"above {value}",
        "format": lambda value: f"format {value}",
        "maxItems": lambda value: f"at most {value} items",
        "maxLength": lambda value: f"at most {value} characters",
        "maxProperties": lambda value: f"at most {value} entries",
        "maximum": lambda value: f"at most {value}",
        "minItems": lambda value: f"at least {value} items" if value else _NOTHING,
        "minLength": lambda value: f"at least {value} characters" if value else _NOTHING,
        "minProperties": lambda value: f"at least {value} entries" if value else _NOTHING,
        "minimum": lambda value: f"at least {value}",
        "multipleOf": lambda value: f"a multiple of {value}",
        "pattern": lambda value: f"matches {value}",
        "propertyNames": _say_names,
        "title": _say_nothing,
        "uniqueItems": lambda value: "no item twice" if value else _NOTHING,
        "x-mcp-header": _say_nothing,
    }
)
