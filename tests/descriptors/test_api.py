"""What an Api lists, leaves out, and says of it."""

import time

from gateway.descriptors.api import Skipped, describe_api

ORDERS = {
    "orders.proto": """
        syntax = "proto3"; package shop.v1;
        message Order { string id = 1; }
        service Orders {
          rpc List(Order) returns (stream Order);
          rpc Get(Order) returns (Order);
          rpc Upload(stream Order) returns (Order);
          rpc Chat(stream Order) returns (stream Order);
        }
        service Carts { rpc Get(Order) returns (Order); }
    """,
    "health.proto": """
        syntax = "proto3"; package grpc.health.v1;
        message Request {} service Health { rpc Check(Request) returns (Request); }
    """,
}


def test_rpcs_are_sorted_by_name_with_their_kind(compile_protos):
    api = describe_api(compile_protos(ORDERS))
    assert [(rpc.name, rpc.client_streaming, rpc.server_streaming) for rpc in api.rpcs] == [
        ("shop.v1.Carts/Get", False, False),
        ("shop.v1.Orders/Chat", True, True),
        ("shop.v1.Orders/Get", False, False),
        ("shop.v1.Orders/List", False, True),
        ("shop.v1.Orders/Upload", True, False),
    ]
    get = api.rpcs[2]
    assert (get.service, get.method) == ("shop.v1.Orders", "Get")
    assert get.request.full_name == get.response.full_name == "shop.v1.Order"
    assert get.descriptor.full_name == "shop.v1.Orders.Get"
    assert (api.skipped, api.warnings) == ((), ())


def test_services_listed_twice_count_once_and_others_are_not_taken(compile_protos):
    services = ["shop.v1.Carts", "grpc.health.v1.Health", "shop.v1.Carts", "grpc.reflection.v1.ServerReflection"]
    api = describe_api(compile_protos(ORDERS), services)
    assert [rpc.name for rpc in api.rpcs] == ["shop.v1.Carts/Get"]
    assert api.skipped == ()


def test_a_named_service_that_is_nowhere_is_skipped(compile_protos):
    api = describe_api(compile_protos(ORDERS), ["shop.v1.Carts", "shop.v1.Stock"])
    assert [rpc.name for rpc in api.rpcs] == ["shop.v1.Carts/Get"]
    assert api.skipped == (Skipped(name="shop.v1.Stock", reason="no file that could be read declares it"),)


def test_what_cannot_be_served_is_skipped_with_its_reason(hand):
    files = [
        hand.file(
            "a.proto",
            hand.message("A", b=".q.B"),
            hand.message("Ok", x="string"),
            imports=("q/b.proto", "unused.proto"),
            rpcs={"Half/Bad": (".p.A", ".p.Ok"), "Half/Good": (".p.Ok", ".p.Ok"), "None/Bad": (".p.Ok", ".p.A")},
        )
    ]
    reason = (
        "needs q.B, whose file is not among those given (q/b.proto is missing): "
        "give a descriptor set built with all imports"
    )
    api = describe_api(files)
    assert [rpc.name for rpc in api.rpcs] == ["p.Half/Good"]
    assert api.skipped == (Skipped(name="p.Half/Bad", reason=reason), Skipped(name="p.None", reason=reason))
    assert api.warnings == ("unused.proto: is missing; no RPC needs it",)
    chosen = describe_api(files, ["p.Half"])
    assert chosen.skipped == (Skipped(name="p.Half/Bad", reason=reason),)


def test_an_rpc_with_a_name_that_no_header_holds_is_skipped(hand):
    names = [f"S/{'D' * length}" for length in (996, 997)]
    api = describe_api([hand.file("a.proto", hand.message("M"), rpcs=dict.fromkeys(names, (".p.M", ".p.M")))])
    assert [rpc.name for rpc in api.rpcs] == [f"p.{names[0]}"]
    (skipped,) = api.skipped
    assert skipped.name.startswith("p.S/DDD")
    assert skipped.reason == "its name has 1,001 characters; the limit is 1,000"


def test_a_service_without_a_package_has_a_plain_name(hand):
    api = describe_api(
        [hand.file("e.proto", hand.message("Msg", t="string"), package="", rpcs={"Echo/Say": (".Msg", ".Msg")})]
    )
    assert [(rpc.name, rpc.service) for rpc in api.rpcs] == [("Echo/Say", "Echo")]


def test_no_files_offer_nothing():
    api = describe_api([])
    assert (api.rpcs, api.skipped, api.warnings, dict(api.files)) == ((), (), (), {})


def test_comments_come_from_a_descriptor_set_where_reflection_has_none(compile_protos):
    text = {
        "c.proto": """
            syntax = "proto3"; package c;
            message M {
              /* A field. */
              string f = 1;
            }
            /* Says it. */
            service S {
              /* Does it. */
              rpc Do(M) returns (M);
            }
        """
    }
    rich = compile_protos(text)
    bare = [type(file).FromString(file.SerializeToString()) for file in rich]
    for file in bare:
        file.ClearField("source_code_info")
    names = ("c.S", "c.S.Do", "c.M.f", "c.M")
    assert [describe_api(bare).comments.get_comment(name) for name in names] == ["", "", "", ""]
    for files in (rich, [*bare, *rich]):
        comments = describe_api(files, ["c.S"]).comments
        assert [comments.get_comment(name) for name in names] == ["Says it.", "Does it.", "A field.", ""]


def test_comments_survive_that_parts_of_their_file_are_left_out(hand, compile_protos):
    text = {
        "gone.proto": 'syntax = "proto3"; package g; message Gone {}',
        "c.proto": """syntax = "proto3"; package c; import "gone.proto";
            message First { g.Gone gone = 1; }
            message Second {
              // Kept.
              string f = 1;
            }
            service S { rpc Bad(First) returns (First);
              // Still described.
              rpc Good(Second) returns (Second); }""",
    }
    files = [file for file in compile_protos(text) if file.name == "c.proto"]
    api = describe_api(files)
    assert [rpc.name for rpc in api.rpcs] == ["c.S/Good"]
    assert api.comments.get_comment("c.Second.f") == "Kept."
    assert api.comments.get_comment("c.S.Good") == "Still described."


def test_an_api_of_hundreds_of_services_is_described_at_once(hand):
    files = [
        hand.file(
            f"s{n}.proto",
            *(hand.message(f"M{n}x{m}", **{f"f{k}": "string" for k in range(6)}) for m in range(12)),
            rpcs={f"S{n}/R{k}": (f".p.M{n}x{k}", f".p.M{n}x{k + 1}") for k in range(8)},
        )
        for n in range(300)
    ]
    started = time.perf_counter()
    api = describe_api(files)
    # Measured at 60 ms on one slow core; the bound only catches another order of growth.
    assert time.perf_counter() - started < 3
    assert len(api.rpcs) == 2400
