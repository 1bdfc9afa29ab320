"""Tables for people in a terminal, and plain aligned lines, one a row, for whatever reads a pipe."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import click

from gateway.contract.quoting import one_line

if TYPE_CHECKING:
    from rich.text import Text

_LIMIT_PURPOSE = 160
_WIDE_COLUMNS = 140
# What a column of names leaves to the others at least.
_LEAST_REST = 30
# What stands between two columns, and before the first.
_GAP = 2
# What a column of names takes in any case, however narrow the terminal is.
_LEAST_NAME = 8
# Not the full stop of "e.g. this".
_SENTENCE_END = re.compile(r"(?<=[.!?])\s(?![a-z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A heading and how its cells stand.

    `is_number` sets them to the right, `is_name` keeps them in one piece where there is room, `is_second_line` puts
    them under the column before in a narrow terminal.
    """

    heading: str
    is_number: bool = False
    is_name: bool = False
    is_second_line: bool = False


def count(number: int, noun: str) -> str:
    """A number of things: "1 tool", "2 tools"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def first_sentence(text: str) -> str:
    """What a description says first, as one line of at most 160 characters."""
    paragraph = text.strip().split("\n\n", 1)[0]
    return one_line(_SENTENCE_END.split(paragraph, maxsplit=1)[0], _LIMIT_PURPOSE)


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, stream: TextIO | None = None) -> None:
    """Prints to standard output: as a table in a terminal, else as aligned lines with a heading, one a row."""
    stream = sys.stdout if stream is None else stream
    if stream.isatty():
        width = shutil.get_terminal_size().columns
        click.echo(format_table(columns, rows, width=width, color=_may_paint()), file=stream, nl=False)
    else:
        click.echo(format_lines(columns, rows), file=stream, nl=False)


def format_lines(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Every row on one line, nothing cut, columns two spaces apart."""
    lines = [[column.heading.upper() for column in columns], *([one_line(cell, 4000) for cell in row] for row in rows)]
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    return "".join(
        "  ".join(
            cell.rjust(width) if column.is_number else cell.ljust(width)
            for cell, width, column in zip(line, widths, columns, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    )


def format_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, width: int, color: bool = True) -> str:
    """A table that fits the width; in a narrow one, columns that may share the line above them do."""
    import io

    from rich import box
    from rich.console import Console
    from rich.table import Table

    narrow = width < _WIDE_COLUMNS
    shown = [column for column in columns if not (narrow and column.is_second_line)]
    cells = [_cells(columns, row, narrow=narrow) for row in rows]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    longest = [_find_width(column, index, cells) for index, column in enumerate(shown)]
    # A number that is cut is another number: names give way to them, and where that is not enough, the terminal does.
    numbers = sum(size + _GAP for size, column in zip(longest, shown, strict=True) if column.is_number)
    rest = max(numbers + _GAP, _LEAST_REST)
    width = max(width, numbers + _GAP + _LEAST_NAME) if numbers else width
    for size, column in zip(longest, shown, strict=True):
        table.add_column(
            column.heading,
            justify="right" if column.is_number else "left",
            overflow="fold",
            no_wrap=column.is_number,
            min_width=size if column.is_number else None,
            width=max(min(size, width - rest), _LEAST_NAME) if column.is_name else None,
        )
    for row in cells:
        table.add_row(*row)
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=color, color_system="standard" if color else None)
    console.print(table)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def _may_paint() -> bool:
    """Whether the terminal takes bold and dim: https://no-color.org, and terminals that say they are dumb."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _find_width(column: Column, index: int, cells: Sequence[Sequence[Text]]) -> int:
    lines = (len(line) for row in cells for line in row[index].plain.split("\n"))
    return max(len(column.heading), *lines)


def _cells(columns: Sequence[Column], row: Sequence[str], *, narrow: bool) -> list[Text]:
    from rich.text import Text

    cells: list[Text] = []
    for column, cell in zip(columns, row, strict=True):
        text = Text(one_line(cell, 4000))
        if column.is_second_line:
            text.stylize("dim")
            if narrow:
                cells[-1] = Text.assemble(cells[-1], "\n", text)
                continue
        cells.append(text)
    return cells
