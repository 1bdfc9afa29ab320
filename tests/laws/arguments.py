"""Random JSON drawn from a published schema, and from near it, as hypothesis strategies.

Three manners: careful JSON keeps to the schema and to what its descriptions say, as a good caller does; literal JSON
keeps to the keywords alone; near JSON breaks them here and there.
"""

import base64
import enum
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hypothesis import strategies as st

LIMIT_LEVELS = 4

_TEXTS = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=6)
# Keys come back in JSON pointers, which show them printable.
_KEYS = st.text(alphabet="aZ_09-é.$", max_size=6)
_NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
_PLAIN = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | _NUMBERS | _TEXTS
_JSON = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=2),
    max_leaves=4,
)
_ODD = (
    _PLAIN
    | st.sampled_from(["1", "1_0", "+7", "007", "-0", "1e2", "1.5", "true", "NaN", "RED", "null", "é", "5s", "1.5.s"])
    | st.lists(_PLAIN, max_size=2)
    | st.dictionaries(_KEYS | st.sampled_from(["@type", "value", "1", "01"]), _PLAIN, max_size=2)
)
_TIMES = st.builds(
    "{}{}".format,
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 31)).map(datetime.isoformat),  # noqa: DTZ001
    st.sampled_from(["Z", "+05:30", "-11:00"]),
)
_DURATIONS = st.from_regex(r"\A-?[0-9]{1,11}(\.[0-9]{1,9})?s\Z")
_MASKS = st.lists(st.from_regex(r"\A[a-z]{1,4}([A-Z][a-z]{0,3}){0,2}\Z"), max_size=3).map(",".join)
_BASE64 = st.binary(max_size=6).flatmap(
    lambda data: st.sampled_from([base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode().rstrip("=")])
)
# What every backend that has an Any can read, and a type that it does not describe.
_ANY_URL = "type.googleapis.com/google.protobuf.Any"
_ANY = st.sampled_from(
    [
        {"@type": _ANY_URL, "value": {}},
        {"@type": _ANY_URL, "value": {"@type": _ANY_URL, "value": {}}},
        {"@type": "type.example.com/nobody.Knows", "value": "AAA="},
    ]
)
_ONE_OF = re.compile(r"at most one of ([\w, ]+)")
_SIZES = {"32-bit": (-(2**31), 2**31 - 1), "64-bit": (-(2**63), 2**63 - 1)}
_UNSIGNED_SIZES = {"32-bit": (0, 2**32 - 1), "64-bit": (0, 2**64 - 1)}


class Manner(enum.Enum):
    """How close to a schema the JSON keeps."""

    CAREFUL = "careful"
    LITERAL = "literal"
    NEAR = "near"


def arguments(schema: Mapping[str, Any], manner: Manner) -> st.SearchStrategy[Any]:
    """JSON drawn from a published input schema."""

    @st.composite
    def draw_arguments(draw: st.DrawFn) -> Any:
        return _Drawing(draw, schema, manner).draw_value(schema, LIMIT_LEVELS)

    return draw_arguments()


