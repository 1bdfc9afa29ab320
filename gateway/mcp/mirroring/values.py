"""How a value of the body stands in a header: plain, or in the base64 form when plain text would not survive.

Source: MCP 2026-07-28, Streamable HTTP, "Value Encoding".
"""

import base64
import binascii

MALFORMED = "is malformed: what is no visible ASCII text stands as =?base64?...?="
"""The problem of a header whose value `decode_header_value` cannot make out."""

_PREFIX = "=?base64?"
_SUFFIX = "?="


def decode_header_value(value: str) -> str | None:
    """The value that a header carries, or None where the header is malformed.

    A value between `=?base64?` and `?=` is base64 of UTF-8; any other one stands for itself and may hold visible ASCII
    characters, blanks and tabs alone. The markers are case-sensitive; base64 that an encoder would not write
    (missing padding, stray bits) is malformed.
    """
    if not (value.startswith(_PREFIX) and value.endswith(_SUFFIX)) or len(value) < len(_PREFIX) + len(_SUFFIX):
        return value if value.isascii() and value.replace("\t", "").isprintable() else None
    coded = value[len(_PREFIX) : -len(_SUFFIX)]
    try:
        decoded = base64.b64decode(coded, validate=True)
        text = decoded.decode()
    except (binascii.Error, ValueError):  # UnicodeDecodeError is a ValueError, and so is base64 that is not ASCII
        return None
    return text if base64.b64encode(decoded).decode() == coded else None
