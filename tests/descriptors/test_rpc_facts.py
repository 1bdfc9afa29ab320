"""Annotations, and what the operator says about RPCs, as facts."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto

from gateway.descriptors.api import Api, describe_api
from gateway.descriptors.options import AnyDescriptor, Options
from gateway.descriptors.rpc_facts import (
    NO_FACTS,
    ArgumentFacts,
    ClientCapability,
    CompletionFacts,
    Confirmation,
    FactReader,
    Hints,
    MediaType,
    PromptFacts,
    ResourceFacts,
    RpcEntry,
    RpcFacts,
    TaskFacts,
    TaskSupport,
    find_idle_entries,
    iterate_field_paths,
    read_rpc_facts,
)
from gateway.gen.gateway.v1 import annotations_pb2 as words

STRING, BYTES, MESSAGE = (
    FieldDescriptorProto.TYPE_STRING,
    FieldDescriptorProto.TYPE_BYTES,
    FieldDescriptorProto.TYPE_MESSAGE,
)


class Shop:
    """A small file that a test annotates: PaintRequest and PaintReply of the RPC shop.v1.Studio/Paint."""

    def __init__(self) -> None:
        self.file = FileDescriptorProto(
            name="shop.proto", package="shop.v1", syntax="proto3", dependency=["gateway/v1/annotations.proto"]
        )
        self.place = self.add_message("Place")
        self.city = self.add_field(self.place, "city_name", STRING)
        self.add_field(self.place, "parent", MESSAGE, type_name=".shop.v1.Place")
        self.request = self.add_message("PaintRequest")
        self.region = self.add_field(self.request, "region", STRING)
        self.add_field(self.request, "place", MESSAGE, type_name=".shop.v1.Place")
        self.add_field(self.request, "others", MESSAGE, type_name=".shop.v1.Place", repeated=True)
        self.picture_message = self.add_message("Picture")
        self.picture = self.add_field(self.picture_message, "picture", BYTES)
        self.add_field(self.picture_message, "content_type", STRING)
        self.reply = self.add_message("PaintReply")
        self.add_field(self.reply, "pictures", MESSAGE, type_name=".shop.v1.Picture", repeated=True)
        self.add_field(self.reply, "note", STRING)
        service = self.file.service.add(name="Studio")
        self.paint = service.method.add(
            name="Paint", input_type=".shop.v1.PaintRequest", output_type=".shop.v1.PaintReply"
        )
        service.method.add(name="Sweep", input_type=".shop.v1.Place", output_type=".shop.v1.Place")

    def add_message(self, name: str) -> Any:
        return self.file.message_type.add(name=name)

    def add_field(self, message: Any, name: str, kind: int, *, type_name: str = "", repeated: bool = False) -> Any:
        first, *rest = name.split("_")
        return message.field.add(
            name=name,
            number=len(message.field) + 1,
            type=kind,
            type_name=type_name or None,
            label=FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL,
            json_name=first + "".join(word.capitalize() for word in rest),
        )

    @property
    def annotation(self) -> Any:
        return self.paint.options.Extensions[words.method]

    def describe(self) -> Api:
        return describe_api([FileDescriptorProto.FromString(self.file.SerializeToString())])

    def read(self, *entries: Mapping[str, Any]) -> RpcFacts:
        api = self.describe()
        assert (api.skipped, api.warnings) == ((), ())
        return read_rpc_facts(api.rpcs[0], api, [RpcEntry(match="shop.v1.*", facts=facts) for facts in entries])


@pytest.fixture
def shop() -> Shop:
    return Shop()


def test_an_rpc_of_which_nothing_is_said_has_no_facts(shop: Shop) -> None:
    assert shop.read() is NO_FACTS


def test_an_annotation_is_read_whole(shop: Shop) -> None:
    said = shop.annotation
    said.name, said.title, said.description = "paint", "Paint", "Paints."
    said.hints.read_only, said.hints.open_world = False, True
    said.required_capabilities.extend([words.CLIENT_CAPABILITY_SAMPLING, words.CLIENT_CAPABILITY_TASKS])
    said.confirmation = words.CONFIRMATION_ALWAYS
    said.task.support = words.TASK_SUPPORT_OPTIONAL
    said.task.ttl.FromMilliseconds(90_500)
    said.task.poll_interval.FromSeconds(2)
    said.input_schema_json, said.output_schema_json = '{"type": "object"}', '{"type": "object", "title": "out"}'
    said.also_tool = True
    said.prompt.name = "painting"
    said.resource.uri_template = "shop://{region}"
    said.resource.mime_type = "image/png"
    said.completion.prompt, said.completion.argument = "painting", "region"
    assert shop.read() == RpcFacts(
        name="paint",
        title="Paint",
        description="Paints.",
        hints=Hints(read_only=False, open_world=True),
        required_capabilities=frozenset({ClientCapability.SAMPLING, ClientCapability.TASKS}),
        confirmation=Confirmation.ALWAYS,
        task=TaskFacts(support=TaskSupport.OPTIONAL, ttl_seconds=90.5, poll_interval_seconds=2),
        input_schema={"type": "object"},
        output_schema={"type": "object", "title": "out"},
        also_tool=True,
        prompt=PromptFacts(name="painting"),
        resource=ResourceFacts(uri_template="shop://{region}", mime_type="image/png"),
        completion=CompletionFacts(prompt="painting", argument="region"),
    )


def test_annotated_fields_are_found_wherever_they_stand(shop: Shop) -> None:
    shop.region.options.Extensions[words.field].header = "Region"
    shop.city.options.Extensions[words.field].header = "City"
    shop.city.options.Extensions[words.field].sensitive = True
    shop.picture.options.Extensions[words.field].media_type_field = "content_type"
    assert shop.read() == RpcFacts(
        headers={("region",): "Region", ("place", "city_name"): "City"},
        media_types={"shop.v1.Picture.picture": MediaType(beside="content_type")},
        sensitive=frozenset({"shop.v1.Place.city_name"}),
    )


def test_the_configuration_has_the_last_word_and_leaves_the_rest(shop: Shop) -> None:
    said = shop.annotation
    said.title, said.description, said.hidden = "Paint", "Paints.", True
    said.hints.read_only, said.hints.idempotent = True, True
    shop.region.options.Extensions[words.field].header = "Region"
    facts = shop.read(
        {"title": "Draw", "hints": {"read_only": False}, "hidden": False},
        {"title": "Sketch", "aliases": ["draw"], "headers": {"place.cityName": "City", "region": "Area"}},
    )
    assert facts == RpcFacts(
        title="Sketch",
        description="Paints.",
        aliases=("draw",),
        hints=Hints(read_only=False, idempotent=True),
        headers={("region",): "Area", ("place", "city_name"): "City"},
    )


def test_fields_are_named_by_paths_in_proto_or_json_names(shop: Shop) -> None:
    facts = shop.read(
        {
            "media_types": {"pictures.picture": {"beside": "content_type"}, "note": "text/markdown"},
            "sensitive": ["others.cityName", "note"],
            "arguments": {"region": {"constant": None}, "place.city_name": {"header": "X-City"}, "place.parent": {}},
        }
    )
    assert facts == RpcFacts(
        media_types={
            "shop.v1.Picture.picture": MediaType(beside="content_type"),
            "shop.v1.PaintReply.note": MediaType(name="text/markdown"),
        },
        sensitive=frozenset({"shop.v1.Place.city_name", "shop.v1.PaintReply.note"}),
        arguments={
            ("region",): ArgumentFacts(has_constant=True),
            ("place", "city_name"): ArgumentFacts(header="X-City"),
            ("place", "parent"): ArgumentFacts(),
        },
    )


def test_what_is_sensitive_stays_sensitive(shop: Shop) -> None:
    shop.region.options.Extensions[words.field].sensitive = True
    facts = shop.read({"sensitive": ["note"]}, {"sensitive": []})
    assert facts.sensitive == {"shop.v1.PaintRequest.region", "shop.v1.PaintReply.note"}


def test_paths_and_globs_that_fit_nothing_can_be_told(shop: Shop) -> None:
    entries = [
        RpcEntry(match="*/Paint", facts={"headers": {"others.city_name": "City", "region": "Region"}}),
        RpcEntry(match="*/Pant", facts={"sensitive": ["region"]}),
        RpcEntry(match="*", facts={"sensitive": ["note", "gnote"]}),
    ]
    api = shop.describe()
    reader = FactReader(api, entries)
    for rpc in api.rpcs:
        reader.read(rpc)
    assert [path for path in iterate_field_paths(entries) if path not in reader.fitting_paths] == [
        "/rpcs/0/headers/others.city_name",  # a list has no header
        "/rpcs/1/sensitive/0",
        "/rpcs/2/sensitive/1",
    ]
    assert find_idle_entries(entries, (rpc.name for rpc in api.rpcs)) == ("*/Pant",)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "input_schema_json of its annotation is no JSON: unexpected end of data at line 1 column 2"),
        ("[]", "input_schema_json of its annotation must be a JSON object, got []"),
    ],
)
def test_a_schema_that_is_none_costs_no_other_fact(shop: Shop, text: str, fault: str) -> None:
    shop.annotation.title = "Paint"
    shop.annotation.input_schema_json = text
    assert shop.read() == RpcFacts(title="Paint", faults=(fault,))


def test_numbers_that_another_extension_has_taken_say_nothing(shop: Shop) -> None:
    shop.file.dependency[:] = ["google/protobuf/descriptor.proto"]
    shop.file.extension.add(
        name="mine", number=51731, type=STRING, label=1, extendee=".google.protobuf.MethodOptions", json_name="mine"
    )
    shop.annotation.title = "Paint"
    assert shop.read() is NO_FACTS


class BrokenOptions(Options):
    """Options as a process reads them that knows no annotations of its own: broken bytes reach the reader."""

    def raw_option(self, descriptor: AnyDescriptor, number: int) -> tuple[bytes, ...]:
        return (b"\x0a",)


def test_bytes_that_are_no_annotation_are_a_fault(shop: Shop) -> None:
    shop.annotation.title = "Paint"
    shop.region.options.Extensions[words.field].header = "Region"
    api = shop.describe()
    broken = dataclasses.replace(api, options=BrokenOptions(api.pool))
    assert read_rpc_facts(api.rpcs[0], broken) == RpcFacts(faults=("its annotation is no gateway.v1.MethodAnnotation",))


def test_annotations_are_read_when_the_backend_does_not_serve_their_file(shop: Shop) -> None:
    shop.annotation.title = "Paint"
    shop.file.dependency[:] = []
    assert shop.read() == RpcFacts(title="Paint")


@pytest.mark.parametrize(
    ("facts", "is_tool"),
    [
        (RpcFacts(), True),
        (RpcFacts(hidden=True, also_tool=True), False),
        (RpcFacts(prompt=PromptFacts()), False),
        (RpcFacts(resource=ResourceFacts(uri="a:b")), False),
        (RpcFacts(completion=CompletionFacts(prompt="p")), False),
        (RpcFacts(prompt=PromptFacts(), also_tool=True), True),
    ],
)
def test_what_is_offered_as_something_else_is_a_tool_only_where_it_says_so(facts: RpcFacts, is_tool: bool) -> None:
    assert facts.is_tool is is_tool
