"""What is known of one field in one place beyond its type, and the shape of a source of such facts.

A source is a function from a `Place` to `FieldFacts`, or None where it has nothing to say. `annotations` lists the ones
that read options; rules from elsewhere (protovalidate) join the same way, as one more source handed to the builder.
"""

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

from gateway.descriptors.schema.dialect import Direction, Part


class Role(enum.Enum):
    """Which part a message plays in an RPC: the same message has different schemas in different parts."""

    PLAIN = "plain"
    ROOT = "root"
    """The whole request or reply."""

    CREATED = "created"
    """The resource in the request of a Create (AIP-133)."""

    UPDATED = "updated"
    """The resource in the request of an Update that replaces it whole (AIP-134)."""

    PATCHED = "patched"
    """The resource in the request of an Update whose mask says which of its fields count (AIP-134)."""

    PATCHED_PART = "patched part"
    """A message inside such a resource, whose fields a mask can name one by one; lists are replaced whole."""

    UNCHECKED = "unchecked"
    """Where no validation rule is applied, however deep (buf.validate, IGNORE_ALWAYS)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One field where it stands: in which message, and in which role that is.

    `method` is the RPC in the role ROOT, as far as there is one, else None.
    """

    message: Descriptor
    field: FieldDescriptor
    direction: Direction
    role: Role = Role.PLAIN
    method: MethodDescriptor | None = None

    @property
    def value(self) -> FieldDescriptor:
        """The field with the type of the values: of a map its entries' value, else the field itself."""
        entry = find_map_entry(self.field)
        return self.field if entry is None else entry.fields_by_number[2]


def find_map_entry(field: FieldDescriptor) -> Descriptor | None:
    """The entry message of a map field (descriptor.proto, `map_entry`): key is field 1, value 2. Else None."""
    message = field.message_type
    if message is None or not (field.is_repeated and message.has_options and message.GetOptions().map_entry):
        return None
    return message


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFacts:
    """What one source, or all of them together, say of one field in one place.

    `dropped`: the property is left out; `is_kept` and protobuf's own `required` prevail. `required`: it is required.
    `keywords` go to the schema of the value, in a list or map of each element; `outer_keywords` to the property's own
    schema whatever it holds (a list's bounds). `notes` go into the description, in the order of the sources.
    `content`: the message that a google.protobuf.Any is expected to hold. `value`: the schema of the value in place of
    its type's own. `is_unchecked`: the messages in it have the role UNCHECKED.
    """

    dropped: bool = False
    required: bool = False
    keywords: Mapping[str, Any] = field(default_factory=dict)
    outer_keywords: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    content: Descriptor | None = None
    value: Part | None = None
    is_kept: bool = False
    is_unchecked: bool = False


FactSource = Callable[[Place], FieldFacts | None]

NO_FACTS = FieldFacts()


def gather_facts(place: Place, sources: Iterable[FactSource]) -> FieldFacts:
    """All that the sources say of the place, as one. A later source's keyword replaces an earlier one's."""
    found = [facts for facts in (source(place) for source in sources) if facts is not None]
    if not found:
        return NO_FACTS
    if len(found) == 1:
        return found[0]
    keywords: dict[str, Any] = {}
    outer_keywords: dict[str, Any] = {}
    for facts in found:
        keywords.update(facts.keywords)
        outer_keywords.update(facts.outer_keywords)
    return FieldFacts(
        dropped=any(facts.dropped for facts in found),
        required=any(facts.required for facts in found),
        keywords=keywords,
        outer_keywords=outer_keywords,
        notes=tuple(note for facts in found for note in facts.notes),
        content=next((facts.content for facts in found if facts.content is not None), None),
        value=next((facts.value for facts in found if facts.value is not None), None),
        is_kept=any(facts.is_kept for facts in found),
        is_unchecked=any(facts.is_unchecked for facts in found),
    )
