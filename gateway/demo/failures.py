"""How the demo's services refuse: google.rpc.Status values, and the one way to end a call with one.

The details follow google/rpc/error_details.proto, as https://google.aip.dev/193 asks of services.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import (
    BadRequest,
    ErrorInfo,
    PreconditionFailure,
    QuotaFailure,
    ResourceInfo,
    RetryInfo,
)
from google.rpc.status_pb2 import Status

DOMAIN = "shop.demo"
"""The domain of every ErrorInfo: where its reason is defined."""

STATUS_DETAILS = "grpc-status-details-bin"
"""The trailer that carries a serialised google.rpc.Status."""

STATUS_CODES: Mapping[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}

Context = grpc.aio.ServicerContext[Any, Any]


class Refused(Exception):
    """Ends a call with `status`, a google.rpc.Status."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.message)
        self.status = status


async def abort(context: Context, status: Status) -> NoReturn:
    """Ends the call with `status`, its details in the trailer where clients look for them."""
    trailers = ((STATUS_DETAILS, status.SerializeToString()),) if status.details else ()
    await context.abort(STATUS_CODES[status.code], status.message, trailers)
    raise AssertionError("abort always raises")


def make_refusal(code: int, message: str, *details: Message) -> Refused:
    """A refusal with these details, to be raised."""
    status = Status(code=code, message=message)
    for detail in details:
        status.details.add().Pack(detail)
    return Refused(status)


def not_found(kind: str, name: str) -> Refused:
    """NOT_FOUND for the resource `name`; `kind` is what it would be, such as "order"."""
    return make_refusal(
        Code.NOT_FOUND,
        f'there is no {kind} "{name}"',
        ErrorInfo(reason=f"{kind.upper()}_NOT_FOUND", domain=DOMAIN, metadata={"id": name}),
        ResourceInfo(resource_type=f"{DOMAIN}/{kind}", resource_name=name, description=f"no such {kind}"),
    )


def bad_request(violations: Mapping[str, str]) -> Refused:
    """INVALID_ARGUMENT for `violations`: what is wrong by the path of the field in the request.

    The message names the first of them and how many more there are; the details name them all.
    """
    fields = [BadRequest.FieldViolation(field=field, description=why) for field, why in violations.items()]
    message = f"{fields[0].field} {fields[0].description}"
    if len(fields) > 1:
        message = f"{message} (and {len(fields) - 1} more)"
    return make_refusal(
        Code.INVALID_ARGUMENT,
        message,
        BadRequest(field_violations=fields),
        ErrorInfo(reason="BAD_REQUEST", domain=DOMAIN),
    )


def already_exists(kind: str, name: str, reason: str, message: str) -> Refused:
    """ALREADY_EXISTS for the resource `name` that is in the way."""
    return make_refusal(
        Code.ALREADY_EXISTS,
        message,
        ErrorInfo(reason=reason, domain=DOMAIN),
        ResourceInfo(resource_type=f"{DOMAIN}/{kind}", resource_name=name),
    )


def failed_precondition(
    reason: str, message: str, violations: Iterable[tuple[str, str, str]], *details: Message
) -> Refused:
    """FAILED_PRECONDITION; each violation is its type, its subject and what is wrong with it."""
    failure = PreconditionFailure(
        violations=[
            PreconditionFailure.Violation(type=kind, subject=subject, description=why)
            for kind, subject, why in violations
        ]
    )
    return make_refusal(Code.FAILED_PRECONDITION, message, failure, ErrorInfo(reason=reason, domain=DOMAIN), *details)


def quota_exhausted(subject: str, message: str, *, retry_after_seconds: int) -> Refused:
    """RESOURCE_EXHAUSTED for `subject`, to be tried again after that time."""
    return make_refusal(
        Code.RESOURCE_EXHAUSTED,
        message,
        QuotaFailure(violations=[QuotaFailure.Violation(subject=subject, description=message)]),
        RetryInfo(retry_delay=Duration(seconds=retry_after_seconds)),
        ErrorInfo(reason="QUOTA_EXHAUSTED", domain=DOMAIN),
    )
