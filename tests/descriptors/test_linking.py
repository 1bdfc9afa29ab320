"""Files as backends serve them: out of order, doubled, vendored, incomplete, broken, endless."""

import random
import time
from itertools import count

import pytest
from google.protobuf import descriptor_pool, timestamp_pb2
from google.protobuf.descriptor_pb2 import Edition, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.message_factory import GetMessageClass

from gateway.descriptors.files.gathering import LinkLimits
from gateway.descriptors.linking import LinkedFiles, LinkProblem, link_files

SHOP = {
    "core.proto": 'syntax = "proto3"; package core; message Id { string v = 1; } message Item { string id = 1; }',
    "facade.proto": 'syntax = "proto3"; import public "core.proto";',
    "api.proto": (
        'syntax = "proto3"; package api; import "facade.proto";service Items { rpc Get(core.Id) returns (core.Item); }'
    ),
}

ADVICE = "give a descriptor set built with all imports"


def list_rpcs(linked: LinkedFiles, service: str) -> list[str]:
    return [method.name for method in linked.pool.FindServiceByName(service).methods]


def test_files_link_in_any_order(compile_protos):
    files = compile_protos(SHOP)
    for order in (files, files[::-1], [files[1], files[2], files[0]]):
        linked = link_files(order)
        assert linked.problems == ()
        assert linked.left_out == {}
        assert list(linked.files) == ["api.proto", "core.proto", "facade.proto"]
        method = linked.pool.FindServiceByName("api.Items").methods[0]
        assert [field.name for field in method.output_type.fields] == ["id"]


def test_a_file_given_twice_counts_once(compile_protos):
    files = compile_protos(SHOP)
    linked = link_files([*files, *files])
    assert linked.problems == ()
    assert list_rpcs(linked, "api.Items") == ["Get"]


def test_nothing_is_added_to_the_default_pool(compile_protos):
    linked = link_files(compile_protos({"private.proto": 'syntax = "proto3"; package private.to; message Test {}'}))
    assert linked.pool.FindMessageTypeByName("private.to.Test").full_name == "private.to.Test"
    with pytest.raises(KeyError):
        descriptor_pool.Default().FindMessageTypeByName("private.to.Test")


def test_a_missing_import_that_nothing_needs_is_named_and_done_without(hand):
    file = hand.file(
        "orders.proto",
        hand.message("GetReq", id="string"),
        imports=("docs/annotations.proto",),
        rpcs={"Orders/Get": (".p.GetReq", ".p.GetReq")},
    )
    linked = link_files([file])
    assert linked.problems == (LinkProblem(name="docs/annotations.proto", reason="is missing; no RPC needs it"),)
    assert linked.left_out == {}
    assert list_rpcs(linked, "p.Orders") == ["Get"]


def test_only_what_reaches_a_missing_type_is_left_out(hand):
    place = hand.message("Stop", at=".location.Place")
    file = hand.file(
        "trips.proto",
        place,
        hand.message("Trip", first=".p.Stop"),
        hand.message("Name", text="string"),
        imports=("location/location.proto", "docs.proto"),
        rpcs={
            "Trips/Plan": (".p.Trip", ".p.Name"),
            "Trips/Rename": (".p.Name", ".p.Name"),
            "Stops/Find": (".p.Name", ".p.Stop"),
            "Names/Get": (".p.Name", ".p.Name"),
        },
    )
    linked = link_files([file])
    reason = "needs location.Place, whose file is not among those given (location/location.proto is missing): " + ADVICE
    assert linked.left_out == {"p.Stops": reason, "p.Stops/Find": reason, "p.Trips/Plan": reason}
    assert linked.problems == (LinkProblem(name="docs.proto", reason="is missing; no RPC needs it"),)
    assert list_rpcs(linked, "p.Trips") == ["Rename"]
    assert list_rpcs(linked, "p.Names") == ["Get"]
    with pytest.raises(KeyError):
        linked.pool.FindServiceByName("p.Stops")
    with pytest.raises(KeyError):
        linked.pool.FindMessageTypeByName("p.Trip")


