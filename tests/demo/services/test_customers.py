from collections.abc import Awaitable, Callable

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.wrappers_pb2 import BoolValue
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, ResourceInfo
from google.rpc.status_pb2 import Status

from gateway.gen.demo.shop.v1 import customers_pb2 as pb
from gateway.gen.demo.shop.v1.customers_pb2_grpc import CustomerServiceStub

RefusalOf = Callable[[Awaitable[Message]], Awaitable[Status]]


def read_violations(status: Status) -> dict[str, str]:
    for detail in status.details:
        details = BadRequest()
        if detail.Unpack(details):
            return {row.field: row.description for row in details.field_violations}
    return {}


async def test_a_new_customer_gets_the_next_id_and_can_be_read(channel: grpc.aio.Channel) -> None:
    stub = CustomerServiceStub(channel)
    customer = pb.Customer(display_name="Zoe", email="zoe@shop.example")
    customer.preferences.update({"wrap": True})
    created = (await stub.CreateCustomer(pb.CreateCustomerRequest(customer=customer))).customer
    assert created.id == "c-26"
    assert created.HasField("create_time")
    assert (await stub.GetCustomer(pb.GetCustomerRequest(id="c-26"))).customer == created


async def test_a_new_customer_names_every_field_at_fault(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    customer = pb.Customer(
        display_name="z" * 81, email="zoe", addresses={"home": pb.PostalAddress(country_code="Germany")}
    )
    status = await refusal_of(CustomerServiceStub(channel).CreateCustomer(pb.CreateCustomerRequest(customer=customer)))
    assert read_violations(status) == {
        "customer.display_name": "must be 1 to 80 characters, got 81",
        "customer.email": 'must be an address such as "ada@shop.example"',
        'customer.addresses["home"].country_code': 'must be two capital letters such as "DE"',
    }


async def test_an_email_address_is_taken_once(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    customer = pb.Customer(display_name="Zoe", email="customer3@shop.example")
    status = await refusal_of(CustomerServiceStub(channel).CreateCustomer(pb.CreateCustomerRequest(customer=customer)))
    assert status.code == Code.ALREADY_EXISTS
    info = ResourceInfo()
    assert any(detail.Unpack(info) for detail in status.details)
    assert info.resource_name == "c-3"


@pytest.mark.parametrize("mask", [["display_name", "phone", "newsletter"], None])
async def test_an_update_changes_the_fields_of_its_mask_alone(
    channel: grpc.aio.Channel, mask: list[str] | None
) -> None:
    stub = CustomerServiceStub(channel)
    before = (await stub.GetCustomer(pb.GetCustomerRequest(id="c-1"))).customer
    assert before.HasField("phone")
    request = pb.UpdateCustomerRequest(
        customer=pb.Customer(id="c-1", display_name="Ada L.", newsletter=BoolValue(value=False)),
        update_mask=FieldMask(paths=mask) if mask else None,
    )
    after = (await stub.UpdateCustomer(request)).customer
    expected = pb.Customer()
    expected.CopyFrom(before)
    expected.display_name = "Ada L."
    expected.newsletter.value = False
    if mask:
        expected.ClearField("phone")
    assert after == expected


async def test_a_mask_cannot_name_what_the_shop_sets(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    request = pb.UpdateCustomerRequest(
        customer=pb.Customer(id="c-1"), update_mask=FieldMask(paths=["create_time", "nonsense"])
    )
    status = await refusal_of(CustomerServiceStub(channel).UpdateCustomer(request))
    assert read_violations(status)["update_mask"].endswith("got create_time, nonsense")


async def test_a_customer_with_open_orders_stays(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    stub = CustomerServiceStub(channel)
    status = await refusal_of(stub.DeleteCustomer(pb.DeleteCustomerRequest(id="c-1")))
    assert (status.code, status.message) == (
        Code.FAILED_PRECONDITION,
        "customer c-1 has orders on their way: o-1001, o-1026",
    )


async def test_a_deleted_customer_is_gone(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    stub = CustomerServiceStub(channel)
    await stub.DeleteCustomer(pb.DeleteCustomerRequest(id="c-20"))
    assert (await refusal_of(stub.DeleteCustomer(pb.DeleteCustomerRequest(id="c-20")))).code == Code.NOT_FOUND
    await stub.DeleteCustomer(pb.DeleteCustomerRequest(id="c-20", allow_missing=True))


async def test_customers_are_listed_by_tier(channel: grpc.aio.Channel) -> None:
    request = pb.ListCustomersRequest(tier=pb.CustomerTier.CUSTOMER_TIER_GOLD, page_size=3)
    page = await CustomerServiceStub(channel).ListCustomers(request)
    assert [customer.id for customer in page.customers] == ["c-2", "c-5", "c-8"]
    assert page.total_size == 8
