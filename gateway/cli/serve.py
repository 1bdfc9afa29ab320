"""`propylon serve`: the gateway itself."""

import click


@click.command()
def serve() -> int:
    """x"""
    return 0
