"""The fact source of media types: what stands in a result in the place of a value that is content (`RpcFacts`)."""

from collections.abc import Mapping

from google.protobuf.descriptor import FieldDescriptor

from gateway.descriptors.facts.values import MediaType
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.schema.dialect import Direction, Part
from gateway.descriptors.schema.rules.facts import FieldFacts, Place

_BYTES_WRAPPER = "google.protobuf.BytesValue"


class MediaSource:
    """A `FactSource` of the media types of one RPC."""

    def __init__(self, media_types: Mapping[str, MediaType]) -> None:
        """`media_types` by the full names of fields."""
        self._media_types = media_types

    def __call__(self, place: Place) -> FieldFacts | None:
        """A text in the place of bytes. Text in text stays what it is, and so is not spoken of."""
        media_type = self._media_types.get(place.field.full_name)
        if media_type is None or place.direction is Direction.INPUT or not _is_bytes(place.value):
            return None
        what = media_type.name or f"of the type in {_say_sibling(place, media_type)}"
        note = f"{what}: stands in the content of the result, here only its type and size"
        return FieldFacts(value=Part(schema={"type": "string"}, notes=(note,)))


def _say_sibling(place: Place, media_type: MediaType) -> str:
    """The property that says the media type, by its name in results."""
    field = place.message.fields_by_name.get(media_type.beside)
    return media_type.beside if field is None else get_field_names(place.message).printed[field.number]


def _is_bytes(value: FieldDescriptor) -> bool:
    if value.message_type is not None:
        return value.message_type.full_name == _BYTES_WRAPPER
    return value.type == FieldDescriptor.TYPE_BYTES
