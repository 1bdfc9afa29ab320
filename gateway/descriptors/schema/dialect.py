"""The part of JSON Schema that is published, its limits, and how a description is put together.

Every schema is JSON Schema 2020-12 (MCP 2026-07-28, "Tools"), and of that only `KEYWORDS`: what the common model
providers and clients take. This module knows no protobuf.
"""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.contract.quoting import one_line

Schema = dict[str, Any]

KEYWORDS = frozenset(
    {
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "contentEncoding",
        "deprecated",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "pattern",
        "properties",
        "propertyNames",
        "required",
        "type",
        "uniqueItems",
    }
)
"""Every keyword that a published schema may use. `type` is always one name, never a list."""

FORMATS = frozenset({"date-time", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"})
"""Every value of `format`: the ones that all providers with a fixed list know."""

LIMIT_NESTING = 100
"""Messages nested deeper cannot be given or received (protobuf's recursion limit), so no schema describes them."""

LIMIT_INLINE_DEPTH = 12
"""Messages written within one another before the next one stands under `$defs`; keeps JSON nesting small."""

LIMIT_INLINE_BYTES = 16 * 1024
"""Above this size of a fully inlined schema, what is used more than once stands under `$defs`."""

LIMIT_SHARED_BYTES = 256
"""What is smaller than this is written out each time, whatever the whole schema's size."""

LIMIT_COMMENT = 400
LIMIT_DESCRIPTION = 1000


class Direction(enum.Enum):
    """Whether a schema is of arguments (what the parser takes) or of results (what the printer prints)."""

    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A schema whose description is still in pieces: the proto comment, and what the keywords cannot say.

    `schema` has no "description" of its own.
    """

    schema: Mapping[str, Any]
    comment: str = ""
    notes: tuple[str, ...] = ()

    def finish(
        self, *, comment: str = "", notes: tuple[str, ...] = (), keywords: Mapping[str, Any] | None = None
    ) -> Schema:
        """The schema as it stands in one place: that place's comment wins over its own, the notes add up."""
        schema = dict(self.schema)
        if keywords:
            schema.update(keywords)
        description = describe(comment or self.comment, (*self.notes, *notes))
        if description:
            schema["description"] = description
        return schema


def describe(comment: str, notes: Iterable[str]) -> str:
    """One bounded line: the comment, then the notes, each once; "" where there is nothing to say.

    The comment is cut rather than the notes: they state what a caller has to keep to.
    """
    said = "; ".join(dict.fromkeys(notes))
    told = one_line(comment, LIMIT_COMMENT) if comment else ""
    return one_line(f"{told} ({said})" if told and said else told or said, LIMIT_DESCRIPTION)
