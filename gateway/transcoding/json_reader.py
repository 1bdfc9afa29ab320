"""Strict JSON: the same language as the fast reader takes, but a name that stands twice in an object is refused.

ProtoJSON forbids doubled names, which JSON readers commonly pass over. Finding them costs several times the fast
reading, so this reader is for those who ask for it.
"""

import json
import math
from typing import Any

import orjson

from gateway.contract.quoting import quote


class JsonError(Exception):
    """Text that is not JSON, or names a member twice. The message is one line."""


def read_json(text: bytes) -> Any:
    """The value of RFC 8259 JSON in UTF-8. Raises JsonError."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise JsonError(f"{error.msg} at line {error.lineno} column {error.colno}") from None


def read_strict_json(text: bytes) -> Any:
    """The same, refusing a name that stands twice in one object. Raises JsonError."""
    value = read_json(text)
    # The fast reader has judged the grammar, so that all that the slow one can find is the doubled name.
    if b"{" in text:
        json.loads(text, object_pairs_hook=_refuse_doubles, parse_int=_skip, parse_float=_skip)
    return value


def _refuse_doubles(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise JsonError(f"the name {quote(name)} stands twice in one object")
        seen.add(name)


def _skip(_number: str) -> float:
    return math.nan
