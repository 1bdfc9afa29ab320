"""Comments by full name, out of source_code_info."""

from google.protobuf.descriptor_pb2 import FileDescriptorProto

from gateway.descriptors.comments import Comments

TEXT = """
// Licence, which belongs to no element.

syntax = "proto3";
package shop.v1;

// Detached.

// An order.
message Order {
  // Its id,
  // never empty.
  string id = 1;
  int32 count = 2;  // How many.
  // Lead wins.
  string note = 3;  // Trail loses.
  oneof payment {
    // By card.
    string card = 4;
  }
  // A line.
  message Line {
    // What.
    string sku = 1;
    // How it is.
    enum State {
      // Nothing known.
      STATE_UNSPECIFIED = 0;
    }
  }
  // By language.
  map<string, string> names = 5;
}

/* The state
 * of an order. */
enum Status {
  STATUS_UNSPECIFIED = 0;
  // Being packed.
  STATUS_PACKING = 1;
}

// All about orders.
service Orders {
  // Gets one.
  rpc GetOrder(Order) returns (Order);
  rpc Silent(Order) returns (Order);
}
"""


def test_every_kind_of_name_has_its_comment(compile_protos):
    comments = Comments(compile_protos({"shop.proto": TEXT}))
    expected = {
        "shop.v1.Order": "An order.",
        "shop.v1.Order.id": "Its id, never empty.",
        "shop.v1.Order.count": "How many.",
        "shop.v1.Order.note": "Lead wins.",
        "shop.v1.Order.card": "By card.",
        "shop.v1.Order.names": "By language.",
        "shop.v1.Order.Line": "A line.",
        "shop.v1.Order.Line.sku": "What.",
        "shop.v1.Order.Line.State": "How it is.",
        "shop.v1.Order.Line.State.STATE_UNSPECIFIED": "Nothing known.",
        "shop.v1.Status": "The state of an order.",
        "shop.v1.Status.STATUS_PACKING": "Being packed.",
        "shop.v1.Orders": "All about orders.",
        "shop.v1.Orders.GetOrder": "Gets one.",
    }
    assert {name: comments.get_comment(name) for name in expected} == expected
    without = ["shop.v1.Orders.Silent", "shop.v1.Status.STATUS_UNSPECIFIED", "shop.v1", "shop", "", "x.Y", "shop.v1.No"]
    assert [comments.get_comment(name) for name in without] == [""] * 7


def test_names_without_a_package_are_found(compile_protos):
    comments = Comments(
        compile_protos(
            {
                "e.proto": """syntax = "proto3";
        /* Says. */
        message Say {
        /* T. */
        string t = 1; }"""
            }
        )
    )
    assert [comments.get_comment(name) for name in ("Say", "Say.t")] == ["Says.", "T."]


def test_an_rpc_may_say_more_than_a_field(compile_protos):
    words = "word " * 2000
    text = f"""syntax = "proto3"; package c; message M {{
        /* {words} */
        string f = 1; }}
        service S {{
        /* {words} */
        rpc Do(M) returns (M); }}"""
    comments = Comments(compile_protos({"c.proto": text}))
    lengths = {name: len(comments.get_comment(name)) for name in ("c.M.f", "c.S.Do")}
    assert 1000 < lengths["c.M.f"] <= 1024
    assert 4000 < lengths["c.S.Do"] <= 4096
    assert comments.get_text("c.S.Do").was_cut
    assert not comments.get_text("c.M").was_cut


def test_the_first_version_with_a_comment_counts(compile_protos):
    (first,) = compile_protos(
        {
            "v.proto": """syntax = "proto3"; package v;
        /* One. */
        message A { string x = 1; }"""
        }
    )
    (second,) = compile_protos(
        {
            "v.proto": """syntax = "proto3"; package v;
        /* Two. */
        message A {
        /* Only here. */
        string x = 1; }"""
        }
    )
    comments = Comments([first, second])
    assert [comments.get_comment(name) for name in ("v.A", "v.A.x")] == ["One.", "Only here."]


def test_bytes_that_are_no_text_and_paths_that_lead_nowhere_do_no_harm(hand):
    file = hand.file("odd.proto", hand.message("A", x="string"))
    for path in ([4, 0], [4, 9], [4, 0, 2, 7], [], [99], [4, 0, 2, 0]):
        file.source_code_info.location.add(path=path, leading_comments=" Odd @@ text ")
    broken = FileDescriptorProto.FromString(file.SerializeToString().replace(b"@@", b"\xff\xfe"))
    comments = Comments([broken])
    assert [comments.get_comment(name) for name in ("p.A", "p.A.x")] == ["Odd \ufffd\ufffd text"] * 2


def test_only_files_that_are_asked_for_are_indexed(compile_protos, monkeypatch):
    texts = {f"f{n}.proto": f'syntax = "proto3"; package f{n};\n/* C{n}. */\nmessage M {{}}' for n in range(3)}
    indexed = []
    from gateway.descriptors import comments as module

    original = module._index_file
    monkeypatch.setattr(module, "_index_file", lambda file: indexed.append(file.name) or original(file))
    comments = Comments(compile_protos(texts))
    assert comments.get_comment("f1.M") == "C1."
    assert comments.get_comment("f1.M") == "C1."
    assert indexed == ["f1.proto"]