def test_a_type_nested_in_a_broken_message_can_still_be_used(hand):
    order = hand.message("Order", at=".gone.Place", notes=".p.Order.NotesEntry")
    order.enum_type.add(name="State").value.add(name="NONE", number=0)
    order.nested_type.append(hand.message("Line", sku="string"))
    entry = order.nested_type.add(name="NotesEntry")
    entry.CopyFrom(hand.message("NotesEntry", key="string", value="string"))
    entry.options.map_entry = True
    order.field[1].label = FieldDescriptorProto.LABEL_REPEATED
    file = hand.file(
        "o.proto",
        order,
        hand.message("Lines", line=".p.Order.Line"),
        rpcs={"S/Get": (".p.Lines", ".p.Order"), "S/List": (".p.Lines", ".p.Lines")},
    )
    linked = link_files([file])
    assert linked.left_out == {"p.S/Get": f"needs gone.Place, whose file is not among those given: {ADVICE}"}
    shell = linked.pool.FindMessageTypeByName("p.Order")
    assert (list(shell.fields), [nested.name for nested in shell.nested_types]) == ([], ["Line"])
    assert list_rpcs(linked, "p.S") == ["List"]


def test_an_extension_of_a_missing_type_is_dropped_alone(hand):
    file = hand.file("x.proto", hand.message("M", x="string"), imports=("gone.proto",), rpcs={"S/M": (".p.M", ".p.M")})
    for name, extendee, kind in (("lost", ".gone.T", ""), ("bad", ".google.protobuf.FieldOptions", ".gone.U")):
        extension = file.extension.add(name=name, number=50001, extendee=extendee, type_name=kind)
        extension.label = FieldDescriptorProto.LABEL_OPTIONAL
        extension.type = FieldDescriptorProto.TYPE_MESSAGE if kind else FieldDescriptorProto.TYPE_STRING
    linked = link_files([file])
    assert linked.problems == (LinkProblem(name="gone.proto", reason="is missing; no RPC needs it"),)
    assert list_rpcs(linked, "p.S") == ["M"]
    assert list(linked.pool.FindFileByName("x.proto").extensions_by_name) == []


def test_a_file_missing_behind_a_public_import_is_named(compile_protos):
    api, facade = (file for file in compile_protos(SHOP)[::-1] if file.name != "core.proto")
    linked = link_files([api, facade])
    assert linked.left_out["api.Items/Get"] == (
        f"needs core.Id, whose file is not among those given (core.proto is missing): {ADVICE}"
    )


def test_types_are_found_although_no_import_names_their_file(hand):
    linked = link_files(
        [
            hand.file("b.proto", hand.message("B", a=".p.A"), rpcs={"S/M": (".p.B", ".p.B")}),
            hand.file("z.proto", hand.message("A", x="string")),
        ]
    )
    assert linked.left_out == {}
    assert linked.pool.FindMessageTypeByName("p.B").fields[0].message_type.full_name == "p.A"


def test_relative_type_names_are_resolved(hand):
    outer = hand.message("Outer", a="Inner", b="q.Other")
    outer.nested_type.append(hand.message("Inner", x="string"))
    files = [
        hand.file("a.proto", outer, package="p.q", rpcs={"S/M": ("Outer", "p.q.Other")}),
        hand.file("b.proto", hand.message("Other", x="string"), package="p.q"),
    ]
    files[0].dependency.append("b.proto")
    linked = link_files(files)
    assert (linked.problems, dict(linked.left_out)) == ((), {})


