"""Where the messages of an RPC stand in its tool's arguments and structured result (`descriptors.root_forms`)."""

from typing import Any

from gateway.app.proof.offered import Offered
from gateway.descriptors.api import Rpc
from gateway.descriptors.root_forms import (
    MESSAGES_PROPERTY,
    TRUNCATED_PROPERTY,
    VALUE_PROPERTY,
    RootForm,
    get_root_form,
)


def find_request_place(rpc: Rpc, arguments: Offered) -> Offered:
    """The place of one request message in the arguments. Raises MisfitError where the schema has none."""
    if rpc.client_streaming:
        return arguments.get_property(MESSAGES_PROPERTY).get_items()
    if get_root_form(rpc.request) is RootForm.VALUE:
        return arguments.get_property(VALUE_PROPERTY)
    return arguments


def place_request(rpc: Rpc, request: Any) -> Any:
    """The arguments of a call with this request, of a stream with it twice."""
    if rpc.client_streaming:
        return {MESSAGES_PROPERTY: [request, request]}
    if get_root_form(rpc.request) is RootForm.VALUE:
        return {VALUE_PROPERTY: request}
    return request


def place_reply(rpc: Rpc, reply: Any) -> Any:
    """The structured content of this reply, of a stream with it twice."""
    if rpc.server_streaming:
        return {MESSAGES_PROPERTY: [reply, reply], TRUNCATED_PROPERTY: False}
    return reply
