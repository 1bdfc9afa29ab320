"""Who needs what, and what falls."""

from gateway.descriptors.files.gathering import LinkLimits, gather_files
from gateway.descriptors.files.symbol_table import Cause, SymbolTable


def make_table(*files) -> SymbolTable:
    return SymbolTable(gather_files(files, LinkLimits()))


def test_files_need_those_that_declare_their_types_whatever_they_import(hand):
    table = make_table(
        hand.file("a.proto", hand.message("A", b=".p.B", c=".p.Gone"), imports=("z.proto",)),
        hand.file("b.proto", hand.message("B", b=".p.B")),
        hand.file("s.proto", rpcs={"S/M": (".p.B", ".google.protobuf.Empty")}),
    )
    assert table.file_needs() == {
        "a.proto": frozenset(),
        "b.proto": frozenset(),
        "s.proto": {"b.proto", "google/protobuf/empty.proto"},
        "google/protobuf/empty.proto": frozenset(),
    }
    assert table.broken == {
        "p.A": Cause(
            symbol="p.Gone",
            fault="file is not among those given (z.proto is missing): give a descriptor set built with all imports",
            absent=("z.proto",),
        )
    }
    assert table.has_broken_parts("a.proto")
    assert not table.has_broken_parts("b.proto")


def test_a_fall_reaches_all_that_needs_it(hand):
    table = make_table(
        hand.file("a.proto", hand.message("A", x="string"), hand.message("A2", a=".p.A")),
        hand.file("b.proto", hand.message("B", a=".p.A2"), rpcs={"S/M": (".p.B", ".p.B"), "S/N": (".p.C", ".p.C")}),
        hand.file("c.proto", hand.message("C", x="string")),
    )
    assert table.broken == {}
    table.break_file("a.proto", "file a.proto cannot be built: x")
    fault = "file a.proto cannot be built: x"
    assert {name: cause.describe() for name, cause in table.broken.items()} == {
        "p.A": f"its {fault}",
        "p.A2": f"its {fault}",
        "p.B": f"needs p.A2, whose {fault}",
        "p.S/M": f"needs p.A2, whose {fault}",
    }
    assert [name for name, _ in table.broken_rpcs()] == ["p.S/M"]


def test_of_many_missing_imports_the_one_at_the_types_path_is_blamed(hand):
    table = make_table(
        hand.file("a.proto", hand.message("A", x=".loc.v1.Place"), imports=("x.proto", "loc/v1/place.proto", "y.proto"))
    )
    assert table.broken["p.A"].absent == ("loc/v1/place.proto",)


def test_a_name_declared_twice_counts_once(hand):
    table = make_table(
        hand.file("v/p/a.proto", hand.message("A", x="string"), hand.message("Own", a=".p.A")),
        hand.file("p/a.proto", hand.message("A", x="string")),
        hand.file("p/b.proto", hand.message("A", y="string")),
    )
    assert table.declared_elsewhere("v/p/a.proto") == {"p.A"}
    assert table.declared_elsewhere("p/b.proto") == {"p.A"}
    assert table.declared_elsewhere("p/a.proto") == set()
    assert table.differing == [("p.A", "p/b.proto", "p/a.proto")]
    assert table.file_needs()["v/p/a.proto"] == {"p/a.proto"}
