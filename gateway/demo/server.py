"""Starts the shop as a gRPC server in this process, and gives its descriptors with their comments."""

import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass, field

import grpc
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME as HEALTH_NAME
from grpc_health.v1.health import aio as health
from grpc_reflection.v1alpha import reflection

from gateway.demo.services.customers import CustomerService
from gateway.demo.services.diagnostics import DiagnosticsService
from gateway.demo.services.orders import OrderService
from gateway.demo.services.stock import StockService
from gateway.demo.shop import Shop
from gateway.gen.demo.shop.v1 import customers_pb2, diagnostics_pb2, orders_pb2, stock_pb2
from gateway.gen.demo.shop.v1.customers_pb2_grpc import add_CustomerServiceServicer_to_server
from gateway.gen.demo.shop.v1.diagnostics_pb2_grpc import add_DiagnosticsServiceServicer_to_server
from gateway.gen.demo.shop.v1.orders_pb2_grpc import add_OrderServiceServicer_to_server
from gateway.gen.demo.shop.v1.stock_pb2_grpc import add_StockServiceServicer_to_server

SERVICE_NAMES = tuple(
    service.full_name
    for file in (customers_pb2, diagnostics_pb2, orders_pb2, stock_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
)
"""The shop's services by their full names, in order."""

DESCRIPTOR_SET = "shop.binpb"
"""A FileDescriptorSet of the shop's files alone, with source info; `.ci/generate` writes it."""

SO_REUSEPORT = ("grpc.so_reuseport", 0)
"""A port in use is refused rather than shared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoServer:
    """A running shop; `target` is where it listens, as HOST:PORT on loopback."""

    target: str
    _server: grpc.aio.Server = field(repr=False)
    _health: health.HealthServicer = field(repr=False)

    async def stop(self, grace_seconds: float = 1.0) -> None:
        """Says over health that it is not serving, lets running calls end for that long, then ends them."""
        await self._health.enter_graceful_shutdown()
        await self._server.stop(grace_seconds)

    async def wait_for_termination(self) -> None:
        """Returns once the server was stopped."""
        await self._server.wait_for_termination()


async def start_demo(port: int = 0) -> DemoServer:
    """A shop as it is on every start, listening on 127.0.0.1; port 0 takes a free one. Raises OSError if it can't."""
    server = grpc.aio.server(options=(SO_REUSEPORT,))
    shop = Shop()
    add_CustomerServiceServicer_to_server(CustomerService(shop), server)
    add_DiagnosticsServiceServicer_to_server(DiagnosticsService(), server)
    add_OrderServiceServicer_to_server(OrderService(shop), server)
    add_StockServiceServicer_to_server(StockService(shop), server)
    health_servicer = health.HealthServicer()
    for name in ("", *SERVICE_NAMES):
        await health_servicer.set(name, health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    reflection.enable_server_reflection((*SERVICE_NAMES, HEALTH_NAME, reflection.SERVICE_NAME), server)
    try:
        bound = server.add_insecure_port(f"127.0.0.1:{port}")
    except RuntimeError:
        bound = 0
    if not bound:
        raise OSError(f"the demo cannot listen on 127.0.0.1:{port}: choose another port")
    await server.start()
    return DemoServer(target=f"127.0.0.1:{bound}", _server=server, _health=health_servicer)


def demo_descriptor_set() -> tuple[FileDescriptorProto, ...]:
    """The shop's files with the comments that reflection lacks, and all that they import, each after its imports.

    The imports are those that reflection serves: the installed ones, whatever their version.
    """
    data = importlib.resources.files("gateway.demo").joinpath(DESCRIPTOR_SET).read_bytes()
    own = {file.name: file for file in FileDescriptorSet.FromString(data).file}
    ordered: dict[str, FileDescriptorProto] = {}
    for module in (customers_pb2, diagnostics_pb2, orders_pb2, stock_pb2):
        _add_after_imports(module.DESCRIPTOR, own, ordered)
    return tuple(ordered.values())


def _add_after_imports(
    file: FileDescriptor, own: Mapping[str, FileDescriptorProto], ordered: dict[str, FileDescriptorProto]
) -> None:
    if file.name in ordered:
        return
    for imported in file.dependencies:
        _add_after_imports(imported, own, ordered)
    ordered[file.name] = own.get(file.name) or FileDescriptorProto.FromString(file.serialized_pb)
