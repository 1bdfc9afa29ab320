"""Protobuf messages as JSON Schema."""

from gateway.descriptors.schema.builder import SchemaBuilder
from gateway.descriptors.schema.dialect import KEYWORDS, Direction

__all__ = ["KEYWORDS", "Direction", "SchemaBuilder"]
