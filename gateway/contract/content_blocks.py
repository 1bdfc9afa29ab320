"""Content of any media type as MCP content blocks (MCP 2026-07-28, server/tools, "Tool Result").

A model reads text, sees images and hears sound; anything else it can only pass on, as an embedded resource. This
module must never know where the content came from.
"""

import base64
import re
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a model is given: `blocks` of the protocol, the first always text.

    `is_exact` is False where bytes are no text in the charset that they should be.
    """

    blocks: tuple[dict[str, Any], ...]
    is_exact: bool = True


def make_content(content_type: str, data: bytes, *, uri: str) -> Content:
    """The blocks for some content.

    Text is decoded by its charset (UTF-8 where none is stated or the one that is stated is not known), with U+FFFD for
    what cannot be read; images and sound stand in their own blocks, everything else in a resource named `uri`, each
    after a line of text that says what it is. A content type that is none counts as unknown.
    """
    found = _MEDIA_TYPE.match(content_type)
    media_type = found[1].lower() if found else _UNKNOWN_TYPE
    if _TEXT_TYPE.fullmatch(media_type):
        return _make_text(content_type, data)
    encoded = base64.b64encode(data).decode("ascii")
    told = {"type": "text", "text": f"{media_type}, {len(data)} bytes"}
    if media_type.startswith(_SEEN_TYPES):
        block = {"type": media_type.partition("/")[0], "data": encoded, "mimeType": media_type}
    else:
        block = {"type": "resource", "resource": {"uri": uri, "mimeType": media_type, "blob": encoded}}
    return Content(blocks=(told, block))


def _make_text(content_type: str, data: bytes) -> Content:
    stated = _CHARSET.search(content_type)
    codec = _CODECS.get(stated[1].lower(), _DEFAULT_CODEC) if stated else _DEFAULT_CODEC
    try:
        return Content(blocks=({"type": "text", "text": data.decode(codec)},))
    except UnicodeDecodeError:
        return Content(blocks=({"type": "text", "text": data.decode(codec, "replace")},), is_exact=False)
