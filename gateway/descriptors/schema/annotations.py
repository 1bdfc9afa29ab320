"""What a field's options and the API Improvement Proposals (aip.dev) say about it: the table of fact sources.

Each source answers one question; a new annotation is a new source in `make_sources`. This module knows no JSON Schema
beyond the keywords that it states, and no descriptor's type beyond what it asks of options.
"""

import re
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

from gateway.descriptors.api import Api
from gateway.descriptors.options import Options
from gateway.descriptors.schema.dialect import Direction
from gateway.descriptors.schema.facts import FactSource, FieldFacts, Place, Role
from gateway.descriptors.schema.field_paths import find_listed_message, list_paths
from gateway.descriptors.schema.special_messages import ANY, FIELD_MASK, OPERATION, SPECIAL_MESSAGES

LIMIT_PATTERNS = 2
LIMIT_ANY_TYPES = 8


def make_sources(api: Api, *, keep_deprecated: bool = False) -> tuple[FactSource, ...]:
    """The sources for one backend, in the order in which their notes stand.

    `keep_deprecated`: deprecated fields stay in arguments, marked, where they would be left out.
    """
    options = api.options
    return (
        partial(_read_field_behaviors, options),
        partial(_mark_deprecated if keep_deprecated else _drop_deprecated, options),
        partial(_name_resource, options),
        partial(_read_format, options),
        _explain_page,
        partial(_list_mask_paths, options),
        partial(_find_operation_content, api),
        partial(_list_any_types, _find_any_types(api)),
    )


def is_resource(message: Descriptor, method: MethodDescriptor, options: Options) -> bool:
    """Whether the message, in a request, is the resource that a Create or an Update is about (AIP-133, AIP-134)."""
    if message is method.output_type or options.resource(message) is not None:
        return True
    info = options.operation_info(method)
    return info is not None and info.response_type.rpartition(".")[2] == message.name


def find_resource_role(method: MethodDescriptor | None) -> Role | None:
    """The role that the resource has in the request of this RPC; None where it has no particular one."""
    return None if method is None else _RESOURCE_ROLES.get(_get_verb(method))


_RESOURCE_ROLES: Mapping[str, Role] = MappingProxyType({"Create": Role.CREATED, "Update": Role.UPDATED})
_BY_NAME = frozenset({"Get", "Update", "Delete"})
_VERB = re.compile(r"[A-Z][a-z]*")


def _get_verb(method: MethodDescriptor) -> str:
    """The first word of the RPC's name (AIP-130)."""
    found = _VERB.match(method.name)
    return found[0] if found else ""


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


def _read_field_behaviors(options: Options, place: Place) -> FieldFacts | None:
    behaviors = options.field_behaviors(place.field)
    if not behaviors:
        return None
    # Sorted: the order of a set of strings differs between processes.
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
        case Role.UPDATED:
            return FieldFacts(required=True)
        case Role.ROOT:
            return FieldFacts(required=place.method is not None and _get_verb(place.method) in _BY_NAME)
        case Role.PLAIN:
            return FieldFacts()


def _drop_deprecated(options: Options, place: Place) -> FieldFacts | None:
    if not options.is_deprecated(place.field):
        return None
    if place.direction is Direction.INPUT:
        return FieldFacts(dropped=True)
    return FieldFacts(outer_keywords={"deprecated": True})


def _mark_deprecated(options: Options, place: Place) -> FieldFacts | None:
    if not options.is_deprecated(place.field):
        return None
    if place.direction is Direction.INPUT:
        return FieldFacts(notes=("Deprecated.",))
    return FieldFacts(outer_keywords={"deprecated": True})


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


def _list_mask_paths(options: Options, place: Place) -> FieldFacts | None:
    """The paths that the request's own masks can name: AIP-134 for update masks, AIP-157 for read masks."""
    message, method = place.field.message_type, place.method
    if message is None or message.full_name != FIELD_MASK or method is None or place.direction is Direction.OUTPUT:
        return None
    if place.field.name == "read_mask":
        response = method.output_type
        paths = list_paths((find_listed_message(response) or response).fields)
        return FieldFacts(notes=(f"of {paths}",)) if paths else None
    if find_resource_role(method) is not Role.UPDATED:
        return None
    resource = next(
        (field.message_type for field in method.input_type.fields if _holds_resource(field, method, options)), None
    )
    paths = list_paths(_find_writable(resource, options)) if resource is not None else ""
    return FieldFacts(notes=(f"of {paths}",)) if paths else None


def _holds_resource(field: FieldDescriptor, method: MethodDescriptor, options: Options) -> bool:
    message = field.message_type
    if message is None or field.is_repeated or message.full_name in SPECIAL_MESSAGES:
        return False
    return is_resource(message, method, options)


def _find_writable(message: Descriptor, options: Options) -> list[FieldDescriptor]:
    fixed = {"OUTPUT_ONLY", "IMMUTABLE", "IDENTIFIER"}
    return [
        field
        for field in message.fields
        if not (fixed & options.field_behaviors(field)) and not options.is_deprecated(field)
    ]


# google/longrunning/operations.proto: which field of an Operation holds what operation_info names.
_OPERATION_FIELDS = ("response", "metadata")


def _find_operation_content(api: Api, place: Place) -> FieldFacts | None:
    """What a long-running operation's Any fields will hold (AIP-151), where the names can be resolved."""
    field, method = place.field, place.method
    if method is None or place.direction is Direction.INPUT or place.message.full_name != OPERATION:
        return None
    info = api.options.operation_info(method)
    if info is None or field.name not in _OPERATION_FIELDS:
        return None
    name = info.response_type if field.name == "response" else info.metadata_type
    content = _find_message(api, name, method)
    return FieldFacts(content=content) if content is not None else None


def _find_message(api: Api, name: str, method: MethodDescriptor) -> Descriptor | None:
    """A message by its name in the method's package or in full; none that has a JSON form of its own."""
    package = method.containing_service.file.package
    for candidate in (f"{package}.{name}", name) if name else ():
        try:
            found = api.pool.FindMessageTypeByName(candidate)
        except KeyError:
            continue
        return None if found.full_name in SPECIAL_MESSAGES else found
    return None


def _list_any_types(names: tuple[str, ...], place: Place) -> FieldFacts | None:
    message = place.value.message_type
    if not names or place.direction is Direction.OUTPUT or message is None or message.full_name != ANY:
        return None
    return FieldFacts(notes=(f"known types: {', '.join(names)}",))


def _find_any_types(api: Api) -> tuple[str, ...]:
    """The messages that only an Any can hold, by full name; none where they are too many to name.

    Those are the top level messages outside google.* that no field and no RPC of the backend mentions.
    """
    declared: set[str] = set()
    mentioned: set[str] = set()
    for file in api.files.values():
        if file.package.split(".")[0] == "google":
            continue
        scope = f".{file.package}." if file.package else "."
        declared.update(scope + message.name for message in file.message_type)
        mentioned.update(t for service in file.service for m in service.method for t in (m.input_type, m.output_type))
        mentioned.update(extension.type_name for extension in file.extension)
        pending = list(file.message_type)
        while pending:
            message = pending.pop()
            pending.extend(message.nested_type)
            mentioned.update(field.type_name for field in (*message.field, *message.extension))
    names = sorted(name[1:] for name in declared - mentioned)
    return tuple(names) if len(names) <= LIMIT_ANY_TYPES else ()
