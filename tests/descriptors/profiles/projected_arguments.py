"""Random arguments that keep to a schema in a profile's form, as hypothesis strategies."""

from collections.abc import Mapping
from typing import Any

import orjson
from hypothesis import strategies as st

LIMIT_LEVELS = 5
CUT = "nested too deep to be described again"

_NAMES = st.text(alphabet="aZ_09é$.~/", min_size=1, max_size=5)
_TEXTS = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=5)
_SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _TEXTS
_JSON = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=2), max_leaves=4
)
_OBJECTS = st.dictionaries(_NAMES, _JSON, max_size=2)
_ANYS = st.just({"@type": "type.googleapis.com/google.protobuf.Empty", "value": {}})


def projected_arguments(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """JSON that the schema takes; texts of JSON are such texts, as their descriptions ask, and what is cut is empty."""

    @st.composite
    def draw_arguments(draw: st.DrawFn) -> Any:
        return _Drawing(draw, schema.get("$defs", {})).draw(schema, LIMIT_LEVELS)

    return draw_arguments()


class _Drawing:
    def __init__(self, draw: st.DrawFn, definitions: Mapping[str, Any]) -> None:
        self._draw = draw
        self._definitions = definitions

    def draw(self, schema: Mapping[str, Any], levels: int) -> Any:
        if "$ref" in schema:
            schema = self._definitions[schema["$ref"].removeprefix("#/$defs/")]
        if "anyOf" in schema:
            branches = schema["anyOf"]
            return self.draw(branches[-1] if levels < 1 else self._draw(st.sampled_from(branches)), levels)
        kinds = schema.get("type")
        if isinstance(kinds, list):
            if levels < 1 or self._draw(st.booleans()):
                return None
            return self.draw({**schema, "type": kinds[0]}, levels)
        if "enum" in schema:
            return self._draw(st.sampled_from([value for value in schema["enum"] if value is not None]))
        match kinds:
            case "object":
                return self._draw_object(schema, levels)
            case "array":
                least = schema.get("minItems", 0)
                count = self._draw(st.integers(least, least + 2)) if levels > 0 else least
                items = [self.draw(schema["items"], levels - 1) for _ in range(count)]
                return _drop_doubles(items)
            case "string":
                return self._draw_string(schema)
            case "integer":
                return self._draw(st.integers(schema.get("minimum", -9), schema.get("maximum", 9)))
            case "number":
                return self._draw(st.floats(allow_nan=False, allow_infinity=False, width=32))
            case "boolean":
                return self._draw(st.booleans())
            case "null":
                return None
            case _:
                return self._draw(_JSON)

    def _draw_object(self, schema: Mapping[str, Any], levels: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        optional = [name for name in properties if name not in required]
        chosen = list(required)
        if optional and levels > 0:
            chosen += self._draw(st.lists(st.sampled_from(optional), max_size=4, unique=True))
        members = {name: self.draw(properties[name], levels - 1) for name in chosen}
        others = schema.get("additionalProperties", True)
        if CUT in schema.get("description", ""):
            return members
        if "@type" in schema.get("description", ""):
            return members | self._draw(_ANYS)
        if others is True:
            return members | self._draw(_OBJECTS)
        if others and levels > 0:
            keys = self._draw(st.lists(_draw_keys(schema.get("propertyNames", {})), max_size=2, unique=True))
            members |= {key: self.draw(others, levels - 1) for key in keys}
        return members

    def _draw_string(self, schema: Mapping[str, Any]) -> str:
        said = schema.get("description", "")
        if CUT in said:
            return "{}"
        if "any JSON value as its text" in said:
            return orjson.dumps(self._draw(_JSON)).decode()
        if "a JSON object as its text" in said or "the text of one JSON object" in said:
            return orjson.dumps(self._draw(_ANYS if "@type" in said else _OBJECTS)).decode()
        if "pattern" in schema:
            return self._draw(st.from_regex(schema["pattern"].replace("$", r"\Z")))
        return self._draw(_TEXTS)


def _draw_keys(names: Mapping[str, Any]) -> st.SearchStrategy[str]:
    if "enum" in names:
        return st.sampled_from(names["enum"])
    return st.from_regex(names["pattern"].replace("$", r"\Z")) if "pattern" in names else _NAMES


def _drop_doubles(items: list[Any]) -> list[Any]:
    """The items; of entries of a map those alone whose keys are new."""
    keys: set[str] = set()
    kept = []
    for item in items:
        key = item.get("key") if isinstance(item, dict) and item.keys() == {"key", "value"} else None
        if key is None or key not in keys:
            kept.append(item)
        keys.add(key)
    return kept
