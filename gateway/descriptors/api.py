"""What a backend offers, in one frozen value: its RPCs, and what had to be left out and why.

Everything that follows (schemas, converters, tool names and texts) is made from an `Api`. It knows no tool and no MCP.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from google.protobuf.descriptor import Descriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool

from gateway.descriptors.comments import Comments
from gateway.descriptors.linking import LinkedFiles, link_files
from gateway.descriptors.options import Options

# Services by which a gateway looks at a backend; they are no part of what it offers.
_INFRASTRUCTURE = frozenset(
    {
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rpc:
    """One RPC. `name` is "pkg.Service/Method", `service` "pkg.Service", `method` "Method"."""

    name: str
    service: str
    method: str
    request: Descriptor
    response: Descriptor
    client_streaming: bool
    server_streaming: bool
    descriptor: MethodDescriptor


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A service ("pkg.Service") or one RPC of it ("pkg.Service/Method") that is left out, and why, in one line."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """What one backend offers.

    `pool` is private to this value; descriptors of two Apis never mix. `files` are the files as linked, by name.
    `rpcs` and `skipped` are sorted by name; `warnings` are lines about files that cost nothing.
    """

    pool: DescriptorPool
    files: Mapping[str, FileDescriptorProto]
    rpcs: tuple[Rpc, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]
    comments: Comments
    options: Options


def describe_api(files: Iterable[FileDescriptorProto], services: Iterable[str] | None = None) -> Api:
    """What these files offer, restricted to the named services (None: every service that the files declare).

    Never raises over the files: what does not link is in `skipped` or `warnings`. The health and reflection services
    are never in `rpcs`.
    """
    linked = link_files(files)
    names = _declared_services(linked) if services is None else services
    rpcs: list[Rpc] = []
    skipped: list[Skipped] = []
    for name in sorted(set(names) - _INFRASTRUCTURE):
        service = _find_service(linked.pool, name)
        if service is None:
            skipped.append(Skipped(name=name, reason=linked.left_out.get(name, "no file that was given declares it")))
            continue
        rpcs += [_make_rpc(service, method) for method in service.methods]
    return Api(
        pool=linked.pool,
        files=linked.files,
        rpcs=tuple(sorted(rpcs, key=lambda rpc: rpc.name)),
        skipped=tuple(skipped),
        warnings=tuple(f"{problem.name}: {problem.reason}" for problem in linked.problems),
        comments=Comments(linked.sources),
        options=Options(linked.pool, linked.files.values()),
    )


def _declared_services(linked: LinkedFiles) -> set[str]:
    return {
        f"{file.package}.{service.name}" if file.package else service.name
        for file in linked.sources
        for service in file.service
    }


def _find_service(pool: DescriptorPool, name: str) -> ServiceDescriptor | None:
    try:
        return pool.FindServiceByName(name)
    except KeyError:
        return None


def _make_rpc(service: ServiceDescriptor, method: MethodDescriptor) -> Rpc:
    return Rpc(
        name=f"{service.full_name}/{method.name}",
        service=service.full_name,
        method=method.name,
        request=method.input_type,
        response=method.output_type,
        client_streaming=method.client_streaming,
        server_streaming=method.server_streaming,
        descriptor=method,
    )
