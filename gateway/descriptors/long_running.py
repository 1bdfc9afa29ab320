"""Which RPCs start long-running operations, and what those end in (AIP-151, google/longrunning/operations.proto).

It must never know how an operation is followed.
"""

from google.protobuf.descriptor import Descriptor, MethodDescriptor

from gateway.descriptors.api import Api, Rpc

OPERATION = "google.longrunning.Operation"
OPERATIONS_SERVICE = "google.longrunning.Operations"
"""The service by which operations are followed; its own RPCs speak of operations and start none."""

_ANY = "google.protobuf.Any"


def find_operation_result(rpc: Rpc, api: Api) -> Descriptor | None:
    """What the operations of an RPC end in, or None for an RPC that starts none.

    It is google.protobuf.Any where `operation_info` does not say it, or names what is nowhere to be found.
    """
    if rpc.response.full_name != OPERATION or rpc.service == OPERATIONS_SERVICE:
        return None
    if rpc.client_streaming or rpc.server_streaming:
        return None
    info = api.options.operation_info(rpc.descriptor)
    named = find_named_message(api, info.response_type, rpc.descriptor) if info is not None else None
    return named or _find_message(api, _ANY)


def find_named_message(api: Api, name: str, method: MethodDescriptor) -> Descriptor | None:
    """A message by its name in the method's package or in full, as options name it; None where there is none."""
    package = method.containing_service.file.package
    for candidate in (f"{package}.{name}", name) if name else ():
        found = _find_message(api, candidate)
        if found is not None:
            return found
    return None


def _find_message(api: Api, name: str) -> Descriptor | None:
    try:
        return api.pool.FindMessageTypeByName(name)
    except KeyError:
        return None
