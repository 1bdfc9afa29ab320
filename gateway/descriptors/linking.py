"""Links a backend's descriptor files into a pool of its own, losing as little as possible and nothing silently.

Files come in any order, twice, in vendored copies, without some of their imports, or broken. What nothing needs is done
without; what cannot be built costs only the RPCs that reach it, each with its reason. This module knows no network and
never touches the default pool.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool

from gateway.contract.quoting import one_line
from gateway.descriptors.files.gathering import GatheredFiles, LinkLimits, gather_files
from gateway.descriptors.files.ordering import order_files
from gateway.descriptors.files.pruning import allow_json_name_conflicts, prune_file
from gateway.descriptors.files.symbol_table import SymbolTable

LIMIT_REASON = 400

_POOL_PREFIX = "Couldn't build proto file into descriptor pool: "


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkProblem:
    """What is not as it should be about a file (or a name in it), in one line; it costs no RPC by itself."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedFiles:
    """A private pool and what is in it.

    `files`: the files as linked, by name; one of which parts were left out has no source info any more. `sources`: the
    files as given, for their comments. `left_out`: every service ("pkg.Service") and RPC ("pkg.Service/Method") that
    the files declare and the pool lacks, with its reason. All of it sorted by name.
    """

    pool: DescriptorPool
    files: Mapping[str, FileDescriptorProto]
    sources: tuple[FileDescriptorProto, ...]
    problems: tuple[LinkProblem, ...]
    left_out: Mapping[str, str]


def link_files(files: Iterable[FileDescriptorProto], *, limits: LinkLimits | None = None) -> LinkedFiles:
    """The files in a private pool. Never raises over what is in them.

    Where one file is given in several versions of one shape, the one with comments counts, else the first. Where two
    files declare the same name, the one at its package's own path counts. google/protobuf/*.proto and the files of
    googleapis-common-protos are filled in where they are needed and not given.
    """
    gathered = gather_files(files, limits or LinkLimits())
    table = SymbolTable(gathered)
    needs = table.file_needs()
    builder = _Builder(gathered, table, needs)
    for name in _order(gathered, table, needs):
        builder.build(name)
    return LinkedFiles(
        pool=builder.pool,
        files=MappingProxyType(dict(sorted(builder.files.items()))),
        sources=gathered.sources,
        problems=_list_problems(gathered, table, builder.refused),
        left_out=MappingProxyType(_list_left_out(gathered, table)),
    )


def _order(gathered: GatheredFiles, table: SymbolTable, needs: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Each file after all that it imports, or where imports go in a circle, after those that it really needs."""
    declared = {
        name: needed | {other for other in _list_imports(gathered.versions[name].file) if other in needs} - {name}
        for name, needed in needs.items()
    }
    order = order_files(declared)
    if not order.circular:
        return order.names
    order = order_files(needs)
    for name in sorted(order.circular):
        others = sorted(order.circular & needs[name])
        table.break_file(name, f"file {name} and {' and '.join(others[:2])} need each other's types in a circle")
    return order.names


def _list_imports(file: FileDescriptorProto) -> tuple[str, ...]:
    """The files that a file imports, those for its options alone (`import option`, edition 2024) among them.

    A pool takes no notice of those, and so would not lead from a field to the rules that its options hold.
    """
    return (*file.dependency, *file.option_dependency)


class _Builder:
    """Puts one file after the other into the pool, without what is broken by then."""

    def __init__(self, gathered: GatheredFiles, table: SymbolTable, needs: Mapping[str, frozenset[str]]) -> None:
        self.pool = DescriptorPool()
        self.files: dict[str, FileDescriptorProto] = {}
        self.refused: dict[str, str] = {}
        self._gathered = gathered
        self._table = table
        self._needs = needs

    def build(self, name: str) -> None:
        version = self._gathered.versions[name]
        file, data = version.file, version.data
        declared = list(file.dependency)
        imports = [other for other in dict.fromkeys(_list_imports(file)) if other in self.files]
        elsewhere = self._table.declared_elsewhere(name)
        if imports != declared or elsewhere or self._table.has_broken_parts(name):
            imports += sorted(other for other in self._needs[name] if other in self.files and other not in imports)
            file = prune_file(data, declared_elsewhere=elsewhere, broken=self._table.broken, imports=imports)
            data = file.SerializeToString()
        refusal = self._add(data)
        if refusal is not None and "json_name" in refusal:
            file = allow_json_name_conflicts(data)
            refusal = self._add(file.SerializeToString())
        if refusal is None:
            self.files[name] = file
            return
        self.refused[name] = refusal
        self._table.break_file(name, f"file {name} cannot be built: {refusal}")

    def _add(self, data: bytes) -> str | None:
        """None, or why the pool refuses the file."""
        try:
            self.pool.AddSerializedFile(data)
        except (TypeError, ValueError) as error:
            return one_line(str(error).removeprefix(_POOL_PREFIX), LIMIT_REASON // 2)
        return None


def _list_left_out(gathered: GatheredFiles, table: SymbolTable) -> dict[str, str]:
    left_out = {name: one_line(cause.describe(), LIMIT_REASON) for name, cause in table.broken_rpcs()}
    by_service: dict[str, list[str]] = {}
    for name in left_out:
        by_service.setdefault(name.partition("/")[0], []).append(name)
    for declarations in gathered.declarations.values():
        for declaration in declarations:
            broken = by_service.get(declaration.name, [])
            if broken and len(broken) == len(declaration.needs):
                left_out.setdefault(declaration.name, left_out[broken[0]])
    return dict(sorted(left_out.items()))


def _list_problems(gathered: GatheredFiles, table: SymbolTable, refused: Mapping[str, str]) -> tuple[LinkProblem, ...]:
    blamed = {name for _, cause in table.broken_rpcs() for name in cause.absent}
    told = blamed | {name for name, _ in gathered.problems}
    found = [
        *gathered.problems,
        *((name, f"{absence}; no RPC needs it") for name, absence in gathered.absent.items() if name not in told),
        *((name, f"cannot be built: {refusal}") for name, refusal in refused.items()),
        *(
            (passed_over, f"declares {name} differently from {owner}, whose version is used")
            for name, passed_over, owner in table.differing
        ),
    ]
    lines = {(one_line(name, LIMIT_REASON // 2), one_line(reason, LIMIT_REASON)) for name, reason in found}
    return tuple(LinkProblem(name=name, reason=reason) for name, reason in sorted(lines))
