"""Which arguments a tool's input schema says are mirrored in `Mcp-Param-*` headers, and whether it may say so.

Clients drop a tool with an annotation that they must not accept, so such a one is left out and told, and the tool
stays. Source: MCP 2026-07-28, Streamable HTTP, "Custom Headers from Tool Parameters". This module knows JSON Schema and
no protobuf.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.contract.quoting import quote

ANNOTATION = "x-mcp-header"

TYPES = ("string", "integer", "boolean")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # RFC 9110 section 5.6.2

# Where schemas stand within a schema (JSON Schema 2020-12, core, section 10, and what came before it).
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_SINGLE = frozenset(
    {
        *("items", "additionalItems", "unevaluatedItems", "contains"),
        *("additionalProperties", "unevaluatedProperties", "propertyNames"),
        *("not", "if", "then", "else", "contentSchema"),
    }
)

_BAD_NAME = "its name must be letters, digits and !#$%&'*+-.^_`|~ alone"
_NO_TYPE = f"only a {', '.join(TYPES[:-1])} or {TYPES[-1]} can be mirrored"
_NO_CHAIN = "it does not stand on a property that is reached from the root by properties alone"
_DOUBLE = "another argument has the same header; upper and lower case do not tell them apart"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderAnnotation:
    """One annotation. `path` are the property names that lead to it, as far as there are any; `kind` is the type there.

    `fault` says why it is not legal, None where it is. `owner` is the schema that it stands in.
    """

    path: tuple[str, ...]
    name: Any
    kind: Any
    owner: Mapping[str, Any]
    fault: str | None


def find_annotations(schema: Any) -> tuple[HeaderAnnotation, ...]:
    """Every annotation in an input schema, in the schema's order."""
    found = list(_walk(schema, (), is_chain=True))
    names = Counter(one.name.lower() for one in found if one.fault is None)
    return tuple(_judge_name(one, names) for one in found)


def drop_illegal_annotations(
    schema: dict[str, Any], is_sensitive: Callable[[tuple[str, ...]], bool] = lambda _path: False
) -> tuple[str, ...]:
    """Takes the annotations that are not legal out of a schema, in place; a line for each.

    What is sensitive (by its path) must not be mirrored either: headers are seen and logged under way.
    """
    faults: list[str] = []
    for one in find_annotations(schema):
        fault = one.fault
        if fault is None and is_sensitive(one.path):
            fault = "the argument is sensitive, and headers are seen and logged under way"
        if fault is not None:
            del one.owner[ANNOTATION]  # type: ignore[attr-defined] # a part of the caller's own schema
            where = quote(".".join(one.path)) if one.path else "an argument"
            faults.append(f"the header {quote(one.name)} of {where} is left out: {fault}")
    return tuple(faults)


def annotate(schema: dict[str, Any], path: tuple[str, ...], name: str) -> bool:
    """Adds an annotation to the property at that path, in place; False where the schema has no such property."""
    owner: Any = schema
    for step in path:
        properties = owner.get("properties") if isinstance(owner, dict) else None
        owner = properties.get(step) if isinstance(properties, dict) else None
    if not isinstance(owner, dict):
        return False
    owner[ANNOTATION] = name
    return True


def _walk(schema: Any, path: tuple[str, ...], *, is_chain: bool) -> Iterator[HeaderAnnotation]:
    if not isinstance(schema, Mapping):
        return
    if ANNOTATION in schema:
        name, kind = schema[ANNOTATION], schema.get("type")
        yield HeaderAnnotation(
            path=path,
            name=name,
            kind=kind,
            owner=schema,
            fault=_find_fault(name, kind, is_chain=is_chain and path != ()),
        )
    for keyword, member in schema.items():
        if keyword in _MAPS and isinstance(member, Mapping):
            for key, value in member.items():
                inside = is_chain and keyword == "properties"
                yield from _walk(value, (*path, key) if inside else path, is_chain=inside)
        elif keyword in _LISTS and isinstance(member, list):
            for value in member:
                yield from _walk(value, path, is_chain=False)
        elif keyword in _SINGLE:
            yield from _walk(member, path, is_chain=False)


def _find_fault(name: Any, kind: Any, *, is_chain: bool) -> str | None:
    if not (isinstance(name, str) and _TOKEN.fullmatch(name)):
        return _BAD_NAME
    if not is_chain:
        return _NO_CHAIN
    return None if kind in TYPES else _NO_TYPE


def _judge_name(one: HeaderAnnotation, names: Mapping[str, int]) -> HeaderAnnotation:
    if one.fault is not None or names[one.name.lower()] == 1:
        return one
    return HeaderAnnotation(path=one.path, name=one.name, kind=one.kind, owner=one.owner, fault=_DOUBLE)
