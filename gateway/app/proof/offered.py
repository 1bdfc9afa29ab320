"""An input schema read beside the descriptor of what it describes: what is offered of each message, and how."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_REFERENCE = "#/$defs/"


class MisfitError(Exception):
    """A schema that does not have the form that its descriptor calls for; the text says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """One place in an input schema. `schema` is the part that stands there, with its `$ref` followed."""

    root: Mapping[str, Any]
    schema: Mapping[str, Any]

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schemas of an object's properties. Raises MisfitError where it has none."""
        properties = self.schema.get("properties")
        if not isinstance(properties, Mapping):
            raise MisfitError(f"an object of fields is described without properties: {dict(self.schema)}")
        return properties

    @property
    def required(self) -> frozenset[str]:
        """The names of the properties that have to be given."""
        return frozenset(self.schema.get("required", ()))

    def get_property(self, name: str) -> "Offered":
        """The place of one property. Raises MisfitError where there is no such property."""
        if name not in self.properties:
            raise MisfitError(f"{name} is not offered")
        return self._step(self.properties[name])

    def get_items(self) -> "Offered":
        """The place of a list's items."""
        return self._step(self.schema.get("items"))

    def get_values(self) -> "Offered":
        """The place of a map's values."""
        return self._step(self.schema.get("additionalProperties"))

    def _step(self, schema: Any) -> "Offered":
        if not isinstance(schema, Mapping):
            raise MisfitError(f"a list or a map is described without what it holds: {dict(self.schema)}")
        return Offered(root=self.root, schema=resolve(schema, self.root))


def offer(schema: Mapping[str, Any]) -> Offered:
    """The place of the arguments of a whole input schema."""
    return Offered(root=schema, schema=schema)


def resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema, or what its `$ref` leads to. Raises MisfitError where that is nowhere."""
    if "$ref" not in schema:
        return schema
    found = root.get("$defs", {}).get(str(schema["$ref"]).removeprefix(_REFERENCE))
    if not isinstance(found, Mapping):
        raise MisfitError(f"{schema['$ref']} leads nowhere")
    return found
