"""Which backends the operator means: HOST:PORT, descriptor files, .proto folders, a configuration file or the demo."""

import dataclasses
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gateway.app.operator_error import OperatorError

if TYPE_CHECKING:
    from gateway.app.settings.model import BackendSection, Settings

F = TypeVar("F", bound=Callable[..., Any])

# Whoever reads it says what is wrong with it, in words of its own.
_PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What the operator said about backends on the command line."""

    targets: tuple[str, ...]
    config: Path | None
    descriptors: tuple[Path, ...]
    protos: tuple[Path, ...]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    demo: bool


def source_options(command: F) -> F:
    """Adds the options that say which backends; the command takes them as `**said` and makes `Sources(**said)`."""
    options = (
        click.option("-c", "--config", type=_PATH, metavar="FILE", help="Take everything from a propylon.yaml."),
        click.option(
            "--descriptors",
            type=_PATH,
            multiple=True,
            metavar="FILE",
            help="A FileDescriptorSet, as protoc and buf write it. Repeatable.",
        ),
        click.option(
            "--protos", type=_PATH, multiple=True, metavar="DIR", help="A folder of .proto files. Repeatable."
        ),
        click.option(
            "--include", multiple=True, metavar="GLOB", help='Offer only these RPCs, such as "shop.v1.*". Repeatable.'
        ),
        click.option(
            "--exclude", multiple=True, metavar="GLOB", help='Leave these RPCs out, such as "*/Delete*". Repeatable.'
        ),
        click.option("--demo", is_flag=True, help="Take the demo shop, which runs inside this process."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def choose_settings(said: Sources) -> "Settings":
    """The settings that the command line and the file make together.

    Backends come from one place alone; `--include` and `--exclude` stand instead of those of the file. Raises
    `OperatorError` where the two places contradict each other, or name no backend at all.
    """
    from gateway.app.settings.loader import default_settings, load_settings

    settings = default_settings() if said.config is None else load_settings(said.config, os.environ)
    _refuse_conflicts(said, settings)
    if said.targets:
        settings = dataclasses.replace(settings, backends=_make_backends(said))
    include, exclude = _check_globs("include", said.include), _check_globs("exclude", said.exclude)
    chosen = dataclasses.replace(
        settings.tools, include=include or settings.tools.include, exclude=exclude or settings.tools.exclude
    )
    return dataclasses.replace(settings, tools=chosen)


def _refuse_conflicts(said: Sources, settings: "Settings") -> None:
    if said.demo and said.targets:
        raise OperatorError("--demo brings its own backend; leave out HOST:PORT, or leave out --demo")
    if settings.backends and (said.targets or said.demo):
        other = "--demo" if said.demo else said.targets[0]
        raise OperatorError(f"{said.config} names its own backends; leave out {other}, or leave out -c")
    if not (said.targets or said.demo or settings.backends):
        if said.config is not None:
            raise OperatorError(f"{said.config} names no backend; add one under backends, or give HOST:PORT")
        raise OperatorError("no backend to serve; give HOST:PORT, -c propylon.yaml or --demo")
    if (said.descriptors or said.protos) and len(said.targets) != 1:
        option = "--descriptors" if said.descriptors else "--protos"
        raise OperatorError(f"{option} describes one backend; give one HOST:PORT, or write it in a propylon.yaml")


def _make_backends(said: Sources) -> "tuple[BackendSection, ...]":
    from gateway.app.settings.loader import make_backend
    from gateway.backends.targets import TargetError, parse_target

    for place, target in enumerate(said.targets):
        try:
            parse_target(target)
        except TargetError as error:
            raise OperatorError(_say_what_a_file_is(target) or str(error)) from None
        if target in said.targets[:place]:
            raise OperatorError(f"{target} is given twice; give each backend once")
    return tuple(
        make_backend(name=target, target=target, descriptors=said.descriptors, protos=said.protos)
        for target in said.targets
    )


def _say_what_a_file_is(target: str) -> str | None:
    """Where it belongs, if something of this name is there; None where there is no such thing."""
    path = Path(target)
    if os.path.isdir(path):
        return f"{target} is a folder, not HOST:PORT; a folder of .proto files goes to --protos"
    if not os.path.isfile(path):
        return None
    option = {".yaml": "-c", ".yml": "-c"}.get(path.suffix, "--descriptors")
    return f"{target} is a file, not HOST:PORT; give it with {option}"


def _check_globs(option: str, globs: tuple[str, ...]) -> tuple[str, ...]:
    from gateway.app.settings.formats import FORMATS

    for glob in globs:
        for _, problem in FORMATS["rpc-glob"](glob, Path()):
            raise OperatorError(f"--{option} {problem}")
    return globs
