"""From checked and completed JSON to the frozen values of `settings.model`; nothing can go wrong here."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gateway.app.settings.formats import parse_listen_address, parse_metadata
from gateway.app.settings.model import (
    BackendSection,
    DiscoverySection,
    ErrorsSection,
    HttpSection,
    LimitsSection,
    ListenAddress,
    LogSection,
    ProfilesSection,
    PromptSection,
    ReadyWhen,
    ResourceSection,
    SealingSection,
    Settings,
    ShutdownSection,
    TlsSection,
    ToolsSection,
    ToolSurface,
)
from gateway.descriptors.facts.entries import RpcEntry
from gateway.telemetry.logs import LogFormat, LogLevel


def build_settings(raw: Mapping[str, Any], folder: Path) -> Settings:
    """The settings of a tree that has every member of the schema; relative paths start from `folder`."""
    address = parse_listen_address(raw["listen"])
    if not isinstance(address, ListenAddress):
        raise TypeError(address)
    return Settings(
        listen=address,
        backends=tuple(build_backend(backend, folder) for backend in raw["backends"]),
        rpcs=tuple(build_entry(entry) for entry in raw["rpcs"]),
        tools=ToolsSection(**_tuples(raw["tools"]) | {"surface": ToolSurface(raw["tools"]["surface"])}),
        profiles=ProfilesSection(
            paths=dict(raw["profiles"]["paths"]), clients=tuple(raw["profiles"]["clients"].items())
        ),
        limits=LimitsSection(**raw["limits"]),
        http=HttpSection(**_tuples(raw["http"])),
        prompts=tuple(PromptSection(**_tuples(prompt)) for prompt in raw["prompts"]),
        resources=tuple(build_resource(resource, folder) for resource in raw["resources"]),
        discovery=DiscoverySection(
            **raw["discovery"] | {"ready_when": ReadyWhen(raw["discovery"]["ready_when"])},
        ),
        sealing=SealingSection(**_tuples(raw["sealing"])),
        shutdown=ShutdownSection(**raw["shutdown"]),
        errors=ErrorsSection(**raw["errors"]),
        log=LogSection(level=LogLevel(raw["log"]["level"]), format=LogFormat(raw["log"]["format"])),
    )


def build_entry(raw: Mapping[str, Any]) -> RpcEntry:
    """One entry of what is to be known of RPCs."""
    return RpcEntry(match=raw["match"], facts={name: value for name, value in raw.items() if name != "match"})


def build_resource(raw: Mapping[str, Any], folder: Path) -> ResourceSection:
    """One configured resource; its file starts from `folder`."""
    return ResourceSection(**{**raw, **({"file": folder / raw["file"]} if "file" in raw else {})})


def build_backend(raw: Mapping[str, Any], folder: Path) -> BackendSection:
    """One backend of a tree that has every member of its schema."""
    tls = raw.get("tls")
    return BackendSection(
        **_tuples(raw)
        | {
            "tls": None if tls is None else TlsSection(roots=folder / tls["roots"] if "roots" in tls else None),
            "descriptors": tuple(folder / path for path in raw["descriptors"]),
            "protos": tuple(folder / path for path in raw["protos"]),
            "metadata": parse_metadata(raw["metadata"]),
            "discovery_metadata": parse_metadata(raw["discovery_metadata"]),
        }
    )


def _tuples(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}
