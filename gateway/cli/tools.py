"""`propylon tools`: what an agent would be offered."""

from typing import Any

import click

from gateway.cli.sources import Sources, choose_settings, source_options
from gateway.cli.tables import Column, first_sentence, print_table
from gateway.contract.quoting import quote

_COLUMNS = (
    Column(heading="Tool", is_name=True),
    Column(heading="RPC", is_name=True, is_second_line=True),
    Column(heading="What it does"),
)


@click.command(context_settings={"show_default": True})
@click.argument("targets", nargs=-1, metavar="[HOST:PORT]...")
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print the entries of tools/list as a JSON array.")
def tools(as_json: bool, **said: Any) -> int:
    """List the tools that the backends would be offered as."""
    from gateway.app.one_shot import look_once

    outcome = look_once(choose_settings(Sources(**said)), demo=said["demo"])
    listings = [dict(tool.listing) for tool in outcome.catalogue.tools.values()]
    if as_json:
        import json

        click.echo(json.dumps(listings, indent=2, ensure_ascii=False))
    elif listings:
        rows = [
            (tool.name, tool.rpc, first_sentence(tool.listing["description"]))
            for tool in outcome.catalogue.tools.values()
        ]
        print_table(_COLUMNS, rows)
    for backend, reason in outcome.failures:
        click.echo(f"propylon: backend {backend} is missing here: {reason}", err=True)
    for pattern in outcome.idle_patterns:
        click.echo(f"propylon: {quote(pattern)} fits no RPC; is it misspelt?", err=True)
    for path in outcome.idle_paths:
        click.echo(f"propylon: {path} names a field that no RPC has; is it misspelt?", err=True)
    if not listings:
        click.echo("propylon: no RPC is offered as a tool; propylon check says why", err=True)
    return 0 if listings and not outcome.failures else 1
