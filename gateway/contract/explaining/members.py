"""The keywords about the members of an object or the items of an array.

A cause about a member that is not there, or ought not to be, carries that member's name as its path.
"""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from gateway.contract.explaining.descent import Causes, Judge, descend, fits
from gateway.contract.explaining.leaves import count_words
from gateway.contract.nearest_names import find_nearest_name
from gateway.contract.quoting import escape_name


def _properties(validator: Any, properties: Any, value: Any, schema: Any) -> Causes:
    if isinstance(value, dict):
        for name, subschema in properties.items():
            if name in value:
                yield from descend(validator, value[name], subschema, path=name, schema_path=name)


def _pattern_properties(validator: Any, patterns: Any, value: Any, schema: Any) -> Causes:
    if isinstance(value, dict):
        for pattern, subschema in patterns.items():
            for name in value:
                if fits("pattern", pattern, name):
                    yield from descend(validator, value[name], subschema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, subschema: Any, value: Any, schema: Any) -> Causes:
    if not isinstance(value, dict) or subschema is True or subschema == {}:
        return
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    for name in value:
        if name in known or any(fits("pattern", pattern, name) for pattern in patterns):
            continue
        if subschema is False:
            validator.format_checker.spend()
            nearest = find_nearest_name(name, known)
            hint = f"; did you mean `{escape_name(nearest)}`?" if nearest is not None else ""
            yield ValidationError(f"is not a known name{hint}", path=[name])
        else:
            yield from descend(validator, value[name], subschema, path=name)


def _property_names(validator: Any, subschema: Any, value: Any, schema: Any) -> Causes:
    if isinstance(value, dict):
        for name in value:
            for cause in descend(validator, name, subschema):
                yield ValidationError(f"its name {cause.message}", path=[name])


def _required(validator: Any, names: Any, value: Any, schema: Any) -> Causes:
    if isinstance(value, dict):
        for name in names:
            if name not in value:
                yield ValidationError("is required", path=[name])


def _dependent_required(validator: Any, dependents: Any, value: Any, schema: Any) -> Causes:
    if isinstance(value, dict):
        for name, others in dependents.items():
            for other in others if name in value else ():
                if other not in value:
                    yield ValidationError(f"is required where `{escape_name(name)}` is given", path=[other])


def _items(validator: Any, subschema: Any, value: Any, schema: Any) -> Causes:
    if not isinstance(value, list):
        return
    # Before 2020-12 `items` may be an array of schemas, one for each position, as `prefixItems` is since.
    if isinstance(subschema, list):
        yield from _prefix_items(validator, subschema, value, schema)
        return
    for index in range(len(schema.get("prefixItems", ())), len(value)):
        yield from descend(validator, value[index], subschema, path=index)


def _prefix_items(validator: Any, subschemas: Any, value: Any, schema: Any) -> Causes:
    if isinstance(value, list):
        for index, (item, subschema) in enumerate(zip(value, subschemas, strict=False)):
            yield from descend(validator, item, subschema, path=index, schema_path=index)


def _contains(validator: Any, subschema: Any, value: Any, schema: Any) -> Causes:
    if not isinstance(value, list):
        return
    least, most = schema.get("minContains", 1), schema.get("maxContains", len(value))
    matching = sum(1 for item in value if not any(True for _ in descend(validator, item, subschema)))
    if matching < least:
        yield ValidationError(f"must hold at least {count_words(least, 'item')} of the wanted kind, holds {matching}")
    elif matching > most:
        yield ValidationError(f"must hold at most {count_words(most, 'item')} of the limited kind, holds {matching}")


def _unevaluated(keyword: str, text: str) -> Judge:
    stock = Draft202012Validator.VALIDATORS[keyword]

    def judge(validator: Any, subschema: Any, value: Any, schema: Any) -> Causes:
        if any(True for _ in stock(validator, subschema, value, schema) or ()):
            yield ValidationError(text)

    return judge


MEMBERS: Mapping[str, Judge] = {
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "required": _required,
    "dependentRequired": _dependent_required,
    "items": _items,
    "prefixItems": _prefix_items,
    "contains": _contains,
    "unevaluatedProperties": _unevaluated("unevaluatedProperties", "has properties that are not known"),
    "unevaluatedItems": _unevaluated("unevaluatedItems", "has items that are not known"),
}
