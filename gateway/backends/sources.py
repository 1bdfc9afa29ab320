"""Reads descriptors from what an operator has at hand: descriptor sets and folders of .proto files.

They say more than a server does: comments, options and imports that reflection often leaves out. Whatever is wrong
with a file is one line that says what would be right. This module must never know which backend they are for.
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.message import DecodeError

from gateway.contract.quoting import one_line
from gateway.descriptors.files.runtime_files import VALIDATE_FILE, find_runtime_file

LIMIT_SET_BYTES = 256 * 1024 * 1024
LIMIT_PROTO_FILES = 10_000
_COMPILING_SECONDS = 120.0
_LIMIT_SAID = 300

_WRITTEN_BY = "write one with buf build -o FILE.binpb, or protoc --include_imports --include_source_info -o FILE"
_PROTO_SOURCE = re.compile(rb"\s*(?://|/\*|syntax\s*=|edition\s*=|package\s|import\s|message\s|service\s)")
_ROOT_HINT = "give the folder that the imports of the .proto files start from"
_IMPORT_HINT = "; imports start from this folder, so give the one that they start from, or put the file there"
_FAULT = re.compile(r"(?P<file>.+?\.proto):(?P<line>\d+):\d+: (?P<said>(?!warning:).*)")


class SourceError(Exception):
    """A descriptor source that is of no use; the message is one line and says what would be right."""


def read_descriptor_set(path: Path) -> tuple[FileDescriptorProto, ...]:
    """The files of a serialised google.protobuf.FileDescriptorSet, in its order. Raises `SourceError`.

    protoc (`-o`) and buf (`buf build -o`, whose image is a set with more fields) write such files. It should hold the
    imports, and the source info, which has the comments.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(LIMIT_SET_BYTES + 1)
    except IsADirectoryError:
        raise SourceError(f"{path} is a folder; a folder of .proto files goes to --protos") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}; {_WRITTEN_BY}") from error
    if len(content) > LIMIT_SET_BYTES:
        raise SourceError(f"{path} is larger than {LIMIT_SET_BYTES} bytes; is it a descriptor set?")
    return _parse_set(content, path)


def _parse_set(content: bytes, path: Path) -> tuple[FileDescriptorProto, ...]:
    if not content:
        raise SourceError(f"{path} is empty; {_WRITTEN_BY}")
    if content.startswith(b"\x1f\x8b"):
        raise SourceError(f"{path} is compressed with gzip; decompress it first")
    if content.lstrip()[:1] in (b"{", b"["):
        raise SourceError(f"{path} is JSON; a descriptor set is binary: {_WRITTEN_BY}")
    if _PROTO_SOURCE.match(content):
        raise SourceError(f"{path} is .proto source; give its folder to --protos, or {_WRITTEN_BY}")
    try:
        files = tuple(FileDescriptorSet.FromString(content).file)
    except DecodeError:
        files = ()
    if not files or not all(file.name for file in files):
        raise SourceError(f"{path} is no FileDescriptorSet; {_WRITTEN_BY}")
    return files


def compile_protos(folder: Path) -> tuple[FileDescriptorProto, ...]:
    """The descriptors of every .proto file below a folder and of what they import, comments included.

    The folder is the root of their imports; google/protobuf, google/api, google/rpc and what else comes with protoc
    and googleapis-common-protos need not be in it, nor buf/validate/validate.proto. Raises `SourceError`, which names
    the first fault by file and line. Nothing is written to the folder. The compiler, protoc as grpcio-tools has it,
    runs as a process of its own, since it reports faults to standard error alone, past Python.
    """
    try:
        return _compile(folder)
    except OSError as error:
        # Above all where nothing can be written to any folder for temporary files.
        raise SourceError(
            f"{folder} cannot be compiled: {one_line(error.strerror or str(error), _LIMIT_SAID)}"
        ) from error


def _compile(folder: Path) -> tuple[FileDescriptorProto, ...]:
    if not folder.is_dir():
        what = "is a file; a descriptor set goes to --descriptors" if folder.exists() else f"is not there; {_ROOT_HINT}"
        raise SourceError(f"{folder} {what}")
    names = _find_protos(folder)
    if not names:
        raise SourceError(f"{folder} holds no .proto file; {_ROOT_HINT}")
    if len(names) > LIMIT_PROTO_FILES:
        raise SourceError(f"{folder} holds more than {LIMIT_PROTO_FILES} .proto files; give a folder further down")
    with tempfile.TemporaryDirectory(prefix="propylon-") as scratch:
        result = Path(scratch, "set.binpb")
        arguments = Path(scratch, "arguments")
        roots = [".", *_find_common_protos()]
        lines = [
            *(f"--proto_path={root}" for root in roots),
            *_find_validate_set(folder, names, Path(scratch)),
            f"--descriptor_set_out={result}",
            "--include_imports",
            "--include_source_info",
            *names,
        ]
        arguments.write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")
        said = _run_protoc(folder, arguments)
        if said is not None or not result.exists():
            raise SourceError(f"{folder}: {_find_fault(said or '')}")
        return _parse_set(result.read_bytes(), folder)


def _find_protos(folder: Path) -> list[str]:
    """The .proto files below a folder by their names from there, sorted; not those in hidden folders."""
    names = (path.relative_to(folder) for path in folder.rglob("*.proto") if path.is_file())
    return sorted(name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts))


def _find_common_protos() -> Iterator[str]:
    """The folder under which googleapis-common-protos keeps its .proto files, where it is installed."""
    spec = importlib.util.find_spec("google.api.annotations_pb2")
    if spec is not None and spec.origin is not None:
        yield str(Path(spec.origin).parents[2])


def _find_validate_set(folder: Path, names: list[str], scratch: Path) -> Iterator[str]:
    """The option by which protoc finds the language of validation rules, where a file imports it and none has it.

    Its source comes with no package, its descriptor does.
    """
    if VALIDATE_FILE in names or not any(_mentions_validate_file(folder / name) for name in names):
        return
    file = find_runtime_file(VALIDATE_FILE)
    if file is not None:
        path = Path(scratch, "validate.binpb")
        path.write_bytes(FileDescriptorSet(file=[file]).SerializeToString())
        yield f"--descriptor_set_in={path}"


def _mentions_validate_file(path: Path) -> bool:
    try:
        return VALIDATE_FILE.encode() in path.read_bytes()
    except OSError:
        return False  # protoc says what is wrong with it


def _run_protoc(folder: Path, arguments: Path) -> str | None:
    """What protoc has to say against the files; None where it is content."""
    # -P keeps the folder itself, which may hold a "google", off the module path. grpc_tools adds its own protos.
    command = [sys.executable, "-P", "-m", "grpc_tools.protoc", f"@{arguments}"]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, and no text of a caller's
            command, cwd=folder, capture_output=True, timeout=_COMPILING_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return f"protoc took longer than {_COMPILING_SECONDS:g} s"
    except OSError as error:
        return f"protoc could not be started: {error.strerror}"
    return None if done.returncode == 0 else done.stderr.decode("utf-8", "replace")


def _find_fault(said: str) -> str:
    """The first fault that protoc names, as FILE:LINE: what, and how many more there are."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    faults = [match for match in map(_FAULT.fullmatch, lines) if match is not None]
    if not faults:
        fault = next((line for line in lines if "warning:" not in line), "protoc failed and did not say why")
        return one_line(fault, _LIMIT_SAID)
    first = faults[0]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    hint = _IMPORT_HINT if "was not found" in first["said"] else ""
    return f"{first['file']}:{first['line']}: {one_line(first['said'], _LIMIT_SAID).rstrip('.')}{more}{hint}"
