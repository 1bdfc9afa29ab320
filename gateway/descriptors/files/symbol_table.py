"""Every name that a backend's files declare, who needs it, and what falls when something is not there.

One file counts for each name; the same name declared in another file (a vendored copy under another path) is left out
there. What needs a type that is nowhere, or that cannot be built, is broken, and so is what needs that in turn.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from gateway.descriptors.files.gathering import GatheredFiles
from gateway.descriptors.files.symbols import Declaration
from gateway.descriptors.files.versions import is_same_shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why a part is broken: the type that it needs ("" for a part of the very file at fault) and that file's fault.

    `absent` are the missing files that are to blame.
    """

    symbol: str
    fault: str
    absent: tuple[str, ...] = ()

    def describe(self) -> str:
        """The reason as the rest of a sentence."""
        return f"needs {self.symbol}, whose {self.fault}" if self.symbol else f"its {self.fault}"


class SymbolTable:
    """The names of one set of files.

    `broken` maps each broken part to its cause: messages, extensions, and RPCs as "pkg.Service/Method". It grows while
    files are built.
    """

    def __init__(self, gathered: GatheredFiles) -> None:
        self._gathered = gathered
        self._owners: dict[str, Declaration] = {}
        self._types: dict[str, str] = {}
        self._elsewhere: dict[str, set[str]] = {}
        self.differing: list[tuple[str, str, str]] = []
        """(name, file that is passed over, file that counts) of names declared twice and not alike."""
        self._settle(gathered.declarations)
        self._needs: dict[str, tuple[str, ...]] = {}
        self._files: dict[str, str] = {}
        self.broken: dict[str, Cause] = {}
        self._resolve()

    def declared_elsewhere(self, file: str) -> set[str]:
        """The names that this file declares and another one counts for."""
        return self._elsewhere.get(file, set())

    def has_broken_parts(self, file: str) -> bool:
        """Whether anything of the file is broken by now."""
        return file in self._broken_files

    def file_needs(self) -> dict[str, frozenset[str]]:
        """The files that each file's unbroken parts need for their types."""
        needs: dict[str, set[str]] = {name: set() for name in self._gathered.versions}
        for node, names in self._needs.items():
            if node not in self.broken:
                needs[self._files[node]].update(self._types[name] for name in names)
        return {name: frozenset(found - {name}) for name, found in needs.items()}

    def break_file(self, file: str, fault: str) -> None:
        """Notes that the file cannot be built. `fault` completes "its …"."""
        names = [
            name
            for declaration in self._gathered.declarations[file]
            if self._owners.get(declaration.name) is declaration
            for name in (*declaration.types, *declaration.needs)
        ]
        self._break({name: Cause(symbol="", fault=fault) for name in names})

    def broken_rpcs(self) -> Iterator[tuple[str, Cause]]:
        """The broken RPCs by name, sorted."""
        return ((name, self.broken[name]) for name in sorted(self.broken) if "/" in name)

    def _settle(self, declarations: Mapping[str, tuple[Declaration, ...]]) -> None:
        """Decides which file counts for each name, and which extension for each number of an extended message."""
        slots: set[tuple[str, int]] = set()
        for file, declared in declarations.items():
            for declaration in declared:
                owner = self._owners.setdefault(declaration.name, declaration)
                if owner is not declaration:
                    self._pass_over(declaration, owner)
                    continue
                self._types.update(dict.fromkeys(declaration.types, file))
                for slot in declaration.slots:
                    place = (slot.extendee.removeprefix("."), slot.number)
                    if place in slots:
                        self._elsewhere.setdefault(file, set()).add(slot.node)
                    slots.add(place)

    def _pass_over(self, declaration: Declaration, owner: Declaration) -> None:
        if declaration.file == owner.file:
            return  # twice in one file: for the pool to refuse
        self._elsewhere.setdefault(declaration.file, set()).add(declaration.name)
        if not is_same_shape(declaration.proto, owner.proto):
            self.differing.append((declaration.name, declaration.file, owner.file))

    def _resolve(self) -> None:
        undeclared: dict[str, str] = {}
        faults: dict[str, str] = {}
        for declaration in self._owners.values():
            faults |= declaration.faults
            passed_over = self.declared_elsewhere(declaration.file)
            for node, references in declaration.needs.items():
                if node in passed_over:
                    continue
                found = []
                for reference in references:
                    name = self._find_type(reference, node)
                    if name is None:
                        undeclared.setdefault(node, reference.removeprefix("."))
                    else:
                        found.append(name)
                self._needs[node] = tuple(found)
                self._files[node] = declaration.file
        causes = {node: self._blame(node, symbol) for node, symbol in undeclared.items()}
        self._break(causes | {node: Cause(symbol="", fault=fault) for node, fault in faults.items()})

    def _find_type(self, reference: str, node: str) -> str | None:
        if reference[:1] == ".":
            return name if (name := reference[1:]) in self._types else None
        scope = node.partition("/")[0]
        while scope:
            if (name := f"{scope}.{reference}") in self._types:
                return name
            scope = scope.rpartition(".")[0]
        return reference if reference in self._types else None

    def _blame(self, node: str, symbol: str) -> Cause:
        files = self._absent_imports(self._files[node])
        folder = symbol.rpartition(".")[0].replace(".", "/")
        likely = [name for name in files if name.rpartition("/")[0] == folder] or files
        advice = "give a descriptor set built with all imports"
        if not likely:
            return Cause(symbol=symbol, fault=f"file is not among those given: {advice}")
        named = " or ".join(f"{name} {self._gathered.absent[name]}" for name in likely[:3])
        return Cause(symbol=symbol, fault=f"file is not among those given ({named}): {advice}", absent=tuple(likely))

    def _absent_imports(self, file: str) -> list[str]:
        """What the file imports, by itself or through public imports, and what is not there."""
        seen = {file}
        pending = [file]
        absent: list[str] = []
        while pending:
            current = self._gathered.versions[pending.pop()].file
            dependencies = list(current.dependency)
            public = {dependencies[index] for index in current.public_dependency if 0 <= index < len(dependencies)}
            for name in dependencies:
                if name in seen:
                    continue
                if name in self._gathered.absent:
                    seen.add(name)
                    absent.append(name)
                elif name in self._gathered.versions and (current.name == file or name in public):
                    seen.add(name)
                    pending.append(name)
        return absent

    def _break(self, causes: Mapping[str, Cause]) -> None:
        """Marks these parts and all that needs them, nearest first."""
        pending = deque((name, causes[name]) for name in sorted(causes))
        while pending:
            name, cause = pending.popleft()
            if name in self.broken:
                continue
            self.broken[name] = cause
            if name in self._files:
                self._broken_files.add(self._files[name])
            inherited = cause if cause.symbol else Cause(symbol=name, fault=cause.fault, absent=cause.absent)
            pending.extend((user, inherited) for user in self._users.get(name, ()))

    @cached_property
    def _broken_files(self) -> set[str]:
        return set()

    @cached_property
    def _users(self) -> Mapping[str, Iterable[str]]:
        """Who needs each name. Made when the first part breaks, which most backends never see."""
        users: dict[str, list[str]] = {}
        for node, names in self._needs.items():
            for name in names:
                users.setdefault(name, []).append(node)
        return users