@pytest.mark.parametrize("served", [True, False])
def test_well_known_types_come_from_the_runtime(compile_protos, served):
    text = """syntax = "proto3"; package w;
        import "google/protobuf/timestamp.proto"; import "google/api/annotations.proto";
        import "google/rpc/status.proto"; message M { google.protobuf.Timestamp at = 1; google.rpc.Status status = 2; }
        service S { rpc Get(M) returns (M) { option (google.api.http) = { get: "/v1/m" }; } }"""
    linked = link_files(compile_protos({"w.proto": text}, imports=served))
    assert (linked.problems, dict(linked.left_out)) == ((), {})
    assert set(linked.files) >= {"w.proto", "google/protobuf/timestamp.proto", "google/rpc/status.proto"}
    status = linked.pool.FindMessageTypeByName("w.M").fields_by_name["status"].message_type
    assert status.fields_by_name["details"].message_type.full_name == "google.protobuf.Any"


def test_a_well_known_type_is_filled_in_where_not_even_its_import_is_right(hand):
    file = hand.file(
        "x.proto",
        hand.message("X", at=".google.protobuf.Timestamp"),
        imports=("vendor/timestamp.proto",),
        rpcs={"S/M": (".p.X", ".p.X")},
    )
    linked = link_files([file])
    assert linked.left_out == {}
    assert linked.problems == (LinkProblem(name="vendor/timestamp.proto", reason="is missing; no RPC needs it"),)


def test_odd_copies_of_well_known_types_are_one_type(hand):
    other_options = FileDescriptorProto.FromString(timestamp_pb2.DESCRIPTOR.serialized_pb)
    other_options.options.go_package = "zzz"
    vendored = FileDescriptorProto.FromString(timestamp_pb2.DESCRIPTOR.serialized_pb)
    vendored.name = "third_party/google/protobuf/timestamp.proto"
    files = [
        hand.file(
            "x.proto",
            hand.message("X", at=".google.protobuf.Timestamp"),
            package="x",
            imports=(vendored.name,),
            rpcs={"S/M": (".x.X", ".x.X")},
        ),
        hand.file(
            "y.proto",
            hand.message("Y", at=".google.protobuf.Timestamp"),
            package="y",
            imports=(other_options.name,),
            rpcs={"S/M": (".y.Y", ".y.Y")},
        ),
        vendored,
        other_options,
        hand.file("reflection/reflection.proto", package="grpc.reflection.v1alpha"),
    ]
    linked = link_files(files)
    assert (linked.problems, dict(linked.left_out)) == ((), {})
    fields = [linked.pool.FindMessageTypeByName(name).fields[0].message_type for name in ("x.X", "y.Y")]
    assert {field.full_name for field in fields} == {"google.protobuf.Timestamp"}
    assert {field.file.name for field in fields} == {"google/protobuf/timestamp.proto"}
    message = GetMessageClass(linked.pool.FindMessageTypeByName("x.X"))()
    message.at.seconds = 1
    assert message.SerializeToString() == b"\x0a\x02\x08\x01"


def test_special_types_have_the_known_fields_whatever_a_backend_serves(hand):
    odd = hand.file(
        "google/protobuf/duration.proto", hand.message("Duration", text="string"), package="google.protobuf"
    )
    user = hand.file("x.proto", hand.message("X", d=".google.protobuf.Duration"), imports=(odd.name,))
    linked = link_files([user, odd])
    fields = linked.pool.FindMessageTypeByName("google.protobuf.Duration").fields
    assert [field.name for field in fields] == ["seconds", "nanos"]


def test_a_vendored_copy_gives_way_to_the_file_at_its_package_path(compile_protos):
    text = 'syntax = "proto3"; package shop.v1; enum E {{ A = 0; }} message Order {{ string id = 1; {more} }} {extra}'
    user = 'syntax = "proto3"; package u; import "{path}"; service S{n} {{ rpc M(shop.v1.Order) returns ({out}); }}'
    own = "shop/v1/order.proto"
    copy = "vendor/shop/v1/order.proto"
    files = compile_protos(
        {own: text.format(more="", extra=""), "a.proto": user.format(path=own, n=1, out="shop.v1.Order")}
    )
    files += compile_protos(
        {
            copy: text.format(more="", extra="message Extra { Order o = 1; }"),
            "b.proto": user.format(path=copy, n=2, out="shop.v1.Extra"),
        }
    )
    outcomes = []
    for order in (files, files[::-1]):
        linked = link_files(order)
        outcomes.append((linked.problems, dict(linked.left_out), list_rpcs(linked, "u.S1"), list_rpcs(linked, "u.S2")))
        assert linked.pool.FindMessageTypeByName("shop.v1.Order").file.name == own
        assert linked.pool.FindMessageTypeByName("shop.v1.Extra").file.name == copy
    assert outcomes == [((), {}, ["M"], ["M"])] * 2


