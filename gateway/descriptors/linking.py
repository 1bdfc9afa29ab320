"""Links a backend's descriptor files into a private pool. (Being completed: the plain case stands.)"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkProblem:
    """Something about a file or symbol that is not as it should be."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedFiles:
    """A private pool and the files in it."""

    pool: DescriptorPool
    files: Mapping[str, FileDescriptorProto]
    sources: tuple[FileDescriptorProto, ...]
    problems: tuple[LinkProblem, ...]
    left_out: Mapping[str, str]


def link_files(files: Iterable[FileDescriptorProto]) -> LinkedFiles:
    """The files in a private pool."""
    given = {file.name: file for file in files}
    pool = DescriptorPool()
    linked: dict[str, FileDescriptorProto] = {}
    problems: list[LinkProblem] = []
    pending = dict(given)
    while pending:
        ready = [name for name, file in pending.items() if all(d in linked for d in file.dependency)]
        if not ready:
            problems += [LinkProblem(name=name, reason="its imports are not there") for name in pending]
            break
        for name in ready:
            pool.AddSerializedFile(pending[name].SerializeToString())
            linked[name] = pending.pop(name)
    return LinkedFiles(
        pool=pool,
        files=MappingProxyType(linked),
        sources=tuple(given.values()),
        problems=tuple(problems),
        left_out=MappingProxyType({}),
    )
