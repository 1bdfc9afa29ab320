"""Turns the raw text of a proto comment into text that may stand before a model.

A comment is written by whoever wrote the backend's proto and is read by a model, so what no person would see in it
(bidirectional overrides, tag characters, escape sequences) does not get through, and its length is bounded. This module
knows nothing of descriptors.
"""

import re
from dataclasses import dataclass

# More raw text than this is not looked at: it bounds the work for one comment.
LIMIT_RAW_CHARACTERS = 1 << 18

_TERMINAL_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
_LINE_END = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")

# Unicode's Default_Ignorable_Code_Point and Bidi_Control, controls but newline, blanks that look like nothing,
# private use, noncharacters of the basic plane, surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)

_DIRECTIVE = re.compile(
    r"\s*(?:buf:lint:|protolint:|api-linter:|lint:|nolint\b|clang-format\s+o|prettier-ignore|aip\.dev/not-precedent"
    r"|@exclude\b|@@protoc_insertion_point|(?:TODO|FIXME|XXX|HACK)\b\s*[(:])",
    re.IGNORECASE,
)
_BANNER = re.compile(r"\s*[-=*#/~_+]{4,}\s*")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")
_OWN_LINE = re.compile(r"\s*(?:#{1,6}\s|\||>)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_SPACES = re.compile(r" {2,}")
# AIP-192 refers to other elements in this form; the full name helps nobody who reads a tool's description.
_REFERENCE = re.compile(r"\[([^\]\[]{1,200})\]\[[A-Za-z0-9_.]{0,300}\]")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentText:
    """A cleaned comment. `was_cut`: it was longer than the limit; `had_hidden`: invisible characters were taken out."""

    text: str
    was_cut: bool = False
    had_hidden: bool = False


def clean_comment(raw: str, *, limit_characters: int) -> CommentText:
    """The comment as paragraphs: trimmed, at most `limit_characters` long with `…` where it was cut.

    Lines of one paragraph are joined; list items, headings, tables, indented and fenced code keep their lines. Internal
    comments (AIP-192, `(-- … --)`), lint directives, TODO lines and banners are dropped; a comment that opens with
    `@exclude` (protoc-gen-doc) is dropped whole.
    """
    bounded = raw[:LIMIT_RAW_CHARACTERS]
    plain = _LINE_END.sub("\n", _TERMINAL_SEQUENCE.sub("", bounded)).expandtabs(4)
    visible = _HIDDEN.sub("", plain)
    had_hidden = len(visible) != len(plain) or "\x1b" in bounded
    if visible.lstrip().startswith("@exclude"):
        return CommentText(text="", had_hidden=had_hidden)
    lines = _dedent(_drop_directives(_drop_internal(visible).split("\n")))
    text = _join_paragraphs(lines).strip()
    shortened = cut_text(text, limit_characters)
    return CommentText(
        text=shortened, was_cut=shortened != text or len(raw) > LIMIT_RAW_CHARACTERS, had_hidden=had_hidden
    )


def cut_text(text: str, limit_characters: int) -> str:
    """The text, or its beginning up to the end of a sentence or word and `…`; never longer than the limit."""
    if len(text) <= limit_characters:
        return text
    room = text[: limit_characters - 1]
    ends = [found.end() for found in _SENTENCE_END.finditer(text, 0, limit_characters) if found.end() <= len(room)]
    if ends and ends[-1] >= limit_characters // 2:
        return f"{room[: ends[-1]].rstrip()}…"
    word_end = room.rfind(" ")
    if word_end >= limit_characters // 2:
        room = room[:word_end]
    return f"{room.rstrip()}…"


def _drop_internal(text: str) -> str:
    """The text without `(-- … --)`; one that is never closed hides the rest, as its author meant."""
    kept: list[str] = []
    at = 0
    while (start := text.find("(--", at)) >= 0:
        kept.append(text[at:start])
        end = text.find("--)", start + 3)
        if end < 0:
            return "".join(kept)
        at = end + 3
    kept.append(text[at:])
    return "".join(kept)


def _drop_directives(lines: list[str]) -> list[str]:
    """The lines without directives, their deeper indented continuations, and banners."""
    kept: list[str] = []
    hanging: int | None = None
    for line in lines:
        indent = _indent(line)
        if hanging is not None and line.strip() and indent > hanging:
            continue
        hanging = indent if _DIRECTIVE.match(line) else None
        if hanging is None and not _BANNER.fullmatch(line):
            kept.append(line.rstrip())
    return kept


def _dedent(lines: list[str]) -> list[str]:
    """The lines without their common indent, and without the third slash of `///` comments."""
    filled = [line for line in lines if line]
    if filled and all(line.startswith("/") for line in filled):
        lines = [line[1:] for line in lines]
        filled = [line for line in lines if line.strip()]
    if len(filled) > 1 and _indent(filled[0]) == 0:
        # The first line of a block comment stands at its mark; the others carry an indent of their own.
        margin = min(_indent(line) for line in filled[1:])
        first = lines.index(filled[0])
        return [*lines[: first + 1], *(line[min(margin, _indent(line)) :] for line in lines[first + 1 :])]
    margin = min((_indent(line) for line in filled), default=0)
    return [line[margin:] for line in lines]


def _join_paragraphs(lines: list[str]) -> str:
    out: list[str] = []
    fenced = False
    joinable = False
    in_list = False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            out.append(line)
            joinable = False
        elif fenced:
            out.append(line)
        elif not line.strip():
            if out and out[-1]:
                out.append("")
            joinable = in_list = False
        elif _ITEM.match(line):
            out.append(" " * _indent(line) + _plain(line))
            joinable = in_list = True
        elif _OWN_LINE.match(line):
            out.append(line)
            joinable = False
        elif _indent(line) >= 4 and not in_list and not joinable:
            out.append(line)
        elif joinable:
            # A link that was wrapped between its text and its target stays one link.
            gap = "" if out[-1].endswith("]") and line.lstrip().startswith(("(http", "[")) else " "
            out[-1] = f"{out[-1]}{gap}{_plain(line)}"
        else:
            out.append(_plain(line))
            joinable = True
    return "\n".join(out)


def _plain(line: str) -> str:
    """A line of prose with single spaces, and with the name alone for a reference such as `[Order][shop.v1.Order]`."""
    return _SPACES.sub(" ", _REFERENCE.sub(r"\1", line.strip()))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
