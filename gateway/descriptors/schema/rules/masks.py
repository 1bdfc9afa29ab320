"""Which paths the field masks of a request can name, in the spelling of ProtoJSON.

Source of the spelling: google/protobuf/field_mask.proto, "JSON Encoding of Field Masks".
"""

import re
from collections.abc import Iterable

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.descriptors.options import Options
from gateway.descriptors.schema.dialect import Direction
from gateway.descriptors.schema.rules.facts import FieldFacts, Place, Role, find_map_entry
from gateway.descriptors.schema.rules.roles import find_resource, find_resource_role
from gateway.descriptors.schema.types.special_messages import FIELD_MASK

LIMIT_CHARACTERS = 400

_ROUND_TRIPS = re.compile(r"[a-z0-9]+(_[a-z][a-z0-9]*)*")
_NOT_WRITTEN = frozenset({"OUTPUT_ONLY", "IMMUTABLE", "IDENTIFIER"})


def list_mask_paths(options: Options, place: Place) -> FieldFacts | None:
    """The paths of a request's own masks: of what is read (AIP-157), or of the resource that is updated (AIP-134)."""
    message, method = place.field.message_type, place.method
    if message is None or message.full_name != FIELD_MASK or method is None or place.direction is Direction.OUTPUT:
        return None
    if place.field.name == "read_mask":
        fields = list((_find_listed_message(method.output_type) or method.output_type).fields)
    elif find_resource_role(method) is Role.PATCHED:
        found = (find_resource(field, method, options) for field in method.input_type.fields)
        resource = next((message for message in found if message is not None), None)
        fields = [] if resource is None else _find_writable(resource, options)
    else:
        return None
    paths = _join_paths(fields)
    return FieldFacts(notes=(f"of {paths}",)) if paths else None


def _join_paths(fields: Iterable[FieldDescriptor]) -> str:
    """The fields as mask paths, comma-separated, cut with `…` where they are too many.

    A path's segments are the proto names in lowerCamelCase whatever the json_name; a name that does not survive that
    has no path in JSON and is left out.
    """
    paths: list[str] = []
    room = LIMIT_CHARACTERS
    for field in fields:
        if not _ROUND_TRIPS.fullmatch(field.name):
            continue
        first, *rest = field.name.split("_")
        path = first + "".join(word.capitalize() for word in rest)
        room -= len(path) + 2
        if room < 0:
            paths.append("…")
            break
        paths.append(path)
    return ", ".join(paths)


def _find_listed_message(response: Descriptor) -> Descriptor | None:
    """The message that a paged response (AIP-158) lists, or None where the response is not of that shape."""
    if "next_page_token" not in response.fields_by_name:
        return None
    lists = (field.message_type for field in response.fields if field.is_repeated and find_map_entry(field) is None)
    return next((message for message in lists if message is not None), None)


def _find_writable(message: Descriptor, options: Options) -> list[FieldDescriptor]:
    return [
        field
        for field in message.fields
        if not (_NOT_WRITTEN & options.field_behaviors(field)) and not options.is_deprecated(field)
    ]
