"""demo.shop.v1.CustomerService."""

from collections.abc import Iterable, Iterator

from gateway.demo.failures import Context, already_exists, bad_request, failed_precondition
from gateway.demo.services.answering import answering
from gateway.demo.services.pages import cut_page
from gateway.demo.shop import Shop
from gateway.gen.demo.shop.v1 import customers_pb2 as pb
from gateway.gen.demo.shop.v1.customers_pb2_grpc import CustomerServiceServicer

NAME_LIMIT = 80

CHANGEABLE = tuple(field.name for field in pb.Customer.DESCRIPTOR.fields if field.name not in {"id", "create_time"})
"""The fields of a customer that a caller may set, by their proto names."""


class CustomerService(CustomerServiceServicer):
    """Reads and changes the shop's customers."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    @answering
    async def GetCustomer(self, request: pb.GetCustomerRequest, context: Context) -> pb.GetCustomerResponse:
        _require_id("id", request.id)
        return pb.GetCustomerResponse(customer=self._shop.get_customer(request.id))

    @answering
    async def ListCustomers(self, request: pb.ListCustomersRequest, context: Context) -> pb.ListCustomersResponse:
        found = [
            customer
            for customer in self._shop.customers.values()
            if request.tier in {pb.CustomerTier.CUSTOMER_TIER_UNSPECIFIED, customer.tier}
        ]
        page = cut_page(
            found,
            page_size=request.page_size,
            page_token=request.page_token,
            filters=pb.ListCustomersRequest(tier=request.tier),
        )
        return pb.ListCustomersResponse(
            customers=page.items, next_page_token=page.next_page_token, total_size=len(found)
        )

    @answering
    async def CreateCustomer(self, request: pb.CreateCustomerRequest, context: Context) -> pb.CreateCustomerResponse:
        customer = pb.Customer()
        customer.CopyFrom(request.customer)
        self._check(customer, CHANGEABLE)
        return pb.CreateCustomerResponse(customer=self._shop.add_customer(customer))

    @answering
    async def UpdateCustomer(self, request: pb.UpdateCustomerRequest, context: Context) -> pb.UpdateCustomerResponse:
        _require_id("customer.id", request.customer.id)
        kept = self._shop.get_customer(request.customer.id)
        paths = _read_mask(request)
        changed = pb.Customer()
        changed.CopyFrom(kept)
        for path in paths:
            _copy_field(path, request.customer, changed)
        self._check(changed, paths)
        kept.CopyFrom(changed)
        return pb.UpdateCustomerResponse(customer=kept)

    @answering
    async def DeleteCustomer(self, request: pb.DeleteCustomerRequest, context: Context) -> pb.DeleteCustomerResponse:
        _require_id("id", request.id)
        if request.allow_missing and request.id not in self._shop.customers:
            return pb.DeleteCustomerResponse()
        customer = self._shop.get_customer(request.id)
        open_orders = self._shop.list_open_orders(customer.id)
        if open_orders:
            raise failed_precondition(
                "CUSTOMER_HAS_OPEN_ORDERS",
                f"customer {customer.id} has orders on their way: {', '.join(order.id for order in open_orders)}",
                [("OPEN_ORDER", order.id, "must be delivered or cancelled first") for order in open_orders],
            )
        del self._shop.customers[customer.id]
        return pb.DeleteCustomerResponse()

    def _check(self, customer: pb.Customer, fields: Iterable[str]) -> None:
        """Raises `Refused` for what is wrong with those fields of `customer`."""
        violations = {field: why for field, why in _list_violations(customer) if field.partition("[")[0] in fields}
        if violations:
            raise bad_request({f"customer.{field}": why for field, why in violations.items()})
        for other in self._shop.customers.values():
            if other.email == customer.email and other.id != customer.id:
                raise already_exists(
                    "customer", other.id, "EMAIL_TAKEN", f"customer {other.id} has the email address {customer.email}"
                )


def _require_id(field: str, value: str) -> None:
    if not value:
        raise bad_request({field: "must not be empty"})


def _list_violations(customer: pb.Customer) -> Iterator[tuple[str, str]]:
    if not 1 <= len(customer.display_name) <= NAME_LIMIT:
        yield "display_name", f"must be 1 to {NAME_LIMIT} characters, got {len(customer.display_name)}"
    name, at, host = customer.email.rpartition("@")
    if not (name and at and "." in host) or any(character.isspace() for character in customer.email):
        yield "email", 'must be an address such as "ada@shop.example"'
    if customer.tier not in pb.CustomerTier.values():
        yield "tier", f"must be one of {', '.join(pb.CustomerTier.keys()[1:])}"
    for key, address in customer.addresses.items():
        country = address.country_code
        if not (len(country) == 2 and country.isascii() and country.isupper()):
            yield f'addresses["{key}"].country_code', 'must be two capital letters such as "DE"'


def _read_mask(request: pb.UpdateCustomerRequest) -> tuple[str, ...]:
    """The fields to change. Raises `Refused` for a path that is none (https://google.aip.dev/134)."""
    if not request.HasField("update_mask"):
        return tuple(field.name for field, _ in request.customer.ListFields() if field.name in CHANGEABLE)
    paths = tuple(request.update_mask.paths)
    if paths == ("*",):
        return CHANGEABLE
    wrong = [path for path in paths if path not in CHANGEABLE]
    if wrong:
        raise bad_request(
            {"update_mask": f"must name fields that may be changed ({', '.join(CHANGEABLE)}), got {', '.join(wrong)}"}
        )
    return paths


def _copy_field(name: str, source: pb.Customer, target: pb.Customer) -> None:
    """Makes the field of `target` what it is in `source`, unset where it is unset there."""
    only = pb.Customer()
    only.CopyFrom(source)
    for field, _ in source.ListFields():
        if field.name != name:
            only.ClearField(field.name)  # type: ignore[arg-type]  # the stub wants a literal
    target.ClearField(name)  # type: ignore[arg-type]
    target.MergeFrom(only)
