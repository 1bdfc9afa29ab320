"""Learns from a server itself what it serves: its services and the descriptor files that they are made of.

Every name that the server lists ends up among the services or, with its reason, among the skipped. Asked for are the
list, each service by its name, and missing imports by file name: the questions that every known server answers.
Methods, messages and extensions are never asked for. This module must never know what is made of the files.

Source: gRPC's "GRPC Server Reflection Protocol" and grpc/reflection/v1/reflection.proto.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse

from gateway.backends.channels import ChannelLimits, Transport, open_channel
from gateway.backends.reflection_dialogue import Metadata, ReflectionDialogue, Unanswered
from gateway.backends.statuses import find_cause
from gateway.contract.quoting import one_line, quote
from gateway.contract.statuses import get_status_row
from gateway.descriptors.api import INFRASTRUCTURE_SERVICES
from gateway.descriptors.files.strict_parsing import find_parse_error
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

_SERVICE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_LIMIT_SAID = 200
_GIVE_DESCRIPTORS = "give descriptors by --descriptors or --protos"
_NOT_FOUND, _UNIMPLEMENTED, _UNAVAILABLE, _DEADLINE_EXCEEDED = 5, 12, 14, 4
_REFUSALS = frozenset({7, 16})  # PERMISSION_DENIED, UNAUTHENTICATED


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryLimits:
    """What one discovery may cost: how long, how many services and files, and how many bytes of files."""

    deadline_seconds: float = 30.0
    limit_services: int = 2_000
    limit_files: int = 5_000
    limit_bytes: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingImport:
    """A file that `importer` imports and that the server did not give, and why."""

    name: str
    importer: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a server told. `services` are those that `files` declare, `skipped` the listed ones that they do not, with
    their reasons; both are sorted, without duplicates and without the services by which a server is looked at.
    """

    services: tuple[str, ...]
    files: Mapping[str, FileDescriptorProto]
    skipped: tuple[tuple[str, str], ...]
    missing_imports: tuple[MissingImport, ...]
    warnings: tuple[str, ...]


class ReflectionFailed(Exception):
    """Reflection told nothing of use.

    `reason` is one line, the message the same with what to do about it; `reached` says whether there is a server at
    all, `served` whether it may have a reflection service.
    """

    def __init__(self, reason: str, *, reached: bool, served: bool = True, hint: str = "") -> None:
        super().__init__(f"{reason}: {hint}" if hint else reason)
        self.reason = reason
        self.reached = reached
        self.served = served


async def learn(
    transport: Transport, *, backend: str, metadata: Metadata, limits: DiscoveryLimits, channel_limits: ChannelLimits
) -> Learned:
    """What the server at the other end serves, by its reflection service, v1 or v1alpha.

    It opens a connection of its own, since descriptors may be larger than the messages that calls may be answered
    with, and closes it again. `metadata` goes with reflection and nothing else. Raises `ReflectionFailed`, and
    `ChannelError` where the channel cannot be opened as configured.
    """
    own_limits = replace(channel_limits, receive_limit_bytes=limits.limit_bytes)
    async with open_channel(transport, own_limits) as channel:
        dialogue = ReflectionDialogue(
            channel,
            backend=backend,
            metadata=metadata,
            limits=own_limits,
            deadline_seconds=limits.deadline_seconds,
        )
        async with dialogue:
            return await _Lesson(dialogue, place=transport.target.text, limits=limits).learn()