class _Drawing:
    """One drawing from one schema."""

    def __init__(self, draw: st.DrawFn, root: Mapping[str, Any], manner: Manner) -> None:
        self._draw = draw
        self._root = root
        self._careful = manner is Manner.CAREFUL
        self._near = manner is Manner.NEAR

    def draw_value(self, schema: Mapping[str, Any], levels: int) -> Any:
        if self._near and self._draw(st.integers(0, 11)) == 0:
            return self._draw(_ODD)
        if "$ref" in schema:
            schema = self._root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        if "enum" in schema:
            return self._draw(st.sampled_from(schema["enum"]))
        match schema.get("type"):
            case "object":
                return self._draw_object(schema, levels)
            case "array":
                count = self._draw(st.integers(0, 2)) if levels > 0 else 0
                return [self.draw_value(schema["items"], levels - 1) for _ in range(count)]
            case "string":
                return self._draw_string(schema)
            case "integer":
                return self._draw_integer(schema)
            case "number":
                width = 32 if self._careful and "32-bit" in schema.get("description", "") else 64
                return self._draw(st.integers(-9, 9) | st.floats(width=width, allow_nan=False, allow_infinity=False))
            case "boolean":
                return self._draw(st.booleans())
            case "null":
                return None
            case _:
                return self._draw(_JSON)

    def _draw_object(self, schema: Mapping[str, Any], levels: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        if self._careful and "@type" in properties:
            return dict(self._draw(_ANY))
        chosen = self._choose(schema, properties, levels)
        members = {name: self.draw_value(properties[name], levels - 1) for name in chosen}
        others = schema.get("additionalProperties")
        if others is True:
            members.update(self._draw(st.dictionaries(_KEYS, _JSON, max_size=2)))
        elif isinstance(others, dict) and levels > 0:
            keys = self._draw(st.lists(self._get_keys(schema), max_size=2, unique=True))
            members.update({key: self.draw_value(others, levels - 1) for key in keys})
        if self._near and self._draw(st.integers(0, 11)) == 0:
            members[self._draw(_KEYS)] = self._draw(_ODD)
        return members

    def _choose(self, schema: Mapping[str, Any], properties: Mapping[str, Any], levels: int) -> list[str]:
        required = schema.get("required", [])
        if self._near and self._draw(st.integers(0, 11)) == 0:
            required = required[1:]
        optional = [name for name in properties if name not in required]
        if levels < 1 or not optional:
            return list(required)
        chosen = [*required, *self._draw(st.lists(st.sampled_from(optional), max_size=5, unique=True))]
        if not self._careful:
            return chosen
        said = [schema.get("description", ""), *(inner.get("description", "") for inner in properties.values())]
        oneofs = {names for text in said for names in _ONE_OF.findall(text)}
        for oneof in oneofs:
            members = [name for name in chosen if name in oneof.split(", ")]
            chosen = [name for name in chosen if name not in members[1:]]
        return chosen

    def _get_keys(self, schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
        keys = schema.get("propertyNames", {})
        if "enum" in keys:
            return st.sampled_from(keys["enum"])
        if "pattern" not in keys or (self._near and self._draw(st.booleans())):
            return _KEYS
        if not self._careful:
            return st.from_regex(keys["pattern"].replace("$", r"\Z"))
        return st.integers(*_find_range(schema["description"])).map(str)

    def _draw_string(self, schema: Mapping[str, Any]) -> str:
        description = schema.get("description", "")
        texts = _TEXTS
        if "pattern" in schema and not self._careful:
            texts = st.from_regex(schema["pattern"].replace("$", r"\Z"))
        elif "64-bit" in description:
            texts = st.integers(*_find_range(description)).map(str)
        elif "pattern" in schema:
            texts = _DURATIONS
        elif schema.get("format") == "date-time":
            texts = _TIMES if self._careful else _TIMES | _TEXTS
        elif "contentEncoding" in schema:
            texts = _BASE64 if self._careful else _BASE64 | _TEXTS
        elif "camelCase paths" in description:
            texts = _MASKS if self._careful else _MASKS | _TEXTS
        return self._draw(texts)

    def _draw_integer(self, schema: Mapping[str, Any]) -> int | float:
        low, high = schema["minimum"], schema["maximum"]
        number = self._draw(st.sampled_from([low, high, 0]) | st.integers(low, high))
        if self._near and self._draw(st.integers(0, 5)) == 0:
            number += self._draw(st.sampled_from([1, -1]))
        return float(number) if self._draw(st.integers(0, 9)) == 0 else number


def _find_range(description: str) -> tuple[int, int]:
    sizes = _UNSIGNED_SIZES if "unsigned" in description else _SIZES
    return next(bounds for name, bounds in sizes.items() if name in description)
