import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from gateway.demo.server import SERVICE_NAMES, demo_descriptor_set, start_demo
from gateway.gen.demo.shop.v1 import orders_pb2
from gateway.gen.demo.shop.v1.orders_pb2_grpc import OrderServiceStub

SERVICES = (
    "demo.shop.v1.CustomerService",
    "demo.shop.v1.DiagnosticsService",
    "demo.shop.v1.OrderService",
    "demo.shop.v1.StockService",
)


async def test_reflection_lists_the_shops_services(channel: grpc.aio.Channel) -> None:
    async def ask() -> list[str]:
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        async for answer in stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")])):
            return [service.name for service in answer.list_services_response.service]
        return []

    assert set(await ask()) == {*SERVICES, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}


@pytest.mark.parametrize("service", ["", *SERVICES])
async def test_every_service_says_that_it_is_serving(channel: grpc.aio.Channel, service: str) -> None:
    health = health_pb2_grpc.HealthStub(channel)
    answer = await health.Check(health_pb2.HealthCheckRequest(service=service))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_each_start_gives_the_same_shop() -> None:
    answers = []
    for _ in range(2):
        demo = await start_demo()
        async with grpc.aio.insecure_channel(demo.target) as channel:
            stub = OrderServiceStub(channel)
            answers.append(await stub.ListOrders(orders_pb2.ListOrdersRequest(page_size=50)))
            await stub.CancelOrder(orders_pb2.CancelOrderRequest(id="o-1001"))
        await demo.stop()
    assert answers[0] == answers[1]
    assert answers[0].total_size == 40


async def test_a_port_in_use_is_refused_in_one_line() -> None:
    demo = await start_demo()
    port = int(demo.target.rpartition(":")[2])
    with pytest.raises(OSError, match=rf"^the demo cannot listen on 127\.0\.0\.1:{port}: choose another port$"):
        await start_demo(port)
    await demo.stop()


def test_the_descriptor_set_is_whole_and_in_order() -> None:
    pool = DescriptorPool()
    for file in demo_descriptor_set():
        pool.Add(file)
    assert SERVICE_NAMES == SERVICES
    for name in SERVICE_NAMES:
        assert pool.FindServiceByName(name).methods
    specimen = pool.FindMessageTypeByName("demo.shop.v1.Specimen")
    kinds = {field.type for field in specimen.fields} - {FieldDescriptor.TYPE_MESSAGE, FieldDescriptor.TYPE_ENUM}
    assert kinds == {
        value
        for name, value in vars(FieldDescriptor).items()
        if name.startswith("TYPE_") and name not in {"TYPE_GROUP", "TYPE_MESSAGE", "TYPE_ENUM"}
    }


async def test_the_descriptor_set_has_the_imports_that_reflection_serves(channel: grpc.aio.Channel) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    imports = {file.name: file for file in demo_descriptor_set() if not file.name.startswith("demo/")}
    questions = [reflection_pb2.ServerReflectionRequest(file_by_filename=name) for name in imports]
    served = {}
    async for answer in stub.ServerReflectionInfo(iter(questions)):
        for data in answer.file_descriptor_response.file_descriptor_proto:
            file = FileDescriptorProto.FromString(data)
            served[file.name] = file
    assert imports == {name: served[name] for name in imports}
    assert "google/api/annotations.proto" in imports


def test_every_element_of_the_shop_has_a_comment() -> None:
    for file in demo_descriptor_set():
        if not file.name.startswith("demo/"):
            continue
        commented = {tuple(place.path) for place in file.source_code_info.location if place.leading_comments.strip()}
        for name, path in _list_elements(file):
            assert path in commented, f"{file.name}: {name}"


def _list_elements(file: FileDescriptorProto) -> list[tuple[str, tuple[int, ...]]]:
    """Names and paths of services, methods, messages, fields, enums and values (descriptor.proto, SourceCodeInfo)."""
    found: list[tuple[str, tuple[int, ...]]] = []
    for number, service in enumerate(file.service):
        found.append((service.name, (6, number)))
        found += [(method.name, (6, number, 2, index)) for index, method in enumerate(service.method)]
    for number, message in enumerate(file.message_type):
        found.append((message.name, (4, number)))
        found += [(field.name, (4, number, 2, index)) for index, field in enumerate(message.field)]
    for number, enum in enumerate(file.enum_type):
        found.append((enum.name, (5, number)))
        found += [(value.name, (5, number, 2, index)) for index, value in enumerate(enum.value)]
    return found
