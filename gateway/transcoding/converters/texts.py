"""Strings, bytes and booleans both ways.

Bytes are standard base64 in output; in input the URL-safe alphabet and missing padding are taken too (ProtoJSON), but
never both alphabets in one value.
"""

import binascii
import re
from typing import Any

from gateway.transcoding.converters.explanations import expect
from gateway.transcoding.converters.outcomes import BlemishError, Cause, refuse

NOT_UTF8 = "is not UTF-8 text; \N{REPLACEMENT CHARACTER} stands for what could not be read"

_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}", re.ASCII).fullmatch
_BASE64_URL = re.compile(r"[A-Za-z0-9_-]*={0,2}", re.ASCII).fullmatch
_TO_STANDARD = str.maketrans("-_", "+/")
_decode = binascii.a2b_base64
_encode = binascii.b2a_base64


def parse_string(value: Any, _room: int) -> str:
    """A string of Unicode scalar values; protobuf strings are UTF-8, which has no lone surrogates."""
    if type(value) is not str:
        raise refuse(expect("a string", value))
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refuse(expect("text without lone surrogates", value)) from None
    return value


def parse_bool(value: Any, _room: int) -> bool:
    """True or false, never "true" or 1."""
    if type(value) is bool:
        return value
    raise refuse(expect("true or false", value))


def parse_bytes(value: Any, _room: int) -> bytes:
    """Bytes from base64 in either alphabet, padded or not."""
    try:
        return _decode(value, strict_mode=True)
    except (ValueError, TypeError):
        return _decode_unusual(value)


def _decode_unusual(value: Any) -> bytes:
    if type(value) is not str:
        raise refuse(expect("bytes as a base64 string", value))
    if _BASE64_URL(value):
        text = value.translate(_TO_STANDARD)
    elif _BASE64(value):
        text = value
    else:
        raise refuse(expect("bytes in base64, standard or URL-safe but not mixed", value))
    digits = text.rstrip("=")
    padding = len(text) - len(digits)
    if len(digits) % 4 == 1 or (padding and len(text) % 4):
        raise refuse(expect("complete base64 text", value))
    return _decode(digits + "=" * (-len(digits) % 4))


def print_bytes(value: bytes, _room: int) -> str:
    """Bytes as padded standard base64."""
    return _encode(value, newline=False).decode("ascii")


def print_text(value: Any, _room: int) -> str:
    """A string of a field whose UTF-8 the decoder does not check (proto2): bytes are told with replacements."""
    if type(value) is str:
        return value
    raise BlemishError(value.decode("utf-8", "replace"), Cause(NOT_UTF8))
