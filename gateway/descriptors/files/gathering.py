"""Gathers the files of one backend: bounded, each once, with the libraries' own files where the backend serves none."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from google.protobuf.descriptor_pb2 import FileDescriptorProto

from gateway.descriptors.files.runtime_files import SPECIAL_FILES, find_declaring_file, find_runtime_file
from gateway.descriptors.files.strict_parsing import find_parse_error
from gateway.descriptors.files.symbols import Declaration, read_declarations
from gateway.descriptors.files.versions import Version, choose_version, make_version

# protoc and every server bring descriptor.proto and its siblings in a version of their own: no news.
_RUNTIME_FOLDER = "google/protobuf/"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLimits:
    """How much of a backend's descriptors is read; the rest is left out and named."""

    files: int = 10_000
    bytes: int = 128 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredFiles:
    """The files to link.

    `versions` and `declarations` by file name, in an order of preference: where two files declare the same name, the
    first is the one that counts. `sources` are all files as they were given. `absent` says of each file that is
    imported and not there how that is ("is missing"). `problems` are (file name, reason).
    """

    versions: Mapping[str, Version]
    declarations: Mapping[str, tuple[Declaration, ...]]
    sources: tuple[FileDescriptorProto, ...]
    absent: Mapping[str, str]
    problems: tuple[tuple[str, str], ...]


def gather_files(files: Iterable[FileDescriptorProto], limits: LinkLimits) -> GatheredFiles:
    """The files by name; of several versions of one file the best (see versions), the first where they differ."""
    gatherer = _Gatherer()
    given = gatherer.take_given(files, limits)
    gatherer.fill_imports()
    gatherer.fill_types()
    order = sorted(gatherer.versions, key=_preference(gatherer.versions, given))
    return GatheredFiles(
        versions={name: gatherer.versions[name] for name in order},
        declarations={name: gatherer.declarations[name] for name in order},
        sources=tuple(gatherer.sources),
        absent=gatherer.absent,
        problems=tuple(gatherer.problems),
    )


class _Gatherer:
    def __init__(self) -> None:
        self.versions: dict[str, Version] = {}
        self.declarations: dict[str, tuple[Declaration, ...]] = {}
        self.sources: list[FileDescriptorProto] = []
        self.absent: dict[str, str] = {}
        self.problems: list[tuple[str, str]] = []
        self._absence = "is missing"

    def take_given(self, files: Iterable[FileDescriptorProto], limits: LinkLimits) -> frozenset[str]:
        """Reads what is given, up to the limits, and gives the names of the files that are kept as they were given."""
        by_name: dict[str, list[Version]] = {}
        seen: set[bytes] = set()
        unreadable: dict[str, str] = {}
        size = 0
        for file in files:
            data = file.SerializeToString()
            if data in seen:
                continue
            if len(seen) >= limits.files or size + len(data) > limits.bytes:
                limit = f"{limits.files:,} files" if len(seen) >= limits.files else f"{limits.bytes:,} bytes"
                self.problems.append(("descriptors", f"more than {limit} were given: the files beyond are not read"))
                self._absence = f"is missing (only the first {limit} are read)"
                break
            seen.add(data)
            size += len(data)
            version = make_version(file, data)
            error = find_parse_error(version.data)
            if error is not None:
                unreadable[f"{file.name}"] = error
                continue
            self.sources.append(file)
            by_name.setdefault(file.name, []).append(version)
        self.problems += [(name, f"cannot be read: {error}") for name, error in unreadable.items()]
        self.absent.update(dict.fromkeys(unreadable.keys() - by_name.keys(), "cannot be read"))
        kept = sorted(by_name.keys() - SPECIAL_FILES)
        for name in kept:
            choice = choose_version(by_name[name])
            if choice.differs and not name.startswith(_RUNTIME_FOLDER):
                self.problems.append((name, "was given in versions that differ: the first is used"))
            self._add(choice.version)
        for name in sorted(by_name.keys() & SPECIAL_FILES):
            self._add_runtime_file(name)
        return frozenset(kept)

    def fill_imports(self) -> None:
        """Adds the known files that are imported and not there, and notes the others as absent."""
        pending = list(self.versions)
        while pending:
            for name in self.versions[pending.pop()].file.dependency:
                known = name in self.versions or name in self.absent
                if known:
                    continue
                if self._add_runtime_file(name):
                    pending.append(name)
                else:
                    self.absent[name] = self._absence

    def fill_types(self) -> None:
        """Adds the known files whose types are used although no file that is there declares them."""
        while True:
            names = {name for name in map(find_declaring_file, self._undeclared_types()) if name is not None}
            added = [name for name in sorted(names - self.versions.keys()) if self._add_runtime_file(name)]
            if not added:
                return
            self.fill_imports()

    def _undeclared_types(self) -> set[str]:
        declared: set[str] = set()
        used: set[str] = set()
        for declarations in self.declarations.values():
            for declaration in declarations:
                declared.update(declaration.types)
                for references in declaration.needs.values():
                    used.update(references)
        return {name[1:] for name in used if name.startswith(".google.")} - declared

    def _add(self, version: Version) -> None:
        self.versions[version.file.name] = version
        self.declarations[version.file.name] = read_declarations(version.file)

    def _add_runtime_file(self, name: str) -> bool:
        file = find_runtime_file(name)
        if file is not None:
            self._add(make_version(file, file.SerializeToString()))
        return file is not None


def _preference(versions: Mapping[str, Version], given: frozenset[str]) -> Callable[[str], tuple[int, bool, int, str]]:
    """Special files first, what was given before what was filled in, and a file at its package's own path before a
    vendored copy elsewhere. The order in which files arrive has no say, so every replica chooses alike.
    """

    def rank(name: str) -> tuple[int, bool, int, str]:
        order = 0 if name in SPECIAL_FILES else 1 if name in given else 2
        folder = name.rpartition("/")[0]
        return (order, folder != versions[name].file.package.replace(".", "/"), len(name), name)

    return rank
