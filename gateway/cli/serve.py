"""`propylon serve`: the gateway itself."""

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import click

from gateway.app.operator_error import OperatorError
from gateway.cli.sources import Sources, choose_settings, source_options
from gateway.cli.tables import count

if TYPE_CHECKING:
    from gateway.app.serving.lifetime import Announcement
    from gateway.app.settings.model import ListenAddress


@click.command()
@click.argument("targets", nargs=-1, metavar="[HOST:PORT]...")
@click.option("--listen", metavar="HOST:PORT", help="Where to serve HTTP; port 0 takes a free one. [127.0.0.1:8080]")
@click.option("--stdio", is_flag=True, help="Serve on standard input and output (with --listen: on HTTP too).")
@source_options
def serve(listen: str | None, stdio: bool, **said: Any) -> None:
    """Serve the RPCs of gRPC servers as MCP tools.

    \b
      propylon serve --demo
      propylon serve localhost:50051
      propylon serve localhost:50051 --descriptors shop.binpb --exclude "*/Delete*"
      propylon serve -c propylon.yaml
    """
    settings = choose_settings(Sources(**said))
    if listen is not None:
        settings = dataclasses.replace(settings, listen=_parse_listen(listen))

    from gateway.app.serving.lifetime import Plan
    from gateway.app.serving.lifetime import serve as run
    from gateway.telemetry.logs import LogLevel, set_up_logging

    # The demo is for looking at; what it tells stands on standard output.
    level = LogLevel.WARNING if said["demo"] and said["config"] is None else settings.log.level
    set_up_logging(level=level, line_format=settings.log.format, secrets=settings.secrets())
    plan = Plan(settings=settings, http=listen is not None or not stdio, stdio=stdio, demo=said["demo"])

    def announce(announcement: "Announcement") -> None:
        text = f"{_ready_line(announcement)}\n"
        if plan.demo and announcement.url is not None and not stdio:
            from gateway.cli.demo_text import make_demo_text

            text += make_demo_text(announcement.url)
        with contextlib.suppress(OSError):  # nobody reads it; that is no reason to serve nobody
            click.echo(text, nl=False, err=stdio)

    run(plan, announce)


def _parse_listen(text: str) -> "ListenAddress":
    from gateway.app.settings.formats import parse_listen_address

    address = parse_listen_address(text)
    if isinstance(address, str):
        raise OperatorError(f"--listen {address}")
    return address


def _ready_line(announcement: "Announcement") -> str:
    place = announcement.url or "standard input and output"
    tools = count(announcement.tools, "tool")
    line = f"Propylon serves {tools} of {count(announcement.backends, 'backend')} at {place}"
    if announcement.waiting:
        line += f" (still waiting for {', '.join(announcement.waiting)})"
    return line
