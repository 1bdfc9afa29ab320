"""Reads the descriptors of public APIs out of the Python packages that carry their clients, without running these.

What protoc generated holds each file's descriptor as a literal. What proto-plus generated builds them when imported: a
process of its own does that (`proto_plus_process`).
"""

import ast
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.message import DecodeError

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".cache" / "large-apis"
"""Where `.ci/install-large-apis` puts the packages, apart from those that the gateway itself runs with."""

_PROTO_PLUS = Path(__file__).with_name("proto_plus_process.py")
_HOW_TO_INSTALL = "run .ci/install-large-apis, or install the extra large-apis"


class PackageMissingError(Exception):
    """A package that is not installed; the text says what to do."""


def read_generated(package: str, *, below: str = "") -> list[FileDescriptorProto]:
    """The files whose descriptors stand in the package's `*_pb2.py` modules (those in the folder `below`)."""
    found = []
    for path in list_modules(package):
        if path.name.endswith("_pb2.py") and below in path.as_posix():
            found += list(_read_literals(path))
    return found


def read_proto_plus(package: str, modules: tuple[str, ...]) -> list[FileDescriptorProto]:
    """The files of a package whose messages proto-plus makes, with the services that its transports call.

    `modules` are the versions of the API, such as "google.pubsub_v1".
    """
    folders = {str(_find_folder(package)), str(_find_folder("grpc-google-iam-v1"))}
    command = [sys.executable, str(_PROTO_PLUS), ",".join(sorted(folders)), *modules]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return list(FileDescriptorSet.FromString(done.stdout).file)


def get_version(package: str) -> str:
    """The version that is installed."""
    return _find_distribution(package).version


def list_modules(package: str) -> list[Path]:
    """The package's modules, in the order of their paths."""
    distribution = _find_distribution(package)
    return sorted(Path(str(file.locate())) for file in distribution.files or () if file.suffix == ".py")


def _find_folder(package: str) -> Path:
    return Path(str(_find_distribution(package).locate_file("")))


@cache
def _find_distribution(package: str) -> metadata.Distribution:
    for path in ([str(FOLDER)], None):
        context = metadata.DistributionFinder.Context(name=package, **({} if path is None else {"path": path}))
        for finder in sys.meta_path:
            find = getattr(finder, "find_distributions", None)
            if find is not None and (distribution := next(iter(find(context)), None)) is not None:
                return distribution
    raise PackageMissingError(f"{package} is not installed: {_HOW_TO_INSTALL}")


def _read_literals(path: Path) -> Iterator[FileDescriptorProto]:
    with warnings.catch_warnings(action="ignore"):  # over escapes in the comments of others
        tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        # What protoc generates since 3.20 adds the literal to a pool; what it generated before names it.
        values = [word.value for word in node.keywords if word.arg == "serialized_pb"]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "AddSerializedFile":
            values += node.args[:1]
        for value in values:
            literal = value.args[0] if isinstance(value, ast.Call) else value
            if isinstance(literal, ast.Constant):
                data = literal.value if isinstance(literal.value, bytes) else str(literal.value).encode("latin-1")
                try:
                    yield FileDescriptorProto.FromString(data)
                except DecodeError as error:
                    raise ValueError(f"{path} holds a descriptor that cannot be read") from error
