"""Which message of a request is the resource that the RPC is about, by the standard methods of aip.dev."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

from gateway.descriptors.options import Options
from gateway.descriptors.schema.rules.facts import Role

_RESOURCE_ROLES: Mapping[str, Role] = MappingProxyType({"Create": Role.CREATED, "Update": Role.UPDATED})
_BY_NAME = frozenset({"Get", "Update", "Delete"})
_VERB = re.compile(r"[A-Z][a-z]*")


def find_resource_role(method: MethodDescriptor) -> Role | None:
    """The role that the resource has in the request of this RPC; None where it has no particular one."""
    return _RESOURCE_ROLES.get(_get_verb(method))


def is_by_name(method: MethodDescriptor) -> bool:
    """Whether the RPC is about one resource that its request names (AIP-131, AIP-134, AIP-135)."""
    return _get_verb(method) in _BY_NAME


def find_resource(field: FieldDescriptor, method: MethodDescriptor, options: Options) -> Descriptor | None:
    """The field's message where it is the resource that a Create or an Update is about (AIP-133, AIP-134), else None.

    It is what the RPC answers or ends in, what carries a resource option, or what the RPC is named after.
    """
    message = field.message_type
    if message is None or field.is_repeated or message.full_name.startswith("google.protobuf."):
        return None
    info = options.operation_info(method)
    names = {method.name.removeprefix(_get_verb(method)), info.response_type.rpartition(".")[2] if info else ""}
    if message is method.output_type or message.name in names or options.resource(message) is not None:
        return message
    return None


def _get_verb(method: MethodDescriptor) -> str:
    """The first word of the RPC's name (AIP-130)."""
    found = _VERB.match(method.name)
    return found[0] if found else ""
