"""The outermost ring of the command line: every mistake is one line on standard error, nothing is a traceback.

Ends with 0 where all is well, 1 where what was asked for was done and its outcome is bad, 2 where it could not be
done as asked, 70 (sysexits.h, EX_SOFTWARE) over a fault of propylon itself, 130 when interrupted.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from gateway import __version__
from gateway.app.operator_error import OperatorError
from gateway.cli.call import call
from gateway.cli.check import check
from gateway.cli.config import config
from gateway.cli.lock import diff, lock
from gateway.cli.serve import serve
from gateway.cli.tools import tools

EXIT_MISTAKE = 2
EXIT_FAULT = 70
EXIT_INTERRUPTED = 130
EXIT_NOBODY_READS = 1

# gRPC's core writes lines of its own to standard error; what they say comes through the gateway's log in one form. It
# looks at this when it is imported, which no module does before a command runs.
_QUIET_GRPC = {"GRPC_VERBOSITY": "NONE"}

# What only standard output can have run into: files are written nowhere else.
_OUTPUT_IS_LOST = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="propylon %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback where propylon itself fails.")
@click.pass_context
def root(context: click.Context, debug: bool) -> None:
    """Propylon offers existing gRPC services to AI agents as Model Context Protocol tools.

    \b
    Try it:                propylon serve --demo
    Serve your own:        propylon serve localhost:50051
    """
    context.obj = debug
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in (serve, tools, call, check, lock, diff, config):
    root.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and ends the process with its status."""
    _open_missing_streams()
    for name, value in _QUIET_GRPC.items():
        os.environ.setdefault(name, value)
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """The status with which the process ends; what the operator has to know is on standard error."""
    try:
        outcome: Any = root.main(args=list(arguments), prog_name="propylon", standalone_mode=False)
    except click.UsageError as error:
        return _refuse(_usage_line(error))
    except click.ClickException as error:
        return _refuse(error.format_message())
    except OperatorError as error:
        return _refuse(error.line, error.findings)
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has gone, `head` for one.
        _give_up_output()
        return EXIT_NOBODY_READS
    except Exception as error:  # the outermost ring
        if isinstance(error, OSError) and error.errno in _OUTPUT_IS_LOST:
            _give_up_output()
            return _refuse(f"cannot write the output: {error.strerror}")
        if "--debug" in arguments:
            raise
        error = _find_cause(error)
        text = " ".join(str(error).split())[:200]
        more = "propylon --debug … shows the traceback"
        _say(f"this is a fault of propylon, not yours: {type(error).__name__}: {text} ({more})")
        return EXIT_FAULT
    return outcome if isinstance(outcome, int) else 0


def _open_missing_streams() -> None:
    """Gives a process that was started without standard streams empty ones: else its first sockets would be those."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115


def _give_up_output() -> None:
    """Lets what is still to be flushed vanish, so that the interpreter does not complain of it at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _find_cause(error: Exception) -> Exception:
    """The one error in groups that hold no other: what tasks raise comes in groups."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _refuse(line: str, findings: Sequence[str] = ()) -> int:
    _say(line)
    for finding in findings:
        click.echo(f"  {finding}", err=True)
    return EXIT_MISTAKE


def _say(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"propylon: {line}", err=True)


def _usage_line(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption) and error.option_name == "--debug" and error.ctx:
        return f"--debug stands before the command: {error.ctx.command_path.replace(' ', ' --debug ', 1)} …"
    message = " ".join(error.format_message().split()).rstrip(".")
    place = error.ctx.command_path if error.ctx else "propylon"
    return f"{message} (see {place} --help)"
