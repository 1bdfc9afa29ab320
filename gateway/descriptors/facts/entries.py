"""What the operator says about RPCs: entries of a list, each for the RPCs that its glob fits, the last word theirs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.contract.distilled import make_pointer
from gateway.descriptors.selection import Selection

# The facts that are about fields of an RPC's messages: by path, or a list of paths.
FIELD_FACTS = ("headers", "arguments", "media_types", "sensitive")

# The facts of which an entry says some and leaves others as they were; every other one it replaces whole.
_MERGED = frozenset({"hints", "task", "headers", "media_types", "arguments"})
# Once sensitive, always sensitive.
_ADDED = frozenset({"sensitive"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcEntry:
    """One entry: a glob over "pkg.Service/Method" as in `Selection`, and the facts in the words of the configuration.

    The facts have been checked against their schema (`app.settings.rpc_schema`); constants among them may be secrets.
    """

    match: str
    facts: Mapping[str, Any]

    def fits(self, rpc_name: str) -> bool:
        """Whether the entry is about that RPC."""
        return Selection(include=(self.match,)).is_selected(rpc_name)


def overlay(said: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """What is said so far, with what an entry says: it wins."""
    result = dict(said)
    for name, value in more.items():
        if name in _MERGED:
            result[name] = result.get(name, {}) | value
        elif name in _ADDED:
            result[name] = [*result.get(name, ()), *value]
        else:
            result[name] = value
    return result


def iterate_field_paths(entries: Sequence[RpcEntry]) -> Iterator[str]:
    """Where each path to a field stands: a JSON pointer from the root of the configuration, in order."""
    for index, entry in enumerate(entries):
        for fact in FIELD_FACTS:
            said = entry.facts.get(fact, ())
            steps = said if isinstance(said, Mapping) else range(len(said))
            for step in steps:
                yield make_pointer(("rpcs", index, fact, step))


def list_argument_headers(entries: Sequence[RpcEntry]) -> frozenset[str]:
    """The headers that arguments of some RPC come from, in lower case."""
    sources = _iterate_sources(entries)
    return frozenset(source["header"].lower() for _, source in sources if "header" in source)


def list_argument_variables(entries: Sequence[RpcEntry]) -> frozenset[str]:
    """The variables of the environment that arguments of some RPC come from."""
    return frozenset(source["environment"] for _, source in _iterate_sources(entries) if "environment" in source)


def _iterate_sources(entries: Sequence[RpcEntry]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for entry in entries:
        yield from entry.facts.get("arguments", {}).items()


def find_idle_entries(entries: Sequence[RpcEntry], rpc_names: Iterable[str]) -> tuple[str, ...]:
    """The globs that fit none of these RPCs, which most often are misspelt; each once, in order."""
    names = tuple(rpc_names)
    idle = (entry.match for entry in entries if not any(map(entry.fits, names)))
    return tuple(dict.fromkeys(idle))