def test_copies_that_differ_are_named(hand):
    linked = link_files(
        [
            hand.file("vendor/p/a.proto", hand.message("A", y="string")),
            hand.file("p/a.proto", hand.message("A", x="string")),
        ]
    )
    assert linked.problems == (
        LinkProblem(name="vendor/p/a.proto", reason="declares p.A differently from p/a.proto, whose version is used"),
    )
    assert [field.name for field in linked.pool.FindMessageTypeByName("p.A").fields] == ["x"]


def test_two_extensions_with_one_number_cost_nothing(hand):
    files = []
    for name in ("one", "two"):
        file = hand.file(
            f"{name}.proto",
            hand.message("M", x="string"),
            package=name,
            imports=("google/protobuf/descriptor.proto",),
            rpcs={"S/M": (f".{name}.M", f".{name}.M")},
        )
        file.extension.add(
            name="note",
            number=50001,
            label=FieldDescriptorProto.LABEL_OPTIONAL,
            type=FieldDescriptorProto.TYPE_STRING,
            extendee=".google.protobuf.FieldOptions",
        )
        files.append(file)
    linked = link_files(files)
    assert (linked.problems, dict(linked.left_out)) == ((), {})
    assert linked.pool.FindExtensionByName("one.note").number == 50001


def test_the_version_with_comments_stands_for_the_same_file_from_reflection(compile_protos):
    rich = compile_protos(SHOP)
    bare = []
    for file in rich:
        copy = FileDescriptorProto.FromString(file.SerializeToString())
        copy.ClearField("source_code_info")
        for message in copy.message_type:
            for field in message.field:
                field.ClearField("json_name")
        bare.append(copy)
    for order in ([*bare, *rich], [*rich, *bare]):
        linked = link_files(order)
        assert linked.problems == ()
        assert all(file.source_code_info.location for file in linked.files.values())


def test_of_versions_that_differ_the_first_is_used_and_the_file_named(hand):
    first = hand.file("q.proto", hand.message("Q", a="string", limit="int32"))
    second = hand.file("q.proto", hand.message("Q", a="string"))
    linked = link_files([first, second])
    assert linked.problems == (
        LinkProblem(name="q.proto", reason="was given in versions that differ: the first is used"),
    )
    assert [field.name for field in linked.pool.FindMessageTypeByName("p.Q").fields] == ["a", "limit"]


def test_versions_of_protobufs_own_files_that_differ_are_no_news(hand):
    first = hand.file("google/protobuf/descriptor.proto", hand.message("Q", a="string", limit="int32"))
    second = hand.file("google/protobuf/descriptor.proto", hand.message("Q", a="string"))
    linked = link_files([first, second])
    assert linked.problems == ()
    assert [field.name for field in linked.pool.FindMessageTypeByName("p.Q").fields] == ["a", "limit"]


def test_imports_in_a_circle_are_no_obstacle_where_types_are_not(hand):
    files = [
        hand.file("a.proto", hand.message("A", b=".p.B"), imports=("b.proto", "a.proto")),
        hand.file("b.proto", hand.message("B", x="string"), imports=("a.proto",), rpcs={"S/M": (".p.B", ".p.B")}),
    ]
    linked = link_files(files)
    assert (linked.problems, dict(linked.left_out)) == ((), {})
    assert set(linked.files) == {"a.proto", "b.proto"}


