"""What the operator configured, as values to be read. Defaults, ranges and meanings stand in `settings.schema`."""

import enum
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gateway.descriptors.facts.entries import RpcEntry, list_argument_variables
from gateway.telemetry.logs import LogFormat, LogLevel

Metadata = tuple[tuple[str, str | bytes], ...]


class ReadyWhen(enum.Enum):
    """When the gateway calls itself ready."""

    EVERY_BACKEND = "every_backend"
    ANY_BACKEND = "any_backend"


class ToolSurface(enum.Enum):
    """What tools/list gives."""

    LIST = "list"
    SEARCH = "search"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenAddress:
    """Where the HTTP front listens; `host` without the brackets of IPv6, `port` 0 for any free one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsSection:
    """The connection is made with TLS; `roots` is a PEM file, None for gRPC's own roots."""

    roots: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendSection:
    """One gRPC server. Metadata may hold secrets and stays out of the representation."""

    name: str
    target: str
    tls: TlsSection | None
    reflection: bool
    descriptors: tuple[Path, ...]
    protos: tuple[Path, ...]
    prefix: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    metadata: Metadata = field(repr=False)
    discovery_metadata: Metadata = field(repr=False)
    deadline_seconds: float
    receive_limit_bytes: int
    lane: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsSection:
    """Which RPCs become tools and how they are listed."""

    include: tuple[str, ...]
    exclude: tuple[str, ...]
    page_size: int
    ttl_seconds: float
    confirm_destructive: bool
    many: int
    surface: ToolSurface


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilesSection:
    """Who sees tools in the form of which model provider: endpoints by the last part of their paths, clients by name.

    `clients` are pairs of a glob and a profile, in their order.
    """

    paths: Mapping[str, str]
    clients: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsSection:
    """What is refused or cut for its size, and how often progress is told."""

    body_bytes: int
    result_bytes: int
    stream_messages: int
    stream_bytes: int
    stream_seconds: float
    progress_per_second: int
    listeners: int
    resource_poll_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSection:
    """The HTTP front."""

    path: str
    allowed_hosts: tuple[str, ...]
    allowed_origins: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSection:
    """A prompt that needs no backend; `arguments` and `messages` as the file has them, completed."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[Mapping[str, Any], ...]
    messages: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSection:
    """A resource that needs no backend: `text`, or what the file holds whenever it is read."""

    uri: str
    name: str = ""
    title: str = ""
    description: str = ""
    mime_type: str = ""
    text: str | None = None
    file: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoverySection:
    """How the services of the backends are learnt."""

    retry_initial_seconds: float
    retry_max_seconds: float
    timeout_seconds: float
    refresh_seconds: float
    ready_when: ReadyWhen


@dataclass(frozen=True, slots=True, kw_only=True)
class SealingSection:
    """How what clients carry for the gateway is sealed: the secrets, the newest first."""

    keys: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShutdownSection:
    """What happens on SIGTERM and SIGINT."""

    drain_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorsSection:
    """What callers are told."""

    forward_internal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSection:
    """The lines on standard error."""

    level: LogLevel
    format: LogFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything configured. Made by `settings.loader`, which fills in what is not given."""

    listen: ListenAddress
    backends: tuple[BackendSection, ...]
    rpcs: tuple[RpcEntry, ...]
    tools: ToolsSection
    profiles: ProfilesSection
    limits: LimitsSection
    http: HttpSection
    prompts: tuple[PromptSection, ...]
    resources: tuple[ResourceSection, ...]
    discovery: DiscoverySection
    sealing: SealingSection
    shutdown: ShutdownSection
    errors: ErrorsSection
    log: LogSection

    def secrets(self) -> tuple[str, ...]:
        """Every value that must not be logged.

        Keys; those of metadata, of "Bearer token" the token alone too; what arguments take from the environment.
        """
        entries = [entry for backend in self.backends for entry in (*backend.metadata, *backend.discovery_metadata)]
        values = [value for _, value in entries if isinstance(value, str)]
        tokens = tuple(value.rpartition(" ")[2] for value in values if " " in value)
        variables = (os.environ.get(name, "") for name in list_argument_variables(self.rpcs))
        return (*values, *tokens, *self.sealing.keys, *variables)
