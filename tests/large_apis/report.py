"""The table of what the suite of large APIs measures."""

from collections.abc import Sequence
from dataclasses import dataclass

_HEADINGS = ("API", "version", "RPCs", "tools", "skipped", "schema bytes", "a tool", "messages", "seconds", "findings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One API: what it offers, what its schemas weigh, what was tried and how long it took, what was found."""

    package: str
    version: str
    rpcs: int
    tools: int
    skipped: int
    schema_bytes: int
    messages: int
    seconds: float
    findings: int

    def format(self) -> tuple[str, ...]:
        counts = (self.rpcs, self.tools, self.skipped, self.schema_bytes, self.schema_bytes // self.rpcs, self.messages)
        numbers = (f"{count:,}" for count in counts)
        return (self.package, self.version, *numbers, f"{self.seconds:.1f}", str(self.findings))


def format_rows(rows: Sequence[Row]) -> list[str]:
    """The table, a line each; names to the left, numbers to the right."""
    table = [_HEADINGS, *(row.format() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if index > 1 else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in table
    ]