def test_types_in_a_circle_cost_only_what_reaches_them(hand):
    files = [
        hand.file("a.proto", hand.message("A", b=".p.B"), imports=("b.proto",), rpcs={"Round/Go": (".p.A", ".p.A")}),
        hand.file("b.proto", hand.message("B", a=".p.A"), imports=("a.proto",)),
        hand.file(
            "c.proto",
            hand.message("C", x="string"),
            hand.message("D", a=".p.A"),
            imports=("a.proto",),
            rpcs={"Far/Go": (".p.D", ".p.C"), "Near/Go": (".p.C", ".p.C")},
        ),
    ]
    linked = link_files(files)
    circle = "file a.proto and b.proto need each other's types in a circle"
    assert linked.left_out == {
        "p.Far": f"needs p.A, whose {circle}",
        "p.Far/Go": f"needs p.A, whose {circle}",
        "p.Round": f"its {circle}",
        "p.Round/Go": f"its {circle}",
    }
    assert list_rpcs(linked, "p.Near") == ["Go"]


def test_a_file_that_cannot_be_built_costs_only_what_needs_it(hand):
    bad = hand.file("bad.proto", hand.message("Bad", n="int32"), hand.message("Other", x="string"))
    bad.syntax = "proto2"
    bad.message_type[0].field[0].default_value = "seven"
    good = hand.file(
        "good.proto",
        hand.message("Good", x="string"),
        imports=("bad.proto",),
        rpcs={
            "Uses/Bad": (".p.Good", ".p.Bad"),
            "Uses/Good": (".p.Good", ".p.Good"),
            "Pure/Go": (".p.Good", ".p.Good"),
        },
    )
    linked = link_files([good, bad])
    cause = "Invalid default 'seven' for field p.Bad.n of type 5"
    assert linked.problems == (LinkProblem(name="bad.proto", reason=f"cannot be built: {cause}"),)
    assert linked.left_out == {"p.Uses/Bad": f"needs p.Bad, whose file bad.proto cannot be built: {cause}"}
    assert list_rpcs(linked, "p.Uses") == ["Good"]
    assert list_rpcs(linked, "p.Pure") == ["Go"]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"key": (1, "TYPE_STRING")},
        {"key": (1, "TYPE_STRING"), "value": (3, "TYPE_STRING")},
        {"key": (1, "TYPE_STRING"), "content": (2, "TYPE_STRING")},
        {"key": (1, "TYPE_FLOAT"), "value": (2, "TYPE_STRING")},
    ],
)
def test_a_map_entry_that_is_none_costs_what_needs_it_and_no_more(hand, fields):
    broken = hand.message("Broken", id="string")
    entry = broken.nested_type.add(name="ManyEntry")
    entry.options.map_entry = True
    for name, (number, kind) in fields.items():
        entry.field.add(name=name, number=number, type=kind, label="LABEL_OPTIONAL")
    broken.field.add(
        name="many", number=9, type="TYPE_MESSAGE", type_name=".p.Broken.ManyEntry", label="LABEL_REPEATED"
    )
    rpcs = {"S/Bad": (".p.Broken", ".p.Fine"), "S/Good": (".p.Fine", ".p.Fine")}
    linked = link_files([hand.file("a.proto", broken, hand.message("Fine", id="string"), rpcs=rpcs)])
    assert linked.left_out == {
        "p.S/Bad": "needs p.Broken.ManyEntry, whose fields are not the key and the value of a map"
    }
    assert [method.name for method in linked.pool.FindServiceByName("p.S").methods] == ["Good"]


def test_fields_that_share_a_json_name_are_no_reason_to_refuse_a_file(compile_protos):
    text = 'syntax = "proto2"; package j; message M { optional string foo_bar = 1; optional string fooBar = 2; }'
    linked = link_files(compile_protos({"j.proto": text}))
    assert linked.problems == ()
    assert [field.json_name for field in linked.pool.FindMessageTypeByName("j.M").fields] == ["fooBar", "fooBar"]


