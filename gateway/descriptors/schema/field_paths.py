"""Paths for field masks, in the spelling that ProtoJSON gives them (google/protobuf/field_mask.proto, "JSON Encoding").

This module knows which fields a message has, and nothing of what a mask is for.
"""

import re
from collections.abc import Iterable

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.descriptors.schema.facts import find_map_entry

LIMIT_CHARACTERS = 400

_ROUND_TRIPS = re.compile(r"[a-z0-9]+(_[a-z][a-z0-9]*)*")


def list_paths(fields: Iterable[FieldDescriptor]) -> str:
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


def find_listed_message(response: Descriptor) -> Descriptor | None:
    """The message that a paged response (AIP-158) lists, or None where the response is not of that shape."""
    if "next_page_token" not in response.fields_by_name:
        return None
    lists = (field.message_type for field in response.fields if field.is_repeated and find_map_entry(field) is None)
    return next((message for message in lists if message is not None), None)
