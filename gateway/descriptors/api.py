"""What a backend offers, in one frozen value: its RPCs, and what had to be left out and why.

Everything that follows (schemas, converters, tool names and texts) is made from an `Api`. It knows no tool and no MCP.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from google.protobuf.descriptor import Descriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool

from gateway.contract.quoting import one_line
from gateway.descriptors.comments import Comments
from gateway.descriptors.linking import LinkedFiles, link_files
from gateway.descriptors.options import Options
from gateway.descriptors.validation.engine import RuleEngine
from gateway.descriptors.validation.rules import Rules

LIMIT_NAME = 300
# An RPC's name travels as a header, of which servers take 8 KiB in all.
LIMIT_RPC_NAME = 1_000

# Services by which a gateway looks at a backend; they are no part of what it offers.
INFRASTRUCTURE_SERVICES = frozenset(
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
    `rpcs` and `skipped` are sorted by name; `warnings` are lines about files that cost nothing. `rules` are the
    validation rules of its types (protovalidate), `rule_engine` runs them; a backend without any pays for neither.
    """

    pool: DescriptorPool
    files: Mapping[str, FileDescriptorProto]
    rpcs: tuple[Rpc, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]
    comments: Comments
    options: Options
    rules: Rules
    rule_engine: RuleEngine


def describe_api(files: Iterable[FileDescriptorProto], services: Iterable[str] | None = None) -> Api:
    """What these files offer, restricted to the named services (None: every service that the files declare).

    A service of which some RPCs cannot be served is served with the others. Never raises over the files: what does not
    link is in `skipped` or `warnings`. The health and reflection services are never in `rpcs`.
    """
    linked = link_files(files)
    wanted = set(_declared_services(linked) if services is None else services) - INFRASTRUCTURE_SERVICES
    found = {name: service for name in wanted if (service := _find_service(linked.pool, name)) is not None}
    skipped = {
        name: linked.left_out.get(name, "no file that could be read declares it") for name in wanted - set(found)
    }
    skipped |= {name: reason for name, reason in linked.left_out.items() if "/" in name and _service_of(name) in found}
    rpcs = {rpc.name: rpc for service in found.values() for rpc in map(_make_rpc, service.methods)}
    overlong = {name for name in rpcs if len(name) > LIMIT_RPC_NAME}
    skipped |= {name: f"its name has {len(name):,} characters; the limit is {LIMIT_RPC_NAME:,}" for name in overlong}
    options = Options(linked.pool, linked.files.values())
    rules = Rules(linked.pool, linked.files, options)
    return Api(
        pool=linked.pool,
        files=linked.files,
        rpcs=tuple(rpcs[name] for name in sorted(rpcs.keys() - overlong)),
        skipped=tuple(Skipped(name=one_line(name, LIMIT_NAME), reason=skipped[name]) for name in sorted(skipped)),
        warnings=tuple(f"{problem.name}: {problem.reason}" for problem in linked.problems),
        comments=Comments(linked.sources),
        options=options,
        rules=rules,
        rule_engine=RuleEngine(rules),
    )


def _declared_services(linked: LinkedFiles) -> set[str]:
    return {
        f"{file.package}.{service.name}" if file.package else service.name
        for file in linked.sources
        for service in file.service
    }


def _service_of(rpc_name: str) -> str:
    return rpc_name.partition("/")[0]


def _find_service(pool: DescriptorPool, name: str) -> ServiceDescriptor | None:
    try:
        return pool.FindServiceByName(name)
    except KeyError:
        return None


def _make_rpc(method: MethodDescriptor) -> Rpc:
    service = method.containing_service.full_name
    return Rpc(
        name=f"{service}/{method.name}",
        service=service,
        method=method.name,
        request=method.input_type,
        response=method.output_type,
        client_streaming=method.client_streaming,
        server_streaming=method.server_streaming,
        descriptor=method,
    )
