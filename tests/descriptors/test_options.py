"""Options of descriptors that live in a pool of their own."""

import pytest
from google.protobuf.descriptor_pb2 import EnumValueOptions, FieldDescriptorProto, FileDescriptorProto, MethodOptions
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.api import Api, describe_api
from gateway.descriptors.options import (
    HttpRule,
    Idempotency,
    OperationInfo,
    Resource,
    ResourceReference,
)

LIBRARY = """
syntax = "proto3";
package lib.v1;
import "google/api/annotations.proto";
import "google/api/client.proto";
import "google/api/field_behavior.proto";
import "google/api/field_info.proto";
import "google/api/resource.proto";
import "google/protobuf/descriptor.proto";

option (google.api.resource_definition) = {
  type: "lib.test/Shelf" pattern: "shelves/{shelf}" pattern: "rooms/{room}/shelves/{shelf}"
};

extend google.protobuf.FieldOptions { Rule rule = 1159; bool internal = 50001; }
extend google.protobuf.MessageOptions { Rule message_rule = 1159; }
extend google.protobuf.OneofOptions { Rule oneof_rule = 1159; }
extend google.protobuf.FileOptions { string owner = 50002; }
option (owner) = "team";
message Rule { string id = 1; repeated string more = 2; }

message Book {
  option (google.api.resource) = { type: "lib.test/Book" pattern: "shelves/{shelf}/books/{book}" name_field: "name" };
  option (message_rule) = { id: "m" };
  string name = 1 [(google.api.field_behavior) = IDENTIFIER, (rule).id = "f", (rule).more = "x"];
  string etag = 2 [(google.api.field_behavior) = OUTPUT_ONLY, (google.api.field_behavior) = IMMUTABLE];
  string request_id = 3 [(google.api.field_info).format = UUID4, (internal) = true];
  string old = 4 [deprecated = true];
  oneof kind { option (oneof_rule) = { id: "o" }; string a = 5; }
}
message GetReq {
  string name = 1 [(google.api.resource_reference).type = "lib.test/Book"];
  string parent = 2 [(google.api.resource_reference).child_type = "lib.test/Book"];
  string shelf_parent = 3 [(google.api.resource_reference).child_type = "lib.test/Shelf"];
  string other = 4 [(google.api.resource_reference).type = "else.test/Where"];
}
message ListReq { int32 page_size = 1; string page_token = 2; }
message ListResp { repeated Book books = 1; string next_page_token = 2; }
enum State { NONE = 0; OLD = 1 [deprecated = true]; }

service Books {
  rpc Get(GetReq) returns (Book) {
    option (google.api.http) = {
      get: "/v1/{name=shelves/*/books/*}"
      additional_bindings { post: "/v1/books:get" body: "*" response_body: "book" }
      additional_bindings { custom { kind: "HEAD" path: "/v1/h" } }
    };
    option (google.api.method_signature) = "name";
    option (google.api.method_signature) = "name,parent";
    option idempotency_level = NO_SIDE_EFFECTS;
  }
  rpc List(ListReq) returns (ListResp) { option deprecated = true; option idempotency_level = IDEMPOTENT; }
  rpc Plain(GetReq) returns (Book);
}
service OldBooks { option deprecated = true; rpc Get(GetReq) returns (Book); }
"""


@pytest.fixture(params=["imports served", "imports not served"])
def api(compile_protos, request) -> Api:
    return describe_api(compile_protos({"lib.proto": LIBRARY}, imports=request.param == "imports served"))


def get_method(api: Api, name: str):
    return next(rpc.descriptor for rpc in api.rpcs if rpc.name == f"lib.v1.{name}")


def get_message(api: Api, name: str):
    return api.pool.FindMessageTypeByName(f"lib.v1.{name}")


def test_options_of_methods(api):
    get, listing, plain = (get_method(api, name) for name in ("Books/Get", "Books/List", "Books/Plain"))
    assert api.options.http_rule(get) == HttpRule(
        verb="GET",
        path="/v1/{name=shelves/*/books/*}",
        additional=(
            HttpRule(verb="POST", path="/v1/books:get", body="*", response_body="book"),
            HttpRule(verb="HEAD", path="/v1/h"),
        ),
    )
    assert api.options.http_rule(plain) is None
    assert api.options.method_signatures(get) == ("name", "name,parent")
    assert [api.options.idempotency(method) for method in (get, listing, plain)] == [
        Idempotency.NO_SIDE_EFFECTS,
        Idempotency.IDEMPOTENT,
        Idempotency.UNKNOWN,
    ]
    assert [api.options.is_paged(method) for method in (get, listing, plain)] == [False, True, False]
    assert api.options.operation_info(get) is None


def test_options_of_fields_and_messages(api):
    book = get_message(api, "Book")
    fields = book.fields_by_name
    assert {name: api.options.field_behaviors(fields[name]) for name in ("name", "etag", "old")} == {
        "name": {"IDENTIFIER"},
        "etag": {"OUTPUT_ONLY", "IMMUTABLE"},
        "old": frozenset(),
    }
    assert [api.options.field_format(fields[name]) for name in ("request_id", "name")] == ["UUID4", None]
    assert api.options.resource(book) == Resource(
        type="lib.test/Book", patterns=("shelves/{shelf}/books/{book}",), name_field="name"
    )
    assert api.options.resource(get_message(api, "GetReq")) is None


