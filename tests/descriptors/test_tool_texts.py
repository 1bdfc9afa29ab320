"""What a model reads of a tool."""

import pytest

from gateway.descriptors.api import Api, Rpc, describe_api
from gateway.descriptors.tool_texts import find_text_warning, make_annotations, make_description, make_title

TEXT = """
syntax = "proto3"; package shop.v1;
import "google/api/annotations.proto";
import "google/protobuf/timestamp.proto";
message Order { string id = 1; google.protobuf.Timestamp at = 2; }
message Stock { string sku = 1; int32 level = 2; }
message Optional { optional int32 level = 1; repeated int32 all = 2; }
message ListReq { int32 page_size = 1; string page_token = 2; }
message ListResp { repeated Order orders = 1; string next_page_token = 2; }

service Orders {
  // Gets one order
  // by its id.
  rpc Fetch(Order) returns (Order);
  rpc GetOrder(Order) returns (Order);
  rpc OrderStatus(Order) returns (Order);
  rpc Get(Order) returns (Order);
  rpc GetStock(Order) returns (Stock);
  rpc GetLevel(Order) returns (Optional);
  rpc ListOrders(ListReq) returns (ListResp);
  // Packs it.
  rpc Pack(Order) returns (Order) { option deprecated = true; }
  // Deprecated: use Pack.
  rpc Wrap(Order) returns (Order) { option deprecated = true; }
}
service CartService { rpc Get(Order) returns (Order); }
service Streams {
  rpc WatchOrders(ListReq) returns (stream ListResp);
  // Sends them all.
  rpc UploadOrders(stream Order) returns (Order);
  rpc SyncStock(stream Order) returns (stream Stock);
}
service Legacy { option deprecated = true; rpc GetOrder(Order) returns (Order); }
"""
PAGING = (
    "Results come in pages of at most pageSize. For the next page, call again with pageToken set to nextPageToken of "
    "the result and all other arguments the same; an empty or absent nextPageToken means the last page."
)
LISTED = (
    "The result lists the messages of a stream in `messages`, in order. A stream that is long in size or time is cut, "
    "and `truncated` says so."
)
GIVEN = "All messages of the call are given at once, in `messages`."
ZEROS = "A field absent from the result has its zero value (0, false, empty)."


def get_rpc(api: Api, name: str) -> Rpc:
    return next(rpc for rpc in api.rpcs if rpc.name == name)


@pytest.fixture
def shop(compile_protos) -> Api:
    return describe_api(compile_protos({"shop.proto": TEXT}))


def test_titles_are_the_methods_names_in_words(shop):
    assert make_title(get_rpc(shop, "shop.v1.CartService/Get"), shop) == "Get (Cart)"
    titles = {rpc.method: make_title(rpc, shop) for rpc in shop.rpcs if rpc.service == "shop.v1.Orders"}
    assert titles == {
        "Fetch": "Fetch (Orders)",
        "GetOrder": "Get order",
        "OrderStatus": "Order status",
        "Get": "Get (Orders)",
        "GetStock": "Get stock",
        "GetLevel": "Get level",
        "ListOrders": "List orders",
        "Pack": "Pack (Orders)",
        "Wrap": "Wrap (Orders)",
    }


