"""The profiles: one row for each provider, with the limits that it states.

Sources, each as of 2026: OpenAI, "Structured Outputs: supported schemas" and "Function calling"; Google, Gemini API
reference, `FunctionDeclaration` and `responseJsonSchema`; Anthropic, "Structured outputs: JSON Schema limitations" and
the API's own refusals ("too many optional parameters ... limit: 24"); AWS, Bedrock API reference, `ToolSpecification`.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from gateway.descriptors.profiles.profile import Limits, Profile, References

_STRUCTURE = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"}
)
_DEFINITIONS = frozenset({"$ref", "$defs"})
_SHORT_NAME = re.compile("[A-Za-z0-9_-]{1,64}")

OPENAI_STRICT = Profile(
    name="openai-strict",
    keywords=_STRUCTURE
    | _DEFINITIONS
    | {"pattern", "format", "multipleOf", "minItems", "maxItems"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    references=References.ANY,
    is_closed=True,
    requires_all=True,
    limits=Limits(
        name=_SHORT_NAME,
        properties=5000,
        levels=10,
        named_characters=120_000,
        enum_values=1000,
        long_enum=(250, 15_000),
        tools=128,
    ),
)

GEMINI = Profile(
    name="gemini",
    keywords=_STRUCTURE
    | _DEFINITIONS
    | {"$id", "$anchor", "format", "title", "oneOf", "prefixItems", "propertyOrdering"}
    | {"minItems", "maxItems", "minimum", "maximum"},
    formats=frozenset({"date-time", "date", "time"}),
    references=References.OPTIONAL_CIRCLES,
    limits=Limits(
        name=re.compile("[A-Za-z_][A-Za-z0-9_.:-]{0,63}"),
        key=re.compile("[A-Za-z_][A-Za-z0-9_]{0,63}"),
        tools=512,
    ),
)

ANTHROPIC_STRICT = Profile(
    name="anthropic-strict",
    keywords=_STRUCTURE | _DEFINITIONS | {"const", "allOf", "default", "format", "minItems"},
    formats=frozenset(
        {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
    ),
    references=References.NO_CIRCLES,
    is_closed=True,
    least_items=frozenset({0, 1}),
    limits=Limits(
        name=_SHORT_NAME,
        key=re.compile("[A-Za-z0-9_.-]{1,64}"),
        optional=24,
        unions=16,
        tools=20,
    ),
)

BEDROCK = Profile(
    name="bedrock",
    keywords=_STRUCTURE
    | {"const", "default", "format", "pattern", "minLength", "maxLength", "title", "uniqueItems", "contentEncoding"}
    | {"minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    | {"propertyNames", "minProperties", "maxProperties", "deprecated"},
    formats=frozenset({"date-time", "time", "date", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}),
    references=References.NONE,
    limits=Limits(name=_SHORT_NAME, key=re.compile("[A-Za-z0-9_.-]{1,64}")),
)

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {profile.name: profile for profile in (OPENAI_STRICT, GEMINI, ANTHROPIC_STRICT, BEDROCK)}
)
"""The profiles by name."""
