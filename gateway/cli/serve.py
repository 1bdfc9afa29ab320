"""`propylon serve`: the gateway itself."""

import contextlib
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gateway.app.operator_error import OperatorError
from gateway.cli.sources import Sources, choose_settings, source_options
from gateway.cli.tables import count

if TYPE_CHECKING:
    from gateway.app.serving.assignments import Announcement, Plan
    from gateway.app.settings.model import ListenAddress

# Whoever reads it says what is wrong with it, in words of its own.
_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("targets", nargs=-1, metavar="[HOST:PORT]...")
@click.option("--listen", metavar="HOST:PORT", help="Where to serve HTTP; port 0 takes a free one. [127.0.0.1:8080]")
@click.option("--stdio", is_flag=True, help="Serve on standard input and output (with --listen: on HTTP too).")
@click.option("--workers", type=click.IntRange(1, 64), default=1, metavar="N", help="Processes that serve HTTP. [1]")
@click.option("--locked", type=_PATH, metavar="FILE", help="Refuse to serve what breaks the surface in this file.")
@source_options
def serve(listen: str | None, stdio: bool, workers: int, locked: Path | None, **said: Any) -> None:
    """Serve the RPCs of gRPC servers as MCP tools.

    \b
      propylon serve --demo
      propylon serve localhost:50051
      propylon serve localhost:50051 --descriptors shop.binpb --exclude "*/Delete*"
      propylon serve -c propylon.yaml --workers 4
      propylon serve -c propylon.yaml --locked propylon.lock.json
    """
    settings = choose_settings(Sources(**said))
    if listen is not None:
        settings = dataclasses.replace(settings, listen=_parse_listen(listen))

    from gateway.app.serving.assignments import Plan
    from gateway.telemetry.logs import LogLevel, set_up_logging

    # The demo is for looking at; what it tells stands on standard output.
    level = LogLevel.WARNING if said["demo"] and said["config"] is None else settings.log.level
    set_up_logging(level=level, line_format=settings.log.format, secrets=settings.secrets())
    http = listen is not None or not stdio
    plan = Plan(settings=settings, http=http, stdio=stdio, demo=said["demo"], log_level=level, locked=locked)

    def announce(announcement: "Announcement") -> None:
        text = f"{_ready_line(announcement)}\n"
        if plan.demo and announcement.url is not None and not stdio:
            from gateway.cli.demo_text import make_demo_text

            text += make_demo_text(announcement.url)
        with contextlib.suppress(OSError):  # nobody reads it; that is no reason to serve nobody
            click.echo(text, nl=False, err=stdio)

    if locked is not None:
        from gateway.app.locking.lock_file import read_surface

        read_surface(locked)  # before anything is begun
    if workers > 1:
        _refuse_workers(plan)
        # Before gRPC is imported, which only the workers need.
        from gateway.app.serving.workers import serve_with_workers

        serve_with_workers(plan, announce, workers=workers)
    else:
        from gateway.app.serving.lifetime import serve as run

        run(plan, announce)


def _refuse_workers(plan: "Plan") -> None:
    """Refuses several processes where there is only one of what they would share."""
    if plan.stdio:
        raise OperatorError("--stdio is served by one process; leave out --workers")
    if plan.demo:
        raise OperatorError("the shop of --demo lives inside one process; leave out --workers")


def _parse_listen(text: str) -> "ListenAddress":
    from gateway.app.settings.formats import parse_listen_address

    address = parse_listen_address(text)
    if isinstance(address, str):
        raise OperatorError(f"--listen {address}")
    return address


def _ready_line(announcement: "Announcement") -> str:
    place = f"at {announcement.url}" if announcement.url else "on standard input and output"
    tools = count(announcement.tools, "tool")
    line = f"Propylon serves {tools} of {count(announcement.backends, 'backend')} {place}"
    if not announcement.tools:
        line += " (propylon check says why there is none)"
    if announcement.waiting:
        line += f" (still waiting for {', '.join(announcement.waiting)})"
    return line
