"""The message types that the laws are tried on, each with the schemas and converters of its Api."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet

import gateway.demo
from gateway.descriptors.api import Api, describe_api
from gateway.descriptors.schema import SchemaBuilder
from gateway.transcoding.codec import Codec
from tests.laws.kitchen_sinks import make_kitchen_sinks


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One message type."""

    descriptor: Descriptor
    api: Api
    codec: Codec
    schemas: SchemaBuilder

    @property
    def name(self) -> str:
        """The full name, for test ids."""
        return self.descriptor.full_name


def make_subjects(api: Api, descriptors: Iterable[Descriptor]) -> list[Subject]:
    """These types of one Api, which share its converters."""
    codec, schemas = Codec(api), SchemaBuilder(api)
    unique = {descriptor.full_name: descriptor for descriptor in descriptors}
    return [Subject(descriptor=unique[name], api=api, codec=codec, schemas=schemas) for name in sorted(unique)]


def make_demo() -> Api:
    """The Api of the shop that the demo serves."""
    files = Path(gateway.demo.__file__).with_name("shop.binpb").read_bytes()
    return describe_api(FileDescriptorSet.FromString(files).file)


_KITCHEN, _DEMO = make_kitchen_sinks(), make_demo()
_WELL_KNOWN = [
    descriptor
    for file in _KITCHEN.files
    if file.startswith("google/protobuf/") and "descriptor" not in file
    for descriptor in _KITCHEN.pool.FindFileByName(file).message_types_by_name.values()
]

REQUESTS = make_subjects(_KITCHEN, (rpc.request for rpc in _KITCHEN.rpcs)) + make_subjects(
    _DEMO, (rpc.request for rpc in _DEMO.rpcs)
)
REPLIES = make_subjects(_KITCHEN, [*(rpc.response for rpc in _KITCHEN.rpcs), *_WELL_KNOWN]) + make_subjects(
    _DEMO, (rpc.response for rpc in _DEMO.rpcs)
)
