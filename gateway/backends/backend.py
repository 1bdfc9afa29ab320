"""One gRPC server as the rest of the gateway sees it: what it offers, its RPCs ready to be called, and its end.

This is the front door of the room: nothing outside needs another of its modules but `targets` and `sources`, which say
whether what an operator wrote can be meant.
"""

import asyncio
import logging
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import grpc
import grpc.aio
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from gateway.backends.call_endings import CallEndings, OutageLog
from gateway.backends.channels import ChannelError, ChannelLimits, Transport, check_keepalive, open_channel
from gateway.backends.discovery import Discovered, DiscoveryFailed, combine, describe_set
from gateway.backends.lane.lane import Lane
from gateway.backends.lane.places import find_place
from gateway.backends.reflection import DiscoveryLimits, ReflectionFailed, learn
from gateway.backends.sources import SourceError, compile_protos, read_descriptor_set
from gateway.backends.stream_calls import StreamCall
from gateway.backends.targets import Target
from gateway.backends.unary_calls import UnaryCall
from gateway.contract.quoting import is_secret_header
from gateway.telemetry.secrets import Secrets

__all__ = ["Backend", "BackendSettings", "ChannelLimits", "Discovered", "DiscoveryFailed", "DiscoveryLimits"]

_LOG = logging.getLogger("propylon.backends")

