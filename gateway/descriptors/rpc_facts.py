"""What is known of an RPC beyond its types: the one door to annotations and to what the operator says.

An RPC's facts are its annotation (proto/gateway/v1/annotations.proto) overlaid by the entries of the configuration
that fit it, in their order. Whoever wants to know something about an RPC reads its `RpcFacts`, never options or
settings. This module must never know what is made of a fact.
"""

from collections.abc import Sequence

from gateway.descriptors.api import Api, Rpc
from gateway.descriptors.facts.annotations import Annotations
from gateway.descriptors.facts.entries import RpcEntry, find_idle_entries, iterate_field_paths, overlay
from gateway.descriptors.facts.fields import read_fields, resolve_paths
from gateway.descriptors.facts.reading import make_facts
from gateway.descriptors.facts.values import (
    NO_FACTS,
    ArgumentFacts,
    ClientCapability,
    CompletionFacts,
    Confirmation,
    FieldPath,
    Hints,
    MediaType,
    PromptFacts,
    ResourceFacts,
    RpcFacts,
    TaskFacts,
    TaskSupport,
)

__all__ = [
    "NO_FACTS",
    "ArgumentFacts",
    "ClientCapability",
    "CompletionFacts",
    "Confirmation",
    "FactReader",
    "FieldPath",
    "Hints",
    "MediaType",
    "PromptFacts",
    "ResourceFacts",
    "RpcEntry",
    "RpcFacts",
    "TaskFacts",
    "TaskSupport",
    "find_idle_entries",
    "iterate_field_paths",
    "read_rpc_facts",
]


def read_rpc_facts(rpc: Rpc, api: Api, entries: Sequence[RpcEntry] = ()) -> RpcFacts:
    """The facts about one RPC. Whoever asks about many keeps a `FactReader`."""
    return FactReader(api, entries).read(rpc)


class FactReader:
    """Reads the facts about the RPCs of one Api."""

    def __init__(self, api: Api, entries: Sequence[RpcEntry] = ()) -> None:
        self._annotations = Annotations(api)
        self._entries = tuple(entries)
        self._fitting: set[str] = set()

    @property
    def fitting_paths(self) -> frozenset[str]:
        """The field paths of the entries that fitted an RPC so far, as `iterate_field_paths` gives them."""
        return frozenset(self._fitting)

    def read(self, rpc: Rpc) -> RpcFacts:
        """The facts about one RPC. What cannot be used of them is among its `faults`; nothing is raised."""
        faults: list[str] = []
        said = overlay(self._annotations.read_method(rpc.descriptor, faults), read_fields(self._annotations, rpc))
        for index, entry in enumerate(self._entries):
            if entry.fits(rpc.name):
                resolved, fitting = resolve_paths(entry, rpc, index)
                self._fitting |= fitting
                said = overlay(said, resolved)
        return make_facts(said, tuple(faults)) if said or faults else NO_FACTS
