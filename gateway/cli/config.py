"""`propylon config`: the schema of propylon.yaml, and whether a file fits it."""

import os
from pathlib import Path

import click

from gateway.cli.tables import count


@click.group(invoke_without_command=True)
@click.pass_context
def config(context: click.Context) -> None:
    """Look at propylon.yaml: its schema, or the faults of a file."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@config.command()
def schema() -> None:
    """Print the JSON Schema of propylon.yaml."""
    import json

    from gateway.app.settings.schema import SETTINGS_SCHEMA

    click.echo(json.dumps(SETTINGS_SCHEMA, indent=2))


@config.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default=Path("propylon.yaml"))
def check(file: Path) -> None:
    """Name all the faults of FILE at once (propylon.yaml where none is given)."""
    from gateway.app.settings.loader import load_settings

    settings = load_settings(file, os.environ)
    click.echo(f"{file} is well formed: {count(len(settings.backends), 'backend')}.")
