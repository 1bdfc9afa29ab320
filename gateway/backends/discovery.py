"""Puts together what a server tells of itself and what descriptor sets tell of it.

The server says what exists; a set says more about it. So, where the server has told of itself:

- the services are those that the server lists; what only the set has is named in a warning and not offered;
- a service that the server could not describe, and an import that it did not give, is taken from the set;
- a service that both describe is taken from the set, which has comments and often more options, unless the two
  disagree over its methods; then the server is believed, for its file and all that this imports, and a warning says so.

Where it has not, the set alone says what there is. Files are handed on in the order in which they count, and the same
file may come in both versions: `gateway.descriptors` links them, takes the richer of two that mean the same, and tells
of those that do not. This module must never know how either was come by.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from google.protobuf.descriptor_pb2 import FileDescriptorProto

from gateway.backends.reflection import Learned, declared_services
from gateway.contract.quoting import one_line
from gateway.descriptors.api import INFRASTRUCTURE_SERVICES
from gateway.descriptors.files.runtime_files import find_runtime_file

_LOG = logging.getLogger("propylon.backends")
_LIMIT_NAMED = 5
_LIMIT_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovered:
    """What a backend was found to offer: `services` (full names, sorted), and the `files` that describe them, those
    that count more first.

    `skipped` are services that the server lists and that nothing describes, with their reasons, sorted; `warnings`
    are lines about all else that is not as it should be.
    """

    files: tuple[FileDescriptorProto, ...]
    services: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


class DiscoveryFailed(Exception):
    """Nothing can be said about the backend now. `reason` is one line, for operators."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def describe_set(given: Sequence[FileDescriptorProto]) -> Discovered:
    """What a backend offers by its descriptor sets alone: every service that they declare."""
    return Discovered(
        files=tuple(given),
        services=tuple(sorted({name for file in given for name in declared_services(file)} - INFRASTRUCTURE_SERVICES)),
        skipped=(),
        warnings=(),
    )


def combine(learned: Learned, given: Sequence[FileDescriptorProto], *, backend: str) -> Discovered:
    """What a backend offers by what its server told and by its descriptor sets, of which there may be none."""
    listed = sorted([*learned.services, *(name for name, _ in learned.skipped)])
    in_set = _index_services(given)
    on_server = _index_services(learned.files.values())
    disputed = [
        name
        for name in listed
        if name in in_set
        and name in on_server
        and _read_methods(in_set[name], name) != _read_methods(on_server[name], name)
    ]
    believed = _find_imports([on_server[name].name for name in disputed], learned.files)
    overruled = {name for file in believed.values() for name in declared_services(file)}
    kept = [file for file in given if file.name not in believed and overruled.isdisjoint(declared_services(file))]
    rest = [file for name, file in learned.files.items() if name not in believed]
    return Discovered(
        files=(*believed.values(), *kept, *rest),
        services=tuple(name for name in listed if name in in_set or name in on_server),
        skipped=tuple((_show(name), reason) for name, reason in learned.skipped if name not in in_set),
        warnings=(
            *learned.warnings,
            *(
                f"{name}: the given descriptors and the server disagree over its methods; the server is believed"
                for name in disputed
            ),
            *_warn_of_surplus(in_set.keys() - set(listed) - INFRASTRUCTURE_SERVICES),
            *_warn_of_missing(learned, given, backend),
        ),
    )


def _index_services(files: Iterable[FileDescriptorProto]) -> dict[str, FileDescriptorProto]:
    index: dict[str, FileDescriptorProto] = {}
    for file in files:
        for name in declared_services(file):
            index.setdefault(name, file)
    return index


def _read_methods(file: FileDescriptorProto, service_name: str) -> dict[str, tuple[str, str, bool, bool]]:
    """What each method of a service takes and gives, and whether these are streams."""
    place = declared_services(file).index(service_name)
    return {
        method.name: (method.input_type, method.output_type, method.client_streaming, method.server_streaming)
        for method in file.service[place].method
    }


def _find_imports(names: list[str], files: Mapping[str, FileDescriptorProto]) -> dict[str, FileDescriptorProto]:
    """The files of these names and all that they import, as far as they are there."""
    found: dict[str, FileDescriptorProto] = {}
    pending = list(names)
    while pending:
        name = pending.pop()
        if name in files and name not in found:
            found[name] = files[name]
            pending += files[name].dependency
    return found


def _warn_of_surplus(names: set[str]) -> Iterator[str]:
    if names:
        shown = ", ".join(sorted(names)[:_LIMIT_NAMED])
        more = f" and {len(names) - _LIMIT_NAMED} more" if len(names) > _LIMIT_NAMED else ""
        yield f"the given descriptors declare {shown}{more}, which the server does not list; not offered"


def _warn_of_missing(learned: Learned, given: Sequence[FileDescriptorProto], backend: str) -> Iterator[str]:
    """One line on how to come by what is missing. What it is and what it costs comes out when the files are linked."""
    in_set = {file.name for file in given}
    missing = [one for one in learned.missing_imports if one.name not in in_set and find_runtime_file(one.name) is None]
    for one in missing:
        name, importer = _show(one.name), _show(one.importer)
        _LOG.info("backend %s: %s, which %s imports: %s", backend, name, importer, one.reason)
    if missing:
        what = "an imported file" if len(missing) == 1 else f"{len(missing)} imported files"
        source = (
            "and the given descriptors lack it" if given else "descriptors can supply it (--descriptors or --protos)"
        )
        yield f"reflection did not give {what}: {source}"


def _show(name: str) -> str:
    return one_line(name, _LIMIT_NAME)
