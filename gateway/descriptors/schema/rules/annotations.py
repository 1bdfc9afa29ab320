"""What a field's options, rules and the API Improvement Proposals (aip.dev) say about it: the table of fact sources.

Each source answers one question; a new annotation is a new source in `make_sources`. Nothing here knows how a schema
is put together.
"""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from google.protobuf.descriptor import FieldDescriptor

from gateway.descriptors.api import Api
from gateway.descriptors.options import Options
from gateway.descriptors.schema.dialect import Direction
from gateway.descriptors.schema.rules.contents import find_any_types, find_operation_content, list_any_types
from gateway.descriptors.schema.rules.facts import FactSource, FieldFacts, Place, Role
from gateway.descriptors.schema.rules.masks import list_mask_paths
from gateway.descriptors.schema.rules.roles import is_by_name
from gateway.descriptors.schema.rules.validation.source import RuleSource

LIMIT_PATTERNS = 2


def make_sources(api: Api, *, keep_deprecated: bool = False) -> tuple[FactSource, ...]:
    """The sources for one backend, in the order in which their notes stand.

    `keep_deprecated`: deprecated fields stay in arguments, marked, where they would be left out.
    """
    options = api.options
    return (
        partial(_read_field_behaviors, options),
        partial(_treat_deprecated, options, keep_deprecated),
        partial(_name_resource, options),
        partial(_read_format, options),
        _explain_page,
        partial(list_mask_paths, options),
        partial(find_operation_content, api),
        partial(list_any_types, find_any_types(api)),
        *([RuleSource(api)] if api.rules.exist else []),
    )


# AIP-203. OPTIONAL and UNORDERED_LIST ask nothing of a caller; IDENTIFIER depends on the RPC.
_BEHAVIORS: Mapping[tuple[str, Direction], FieldFacts] = MappingProxyType(
    {
        ("REQUIRED", Direction.INPUT): FieldFacts(required=True),
        ("OUTPUT_ONLY", Direction.INPUT): FieldFacts(dropped=True),
        ("INPUT_ONLY", Direction.OUTPUT): FieldFacts(dropped=True),
        ("IMMUTABLE", Direction.INPUT): FieldFacts(notes=("cannot change after creation",)),
        ("NON_EMPTY_DEFAULT", Direction.INPUT): FieldFacts(notes=("server chooses a default",)),
    }
)


# Where a mask says what counts, only what it names has to be there (AIP-134).
_PARTIAL = frozenset({Role.PATCHED, Role.PATCHED_PART})


def _read_field_behaviors(options: Options, place: Place) -> FieldFacts | None:
    behaviors = options.field_behaviors(place.field)
    if not behaviors:
        return None
    # Sorted: the order of a set of strings differs between processes.
    if place.role in _PARTIAL:
        behaviors -= {"REQUIRED"}
    rows = [row for name in sorted(behaviors) if (row := _BEHAVIORS.get((name, place.direction))) is not None]
    if "IDENTIFIER" in behaviors and place.direction is Direction.INPUT:
        rows.append(_place_identifier(place))
    return FieldFacts(
        dropped=any(row.dropped for row in rows),
        required=any(row.required for row in rows),
        notes=tuple(note for row in rows for note in row.notes),
    )


def _place_identifier(place: Place) -> FieldFacts:
    """A resource's name is the server's to give on Create, and says which one is meant on Get, Update and Delete."""
    match place.role:
        case Role.CREATED:
            return FieldFacts(dropped=True)
        case Role.UPDATED | Role.PATCHED:
            return FieldFacts(required=True)
        case Role.ROOT:
            return FieldFacts(required=place.method is not None and is_by_name(place.method))
        case Role.PLAIN | Role.UNCHECKED | Role.PATCHED_PART:
            return FieldFacts()


def _treat_deprecated(options: Options, keep: bool, place: Place) -> FieldFacts | None:
    """Fewer choices for a model: what is deprecated is not offered, only shown where a server still sends it."""
    if not options.is_deprecated(place.field):
        return None
    if place.direction is Direction.OUTPUT:
        return FieldFacts(outer_keywords={"deprecated": True})
    return FieldFacts(notes=("Deprecated.",)) if keep else FieldFacts(dropped=True)


def _name_resource(options: Options, place: Place) -> FieldFacts | None:
    """A resource name's form as a note: a regular expression would refuse wildcards such as `-` (AIP-122, AIP-159)."""
    if place.direction is Direction.OUTPUT or place.field.type != FieldDescriptor.TYPE_STRING:
        return None
    reference = options.resource_reference(place.field)
    if reference is not None:
        patterns = options.resource_patterns(reference)
    else:
        resource = options.resource(place.message)
        if resource is None or place.field.name != (resource.name_field or "name"):
            return None
        patterns = resource.patterns
    shown = [f"`{pattern}`" for pattern in patterns if pattern != "*"][:LIMIT_PATTERNS]
    return FieldFacts(notes=(f"resource name, e.g. {' or '.join(shown)}",)) if shown else None


# AIP-202. A caller of IPV4_OR_IPV6 is told in words: no `format` means either.
_FORMATS: Mapping[str, FieldFacts] = MappingProxyType(
    {
        "UUID4": FieldFacts(keywords={"format": "uuid"}),
        "IPV4": FieldFacts(keywords={"format": "ipv4"}),
        "IPV6": FieldFacts(keywords={"format": "ipv6"}),
        "IPV4_OR_IPV6": FieldFacts(notes=("an IPv4 or IPv6 address",)),
    }
)


def _read_format(options: Options, place: Place) -> FieldFacts | None:
    if place.field.type != FieldDescriptor.TYPE_STRING:
        return None
    return _FORMATS.get(options.field_format(place.field) or "")


# AIP-158, by the names of its fields, as far as their message has what belongs together.
_PAGE_NOTES: Mapping[tuple[str, Direction], tuple[str, str]] = MappingProxyType(
    {
        ("page_size", Direction.INPUT): ("page_token", "server may return fewer"),
        ("page_token", Direction.INPUT): (
            "page_size",
            "nextPageToken of the previous call, with the same other arguments",
        ),
        ("next_page_token", Direction.OUTPUT): ("next_page_token", "empty or absent = last page"),
    }
)


def _explain_page(place: Place) -> FieldFacts | None:
    row = _PAGE_NOTES.get((place.field.name, place.direction))
    if row is None or row[0] not in place.message.fields_by_name:
        return None
    return FieldFacts(notes=(row[1],))
