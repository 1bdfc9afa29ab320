from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pytest

from gateway.descriptors.schema.builder import SchemaBuilder
from tests.laws.ruled_messages import make_ruled_api


def make_input(body: str) -> dict[str, Any]:
    """The input schema of the message M of that body; R stands for (buf.validate.field)."""
    api = make_ruled_api(body)
    schema = SchemaBuilder(api).input_schema(api.rpcs[0])
    jsonschema_rs.Draft202012Validator(schema, offline=True)
    return schema


@pytest.fixture
def input_of() -> Callable[[str], dict[str, Any]]:
    return make_input


@pytest.fixture
def output_of() -> Callable[[str], dict[str, Any]]:
    """The properties of the output schema of the message M of that body."""

    def make_output(body: str) -> dict[str, Any]:
        api = make_ruled_api(body)
        schema = SchemaBuilder(api).output_schema(api.rpcs[0])
        assert schema is not None
        properties: dict[str, Any] = schema["properties"]
        return properties

    return make_output


@pytest.fixture
def field_of() -> Callable[[str], dict[str, Any]]:
    """The schema of an optional field v of that type with these rules, and of nothing else."""

    def make_field(kind: str, rules: str) -> dict[str, Any]:
        schema = make_input(f"{kind} v = 1 [R{rules}]")
        found: dict[str, Any] = schema["properties"]["v"]
        return found

    return make_field
