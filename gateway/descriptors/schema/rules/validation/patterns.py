r"""RE2 patterns (github.com/google/re2/wiki/Syntax) as patterns that mean the same wherever schemas are read.

JSON Schema asks for ECMA-262 with Unicode; readers also use Python's `re`, Rust's `regex` and others. What all of them
understand alike is passed on, what can be said alike is rewritten (`\d` as `[0-9]`), and the rest has no portable form.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

LIMIT_PATTERN = 500

_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_CLASSES: Mapping[str, str] = MappingProxyType({"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "})
_CONTROLS = frozenset("tnrfv")
_POSIX: Mapping[str, str] = MappingProxyType(
    {"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "digit": "0-9", "lower": "a-z", "upper": "A-Z", "word": "0-9A-Za-z_"}
    | {"xdigit": "0-9A-Fa-f", "space": r"\t\n\v\f\r ", "blank": r"\t "}
)
_QUANTIFIER = re.compile(r"(?:[*+?]|\{(\d{1,4})(?:(,)(\d{0,4}))?\})\??")
_GROUP = re.compile(r"\((?:\?(?::|P?<[A-Za-z_][A-Za-z0-9_]*>))?")
_HEX = re.compile(r"x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))")
_POSIX_CLASS = re.compile(r"\[:([a-z]+):\]")
# Set operations in some dialects.
_DOUBLES = ("&&", "--", "~~", "||")


class _NotPortable(Exception):
    """The pattern has no portable form."""


def make_portable(pattern: str) -> str | None:
    """The same pattern for every reader, or None where there is none."""
    if len(pattern) > LIMIT_PATTERN:
        return None
    try:
        portable = _Rewriter(pattern).rewrite()
        re.compile(portable)
    except (_NotPortable, re.error, OverflowError, RecursionError):
        return None
    return portable


class _Rewriter:
    """Rewrites one pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def rewrite(self) -> str:
        """The portable pattern. Raises `_NotPortable`."""
        parts: list[str] = []
        can_repeat = False
        while self._at < len(self._pattern):
            quantifier = _QUANTIFIER.match(self._pattern, self._at)
            if quantifier is not None:
                if not can_repeat:
                    raise _NotPortable
                self._at = quantifier.end()
                parts.append(quantifier[0])
                can_repeat = False
                continue
            character = self._pattern[self._at]
            parts.append(self._rewrite_one(character))
            can_repeat = character not in "^$(|"
        return "".join(parts)

    def _rewrite_one(self, character: str) -> str:
        match character:
            case "(":
                return self._open_group()
            case "[":
                return self._rewrite_class()
            case "\\":
                self._at += 1
                return self._rewrite_escape(lambda name, inside: f"[{'^' if name.isupper() else ''}{inside}]", _literal)
            case "^" | "$" | "." | "|" | ")":
                self._at += 1
                return character
            case _:
                self._at += 1
                return _literal(character)

    def _open_group(self) -> str:
        found = _GROUP.match(self._pattern, self._at)
        if found is None or (found[0] == "(" and self._pattern[self._at : self._at + 2] == "(?"):
            raise _NotPortable  # flags
        self._at = found.end()
        # Names of groups are spelt differently everywhere, and nothing refers to them.
        return "(" if found[0] == "(" else "(?:"

    def _rewrite_escape(self, write_class: Callable[[str, str], str], write: Callable[[str], str]) -> str:
        """What stands after a backslash, by `write_class` for a class and by `write` for a character."""
        if self._at >= len(self._pattern):
            raise _NotPortable
        name = self._pattern[self._at]
        found = _HEX.match(self._pattern, self._at)
        if found is not None:
            self._at = found.end()
            code = int(found[1] or found[2], 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                raise _NotPortable
            return write(chr(code))
        self._at += 1
        if name.lower() in _CLASSES:
            return write_class(name, _CLASSES[name.lower()])
        if name in _CONTROLS:
            return f"\\{name}"
        if name.isalnum() or not name.isascii():
            raise _NotPortable
        return write(name)

    def _rewrite_class(self) -> str:
        """A character class, from its opening bracket to its closing one."""
        pattern = self._pattern
        self._at += 1
        parts = ["["]
        if pattern.startswith("^", self._at):
            self._at += 1
            parts.append("^")
        start = self._at
        while True:
            if self._at >= len(pattern):
                raise _NotPortable
            character = pattern[self._at]
            if character == "]" and self._at > start:
                self._at += 1
                return "".join([*parts, "]"])
            if pattern.startswith(_DOUBLES, self._at):
                raise _NotPortable
            if pattern.startswith("[:", self._at):
                posix = _POSIX_CLASS.match(pattern, self._at)
                if posix is None or posix[1] not in _POSIX:
                    raise _NotPortable
                self._at = posix.end()
                parts.append(_POSIX[posix[1]])
                continue
            self._at += 1
            if character == "\\":
                parts.append(self._rewrite_escape(_expand_in_class, _literal_in_class))
            elif character == "-":
                parts.append("-" if self._is_range(start) else "\\-")
            else:
                parts.append(_literal_in_class(character))

    def _is_range(self, start: int) -> bool:
        """Whether the hyphen just passed stands between two characters and not at an end."""
        return self._at - 1 > start and not self._pattern.startswith("]", self._at)


def _literal(character: str) -> str:
    return f"\\{character}" if character in _SYNTAX else character


def _literal_in_class(character: str) -> str:
    return f"\\{character}" if character in _SYNTAX or character == "-" else character


def _expand_in_class(name: str, inside: str) -> str:
    if name.isupper():
        raise _NotPortable  # what is not in a class, within another class
    return inside
