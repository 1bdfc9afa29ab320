r"""Bounds what a refusal repeats of foreign text: one printable line, however long or hostile the text was.

A caller or a backend can put a megabyte, a newline, an ANSI escape or a bidirectional override into a name, an id, a
header or a message. Everything of it that reaches an envelope or a log goes through `quote` (a value, shown so that it
can be told apart from our own words) or `one_line` (prose, shown as prose). This module must never know where the text
came from or where it goes.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

LIMIT_QUOTED = 64
ELLIPSIS = "…"

# Unicode 16, Default_Ignorable_Code_Point: those that `str.isprintable` calls printable although a reader sees nothing
# (fillers, variation selectors, joiners), and the braille blank. Data hides well in them.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_FOLDED = re.compile(r"\s+")
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}

# An integer of more bits is not written out: Python refuses to convert more than 4300 digits (CVE-2020-10735).
_LIMIT_BITS = 1024
# `one_line` looks at this many characters for each one that it may keep.
_FOLDING_ROOM = 8

_SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
_SECRET_WORDS = re.compile(r"auth|token|secret|passw|api-?key|credential|session|signature|jwt|assertion")


def quote(value: object) -> str:
    r"""One printable line that shows a JSON value: JSON-escaped, at most 64 characters, then `…` and the full length.

    Control, bidirectional, zero-width and other invisible characters and lone surrogates stand as `\uXXXX`. The full
    length counts a string's characters, an array's items or an object's members. The work is bounded too: only the
    part that is shown is looked at. Never raises; what is no JSON value is named by its type.
    """
    if isinstance(value, str):
        return _quote_text(value)
    kept: list[str] = []
    room = LIMIT_QUOTED
    for piece in _pieces(value):
        if len(piece) > room:
            return "".join(kept) + piece[:room] + ELLIPSIS + _size(value)
        kept.append(piece)
        room -= len(piece)
    return "".join(kept)


def escape_name(name: str) -> str:
    """A name as it may stand inside a pointer or a path: escaped and cut as `quote` does, without the quotes.

    Quotation marks and backslashes stand as they are: in a pointer they are no syntax.
    """
    shown, is_whole = _escape_up_to(name, LIMIT_QUOTED)
    return shown if is_whole else shown + ELLIPSIS + _size(name)


def escape_pointer(pointer: str, limit: int) -> str:
    """A pointer or a path with every character that cannot be seen escaped, cut with `…` to `limit` characters."""
    shown, is_whole = _escape_up_to(pointer, limit)
    return shown if is_whole else shown[: limit - 1] + ELLIPSIS


def one_line(text: str, limit: int) -> str:
    """Prose as one line of at most `limit` characters, cut with `…`.

    Runs of white space and control characters become one space, invisible and bidirectional characters are dropped,
    lone surrogates become U+FFFD. The work is bounded by `limit`, not by the text.
    """
    if len(text) <= limit and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    part = text[: limit * _FOLDING_ROOM]
    line = "".join(map(_visible, _INVISIBLE.sub("", part)))
    line = _FOLDED.sub(" ", line).strip()
    if len(line) <= limit and len(part) == len(text):
        return line
    return line[: limit - 1].rstrip() + ELLIPSIS


def is_secret_header(name: str, configured: Collection[str] = ()) -> bool:
    """Whether a header's value may carry a secret, so that only its name may be told.

    Errs on the side of secrecy: any name that speaks of a token, a key, a session and the like counts. `configured`
    holds further names in lower case.
    """
    lower = name.lower()
    return lower in _SECRET_HEADERS or lower in configured or _SECRET_WORDS.search(lower) is not None


def _escape_up_to(text: str, limit: int) -> tuple[str, bool]:
    """As much of a text as `limit` escaped characters hold, and whether that is all of it."""
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text, True
    kept: list[str] = []
    room = limit
    for character in text[: limit + 1]:
        shown = character if character in '"\\' else _escape(character)
        room -= len(shown)
        if room < 0:
            return "".join(kept), False
        kept.append(shown)
    return "".join(kept), True


def _visible(character: str) -> str:
    if character.isprintable() or character.isspace():
        return character
    if character < "\xa0":
        return " "
    return "\ufffd" if "\ud800" <= character <= "\udfff" else ""


def _quote_text(text: str) -> str:
    if len(text) <= LIMIT_QUOTED - 2 and text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    kept: list[str] = []
    room = LIMIT_QUOTED - 2
    for character in text[: room + 1]:
        shown = _escape(character)
        if len(shown) > room:
            return f'"{"".join(kept)}{ELLIPSIS}"{_size(text)}'
        kept.append(shown)
        room -= len(shown)
    return f'"{"".join(kept)}"'


def _escape(character: str) -> str:
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    if character.isprintable() and not _INVISIBLE.match(character):
        return character
    number = ord(character)
    if number <= 0xFFFF:
        return f"\\u{number:04x}"
    # RFC 8259 section 7: outside the basic plane, a surrogate pair.
    number -= 0x10000
    return f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"


def _pieces(value: object) -> Iterator[str]:
    """The compact JSON text of a value, piece by piece; whoever stops early has paid for no more."""
    match value:
        case str():
            yield '"'
            yield from map(_escape, islice(value, LIMIT_QUOTED + 1))
            yield '"'
        case None:
            yield "null"
        case bool():
            yield "true" if value else "false"
        case int():
            yield str(value) if value.bit_length() <= _LIMIT_BITS else f"an integer of {value.bit_length()} bits"
        case float():
            yield repr(value)
        case Mapping():
            yield "{"
            for position, (name, member) in enumerate(value.items()):
                yield "," if position else ""
                yield from _pieces(name)
                yield ":"
                yield from _pieces(member)
            yield "}"
        case list() | tuple():
            yield "["
            for position, item in enumerate(value):
                yield "," if position else ""
                yield from _pieces(item)
            yield "]"
        case _:
            yield f"<{type(value).__name__}>"


def _size(value: object) -> str:
    match value:
        case str():
            return f" ({len(value)} characters)"
        case Mapping():
            return f" ({len(value)} members)"
        case list() | tuple():
            return f" ({len(value)} items)"
        case int() if value.bit_length() <= _LIMIT_BITS:
            return f" ({len(str(abs(value)))} digits)"
        case _:
            return ""
