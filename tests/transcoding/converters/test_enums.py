import pytest

from tests.transcoding.kit import PROTO2, Kit

KIT = Kit("""
enum C { option allow_alias = true; C_UNSPECIFIED = 0; RED = 1; CRIMSON = 1; GREEN = 2; }
message M { C c = 1; repeated C cs = 2; map<string, C> cm = 3; google.protobuf.NullValue n = 4;
            repeated google.protobuf.NullValue ns = 5; oneof pick { google.protobuf.NullValue pn = 6; string ps = 7; } }
""")
CLOSED = Kit("enum E { A = 1; B = 2; } message M { optional E e = 1; repeated E es = 2; }", syntax=PROTO2)
NAMED = Kit(
    """
    enum C {
      ZERO = 0 [(pb.enumvalue.json).string = "none at all"]; ONE = 1; TWO = 2 [(pb.enumvalue.json).string = "two"];
    }
    message M { C c = 1; repeated C cs = 2; map<string, C> cm = 3; }
    """,
    names=f"""
    {PROTO2} package pb.enumvalue; import "google/protobuf/descriptor.proto";
    message JsonName {{ optional string string = 1; }}
    extend google.protobuf.EnumValueOptions {{ optional JsonName json = 998; }}
    """,
)


@pytest.mark.parametrize(
    ("value", "number"), [("RED", 1), ("CRIMSON", 1), (1, 1), (2.0, 2), (99, 99), (-1, -1), ("C_UNSPECIFIED", 0)]
)
def test_an_open_enum_takes_names_aliases_and_every_number(value, number):
    assert KIT.parse({"c": value, "cs": [value], "cm": {"k": value}}) == KIT.make(
        c=number, cs=[number], cm={"k": number}
    )


def test_a_wrong_name_is_refused_with_the_nearest_first():
    names = '"RED", "GREEN"'
    assert KIT.find_problems({"c": "red"}) == {"/c": f'must be one of {names}, got "red"; did you mean "RED"?'}
    assert KIT.find_problems({"c": "PURPLE"}) == {
        "/c": 'must be one of "RED", "GREEN", got "PURPLE"',
    }


@pytest.mark.parametrize(("value", "shown"), [(True, "true"), (1.5, "1.5"), ({}, "{}"), (2**31, "2147483648")])
def test_what_is_neither_name_nor_number_is_refused(value, shown):
    names = '"RED", "GREEN"'
    assert KIT.find_problems({"c": value}) == {"/c": f"must be one of {names} or a 32-bit integer, got {shown}"}


def test_a_number_in_a_string_is_no_name():
    assert KIT.find_problems({"c": "1"}) == {"/c": 'must be one of "RED", "GREEN", got "1"'}


def test_lists_and_maps_name_the_wrong_value():
    problem = 'must be one of "RED", "GREEN", got "x"'
    assert KIT.find_problems({"cs": ["RED", "x"], "cm": {"k": "x"}}) == {"/cs/1": problem, "/cm/k": problem}


def test_a_closed_enum_takes_only_the_numbers_that_it_declares():
    assert CLOSED.parse({"e": 2}) == CLOSED.make(e=2)
    assert CLOSED.find_problems({"e": 9, "es": ["A", 0]}) == {
        "/e": 'must be one of "A", "B", got 9',
        "/es/1": 'must be one of "A", "B", got 0',
    }


def test_names_are_printed_as_first_declared_and_unknown_numbers_as_numbers():
    assert KIT.print(KIT.make(c=1, cs=[0, 1, 7], cm={"k": 2, "l": 8})) == {
        "c": "RED",
        "cs": ["C_UNSPECIFIED", "RED", 7],
        "cm": {"k": "GREEN", "l": 8},
    }


def test_a_name_for_json_alone_is_printed_and_taken_beside_the_proto_name():
    message = NAMED.make(c=2, cs=[0, 1, 2], cm={"k": 2})
    printed = {"c": "two", "cs": ["none at all", "ONE", "two"], "cm": {"k": "two"}}
    assert NAMED.print(message) == printed
    assert NAMED.parse(printed) == message
    assert NAMED.parse({"c": "TWO", "cs": ["ZERO", "ONE", "TWO"], "cm": {"k": "TWO"}}) == message


def test_many_names_are_told_in_part():
    values = " ".join(f"VALUE_NUMBER_{number} = {number};" for number in range(200))
    kit = Kit(f"enum Many {{ {values} }} message M {{ Many c = 1; }}")
    (problem,) = kit.find_problems({"c": "VALUE_NUMBER_77x"}).values()
    assert problem == (
        'must be one of "VALUE_NUMBER_77", "VALUE_NUMBER_0", "VALUE_NUMBER_1", "VALUE_NUMBER_2", "VALUE_NUMBER_3" '
        'and 195 more, got "VALUE_NUMBER_77x"; did you mean "VALUE_NUMBER_77"?'
    )


def test_a_null_value_is_null_in_every_place():
    assert KIT.parse({"n": None, "ns": [None, "NULL_VALUE", 0], "pn": None}) == KIT.make(n=0, ns=[0, 0, 0], pn=0)
    assert KIT.print(KIT.make(ns=[0], pn=0)) == {"ns": [None], "pn": None}
    assert KIT.find_problems({"n": 1, "ns": ["x"]}) == {"/n": "must be null, got 1", "/ns/0": 'must be null, got "x"'}


def test_an_unknown_name_can_be_ignored():
    kit = Kit("enum C { ZERO = 0; ONE = 1; } message M { C c = 1; repeated C cs = 2; map<string, C> cm = 3; }")
    lenient = Kit(
        "enum C { ZERO = 0; ONE = 1; } message M { C c = 1; repeated C cs = 2; map<string, C> cm = 3; }",
        ignores_unknown=True,
    )
    value = {"c": "x", "cs": ["ONE", "x"], "cm": {"a": "x", "b": "ONE"}}
    assert set(kit.find_problems(value)) == {"/c", "/cs/1", "/cm/a"}
    assert lenient.parse(value) == lenient.make(cs=[1], cm={"b": 1})
