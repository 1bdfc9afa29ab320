"""Reads the replies of one RPC that say more than a value: typed fields are taken out, media becomes content."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from gateway.descriptors.facts.values import MediaType
from gateway.descriptors.typed_fields import (
    STREAM_EVENT,
    STREAM_EVENT_VALUE,
    is_nothing_else,
    list_taken_out,
)
from gateway.transcoding.printed import Printed
from gateway.transcoding.reply_parts import NO_PARTS
from gateway.transcoding.typed_fields.media import MediaExtractor
from gateway.transcoding.typed_fields.splitter import ReplySplitter

Print = Callable[[Message], Printed]


def wrap_printer(
    print_message: Print, response: Descriptor, media_types: Mapping[str, MediaType], *, default_uri: str
) -> Print:
    """The printer of replies with their parts; `print_message` itself where the type of reply has none."""
    made = print_message
    if media_types:
        extractor = MediaExtractor(response, media_types)
        made = made if extractor.is_idle else _extracting(made, extractor)
    if list_taken_out(response):
        made = _splitting(made, response, ReplySplitter(response, default_uri=default_uri))
    return made


def _extracting(print_message: Print, extractor: MediaExtractor) -> Print:
    def print_without_media(message: Message) -> Printed:
        printed = print_message(message)
        attachments, notes = extractor.extract(printed.value)
        if not attachments and not notes:
            return printed
        parts = replace(printed.parts or NO_PARTS, attachments=attachments)
        return replace(printed, notes=(*printed.notes, *notes), parts=parts)

    return print_without_media


def _splitting(print_message: Print, response: Descriptor, splitter: ReplySplitter) -> Print:
    is_event, has_no_value = response.full_name == STREAM_EVENT, is_nothing_else(response)

    def print_rest(message: Message) -> Printed:
        found = splitter.split(message)
        printed = print_message(message)
        if is_event:
            # What a StreamEvent says of the result is an object by itself, not one in a member.
            has_value = STREAM_EVENT_VALUE in printed.value
            printed = replace(printed, value=printed.value.get(STREAM_EVENT_VALUE, {}))
        else:
            has_value = bool(printed.value) or (found is None and not has_no_value)
        if found is None and has_value:
            return printed
        parts, notes = (NO_PARTS, ()) if found is None else found
        attachments = () if printed.parts is None else printed.parts.attachments
        parts = replace(parts, attachments=attachments, is_everything=not has_value)
        return replace(printed, notes=(*printed.notes, *notes), parts=parts)

    return print_rest
