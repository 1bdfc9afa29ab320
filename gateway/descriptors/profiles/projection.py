"""Projects a neutral input schema into a profile's form, with the way back for arguments.

The neutral schema is that of `descriptors.schema`, or the operator's own. What a profile has no form for stays as it
is: `profiles.limits` then refuses it. This module must never know a tool's name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from gateway.contract.distilled import Problem
from gateway.contract.validation import SchemaValidator
from gateway.descriptors.profiles.profile import Profile, References
from gateway.descriptors.profiles.references import LIMIT_ROUNDS, find_target, settle_references
from gateway.descriptors.profiles.ways import (
    KEY,
    NULL_NAME,
    SAME,
    VALUE,
    Branch,
    EntriesWay,
    ListWay,
    NullWay,
    ObjectWay,
    ReferenceWay,
    Spot,
    TextWay,
    UnionWay,
    Way,
)
from gateway.descriptors.profiles.wording import describe_with, list_lost
from gateway.descriptors.schema.dialect import Schema

TEXT_PROPERTY = "json"
"""The one argument of a tool whose arguments are any object, where a profile has no open objects."""

_OBJECT_EXAMPLE = '{"name": "value"}'
_ANY_EXAMPLE = '"text", 5 or {"name": "value"}'
_NULL: Schema = {"type": "null"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """A schema in a profile's form. `is_same`: arguments have the neutral form, so that nothing is to be restored."""

    schema: Schema
    is_same: bool
    _way: Way

    def restore(self, arguments: Mapping[str, Any]) -> dict[str, Any] | tuple[Problem, ...]:
        """The neutral arguments of some in the profile's form, or every reason why there are none."""
        problems: list[Problem] = []
        restored = self._way.restore(arguments, (), problems)
        if not problems and not isinstance(restored, dict):
            problems.append(Problem(at=f"/{TEXT_PROPERTY}", text="must be the JSON text of an object"))
        return tuple(problems) if problems else restored

    def project(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments in the profile's form of neutral ones."""
        projected: dict[str, Any] = self._way.project(arguments)
        return projected

    def find_spot(self, pointer: str, arguments: Mapping[str, Any]) -> Spot:
        """Where a place in the neutral arguments (a JSON pointer) stands in `arguments`, which are in the profile's."""
        steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        return self._way.find_spot(steps, arguments, ())


def project_schema(schema: Mapping[str, Any], profile: Profile, *, rounds: int = LIMIT_ROUNDS) -> Projection:
    """The projection of an input schema, which is an object at its root. The schema given is left as it is.

    `rounds`: how often a definition may stand within itself, where it may not do so for ever.
    """
    settled = settle_references(schema, profile.references, rounds)
    definitions = settled.pop("$defs", {})
    projector = _Projector(profile)
    root = projector.project_root(settled)
    bodies = {name: projector.project(body) for name, body in definitions.items()}
    projector.ways |= {name: body.way for name, body in bodies.items()}
    projected = root.schema | ({"$defs": {name: body.schema for name, body in bodies.items()}} if bodies else {})
    is_same = not profile.is_closed and not profile.requires_all
    return Projection(schema=_copy(projected), is_same=is_same, _way=SAME if is_same else root.way)


def project_output(schema: Mapping[str, Any], profile: Profile) -> Schema:
    """An output schema for a profile: only its references are brought to what the profile takes.

    No provider holds results to a schema; clients do, and what they hold them to must stay true.
    """
    if profile.references is not References.NONE:
        return dict(schema)
    return _copy(settle_references(schema, profile.references))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A part of the schema in the profile's form, its description still apart."""

    schema: Schema
    way: Way


class _Projector:
    """Projects the parts of one schema."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self.ways: dict[str, Way] = {}

    def project_root(self, schema: Mapping[str, Any]) -> _Part:
        """The root, which stays an object whatever it is."""
        if self._profile.is_closed and _is_open(schema):
            text = self._make_text({}, TextWay(example=_OBJECT_EXAMPLE), "all arguments as the text of one JSON object")
            root = {
                "type": "object",
                "properties": {TEXT_PROPERTY: text.schema},
                "required": [TEXT_PROPERTY],
                "additionalProperties": False,
            }
            return _Part(schema=root, way=_RootTextWay(text.way))
        return self.project(schema)

    def project(self, schema: Mapping[str, Any]) -> _Part:
        """Any part."""
        target = find_target(schema)
        if target is not None:
            return _Part(schema=dict(schema), way=ReferenceWay(name=target, definitions=self.ways))
        if "anyOf" in schema:
            return self._project_union(schema)
        match schema.get("type"):
            case "object" if _is_open(schema):
                return self._project_open(schema)
            case "object" if isinstance(schema.get("additionalProperties"), Mapping):
                return self._project_map(schema)
            case "object":
                return self._project_object(schema)
            case "array":
                item = self.project(schema.get("items", {}))
                way = SAME if item.way is SAME else ListWay(item=item.way)
                return self._finish(schema, {**schema, "items": item.schema}, way)
            case "null" if self._profile.is_closed:
                return self._finish(schema, {**schema, "type": "string", "enum": [NULL_NAME]}, NullWay())
            case None if self._profile.is_closed and not ({"enum", "const", "allOf", "oneOf"} & schema.keys()):
                return self._make_text(schema, TextWay(example=_ANY_EXAMPLE), "any JSON value as its text")
            case _:
                return self._finish(schema, dict(schema), SAME)

    def _project_object(self, schema: Mapping[str, Any]) -> _Part:
        parts = {name: self.project(member) for name, member in schema.get("properties", {}).items()}
        required = schema.get("required", [])
        nullable = frozenset(parts.keys() - set(required)) if self._profile.requires_all else frozenset()
        properties = {
            name: _make_nullable(part.schema) if name in nullable else part.schema for name, part in parts.items()
        }
        projected: Schema = {**schema, "properties": properties}
        if self._profile.requires_all:
            projected["required"] = list(parts)
        ways = {name: part.way for name, part in parts.items() if part.way is not SAME}
        return self._finish(schema, projected, ObjectWay(ways=ways, nullable=nullable) if ways or nullable else SAME)

    def _project_map(self, schema: Mapping[str, Any]) -> _Part:
        item = self.project(schema["additionalProperties"])
        if not self._profile.is_closed:
            return self._finish(schema, {**schema, "additionalProperties": item.schema}, item.way)
        names = schema.get("propertyNames", {})
        key = self._finish(names, {"type": "string", **names}, SAME)
        entry = {
            "type": "object",
            "properties": {KEY: key.schema, VALUE: item.schema},
            "required": [KEY, VALUE],
            "additionalProperties": False,
        }
        counts = {"minProperties": "minItems", "maxProperties": "maxItems"}
        entries: Schema = {"type": "array", "items": entry}
        entries |= {counts[name]: value for name, value in schema.items() if name in counts}
        entries |= {name: value for name, value in schema.items() if name in ("description", "deprecated")}
        return self._finish(entries, entries, EntriesWay(item=item.way), "a map as a list of entries, each key once")

    def _project_open(self, schema: Mapping[str, Any]) -> _Part:
        if not self._profile.is_closed:
            return self._finish(schema, self._write_open(schema), SAME)
        return self._make_text(schema, TextWay(example=_OBJECT_EXAMPLE), "a JSON object as its text")

    def _write_open(self, schema: Mapping[str, Any]) -> Schema:
        """An open object, without the properties whose names are not taken: it has room for them all the same."""
        key = self._profile.limits.key
        members = schema.get("properties", {})
        named = {name: part for name, part in members.items() if key is None or key.fullmatch(name)}
        written = dict(schema)
        if len(named) < len(members):
            required = [name for name in schema.get("required", ()) if name in named]
            written = {keyword: value for keyword, value in schema.items() if keyword not in ("properties", "required")}
            written |= {"required": required} if required else {}
        if named:
            written["properties"] = {name: self.project(part).schema for name, part in named.items()}
        return written

    def _project_union(self, schema: Mapping[str, Any]) -> _Part:
        parts = [self.project(branch) for branch in schema["anyOf"]]
        projected = {**schema, "anyOf": [part.schema for part in parts]}
        if all(part.way is SAME for part in parts):
            return self._finish(schema, projected, SAME)
        branches = tuple(
            Branch(takes_neutral=_make_test(neutral), takes_projected=_make_test(part.schema), way=part.way)
            for neutral, part in zip(schema["anyOf"], parts, strict=True)
        )
        return self._finish(schema, projected, UnionWay(branches=branches))

    def _make_text(self, schema: Mapping[str, Any], way: TextWay, note: str) -> _Part:
        text: Schema = {"type": "string"}
        if "description" in schema:
            text["description"] = schema["description"]
        return self._finish(text, text, way, note)

    def _finish(self, neutral: Mapping[str, Any], projected: Schema, way: Way, note: str = "") -> _Part:
        """The part without the keywords that the profile does not take; what they say is in its description."""
        lost = dict(list_lost(projected, self._profile))
        kept = {keyword: value for keyword, value in projected.items() if keyword not in lost}
        description = describe_with(neutral.get("description", ""), (note, *lost.values()))
        if description:
            kept["description"] = description
        return _Part(schema=kept, way=way)


@dataclass(frozen=True, slots=True)
class _RootTextWay:
    """Arguments that are any object, as the JSON text in one argument."""

    text: Way

    def restore(self, value: Any, path: tuple[str | int, ...], problems: list[Problem]) -> Any:
        """The object of the text; arguments without the text are left as they are."""
        if isinstance(value, dict) and value.keys() == {TEXT_PROPERTY}:
            return self.text.restore(value[TEXT_PROPERTY], (TEXT_PROPERTY,), problems)
        return value

    def project(self, value: Any) -> Any:
        """The text of the object."""
        return {TEXT_PROPERTY: self.text.project(value)}

    def find_spot(self, steps: Any, value: Any, path: tuple[str | int, ...]) -> Spot:
        """The text as a whole."""
        return self.text.find_spot(steps, value.get(TEXT_PROPERTY), (TEXT_PROPERTY,))


def _is_open(schema: Mapping[str, Any]) -> bool:
    """Whether an object may have members that nothing is said of."""
    return schema.get("type") == "object" and schema.get("additionalProperties", True) is True


def _make_nullable(schema: Schema) -> Schema:
    """The schema with null as well; its description stays in front."""
    kind = schema.get("type")
    if not isinstance(kind, str) or "anyOf" in schema:
        union = {"anyOf": [{key: value for key, value in schema.items() if key != "description"}, _NULL]}
        if "anyOf" in schema and not schema.keys() - {"anyOf", "description"}:
            union = {"anyOf": [*schema["anyOf"], _NULL]}
        return union | ({"description": schema["description"]} if "description" in schema else {})
    nullable = {**schema, "type": [kind, "null"]}
    if "enum" in schema:
        nullable["enum"] = [*schema["enum"], None]
    return nullable


def _make_test(schema: Mapping[str, Any]) -> Any:
    """Whether a value fits a branch. One that refers to definitions is asked for its type alone."""
    if find_target(schema) is not None:
        return lambda value: isinstance(value, dict)
    return SchemaValidator(schema).is_valid


def _copy(schema: Mapping[str, Any]) -> Schema:
    """The schema as plain JSON values, none of them shared."""
    copy: Schema = orjson.loads(orjson.dumps(schema))
    return copy
