"""Protobuf messages as JSON Schema."""
