import pytest

from tests.laws.compiled import compile_api

OPEN = {"type": "integer"}


def test_arguments_are_offered_names_and_results_may_hold_numbers(properties_of):
    given, printed = properties_of("enum C { C_UNSPECIFIED = 0; RED = 1; GREEN = 2; } message M { C c = 1; }")
    assert given == {"c": {"type": "string", "enum": ["RED", "GREEN"]}}
    assert printed == {"c": {"anyOf": [{"type": "string", "enum": ["C_UNSPECIFIED", "RED", "GREEN"]}, OPEN]}}


def test_a_zero_that_means_something_is_offered(properties_of):
    given, _ = properties_of("enum C { NONE = 0; SOME = 1; } message M { C c = 1; }")
    assert given == {"c": {"type": "string", "enum": ["NONE", "SOME"]}}


def test_what_is_not_worth_offering_is_offered_where_there_is_nothing_else(properties_of):
    given, _ = properties_of(
        """enum A { A_UNSPECIFIED = 0; } enum B { UNSPECIFIED = 0; OLD = 1 [deprecated = true]; }
        message M { A a = 1; B b = 2; }"""
    )
    assert given == {
        "a": {"type": "string", "enum": ["A_UNSPECIFIED"]},
        "b": {"type": "string", "enum": ["UNSPECIFIED"]},
    }


def test_a_closed_enum_prints_no_numbers(properties_of):
    names = {"type": "string", "enum": ["A", "B"]}
    closed = "enum E { A = 1; B = 2; } message M { %s E e = 1; }"
    assert properties_of(closed % "optional", head='syntax = "proto2";') == ({"e": names}, {"e": names})
    edition = "enum E { option features.enum_type = CLOSED; A = 1; B = 2; } message M { E e = 1; }"
    assert properties_of(edition, head='edition = "2023";') == ({"e": names}, {"e": names})


def test_an_alias_is_neither_offered_nor_printed(properties_of):
    given, printed = properties_of(
        "enum E { option allow_alias = true; ZERO = 0; ONE = 1; UNO = 1; NIL = 0; } message M { E e = 1; }"
    )
    names = {"type": "string", "enum": ["ZERO", "ONE"]}
    assert (given, printed) == ({"e": names}, {"e": {"anyOf": [names, OPEN]}})


def test_a_deprecated_value_is_printed_but_not_offered(properties_of):
    given, printed = properties_of(
        """enum E {
          option allow_alias = true;
          ZERO = 0; ONE = 1 [deprecated = true]; TWO = 2 [deprecated = true]; ZWEI = 2;
        }
        message M { E e = 1; }"""
    )
    assert given == {"e": {"type": "string", "enum": ["ZERO", "ZWEI"]}}
    assert printed == {"e": {"anyOf": [{"type": "string", "enum": ["ZERO", "ONE", "TWO"]}, OPEN]}}


def test_comments_of_values_stand_in_the_description_as_far_as_there_are_any(properties_of):
    given, printed = properties_of(
        """// How urgent.
        enum E {
          E_UNSPECIFIED = 0;  // Never shown.
          LOW = 1;  // Within a week.
          HIGH = 2;
          URGENT = 3;  // Today.
        }
        message M {
          E plain = 1;
          // The urgency.
          E told = 2;
          repeated E many = 3;
        }"""
    )
    values = "(LOW: Within a week; URGENT: Today)"
    names = {"type": "string", "enum": ["LOW", "HIGH", "URGENT"]}
    assert given == {
        "plain": names | {"description": f"How urgent. {values}"},
        "told": names | {"description": f"The urgency. {values}"},
        "many": {"type": "array", "items": names | {"description": f"How urgent. {values}"}},
    }
    assert printed["told"]["description"] == "The urgency."


@pytest.mark.parametrize("count", [3, 400])
def test_descriptions_stay_short_however_much_is_written_about_a_value(properties_of, count):
    values = " ".join(f"V{n} = {n}; // {'long ' * 100}\n" for n in range(count))
    given, _ = properties_of(f"enum E {{ {values} }} message M {{ E e = 1; }}")
    assert len(given["e"]["enum"]) == count
    assert len(given["e"]["description"]) <= 700


def test_a_name_of_its_own_in_json_is_offered_and_printed(schemas_of):
    extension = """edition = "2023"; package pb.enumvalue; import "google/protobuf/descriptor.proto";
    message Json { string string = 1; } extend google.protobuf.EnumValueOptions { Json json = 998; }"""
    user = """edition = "2023"; import "extension.proto";
    enum E { ZERO = 0; ONE = 1 [(pb.enumvalue.json).string = "one!"]; } message M { E e = 1; }
    service S { rpc Do(M) returns (M); }"""
    given, printed = schemas_of(compile_api(extension=extension, user=user))
    names = {"type": "string", "enum": ["ZERO", "one!"]}
    assert given["properties"] == {"e": names}
    assert printed["properties"] == {"e": {"anyOf": [names, OPEN]}}
