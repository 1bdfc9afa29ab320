"""google.protobuf.FieldMask both ways: paths in lowerCamelCase, joined by commas (google/protobuf/field_mask.proto)."""

import re
from typing import Any

from gateway.contract.quoting import quote
from gateway.transcoding.converters.explanations import SAMPLE_FIELD_MASK
from gateway.transcoding.converters.outcomes import BlemishError, Cause, refuse, refuse_depth

_CAPITAL = re.compile(r"[A-Z]")
_AFTER_UNDERSCORE = re.compile(r"_([a-z])")
# What comes back as it was: no capitals, each underscore before a small letter, no comma.
_PRINTABLE = re.compile(r"(?:[^A-Z_,\s]|_(?=[a-z]))+").fullmatch
_PARSABLE = re.compile(r"[^_,\s]+").fullmatch


def parse_field_mask(value: Any, room: int) -> dict[str, list[str]]:
    """The mask's paths in snake_case; empty text is an empty mask."""
    if room < 1:
        raise refuse_depth()
    if type(value) is not str:
        raise _refuse(value, "")
    if not value:
        return {"paths": []}
    paths = value.split(",")
    for path in paths:
        if not _PARSABLE(path):
            raise _refuse(value, _suggest(path))
    return {"paths": [_CAPITAL.sub(_to_snake, path) for path in paths]}


def print_field_mask(message: Any, _room: int) -> str:
    """The mask as text. A path that would not read back equal stands as it is."""
    paths = list(message.paths)
    text = ",".join([_to_camel(path) for path in paths])
    wrong = [path for path in paths if not _PRINTABLE(path)]
    if wrong:
        raise BlemishError(
            text, Cause(f"has the path {quote(wrong[0])}, which has no lowerCamelCase form; it is shown as it is")
        )
    return text


def _to_snake(capital: re.Match[str]) -> str:
    return "_" + capital[0].lower()


def _to_camel(path: str) -> str:
    if not _PRINTABLE(path):
        return path
    return _AFTER_UNDERSCORE.sub(lambda match: match[1].upper(), path)


def _suggest(path: str) -> str:
    stripped = path.strip()
    if not stripped:
        return "without empty ones"
    if _PRINTABLE(stripped):
        return f"so {quote(_to_camel(stripped))} for {quote(path)}"
    return f"which {quote(path)} is not"


def _refuse(value: Any, why: str) -> Exception:
    return refuse(f"must be field paths such as {quote(SAMPLE_FIELD_MASK)}, {why or f'got {quote(value)}'}")
