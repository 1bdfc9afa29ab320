"""google.protobuf.FieldMask both ways: paths in lowerCamelCase, joined by commas (google/protobuf/field_mask.proto)."""

import re
from typing import Any

from gateway.contract.quoting import quote
from gateway.transcoding.converters.explanations import SAMPLE_FIELD_MASK, expect
from gateway.transcoding.converters.outcomes import BlemishError, Cause, refuse, refuse_depth

_CAPITAL = re.compile(r"[A-Z]")
_AFTER_UNDERSCORE = re.compile(r"_([a-z])")
# What comes back as it was: no capitals, each underscore before a small letter, no comma.
_PRINTABLE = re.compile(r"(?:[^A-Z_,\s]|_(?=[a-z]))+").fullmatch
_PARSABLE = re.compile(r"[^_,\s\ud800-\udfff]+").fullmatch
_LIMIT_SUGGESTED = 48  # characters: a problem is one line of at most 200


def parse_field_mask(value: Any, room: int) -> dict[str, list[str]]:
    """The mask's paths in snake_case; empty text is an empty mask."""
    if room < 1:
        raise refuse_depth()
    if type(value) is not str:
        raise _refuse(value)
    if not value:
        return {"paths": []}
    paths = value.split(",")
    for path in paths:
        if not _PARSABLE(path):
            raise _refuse(value)
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
    return _AFTER_UNDERSCORE.sub(_to_capital, path)


def _to_capital(letter: re.Match[str]) -> str:
    return letter[1].upper()


def _refuse(value: Any) -> Exception:
    suggestion = _suggest(value)
    if suggestion is None:
        return refuse(expect(f"camelCase field paths such as {quote(SAMPLE_FIELD_MASK)}", value))
    meant = f"; did you mean {quote(suggestion)}?"
    return refuse(expect("camelCase field paths joined by commas", value) + meant)


def _suggest(value: Any) -> str | None:
    """The mask that somebody meant who wrote snake_case, blanks, empty paths, a list or the message's own object."""
    paths = value.get("paths") if isinstance(value, dict) else value
    if isinstance(paths, str):
        paths = paths.split(",")
    if not isinstance(paths, list) or len(paths) > _LIMIT_SUGGESTED or not all(isinstance(path, str) for path in paths):
        return None
    spelt = [_AFTER_UNDERSCORE.sub(_to_capital, path.strip()) for path in paths if path.strip()]
    text = ",".join(spelt)
    return text if all(map(_PARSABLE, spelt)) and 0 < len(text) <= _LIMIT_SUGGESTED else None
