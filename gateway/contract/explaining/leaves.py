"""The words of keywords that judge one value by itself: types, constants, bounds, lengths, patterns.

The verdict on each is the native validator's; only the words are made here.
"""

from collections.abc import Callable, Mapping
from typing import Any

from jsonschema import ValidationError

from gateway.contract.explaining.descent import Causes, Judge, fits
from gateway.contract.nearest_names import find_nearest_name
from gateway.contract.quoting import escape_name, quote

# Characters of allowed values that one line may show.
LIMIT_ENUM_SHOWN = 90

_TYPE_WORDS: Mapping[str, str] = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "array": "an array",
    "object": "an object",
    "null": "null",
}


def type_words(limit: Any, value: Any) -> str:
    """What `type` asks for: one name or several."""
    names = [limit] if isinstance(limit, str) else limit
    words = [_TYPE_WORDS.get(name, name) for name in names]
    listed = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)
    return f"must be {listed}, got {quote(value)}"


def enum_words(allowed: Any, value: Any) -> str:
    """What `enum` or `const` asks for: as many of the allowed values as fit, and the nearest one to a string."""
    if len(allowed) == 1:
        return f"must be {quote(allowed[0])}, got {quote(value)}"
    shown: list[str] = []
    room = LIMIT_ENUM_SHOWN
    for item in map(quote, allowed):
        room -= len(item)
        if room < 0 and shown:
            break
        shown.append(item)
    rest = f" and {len(allowed) - len(shown)} more" if len(shown) < len(allowed) else ""
    nearest = find_nearest_name(value, filter(_is_text, allowed)) if isinstance(value, str) else None
    hint = f"; did you mean {quote(nearest)}?" if nearest is not None else ""
    return f"must be one of {', '.join(shown)}{rest}, got {quote(value)}{hint}"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def count_words(number: int, noun: str) -> str:
    """ "1 item", "2 items"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _size_words(bound: str, noun: str) -> Callable[[Any, Any], str]:
    return lambda limit, value: f"must have {bound} {count_words(limit, noun)}, has {len(value)}"


_WORDS: Mapping[str, Callable[[Any, Any], str]] = {
    "type": type_words,
    "enum": enum_words,
    "const": lambda limit, value: enum_words([limit], value),
    "minimum": lambda limit, value: f"must be at least {quote(limit)}, got {quote(value)}",
    "maximum": lambda limit, value: f"must be at most {quote(limit)}, got {quote(value)}",
    "exclusiveMinimum": lambda limit, value: f"must be more than {quote(limit)}, got {quote(value)}",
    "exclusiveMaximum": lambda limit, value: f"must be less than {quote(limit)}, got {quote(value)}",
    "multipleOf": lambda limit, value: f"must be a multiple of {quote(limit)}, got {quote(value)}",
    "pattern": lambda limit, value: f"must match `{escape_name(limit)}`, got {quote(value)}",
    "minLength": _size_words("at least", "character"),
    "maxLength": _size_words("at most", "character"),
    "minItems": _size_words("at least", "item"),
    "maxItems": _size_words("at most", "item"),
    "minProperties": _size_words("at least", "member"),
    "maxProperties": _size_words("at most", "member"),
    "uniqueItems": lambda _limit, _value: "must not hold the same item twice",
}


def _make_judge(keyword: str, words: Callable[[Any, Any], str]) -> Judge:
    def judge(validator: Any, limit: Any, value: Any, schema: Any) -> Causes:
        if not fits(keyword, limit, value):
            yield ValidationError(words(limit, value))

    return judge


LEAVES: Mapping[str, Judge] = {keyword: _make_judge(keyword, words) for keyword, words in _WORDS.items()}
