"""The messages of proto/gateway/v1, as this gateway knows them: classes in a pool of their own.

A backend need not serve these files, and may have another version of them. What it says with them is therefore read
from bytes by these classes, never by those of its own pool.
"""

from functools import cache

from google.protobuf import message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message

from gateway.descriptors.files.runtime_files import iterate_gateway_files

PACKAGE = "gateway.v1"


@cache
def get_gateway_class(name: str) -> type[Message]:
    """The class of a message of gateway.v1, by its name in the package: "MethodAnnotation"."""
    return message_factory.GetMessageClass(_get_pool().FindMessageTypeByName(f"{PACKAGE}.{name}"))


@cache
def _get_pool() -> DescriptorPool:
    pool = DescriptorPool()
    for file in iterate_gateway_files():
        pool.Add(file)
    return pool