Metadata = tuple[tuple[str, str | bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendSettings:
    """How to reach a backend and what is known of it beforehand.

    `tls` asks for TLS where the target's text does not; `roots_file` is a PEM file of the authorities to trust
    instead of gRPC's own. `reflection` False never asks the server what it serves. `discovery_metadata` goes with
    reflection alone, `call_metadata` with calls alone; both may hold secrets, are in gRPC's form (lower-case keys,
    bytes under keys that end in -bin) and stay out of the representation. `lane` False has grpc.aio make every call
    (`backends.lane`), which changes how quick they are and nothing else.
    """

    name: str
    target: Target
    tls: bool = False
    roots_file: Path | None = None
    reflection: bool = True
    descriptor_sets: tuple[Path, ...] = ()
    proto_folders: tuple[Path, ...] = ()
    discovery_metadata: Metadata = field(default=(), repr=False)
    call_metadata: Metadata = field(default=(), repr=False)
    lane: bool = True
    channel_limits: ChannelLimits = field(default_factory=ChannelLimits)
    discovery_limits: DiscoveryLimits = field(default_factory=DiscoveryLimits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """The given files with size and time of change, and how often a lost connection came back."""

    files: tuple[tuple[str, int, int], ...] = ()
    reconnections: int = 0


class Backend:
    """A gRPC server. Made anywhere; used inside one event loop, and closed there."""

    def __init__(self, settings: BackendSettings) -> None:
        self._settings = settings
        self._transport = Transport(target=settings.target, tls=settings.tls, roots_file=settings.roots_file)
        self._outages = OutageLog(settings.name)
        # What guards discovery may be repeated to operators and probes, what goes with calls to callers.
        self._discovery_secrets = Secrets.of_metadata(settings.discovery_metadata)
        self._call_secrets = Secrets.of_metadata(
            entry for entry in settings.call_metadata if is_secret_header(entry[0])
        )
        self._channel: grpc.aio.Channel | None = None
        self._has_learned = False
        place = find_place(settings.target, tls=settings.tls) if settings.lane else None
        self._lane = None if place is None else Lane(place, settings.channel_limits)
        self._was_ready = False
        self._channel_connections = 0
        check_keepalive(settings.channel_limits, settings.name)

    @property
    def name(self) -> str:
        """What logs and health reports call it."""
        return self._settings.name

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def discover(self) -> Discovered:
        """What the backend offers now, by every source that is configured (see `discovery` for how they combine).

        A descriptor set alone does where the server does not serve reflection, or refuses it and has never told of
        itself before: what it told then is better than what a set promises. A server that cannot be reached, or does
        not answer in time, fails the discovery even so: nothing could be called there. Raises `DiscoveryFailed`; may be
        called again at any time, files are read anew each time. The metadata for discovery is in none of the reasons
        and warnings, even where the server repeats it.
        """
        hide = self._discovery_secrets.hide
        try:
            found = await self._discover()
        except DiscoveryFailed as failure:
            raise DiscoveryFailed(hide(failure.reason)) from failure.__cause__
        return replace(
            found,
            skipped=tuple((name, hide(reason)) for name, reason in found.skipped),
            warnings=tuple(map(hide, found.warnings)),
        )

    async def _discover(self) -> Discovered:
        try:
            given = await asyncio.to_thread(_read_sources, self._settings)
            if not self._settings.reflection:
                if not given:
                    raise DiscoveryFailed(
                        "reflection is off and no descriptors are given; give them by --descriptors or --protos"
                    )
                return describe_set(given)
            learned = await learn(
                self._transport,
                backend=self.name,
                metadata=self._settings.discovery_metadata,
                limits=self._settings.discovery_limits,
                channel_limits=self._settings.channel_limits,
            )
        except ReflectionFailed as failure:
            if not failure.reached or not given or (self._has_learned and failure.served):
                raise DiscoveryFailed(str(failure)) from failure
            described = describe_set(given)
            warning = f"{failure.reason}; its services are taken from the given descriptors alone"
            return replace(described, warnings=(warning, *described.warnings))
        except (SourceError, ChannelError) as error:
            raise DiscoveryFailed(str(error)) from error
        self._has_learned = True
        return combine(learned, given, backend=self.name)

    async def read_signs(self) -> Signs:
        """What gives away at little cost that it is worth asking again: equal as long as nothing has happened.

        It changes with the given files, and when a connection that was lost is there again, which is what a server's
        restart looks like. To be called every second or so, since losses in between are not seen.
        """
        files = await asyncio.to_thread(_read_stamps, self._settings)
        is_ready = self._channel is not None and self._channel.get_state() is grpc.ChannelConnectivity.READY
        self._channel_connections += is_ready and not self._was_ready
        self._was_ready = is_ready
        on_lane = 0 if self._lane is None else self._lane.connections
        # The first connection of each kind comes with the first call, not with a restart.
        return Signs(files=files, reconnections=max(self._channel_connections - 1, 0) + max(on_lane - 1, 0))

    def unary(self, rpc_name: str) -> UnaryCall:
        """The unary RPC of that name, "pkg.Service/Method", ready to be called; to be asked for in the event loop.

        Nothing is sent. Raises `ChannelError` where the file of roots is of no use.
        """
        path = f"/{rpc_name}"
        return UnaryCall(
            self._open(),
            path=path,
            metadata=self._settings.call_metadata,
            endings=self._make_endings(path),
            lane=self._lane,
        )

    def stream(self, rpc_name: str, *, client_streaming: bool, server_streaming: bool) -> StreamCall:
        """The streaming RPC of that name, "pkg.Service/Method", ready to be called; otherwise as `unary`."""
        path = f"/{rpc_name}"
        return StreamCall(
            self._open(),
            path=path,
            metadata=self._settings.call_metadata,
            endings=self._make_endings(path),
            client_streaming=client_streaming,
            server_streaming=server_streaming,
        )

    async def close(self) -> None:
        """Ends the connection; calls under way and later ones end with UNAVAILABLE. May be called twice."""
        if self._lane is not None:
            await self._lane.close()
        if self._channel is not None:
            await self._channel.close()

    def _open(self) -> grpc.aio.Channel:
        if self._channel is None:
            self._channel = open_channel(self._transport, self._settings.channel_limits)
        return self._channel

    def _make_endings(self, path: str) -> CallEndings:
        limits = self._settings.channel_limits
        return CallEndings(
            self._open(),
            path=path,
            backend=self.name,
            limits=limits,
            outages=self._outages,
            secrets=self._call_secrets,
        )


def _read_sources(settings: BackendSettings) -> tuple[FileDescriptorProto, ...]:
    """Every file of every descriptor set and of every folder of protos, in the order of the settings."""
    sets = [read_descriptor_set(path) for path in settings.descriptor_sets]
    folders = [compile_protos(folder) for folder in settings.proto_folders]
    return tuple(file for files in (*sets, *folders) for file in files)


def _read_stamps(settings: BackendSettings) -> tuple[tuple[str, int, int], ...]:
    """Every given file with its size and time of change; what cannot be looked at is left out."""
    inside = (path for folder in settings.proto_folders for path in sorted(folder.rglob("*.proto")))
    stamps = []
    for path in (*settings.descriptor_sets, *inside):
        try:
            stat = path.stat()
        except OSError:
            continue
        stamps.append((str(path), stat.st_size, stat.st_mtime_ns))
    return tuple(stamps)
