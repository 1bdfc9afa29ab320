"""`propylon call`: calls one tool the way an agent would, through the same checks and the same dispatcher."""

import contextlib
import sys
from pathlib import Path
from typing import Any

import click

from gateway.app.operator_error import OperatorError
from gateway.cli.sources import Sources, choose_settings, source_options

_LIMIT_SHOWN = 200


@click.command()
@click.argument("tool", metavar="TOOL")
@click.argument("arguments", metavar="[JSON]", default="{}")
@click.argument("targets", nargs=-1, metavar="[HOST:PORT]...")
@click.option(
    "--header", "headers", multiple=True, metavar="NAME:VALUE", help="A header that an argument comes from. Repeatable."
)
@source_options
def call(tool: str, arguments: str, headers: tuple[str, ...], **said: Any) -> int:
    """Call TOOL with the arguments in JSON and print its result.

    \b
      propylon call shop_v1_Orders_GetOrder '{"id": "7"}' localhost:50051

    JSON may be @FILE, or - for standard input. propylon tools shows the names of the tools. Ends with 1 where the
    answer is an error.
    """
    if ":" in tool:
        raise OperatorError("the tool comes before the server: propylon call TOOL JSON HOST:PORT")

    from gateway.app.one_shot import call_once

    values = _parse_arguments(_read_arguments(arguments))
    settings = choose_settings(Sources(**said))
    given = dict(map(_parse_header, headers))
    answer = call_once(settings, demo=said["demo"], tool=tool, arguments=values, headers=given)
    if answer.error is not None:
        click.echo(answer.error, err=True)
        for note in answer.notes:
            click.echo(f"propylon: {note}", err=True)
        return 1
    click.echo(answer.result)
    return 0


def _parse_header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise OperatorError("--header must be NAME:VALUE, such as X-Tenant:acme")
    return name.strip().lower(), value.strip()


def _read_arguments(given: str) -> str:
    if given == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    if given.startswith("@"):
        try:
            return Path(given[1:]).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise OperatorError(f"cannot read the arguments from {given[1:]}: {reason}") from None
    return given


def _parse_arguments(text: str) -> dict[str, Any]:
    import orjson

    try:
        values = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        _refuse_target(text)
        hint = 'quote it as one word of the shell, such as \'{"name": "a"}\''
        raise OperatorError(f"the arguments are not JSON: {str(error)[:_LIMIT_SHOWN]}; {hint}") from None
    if not isinstance(values, dict):
        raise OperatorError('the arguments must be a JSON object, such as {"name": "a"}')
    return values


def _refuse_target(text: str) -> None:
    """Where a server stands in the place of the arguments, says so."""
    from gateway.backends.targets import TargetError, parse_target

    with contextlib.suppress(TargetError):
        parse_target(text)
        raise OperatorError(f"the arguments come before the server: propylon call TOOL '{{}}' {text}")
