"""Whether a tool, in a profile's form, keeps to what its provider states; and a request's tools together.

What is counted is counted from the schema as it is listed, so that nothing is taken on trust from the projection.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gateway.contract.quoting import quote
from gateway.descriptors.profiles.profile import Limits, Profile, References
from gateway.descriptors.profiles.references import find_target, iterate_targets, list_circles

_LIMIT_FAULTS = 5
_COMBINATORS = ("anyOf", "oneOf", "allOf", "not", "enum", "$ref", "const")
_DEEP = 1000


@dataclass(slots=True)
class Counts:
    """How much of each thing there is in a schema."""

    properties: int = 0
    levels: int = 0
    named_characters: int = 0
    enum_values: int = 0
    optional: int = 0
    unions: int = 0
    faults: list[str] = field(default_factory=list)


def find_faults(name: str, schema: Mapping[str, Any], profile: Profile) -> tuple[str, ...]:
    """Every reason why a tool of this name with this input schema cannot be listed in the profile; none: it can."""
    limits = profile.limits
    counts = count(schema, profile)
    faults = list(counts.faults)
    if limits.name.fullmatch(name) is None:
        faults.insert(0, f"its name does not match {limits.name.pattern}")
    faults += _compare(counts, limits)
    unique = list(dict.fromkeys(faults))
    hidden = len(unique) - _LIMIT_FAULTS
    return (*unique[:_LIMIT_FAULTS], *([f"and {hidden} more faults"] if hidden > 0 else []))


def find_list_warnings(schemas: Iterable[Mapping[str, Any]], profile: Profile) -> tuple[str, ...]:
    """What the tools together have more of than one request may: each of them can be used, but not all at once."""
    limits = profile.limits
    tools = optional = unions = 0
    for schema in schemas:
        counts = count(schema, profile)
        tools, optional, unions = tools + 1, optional + counts.optional, unions + counts.unions
    stated = (
        (tools, limits.tools, "tools"),
        (optional, limits.optional, "optional properties"),
        (unions, limits.unions, "properties of several types"),
    )
    return tuple(
        f"together the tools come to {number:,} {what}, and one request takes {limit:,}"
        for number, limit, what in stated
        if limit is not None and number > limit
    )


def count(schema: Mapping[str, Any], profile: Profile) -> Counts:
    """What there is in a schema in the profile's form, and what of it must not be there."""
    counts = Counts()
    if schema.get("type") != "object" or any(keyword in schema for keyword in _COMBINATORS):
        counts.faults.append("its arguments are no plain object")
    for part in _walk(schema):
        _count_part(part, counts, profile)
    definitions = schema.get("$defs", {})
    counts.named_characters += sum(map(len, definitions))
    counts.levels = _measure_levels(schema, definitions)
    counts.faults += _judge_circles(definitions, profile.references)
    return counts


def _compare(counts: Counts, limits: Limits) -> Iterator[str]:
    stated = (
        (counts.properties, limits.properties, "properties"),
        (counts.levels, limits.levels, "levels of objects"),
        (counts.named_characters, limits.named_characters, "characters of names and enum values"),
        (counts.enum_values, limits.enum_values, "enum values"),
        (counts.optional, limits.optional, "optional properties"),
        (counts.unions, limits.unions, "properties of several types"),
    )
    for number, limit, what in stated:
        if limit is not None and number > limit:
            yield f"it has {number:,} {what}, and the limit is {limit:,}"


def _count_part(part: Mapping[str, Any], counts: Counts, profile: Profile) -> None:
    unknown = part.keys() - profile.keywords
    counts.faults += (f"it uses {keyword}, which is not taken" for keyword in sorted(unknown))
    if "$ref" in part:
        counts.faults += _judge_reference(part, profile)
    if "enum" in part:
        _count_enum(part["enum"], counts, profile.limits)
    counts.unions += "anyOf" in part or isinstance(part.get("type"), list)
    if "format" in part and part["format"] not in profile.formats:
        counts.faults.append(f"it uses the format {quote(part['format'])}, which is not taken")
    kinds = part.get("type")
    if kinds == "object" or (isinstance(kinds, list) and "object" in kinds):
        _count_object(part, counts, profile)


