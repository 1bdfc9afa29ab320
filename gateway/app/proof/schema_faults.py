"""What is wrong with a published schema as it stands, judged against docs/schemas.md without trying it on any value.

This module must never know how a schema is made: it reads the finished JSON, as a model provider does.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from gateway.app.proof.findings import Law
from gateway.contract.distilled import make_pointer
from gateway.contract.quoting import quote
from gateway.contract.validation import SchemaValidator
from gateway.descriptors.schema.dialect import FORMATS, KEYWORDS, Direction

Fault = tuple[Law, str]

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
# Model providers refuse a whole request over one tool whose root has more than these.
_ROOT_KEYWORDS = frozenset({"$defs", "additionalProperties", "description", "properties", "required", "type"})
# What only one direction has, by docs/protobuf.md.
_ELSEWHERE: Mapping[Direction, frozenset[str]] = MappingProxyType(
    {
        Direction.INPUT: frozenset({"anyOf", "deprecated"}),
        Direction.OUTPUT: frozenset(
            {
                *("exclusiveMaximum", "exclusiveMinimum", "maxItems", "maxLength", "maxProperties"),
                *("minItems", "minLength", "minProperties", "propertyNames", "uniqueItems"),
            }
        ),
    }
)
_SAFE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
# ProtoJSON's own key of an Any: no provider's rule reaches below the root of the arguments there.
_TYPE_KEY = "@type"
_REFERENCE = "#/$defs/"

# Where schemas stand within a schema: alone, in a list, or by name.
_ONE = ("additionalProperties", "items", "propertyNames")
_SEVERAL = ("anyOf",)
_NAMED = ("properties", "$defs")


def find_schema_faults(schema: Mapping[str, Any], direction: Direction) -> Iterator[Fault]:
    """Every fault of one whole schema, with the JSON pointer of its place in it."""
    try:
        SchemaValidator(schema)
    except ValueError as error:
        yield Law.SCHEMA_COMPILES, str(error)
    if direction is Direction.INPUT:
        yield from _judge_root(schema)
    elif schema.get("type") != "object":
        yield Law.SCHEMA_ROOT, "the result is structured, but its schema is not that of an object"
    definitions = _get_named(schema, "$defs")
    used: set[str] = set()
    for path, part in _walk(schema):
        at = make_pointer(path) or "the root"
        if not isinstance(part, Mapping):
            if path and path[-1] == "additionalProperties" and isinstance(part, bool):
                continue
            yield Law.SCHEMA_COMPILES, f"{at} is no schema"
            continue
        for law, detail in _judge(part, direction, is_root=not path):
            yield law, f"{at} {detail}"
        if "$ref" in part:
            name = str(part["$ref"]).removeprefix(_REFERENCE)
            used.add(name)
            if part["$ref"] != f"{_REFERENCE}{name}" or name not in definitions:
                yield Law.SCHEMA_REFERENCES, f"{at} refers to {quote(part['$ref'])}, which is nowhere"
    for name in definitions:
        if name not in used:
            yield Law.SCHEMA_REFERENCES, f"nothing refers to /$defs/{name}"


def _walk(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), schema)]
    while pending:
        path, part = pending.pop()
        yield path, part
        if not isinstance(part, Mapping):
            continue
        pending += [((*path, keyword), part[keyword]) for keyword in _ONE if keyword in part]
        for keyword in _SEVERAL:
            pending += [((*path, keyword, index), inner) for index, inner in enumerate(part.get(keyword, ()))]
        for keyword in _NAMED:
            pending += [((*path, keyword, name), inner) for name, inner in _get_named(part, keyword).items()]


def _get_named(part: Mapping[str, Any], keyword: str) -> Mapping[str, Any]:
    """The schemas that stand there by name; what is none of these does not compile, which is found elsewhere."""
    named = part.get(keyword)
    return named if isinstance(named, Mapping) else {}


def _judge_root(schema: Mapping[str, Any]) -> Iterator[Fault]:
    if schema.get("type") != "object":
        yield Law.SCHEMA_ROOT, f"the root has the type {quote(schema.get('type'))}"
    if not isinstance(schema.get("properties"), Mapping):
        yield Law.SCHEMA_ROOT, "the root has no properties"
    if not isinstance(schema.get("additionalProperties"), bool):
        yield Law.SCHEMA_ROOT, "the root does not say whether there may be other properties"
    for keyword in sorted(schema.keys() - _ROOT_KEYWORDS):
        yield Law.SCHEMA_ROOT, f"the root has {quote(keyword)}"


def _judge(part: Mapping[str, Any], direction: Direction, *, is_root: bool) -> Iterator[Fault]:
    unknown = sorted(part.keys() - KEYWORDS | part.keys() & _ELSEWHERE[direction])
    if unknown:
        yield Law.SCHEMA_KEYWORDS, f"has {', '.join(map(quote, unknown))}"
    if "$ref" in part and len(part) > 1:
        yield Law.SCHEMA_KEYWORDS, "has more beside its $ref"
    if "type" in part and not _is_one_of(part["type"], _TYPES):
        yield Law.SCHEMA_KEYWORDS, f"has the type {quote(part['type'])}"
    if "format" in part and not _is_one_of(part["format"], FORMATS):
        yield Law.SCHEMA_KEYWORDS, f"has the format {quote(part['format'])}"
    if "pattern" in part and not _is_portable(part["pattern"]):
        yield Law.SCHEMA_KEYWORDS, f"has the pattern {quote(part['pattern'])}, which not every reader knows"
    if "enum" in part and (not part["enum"] or len(set(map(repr, part["enum"]))) < len(part["enum"])):
        yield Law.SCHEMA_KEYWORDS, "has an enum that is empty or names a value twice"
    properties = _get_named(part, "properties")
    missing = [name for name in part.get("required", ()) if name not in properties]
    if missing:
        yield Law.SCHEMA_KEYWORDS, f"requires {quote(missing[0])} and does not describe it"
    if direction is Direction.INPUT:
        for name in properties:
            if not _SAFE_KEY.fullmatch(name) and (is_root or name != _TYPE_KEY):
                yield Law.SCHEMA_KEYS, f"has the property {quote(name)}"


def _is_one_of(value: Any, names: frozenset[str]) -> bool:
    return isinstance(value, str) and value in names


def _is_portable(pattern: Any) -> bool:
    """Whether ECMA-262, RE2 and Python read the pattern alike, as far as Python can tell: it compiles here."""
    try:
        re.compile(pattern)
    except (re.error, TypeError):
        return False
    return True
