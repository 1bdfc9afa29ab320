from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from gateway.descriptors.api import Api
from gateway.descriptors.schema import KEYWORDS, SchemaBuilder
from gateway.descriptors.schema.dialect import FORMATS
from tests.laws.compiled import compile_body

Schemas = tuple[dict[str, Any], dict[str, Any] | None]


def _walk(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema within a schema, itself first."""
    pending = [schema]
    while pending:
        found = pending.pop()
        if isinstance(found, dict):
            yield found
            pending += [found[name] for name in ("items", "additionalProperties", "propertyNames") if name in found]
            pending += [inner for name in ("properties", "$defs") for inner in found.get(name, {}).values()]
            pending += found.get("anyOf", [])


def _check(schema: dict[str, Any], unused: frozenset[str]) -> None:
    """What holds for every schema that is published."""
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema_rs.Draft202012Validator(schema, offline=True)
    assert schema["type"] == "object"
    names = {f"#/$defs/{name}" for name in schema.get("$defs", ())}
    used = set()
    for inner in _walk(schema):
        assert inner.keys() <= KEYWORDS - unused
        assert isinstance(inner.get("type", ""), str)
        assert inner.get("format", "uuid") in FORMATS
        if "$ref" in inner:
            assert inner.keys() == {"$ref"}
            used.add(inner["$ref"])
        if inner.get("type") == "array":
            assert "items" in inner
    assert used == names


def _check_input_root(schema: dict[str, Any]) -> None:
    assert schema.keys() <= {"type", "description", "properties", "required", "additionalProperties", "$defs"}
    assert schema.keys() >= {"type", "properties", "additionalProperties"}
    assert schema.get("required") != []


def make_schemas(api: Api, rpc: str = "", **settings: Any) -> Schemas:
    """The two schemas of one RPC (the only one by default) of the service S, held to the general rules."""
    builder = SchemaBuilder(api, **settings)
    found = [each for each in api.rpcs if each.service in ("S", "t.S") and rpc in ("", each.method)]
    assert len(found) == 1
    schema, output = builder.input_schema(found[0]), builder.output_schema(found[0])
    _check(schema, frozenset({"anyOf", "deprecated"}))
    _check_input_root(schema)
    if output is not None:
        _check(output, frozenset({"propertyNames"}))
    return schema, output


@pytest.fixture
def schemas_of() -> Callable[..., Schemas]:
    """The two schemas of an RPC in an Api."""
    return make_schemas


@pytest.fixture
def properties_of() -> Callable[..., tuple[dict[str, Any], dict[str, Any]]]:
    """The properties of message M of a proto file, as arguments and as results."""

    def make(body: str, *, imports: Iterable[str] = (), head: str = 'syntax = "proto3";', **settings: Any) -> Any:
        text = f"{body}\nservice S {{ rpc Do(M) returns (M); }}"
        schema, output = make_schemas(compile_body(text, head=head, imports=tuple(imports)), **settings)
        assert output is not None
        return schema["properties"], output.get("properties", {})

    return make
