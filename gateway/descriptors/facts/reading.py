"""From what is said of an RPC, in the words of the configuration, to its frozen facts; nothing can go wrong here."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from gateway.descriptors.facts.values import (
    ArgumentFacts,
    ClientCapability,
    CompletionFacts,
    Confirmation,
    Hints,
    MediaType,
    PromptFacts,
    ResourceFacts,
    RpcFacts,
    TaskFacts,
    TaskSupport,
)

CAPABILITIES: Mapping[str, ClientCapability] = MappingProxyType(
    {capability.name.lower(): capability for capability in ClientCapability}
)
"""The clients' capabilities by their names in annotations and configuration."""


def make_facts(said: Mapping[str, Any], faults: tuple[str, ...]) -> RpcFacts:
    """The facts of a mapping whose values have the types of the configuration's schema, paths resolved."""
    read = {name: _READERS[name](value) if name in _READERS else value for name, value in said.items()}
    return RpcFacts(**read, faults=faults)


def _read_task(said: Mapping[str, Any]) -> TaskFacts:
    return TaskFacts(**{**said, "support": TaskSupport(said.get("support", TaskSupport.UNSPECIFIED.value))})


def _read_argument(said: Mapping[str, Any]) -> ArgumentFacts:
    facts = {name: value for name, value in said.items() if name != "hidden"}
    return ArgumentFacts(**facts, has_constant="constant" in facts)


def _read_media_type(said: str | Mapping[str, str]) -> MediaType:
    return MediaType(name=said) if isinstance(said, str) else MediaType(beside=said["beside"])


def _read_each(read: Callable[[Any], Any]) -> Callable[[Mapping[Any, Any]], Mapping[Any, Any]]:
    return lambda said: MappingProxyType({key: read(value) for key, value in said.items()})


_READERS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "aliases": tuple,
        "examples": tuple,
        "hints": lambda said: Hints(**said),
        "required_capabilities": lambda said: frozenset(CAPABILITIES[name] for name in said),
        "confirmation": Confirmation,
        "task": _read_task,
        "prompt": lambda said: PromptFacts(**said),
        "resource": lambda said: ResourceFacts(**said),
        "completion": lambda said: CompletionFacts(**said),
        "output_mask": tuple,
        "headers": MappingProxyType,
        "arguments": _read_each(_read_argument),
        "media_types": _read_each(_read_media_type),
        "sensitive": frozenset,
    }
)
