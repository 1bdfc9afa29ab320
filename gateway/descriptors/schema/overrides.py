"""Schemas that somebody wrote in the place of derived ones: whether clients can take them."""

from collections.abc import Mapping
from typing import Any

from gateway.contract.quoting import one_line, quote
from gateway.contract.validation import SchemaValidator

_LIMIT_FAULT = 200


def find_schema_fault(schema: Mapping[str, Any]) -> str | None:
    """Why a schema cannot be a tool's input or output schema, in one line, or None.

    It must compile under its dialect (2020-12 where it names none) without anything from outside, and say that it is an
    object: MCP requires that of inputs, and earlier revisions of outputs too (2025-11-25, schema, Tool).
    """
    if schema.get("type") != "object":
        return f'its root must have "type": "object", and has {quote(schema.get("type"))}'
    try:
        SchemaValidator(schema)
    except ValueError as fault:
        return one_line(str(fault), _LIMIT_FAULT)
    return None