class _Lesson:
    """One discovery under way: what is known so far, and what to ask next."""

    def __init__(self, dialogue: ReflectionDialogue, *, place: str, limits: DiscoveryLimits) -> None:
        self._dialogue = dialogue
        self._place = place
        self._limits = limits
        self._files: dict[str, FileDescriptorProto] = {}
        self._order: list[FileDescriptorProto] = []
        self._seen: set[bytes] = set()
        self._size = 0
        self._answers = 0
        self._declared: set[str] = set()
        self._warnings: list[str] = []

    async def learn(self) -> Learned:
        listed = await self._list_services()
        reasons: dict[str, str] = {}
        for name in listed:
            reason = await self._ask_for_service(name)
            if reason is not None:
                reasons[name] = reason
        missing = await self._ask_for_imports()
        return Learned(
            services=tuple(name for name in listed if name not in reasons),
            files=self._files,
            skipped=tuple(reasons.items()),
            missing_imports=missing,
            warnings=tuple(self._warnings),
        )

    async def _list_services(self) -> list[str]:
        answer = await self._ask(ServerReflectionRequest(list_services="*"))
        if isinstance(answer, Unanswered):
            raise self._failure(answer.status)
        match answer.WhichOneof("message_response"):
            case "list_services_response":
                names = {service.name for service in answer.list_services_response.service}
            case "error_response":
                error = answer.error_response
                raise self._failure(RpcStatus(code=error.error_code, message=error.error_message))
            case _:
                raise ReflectionFailed(
                    f"{self._place}: reflection gave no list of services when asked for it", reached=True
                )
        if len(names) > self._limits.limit_services:
            raise self._over_limit(f"{self._limits.limit_services} services")
        return sorted(names - INFRASTRUCTURE_SERVICES)

    async def _ask_for_service(self, name: str) -> str | None:
        """Gets the file that declares a service, if it is not there; or why it cannot be had."""
        if name in self._declared:
            return None
        if _SERVICE_NAME.fullmatch(name) is None:
            return "the server lists it, but it is no name of a service"
        answer = await self._ask(ServerReflectionRequest(file_containing_symbol=name))
        reason = self._take(answer)
        if reason is not None or name in self._declared:
            return reason
        return "reflection answered with files that do not declare it"

    async def _ask_for_imports(self) -> tuple[MissingImport, ...]:
        missing: list[MissingImport] = []
        asked: set[str] = set()
        for importer in self._order:  # grows as files come in
            for name in importer.dependency:
                if name in self._files or name in asked:
                    continue
                asked.add(name)
                reason = self._take(await self._ask(ServerReflectionRequest(file_by_filename=name)))
                if name not in self._files:
                    reason = reason or "reflection answered with other files"
                    missing.append(MissingImport(name=name, importer=importer.name, reason=reason))
        return tuple(missing)

    async def _ask(self, request: ServerReflectionRequest) -> ServerReflectionResponse | Unanswered:
        answer = await self._dialogue.ask(request)
        if isinstance(answer, Unanswered):
            status = answer.status
            if status.origin is StatusOrigin.CONNECTION and status.code == _UNAVAILABLE:
                cause = find_cause(answer.core_text)
                because = f": {cause}" if cause else ""
                raise ReflectionFailed(f"{self._place} cannot be reached{because}", reached=False)
            if status.origin is StatusOrigin.GATEWAY and status.code == _DEADLINE_EXCEEDED:
                raise self._too_slow(status)
        else:
            self._answers += 1
        return answer

    def _take(self, answer: ServerReflectionResponse | Unanswered) -> str | None:
        """Keeps the files of an answer; why there is none, where there is none."""
        if isinstance(answer, Unanswered):
            if answer.status.code == 0:
                return "the reflection stream ended without an answer"
            return f"the reflection stream broke: {_say(answer.status.code, answer.status.message)}"
        match answer.WhichOneof("message_response"):
            case "file_descriptor_response":
                return self._keep(answer.file_descriptor_response.file_descriptor_proto)
            case "error_response" if answer.error_response.error_code == _NOT_FOUND:
                return "reflection does not find it (NOT_FOUND)"
            case "error_response":
                error = answer.error_response
                return f"reflection answered {_say(error.error_code, error.error_message)}"
            case _:
                return "reflection gave an answer that is none to what was asked"

    def _keep(self, answers: Iterable[bytes]) -> str | None:
        reason = None
        for content in answers:
            if content in self._seen:
                continue
            self._seen.add(content)
            self._size += len(content)
            if self._size > self._limits.limit_bytes:
                raise self._over_limit(f"{self._limits.limit_bytes} bytes of files")
            fault = find_parse_error(content)
            if fault is None:
                self._keep_file(FileDescriptorProto.FromString(content))
            else:
                reason = f"reflection answered with bytes that are no file descriptor ({one_line(fault, _LIMIT_SAID)})"
        return reason

    def _keep_file(self, file: FileDescriptorProto) -> None:
        known = self._files.get(file.name)
        if known is not None:
            self._warnings.append(f"the server gave two files named {quote(file.name)}; the first is used")
            return
        if len(self._files) == self._limits.limit_files:
            raise self._over_limit(f"{self._limits.limit_files} files")
        self._files[file.name] = file
        self._order.append(file)
        self._declared.update(declared_services(file))

    def _too_slow(self, status: RpcStatus) -> ReflectionFailed:
        if not self._answers:
            return ReflectionFailed(f"{self._place}: reflection: {status.message}", reached=False)
        told = f"{self._answers} answer{'s' if self._answers > 1 else ''}"
        reason = f"{self._place}: reflection gave {told} and was not done within {self._limits.deadline_seconds:g} s"
        return ReflectionFailed(reason, reached=False, hint="discovery.timeout_seconds allows more")

    def _failure(self, status: RpcStatus) -> ReflectionFailed:
        name = get_status_row(status.code).name
        if status.origin in (StatusOrigin.GATEWAY, StatusOrigin.CONNECTION):
            return ReflectionFailed(f"{self._place}: reflection: {status.message}", reached=False)
        if status.code == 0:
            told = one_line(status.message, _LIMIT_SAID) or "no reason is given"
            return ReflectionFailed(f"{self._place}: reflection gave no list of services: {told}", reached=True)
        if status.code == _UNIMPLEMENTED:
            reason = f"{self._place} does not serve reflection (neither grpc.reflection.v1 nor v1alpha)"
            hint = f"switch it on there, or {_GIVE_DESCRIPTORS}"
            return ReflectionFailed(reason, reached=True, served=False, hint=hint)
        if status.code in _REFUSALS:
            reason = f"{self._place} refused reflection with {name}"
            hint = f"check the metadata for discovery, or {_GIVE_DESCRIPTORS}"
            return ReflectionFailed(reason, reached=True, hint=hint)
        return ReflectionFailed(
            f"{self._place}: reflection failed with {_say(status.code, status.message)}", reached=True
        )

    def _over_limit(self, limit: str) -> ReflectionFailed:
        return ReflectionFailed(
            f"{self._place}: reflection gives more than {limit}, the limit for one backend", reached=True
        )


def declared_services(file: FileDescriptorProto) -> tuple[str, ...]:
    """The full names of the services that a file declares, in its order."""
    package = f"{file.package}." if file.package else ""
    return tuple(f"{package}{service.name}" for service in file.service)


def _say(code: int, message: str) -> str:
    name = get_status_row(code).name
    label = name if 0 <= code <= 16 else f"{name} ({code})"
    return f"{label}: {one_line(message, _LIMIT_SAID)}" if message else label