def _count_object(part: Mapping[str, Any], counts: Counts, profile: Profile) -> None:
    properties = part.get("properties", {})
    required = set(part.get("required", ()))
    counts.properties += len(properties)
    counts.named_characters += sum(map(len, properties))
    counts.optional += len(properties.keys() - required)
    if profile.is_closed and part.get("additionalProperties") is not False:
        counts.faults.append("it has an object that is open")
    if profile.requires_all and properties.keys() - required:
        counts.faults.append("it has properties that are not required")
    key = profile.limits.key
    if key is not None:
        counts.faults += (
            f"its property {quote(name)} does not match {key.pattern}" for name in properties if not key.fullmatch(name)
        )


def _count_enum(values: list[Any], counts: Counts, limits: Limits) -> None:
    characters = sum(len(value) for value in values if isinstance(value, str))
    counts.enum_values += len(values)
    counts.named_characters += characters
    if limits.long_enum is not None:
        many, longest = limits.long_enum
        if len(values) > many and characters > longest:
            counts.faults.append(
                f"it has an enum of {len(values)} values with {characters:,} characters, and the limit is {longest:,}"
            )


def _judge_reference(part: Mapping[str, Any], profile: Profile) -> Iterator[str]:
    if profile.references is References.NONE:
        yield "it uses $ref, which is not taken"
    if part.keys() - {"$ref", "description"} or "description" in part:
        yield "it has keywords beside $ref"
    if find_target(part) is None:
        yield f"it refers to {quote(part['$ref'])}, which is none of its definitions"


def _judge_circles(definitions: Mapping[str, Any], references: References) -> Iterator[str]:
    circles = list_circles(definitions)
    if references is References.NO_CIRCLES and circles:
        yield f"it has definitions within themselves: {', '.join(sorted(circles)[:3])}"
    if references is not References.OPTIONAL_CIRCLES:
        return
    for name in sorted(circles):
        for part in _walk(definitions[name]):
            members = part.get("properties", {})
            needed = {target for one in part.get("required", ()) for target in iterate_targets(members.get(one))}
            if needed & circles:
                yield f"it requires a property that leads back to its own definition {quote(name)}"


def _walk(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every schema in a schema, itself the first; not what is data in it, such as the values of an enum."""
    pending: list[Any] = [schema]
    while pending:
        part = pending.pop()
        if not isinstance(part, Mapping):
            continue
        yield part
        for group in ("properties", "$defs"):
            members = part.get(group)
            pending += members.values() if isinstance(members, Mapping) else ()
        for group in ("anyOf", "oneOf", "allOf", "prefixItems"):
            members = part.get(group)
            pending += members if isinstance(members, list) else ()
        pending += [part.get(keyword) for keyword in ("items", "additionalProperties")]


def _measure_levels(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> int:
    """How many objects stand within one another; a circle is gone round once."""
    deepest = 0
    pending: list[tuple[Any, int, frozenset[str]]] = [(schema, 0, frozenset())]
    seen: dict[str, int] = {}
    while pending:
        part, level, above = pending.pop()
        if not isinstance(part, Mapping) or level > _DEEP:
            continue
        target = find_target(part)
        if target is not None:
            # A definition met before at the same level or deeper has nothing new to say.
            if target not in above and level > seen.get(target, -1):
                seen[target] = level
                pending.append((definitions.get(target), level, above | {target}))
            continue
        kinds = part.get("type")
        level += kinds == "object" or (isinstance(kinds, list) and "object" in kinds)
        deepest = max(deepest, level)
        inner = [*part.get("properties", {}).values(), part.get("items"), part.get("additionalProperties")]
        pending += [(one, level, above) for one in (*inner, *part.get("anyOf", ()))]
    return deepest
