"""`propylon check`: what would be served, what would not and why, and what the tools cost an agent to read."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from gateway.cli.sources import Sources, choose_settings, source_options
from gateway.cli.tables import Column, count, print_table
from gateway.contract.quoting import quote

if TYPE_CHECKING:
    from gateway.app.one_shot import Look

# Tokenizers of current models take JSON Schema at about four characters a token; it is an estimate and says so.
_CHARACTERS_PER_TOKEN = 4

_SIZES = (
    Column(heading="Tool", is_name=True),
    Column(heading="Input", is_number=True),
    Column(heading="Output", is_number=True),
    Column(heading="Whole", is_number=True),
    Column(heading="~Tokens", is_number=True),
)
_REASONS = (Column(heading="Backend"), Column(heading="What", is_name=True), Column(heading="Why"))
_WARNINGS = (Column(heading="Backend"), Column(heading="Warning"))


@click.command()
@click.argument("targets", nargs=-1, metavar="[HOST:PORT]...")
@source_options
def check(**said: Any) -> int:
    """Say what would be served and what would be skipped, and why.

    Skipped is what should be served and cannot be; left out is what is not offered by choice. Ends with 1 where
    something is skipped, a backend cannot be asked, or nothing is left to serve.
    """
    from gateway.app.one_shot import look_once

    look = look_once(choose_settings(Sources(**said)), demo=said["demo"])
    listings = [dict(tool.listing) for tool in look.catalogue.tools.values()]
    _print_sizes(listings)
    found = [(offer.backend, offer.findings) for offer in look.offers]
    skipped = [(name, one.name, one.reason) for name, findings in found for one in findings.skipped]
    skipped += [(name, "all of it", reason) for name, reason in look.failures]
    _print_reasons("Skipped", skipped)
    _print_reasons("Left out", [(name, one.name, one.reason) for name, findings in found for one in findings.left_out])
    warnings = [(name, warning) for name, findings in found for warning in findings.warnings]
    _print_warnings(warnings + [("all", f"{quote(one)} fits no RPC; is it misspelt?") for one in look.idle_patterns])
    left_out = sum(len(findings.left_out) for _, findings in found)
    click.echo(f"\n{_summary(look, listings, len(skipped), left_out)}")
    return 1 if skipped or not listings else 0


def _print_sizes(listings: Sequence[Mapping[str, Any]]) -> None:
    rows = []
    for listing in listings:
        entry = _size(listing)
        output = _size(listing["outputSchema"]) if "outputSchema" in listing else None
        counts = (_size(listing["inputSchema"]), output, entry, _tokens(entry))
        rows.append((listing["name"], *("-" if count is None else f"{count:,}" for count in counts)))
    if rows:
        click.echo("Bytes of JSON in tools/list, of each tool's schemas and of its whole entry:")
        print_table(_SIZES, rows)


def _print_reasons(heading: str, rows: Sequence[tuple[str, str, str]]) -> None:
    if rows:
        click.echo(f"\n{heading}:")
        print_table(_REASONS, rows)


def _print_warnings(rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        click.echo("\nWarnings:")
        print_table(_WARNINGS, rows)


def _summary(look: "Look", listings: Sequence[Mapping[str, Any]], skipped: int, left_out: int) -> str:
    size = sum(map(_size, listings))
    found = f"{count(len(listings), 'tool')} of {count(len(look.offers), 'backend')}"
    return (
        f"{found}; {skipped} skipped, {left_out} left out.\n"
        f"The list has {size:,} bytes, about {_tokens(size):,} tokens."
    )


def _size(value: Any) -> int:
    import orjson

    return len(orjson.dumps(value))


def _tokens(size: int) -> int:
    return -(-size // _CHARACTERS_PER_TOKEN)