def test_references_to_resources_give_their_patterns(api):
    fields = get_message(api, "GetReq").fields_by_name
    references = [api.options.resource_reference(fields[name]) for name in ("name", "parent", "shelf_parent", "other")]
    assert references == [
        ResourceReference(type="lib.test/Book"),
        ResourceReference(child_type="lib.test/Book"),
        ResourceReference(child_type="lib.test/Shelf"),
        ResourceReference(type="else.test/Where"),
    ]
    assert [api.options.resource_patterns(reference) for reference in references] == [
        ("shelves/{shelf}/books/{book}",),
        ("shelves/{shelf}",),
        ("rooms/{room}",),
        (),
    ]
    assert api.options.resource_reference(get_message(api, "Book").fields_by_name["name"]) is None


def test_what_is_deprecated(api):
    options = api.options
    assert [options.is_deprecated(get_method(api, name)) for name in ("Books/List", "Books/Get", "OldBooks/Get")] == [
        True,
        False,
        True,
    ]
    assert options.is_deprecated(get_message(api, "Book").fields_by_name["old"])
    assert not options.is_deprecated(get_message(api, "Book"))
    values = api.pool.FindEnumTypeByName("lib.v1.State").values_by_name
    assert [options.is_deprecated(values[name]) for name in ("NONE", "OLD")] == [False, True]


def test_any_option_can_be_read_by_number(api):
    book = get_message(api, "Book")
    assert b"".join(api.options.raw_option(book.fields_by_name["name"], 1159)) == b"\x0a\x01f\x12\x01x"
    assert api.options.raw_option(book, 1159) == (b"\x0a\x01m",)
    assert api.options.raw_option(book.oneofs_by_name["kind"], 1159) == (b"\x0a\x01o",)
    assert api.options.raw_option(book.file, 50002) == (b"team",)
    assert api.options.raw_numbers(book.fields_by_name["request_id"], 50001) == (1,)
    assert api.options.raw_option(book.fields_by_name["old"], 1159) == ()
    assert api.options.raw_numbers(book.fields_by_name["old"], 50001) == ()


def test_an_operations_outcome_is_read(hand):
    file = hand.file("o.proto", hand.message("A", x="string"), rpcs={"S/Do": (".p.A", ".p.A")})
    file.service[0].method[0].options.MergeFrom(MethodOptions.FromString(b"\xca\x41\x08\x0a\x01R\x12\x03q.M"))
    api = describe_api([file])
    assert api.options.operation_info(api.rpcs[0].descriptor) == OperationInfo(response_type="R", metadata_type="q.M")


def test_an_enum_values_own_json_name_is_read(hand):
    file = hand.file("e.proto")
    enum = file.enum_type.add(name="Color")
    enum.value.add(name="NONE", number=0)
    enum.value.add(name="RED", number=1).options.MergeFrom(EnumValueOptions.FromString(b"\xb2\x3e\x05\x0a\x03red"))
    api = describe_api([file])
    values = api.pool.FindEnumTypeByName("p.Color").values
    assert [api.options.json_string(value) for value in values] == [None, "red"]


def test_a_number_that_means_something_else_to_the_backend_is_left_alone(compile_protos):
    text = """syntax = "proto3"; package acme; import "google/protobuf/descriptor.proto";
        extend google.protobuf.FieldOptions { int32 level = 1052; Place place = 1055; }
        message Place { string type = 1; }
        message M { string f = 1 [(level) = 2, (place).type = "x"]; }"""
    api = describe_api(compile_protos({"acme.proto": text}))
    field = api.pool.FindMessageTypeByName("acme.M").fields_by_name["f"]
    assert api.options.field_behaviors(field) == frozenset()
    assert api.options.resource_reference(field) is None
    assert api.options.raw_numbers(field, 1052) == (2,)


def test_packed_and_unknown_behaviors_are_understood(hand):
    file = hand.file("b.proto", hand.message("M", f="string"))
    options = file.message_type[0].field[0].options
    options.MergeFrom(type(options).FromString(b"\xe2\x41\x03\x02\x03\x63"))
    api = describe_api([file])
    field = api.pool.FindMessageTypeByName("p.M").fields[0]
    assert api.options.field_behaviors(field) == {"REQUIRED", "OUTPUT_ONLY"}


@settings(max_examples=60, deadline=None)
@given(payload=st.binary(max_size=40), number=st.sampled_from([72295728, 1051, 1049, 1052, 1055, 291403980, 998]))
def test_garbage_in_options_raises_nothing(payload, number):
    tag = (number << 3) | 2
    key = bytearray()
    while tag:
        key.append((tag & 0x7F) | (0x80 if tag > 0x7F else 0))
        tag >>= 7
    raw = bytes(key) + bytes([len(payload)]) + payload
    file = FileDescriptorProto(name="g.proto", package="g", syntax="proto3")
    message = file.message_type.add(name="M")
    field = message.field.add(name="f", number=1, type=FieldDescriptorProto.TYPE_STRING, label=1)
    method = file.service.add(name="S").method.add(name="Do", input_type=".g.M", output_type=".g.M")
    value = file.enum_type.add(name="E").value.add(name="Z", number=0)
    try:
        for holder in (field, method, value, message):
            holder.options.MergeFrom(type(holder.options).FromString(raw))
    except DecodeError:
        return  # an extension that this process links, with bytes that the runtime refuses: no such file can be read
    api = describe_api([file])
    if api.skipped:
        assert number == 998  # the pool itself reads this one and refuses the file
        return
    message_descriptor = api.pool.FindMessageTypeByName("g.M")
    field_descriptor = message_descriptor.fields[0]
    method_descriptor = api.rpcs[0].descriptor
    options = api.options
    options.http_rule(method_descriptor)
    options.operation_info(method_descriptor)
    options.method_signatures(method_descriptor)
    options.field_behaviors(field_descriptor)
    options.field_format(field_descriptor)
    reference = options.resource_reference(field_descriptor)
    if reference is not None:
        options.resource_patterns(reference)
    options.resource(message_descriptor)
    options.json_string(api.pool.FindEnumTypeByName("g.E").values[0])
