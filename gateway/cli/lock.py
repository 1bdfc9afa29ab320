"""`propylon lock` and `propylon diff`: the surface in a file, and what has changed since."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gateway.app.operator_error import OperatorError
from gateway.cli.sources import Sources, choose_settings, source_options
from gateway.cli.tables import Column, count, print_table

if TYPE_CHECKING:
    from gateway.descriptors.changes.kinds import Change
    from gateway.descriptors.changes.surfaces import Surface

_FILE = "propylon.lock.json"
_PATH = click.Path(path_type=Path)

_CHANGES = (
    Column(heading="Breaks"),
    Column(heading="Tool", is_name=True),
    Column(heading="Where"),
    Column(heading="What"),
)


@click.command(context_settings={"show_default": True})
@click.argument("targets", nargs=-1, metavar="[HOST:PORT]...")
@click.option("--output", "-o", type=_PATH, default=_FILE, metavar="FILE", help="Where to write it.")
@source_options
def lock(output: Path, **said: Any) -> None:
    """Write what callers rely on to a file: names, texts and schemas of all tools.

    Keep the file with the code: propylon diff then says what a change of the backends does to callers.
    """
    from gateway.app.locking.lock_file import write_surface

    surface = _look(said)
    is_news = write_surface(output, surface)
    click.echo(f"{output} locks {count(len(surface), 'tool')}{'' if is_news else ', as before'}.")


@click.command(context_settings={"show_default": True})
@click.argument("targets", nargs=-1, metavar="[HOST:PORT]...")
@click.option("--lock", "locked", type=_PATH, default=_FILE, metavar="FILE", help="The file that propylon lock wrote.")
@click.option("--json", "as_json", is_flag=True, help="Print the changes as a JSON array.")
@source_options
def diff(locked: Path, as_json: bool, **said: Any) -> int:
    """Say what has changed since the surface was locked, and what of it breaks callers.

    Ends with 1 where something breaks callers: a gate for continuous integration.
    """
    from gateway.app.locking.lock_file import read_surface
    from gateway.descriptors.changes.surfaces import compare_surfaces

    before = read_surface(locked)
    changes = compare_surfaces(before, _look(said))
    breaking = [change for change in changes if change.breaks]
    if as_json:
        click.echo(json.dumps([_describe(change) for change in changes], indent=2, ensure_ascii=False))
    else:
        rows = [
            ("yes" if change.breaks else "no", change.tool, _place(change), _what(change))
            for change in sorted(changes, key=lambda change: not change.breaks)
        ]
        if rows:
            print_table(_CHANGES, rows)
            click.echo()
        told = f"{count(len(changes), 'change')} since {locked}; {len(breaking)} of them break callers."
        click.echo(told if changes else f"Nothing has changed since {locked}.")
    return 1 if breaking else 0


def _look(said: dict[str, Any]) -> "Surface":
    """The surface now. Raises `OperatorError` where a backend is missing: what it offers would seem to be gone."""
    from gateway.app.locking.lock_file import make_surface
    from gateway.app.one_shot import look_once

    look = look_once(choose_settings(Sources(**said)), demo=said["demo"])
    if look.failures:
        backend, reason = look.failures[0]
        raise OperatorError(f"backend {backend} is missing: {reason}")
    return make_surface(look.catalogue)


def _place(change: "Change") -> str:
    return f"{change.side.value} {change.at}".rstrip()


def _what(change: "Change") -> str:
    return f"{change.kind.value}: {change.detail}" if change.detail else change.kind.value


def _describe(change: "Change") -> dict[str, Any]:
    return {
        "breaks": change.breaks,
        "kind": change.kind.value,
        "tool": change.tool,
        "side": change.side.value,
        "at": change.at,
        "detail": change.detail,
    }