def test_descriptions_are_the_comments_or_plain_sentences(shop):
    described = {rpc.name.removeprefix("shop.v1."): make_description(rpc, shop) for rpc in shop.rpcs}
    assert described == {
        "CartService/Get": "Gets a cart (shop.v1.CartService).",
        "Legacy/GetOrder": "Deprecated.\n\nGets an order (shop.v1.Legacy).",
        "Orders/Fetch": "Gets one order by its id.",
        "Orders/GetOrder": "Gets an order (shop.v1.Orders).",
        "Orders/OrderStatus": "Calls OrderStatus of shop.v1.Orders.",
        "Orders/Get": "Gets orders (shop.v1.Orders).",
        "Orders/GetStock": f"Gets stock (shop.v1.Orders).\n\n{ZEROS}",
        "Orders/GetLevel": "Gets a level (shop.v1.Orders).",
        "Orders/ListOrders": f"Lists orders (shop.v1.Orders).\n\n{PAGING}",
        "Orders/Pack": "Deprecated.\n\nPacks it.",
        "Orders/Wrap": "Deprecated: use Pack.",
        "Streams/SyncStock": f"Syncs stock (shop.v1.Streams).\n\n{GIVEN}\n\n{LISTED}\n\n{ZEROS}",
        "Streams/UploadOrders": f"Sends them all.\n\n{GIVEN}",
        "Streams/WatchOrders": f"Watches orders (shop.v1.Streams).\n\n{LISTED}",
    }


READ_ONLY = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}
CAREFUL = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
REPEATABLE = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": True}


@pytest.mark.parametrize(
    ("options", "annotations"),
    [
        ("", CAREFUL),
        ("option idempotency_level = NO_SIDE_EFFECTS;", READ_ONLY),
        ("option idempotency_level = IDEMPOTENT;", REPEATABLE),
        ('option (google.api.http) = { get: "/v1/a" };', READ_ONLY),
        ('option (google.api.http) = { custom { kind: "HEAD" path: "/v1/a" } };', READ_ONLY),
        ('option (google.api.http) = { post: "/v1/a" };', CAREFUL),
        ('option (google.api.http) = { patch: "/v1/a" };', CAREFUL),
        ('option (google.api.http) = { put: "/v1/a" };', REPEATABLE),
        ('option (google.api.http) = { delete: "/v1/a" };', REPEATABLE),
        ('option (google.api.http) = { post: "/v1/a" }; option idempotency_level = NO_SIDE_EFFECTS;', READ_ONLY),
        ('option (google.api.http) = { post: "/v1/a" }; option idempotency_level = IDEMPOTENT;', REPEATABLE),
        ('option (google.api.http) = { post: "/v1/a" additional_bindings { get: "/v1/a" } };', READ_ONLY),
        ('option (google.api.http) = { delete: "/v1/a" additional_bindings { get: "/v1/b" } };', REPEATABLE),
    ],
)
@pytest.mark.parametrize("served", [True, False])
def test_hints_state_what_is_known_and_else_care(compile_protos, options, annotations, served):
    text = f"""syntax = "proto3"; package a; import "google/api/annotations.proto";
        message M {{ string a = 1; }} service S {{ rpc Do(M) returns (M) {{ {options} }} }}"""
    api = describe_api(compile_protos({"a.proto": text}, imports=served))
    assert make_annotations(api.rpcs[0], api) == annotations


def test_one_warning_names_the_comments_that_were_cut_or_cleaned(compile_protos):
    long = "Very long indeed. " * 6000
    text = f"""syntax = "proto3"; package w; import "google/protobuf/any.proto";
        message In {{
          // {long}
          string a = 1;
          Inner inner = 2; In again = 3; google.protobuf.Any any = 4;
        }}
        message Inner {{
          // Red\x1b[31m alert\u202e.
          string b = 1;
        }}
        message Out {{
          // {long}
          string c = 1;
        }}
        service S {{
          // {long}
          rpc Long(In) returns (Out);
          // Short.
          rpc Short(Out) returns (In);
          // Fine.
          rpc Fine(None) returns (Out);
        }}
        message None {{}}"""
    api = describe_api(compile_protos({"w.proto": text}))
    assert {rpc.method: find_text_warning(rpc, api) for rpc in api.rpcs} == {
        "Long": (
            "w.S/Long: comment cut: w.S.Long and 1 more; invisible characters taken out of the comment: w.Inner.b"
        ),
        "Short": "w.S/Short: comment cut: w.Out.c",
        "Fine": None,
    }
    description = make_description(get_rpc(api, "w.S/Long"), api)
    assert len(description) <= 4096
    assert description.endswith("indeed.…")
