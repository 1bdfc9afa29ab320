"""Which message of a request is the resource that the RPC is about, by the standard methods of aip.dev."""

import re

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

from gateway.descriptors.options import Options
from gateway.descriptors.schema.rules.facts import Role
from gateway.descriptors.schema.types.special_messages import FIELD_MASK

_READ_MASK = "read_mask"  # AIP-157: it is about the answer
_BY_NAME = frozenset({"Get", "Update", "Delete"})
_VERB = re.compile(r"[A-Z][a-z]*")


def find_resource_role(method: MethodDescriptor) -> Role | None:
    """The role that the resource has in the request of this RPC; None where it has no particular one."""
    match _get_verb(method):
        case "Create":
            return Role.CREATED
        case "Update":
            return Role.PATCHED if any(map(_is_update_mask, method.input_type.fields)) else Role.UPDATED
        case _:
            return None


def find_part_role(role: Role, field: FieldDescriptor) -> Role:
    """The role of the message in a field of a message that has this one."""
    is_patched = role in (Role.PATCHED, Role.PATCHED_PART) and not field.is_repeated
    return Role.PATCHED_PART if is_patched else Role.PLAIN


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


def _is_update_mask(field: FieldDescriptor) -> bool:
    message = field.message_type
    return message is not None and message.full_name == FIELD_MASK and field.name != _READ_MASK


def _get_verb(method: MethodDescriptor) -> str:
    """The first word of the RPC's name (AIP-130)."""
    found = _VERB.match(method.name)
    return found[0] if found else ""
