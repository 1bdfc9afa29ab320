"""Content of any media type as MCP content blocks (MCP 2026-07-28, server/tools, "Tool Result").

A model reads text, sees images and hears sound; anything else it can only pass on, as an embedded resource. This
module must never know where the content came from.
"""

import base64
import re
from dataclasses import dataclass
from typing import Any

from gateway.contract.quoting import one_line

LIMIT_POINTER = 200
_UNKNOWN_TYPE = "application/octet-stream"

# RFC 9110 section 8.3.1; parameters follow a semicolon.
_MEDIA_TYPE = re.compile(r"\s*([\w!#$&^.+-]{1,127}/[\w!#$&^.+-]{1,127})\s*(?:;|$)", re.ASCII)
_CHARSET = re.compile(r';\s*charset\s*=\s*"?([\w.:-]+)', re.ASCII | re.IGNORECASE)
_TEXT_TYPE = re.compile(
    r"text/.*|.*\+(?:json|xml|yaml)|application/(?:json|ndjson|xml|yaml|x-yaml|javascript|graphql|x-www-form-urlencoded)"
)
_SEEN_TYPES = ("image/", "audio/")

# Names of charsets that are read, with their codecs: a codec of Python's may be anything but a charset.
_CODECS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "utf-8",
    "iso-8859-1": "latin-1",
    "latin1": "latin-1",
    "windows-1252": "cp1252",
    "utf-16": "utf-16",
}
_DEFAULT_CODEC = "utf-8"

MENDED = "is not text in its charset; \N{REPLACEMENT CHARACTER} stands for what could not be read"
"""What is to be said of content that is not exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a model is given: `blocks` of the protocol, the first always text.

    `is_exact` is False where bytes are no text in the charset that they should be.
    """

    blocks: tuple[dict[str, Any], ...]
    is_exact: bool = True


def is_text_type(content_type: str) -> bool:
    """Whether content of that type is text, by its name: text/*, JSON, XML and the like."""
    return _TEXT_TYPE.fullmatch(_get_media_type(content_type)) is not None


def count_base64_bytes(encoded: str) -> int:
    """How many bytes some padded base64 stands for."""
    return len(encoded) // 4 * 3 - encoded[-2:].count("=")


def make_content(content_type: str, data: bytes, *, uri: str) -> Content:
    """The blocks for some content.

    Text is decoded by its charset (UTF-8 where none is stated or the one that is stated is not known), with U+FFFD for
    what cannot be read; images and sound stand in their own blocks, everything else in a resource named `uri`, each
    after a line of text that says what it is. A content type that is none counts as unknown.
    """
    media_type = _get_media_type(content_type)
    if _TEXT_TYPE.fullmatch(media_type):
        return _make_text(content_type, data)
    told = {"type": "text", "text": f"{media_type}, {len(data)} bytes"}
    return Content(blocks=(told, _make_block(media_type, base64.b64encode(data).decode("ascii"), uri)))


def make_attached_content(at: str, content_type: str, encoded: str, *, uri: str) -> Content:
    """The same for content that is base64 already and stands for a value of a reply: the JSON pointer `at` names it."""
    media_type = _get_media_type(content_type)
    size_bytes = count_base64_bytes(encoded)
    told = {"type": "text", "text": f"{one_line(at, LIMIT_POINTER)}: {media_type}, {size_bytes} bytes"}
    if not _TEXT_TYPE.fullmatch(media_type):
        return Content(blocks=(told, _make_block(media_type, encoded, uri)))
    text = _make_text(content_type, base64.b64decode(encoded))
    return Content(blocks=(told, *text.blocks), is_exact=text.is_exact)


def _get_media_type(content_type: str) -> str:
    found = _MEDIA_TYPE.match(content_type)
    return found[1].lower() if found else _UNKNOWN_TYPE


def _make_block(media_type: str, encoded: str, uri: str) -> dict[str, Any]:
    if media_type.startswith(_SEEN_TYPES):
        return {"type": media_type.partition("/")[0], "data": encoded, "mimeType": media_type}
    return {"type": "resource", "resource": {"uri": uri, "mimeType": media_type, "blob": encoded}}


def _make_text(content_type: str, data: bytes) -> Content:
    stated = _CHARSET.search(content_type)
    codec = _CODECS.get(stated[1].lower(), _DEFAULT_CODEC) if stated else _DEFAULT_CODEC
    try:
        return Content(blocks=({"type": "text", "text": data.decode(codec)},))
    except UnicodeDecodeError:
        return Content(blocks=({"type": "text", "text": data.decode(codec, "replace")},), is_exact=False)