@pytest.mark.parametrize("field", ["json_name", "default_value"])
def test_a_file_with_text_that_is_not_utf8_is_left_out(hand, field):
    file = hand.file("odd.proto", hand.message("Odd", x="string"), rpcs={"S/M": (".p.Odd", ".p.Odd")})
    file.syntax = "proto2"
    setattr(file.message_type[0].field[0], field, "@@")
    broken = FileDescriptorProto.FromString(file.SerializeToString().replace(b"@@", b"\xff\xfe"))
    sound = hand.file(
        "sound.proto", hand.message("A", odd=".p.Odd"), imports=("odd.proto",), rpcs={"T/M": (".p.A", ".p.A")}
    )
    linked = link_files([broken, sound])
    assert linked.problems == (LinkProblem(name="odd.proto", reason="cannot be read: String field had bad UTF-8"),)
    assert linked.left_out == dict.fromkeys(
        ("p.T", "p.T/M"),
        f"needs p.Odd, whose file is not among those given (odd.proto cannot be read): {ADVICE}",
    )


def test_a_file_name_that_is_not_utf8_is_told_in_ascii(hand):
    file = hand.file("@@", hand.message("A", x="string"))
    broken = FileDescriptorProto.FromString(file.SerializeToString().replace(b"@@", b"\xff\xfe"))
    linked = link_files([broken, hand.file("ok.proto", hand.message("Fine", x="string"))])
    assert linked.problems == (LinkProblem(name="b'\\xff\\xfe'", reason="cannot be read: String field had bad UTF-8"),)
    assert list(linked.files) == ["ok.proto"]


def test_an_unreadable_version_gives_way_to_a_readable_one(hand):
    sound = hand.file("a.proto", hand.message("A", x="string"))
    odd = hand.file("a.proto", hand.message("@@", x="string"))
    broken = FileDescriptorProto.FromString(odd.SerializeToString().replace(b"@@", b"\xff\xfe"))
    linked = link_files([broken, sound])
    assert linked.problems == (LinkProblem(name="a.proto", reason="cannot be read: String field had bad UTF-8"),)
    assert list(linked.files) == ["a.proto"]


def test_hostile_names_stay_one_bounded_line(hand):
    name = "x\n\x1b[31m" + "y" * 5000 + ".proto"
    linked = link_files(
        [hand.file("a.proto", hand.message("A", b=".p." + "Z" * 3000), imports=(name,), rpcs={"S/M": (".p.A", ".p.A")})]
    )
    for text in [*linked.left_out.values(), *(problem.name + problem.reason for problem in linked.problems)]:
        assert len(text) <= 620
        assert text.isprintable()


def test_an_endless_chain_of_files_stops_at_the_cap(hand):
    def forever():
        for n in count():
            yield hand.file(
                f"f{n}.proto",
                hand.message(f"M{n}", next=f".p.M{n + 1}"),
                hand.message(f"Plain{n}", x="string"),
                imports=(f"f{n + 1}.proto",),
                rpcs={f"Deep{n}/M": (f".p.M{n}", f".p.M{n}"), f"Flat{n}/M": (f".p.Plain{n}", f".p.Plain{n}")},
            )

    linked = link_files(forever(), limits=LinkLimits(files=50))
    assert (
        LinkProblem(name="descriptors", reason="more than 50 files were given: the files beyond are not read")
        in linked.problems
    )
    assert linked.left_out["p.Deep0"] == (
        "needs p.M50, whose file is not among those given (f50.proto is missing (only the first 50 files are read)): "
        + ADVICE
    )
    assert list_rpcs(linked, "p.Flat49") == ["M"]


