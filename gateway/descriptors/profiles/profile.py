"""What a profile is: which parts of JSON Schema one model provider takes, and how much of them.

The rows are in `profiles.table`. A profile says nothing of how a schema is brought into its form.
"""

import enum
import re
from dataclasses import dataclass


class References(enum.Enum):
    """Which `$ref` may stand in a schema."""

    ANY = "any"
    OPTIONAL_CIRCLES = "none that leads back to itself through what is required"
    NO_CIRCLES = "none that leads back to itself"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one tool, and the tools of one request together, may have of something; None: as much as there is.

    `name` and `key` are what tool names and property names must match, whole. `levels` counts objects within one
    another. `named_characters` counts those of property names, definitions' names and enum values together;
    `long_enum` is a number of values and how many characters an enum with more of them may have. `optional` counts
    properties that are not required, `unions` those that may be of several types. `tools` is of a request, as
    `optional` and `unions` are, too.
    """

    name: re.Pattern[str]
    key: re.Pattern[str] | None = None
    properties: int | None = None
    levels: int | None = None
    named_characters: int | None = None
    enum_values: int | None = None
    long_enum: tuple[int, int] | None = None
    optional: int | None = None
    unions: int | None = None
    tools: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One provider's form of an input schema.

    `is_closed`: every object names all of its properties, so that maps are lists of entries and what is open is JSON as
    text. `requires_all`: every property is required, so that null stands for an absent one. `keywords` and `formats`
    may stand in a schema; what others say goes into descriptions. `least_items` are the values of minItems, where not
    all of them are taken.
    """

    name: str
    keywords: frozenset[str]
    formats: frozenset[str]
    references: References
    limits: Limits
    is_closed: bool = False
    requires_all: bool = False
    least_items: frozenset[int] | None = None