def test_the_cap_on_bytes_is_named(hand):
    files = [hand.file(f"f{n}.proto", hand.message(f"M{n}", x="string")) for n in range(10)]
    linked = link_files(files, limits=LinkLimits(bytes=files[0].ByteSize() * 3))
    assert len(linked.files) == 3
    assert [problem.reason for problem in linked.problems] == [
        f"more than {files[0].ByteSize() * 3:,} bytes were given: the files beyond are not read"
    ]


def test_a_chain_of_thousands_of_files_and_messages_links(hand):
    files = [
        hand.file(
            f"f{n}.proto",
            hand.message(f"M{n}", **({"next": f".p.M{n + 1}"} if n < 2999 else {})),
            imports=(f"f{n + 1}.proto",) if n < 2999 else (),
        )
        for n in range(3000)
    ]
    files[0].service.add(name="S").method.add(name="M", input_type=".p.M0", output_type=".p.M0")
    random.Random(1).shuffle(files)
    whole = link_files(files)
    assert (whole.problems, dict(whole.left_out), len(whole.files)) == ((), {}, 3000)
    cut = link_files(file for file in files if file.name != "f2999.proto")
    assert set(cut.left_out) == {"p.S", "p.S/M"}


def test_messages_nested_deeper_than_the_wire_allows_cost_only_themselves(hand):
    deep = hand.file("deep.proto", hand.message("Deep", x="string"))
    inner = deep.message_type[0]
    for _ in range(2000):
        inner = inner.nested_type.add(name="Deep")
    linked = link_files([deep, hand.file("ok.proto", hand.message("Ok", x="string"))])
    assert list(linked.files) == ["ok.proto"]
    assert [problem.name for problem in linked.problems] == ["deep.proto"]


@pytest.mark.parametrize("edition", [Edition.EDITION_2023, Edition.EDITION_2024])
def test_editions_link(hand, edition):
    file = hand.file("e.proto", hand.message("E", x="string"))
    file.syntax, file.edition = "editions", edition
    linked = link_files([file])
    assert linked.problems == ()
    assert linked.pool.FindMessageTypeByName("p.E").fields[0].has_presence


def test_no_files_make_an_empty_pool():
    linked = link_files([])
    assert (dict(linked.files), linked.problems, dict(linked.left_out)) == ({}, (), {})


def test_the_order_of_files_changes_nothing(hand):
    files = [
        hand.file(
            "a.proto",
            hand.message("A", z=".p.Gone"),
            imports=("gone.proto", "extra.proto"),
            rpcs={"S/A": (".p.A", ".p.B")},
        ),
        hand.file("v/p/b.proto", hand.message("B", y="string"), imports=("a.proto",)),
        hand.file("p/b.proto", hand.message("B", x="string"), rpcs={"S2/B": (".p.B", ".p.B")}),
        hand.file("c.proto", hand.message("C", a=".p.A"), imports=("a.proto",), rpcs={"T/C": (".p.C", ".p.C")}),
    ]
    outcomes = set()
    for seed in range(6):
        random.Random(seed).shuffle(files)
        linked = link_files(files)
        outcomes.add(
            (
                linked.problems,
                tuple(linked.left_out.items()),
                tuple((name, file.SerializeToString(deterministic=True)) for name, file in linked.files.items()),
            )
        )
    assert len(outcomes) == 1


def test_hundreds_of_files_link_at_once(hand):
    files = [
        hand.file(
            f"pkg{n}/f.proto",
            *(hand.message(f"M{m}", **{f"f{k}": "string" for k in range(8)}, again=f".pkg{n}.M{m}") for m in range(20)),
            package=f"pkg{n}",
            imports=tuple(f"pkg{k}/f.proto" for k in range(max(0, n - 3), n)),
            rpcs={"S/M": (f".pkg{n}.M0", f".pkg{max(0, n - 1)}.M1")},
        )
        for n in range(200)
    ]
    started = time.perf_counter()
    linked = link_files(reversed(files))
    # Measured at 40 ms on one slow core; the bound only catches another order of growth.
    assert time.perf_counter() - started < 2
    assert (linked.problems, len(linked.files)) == ((), 200)
