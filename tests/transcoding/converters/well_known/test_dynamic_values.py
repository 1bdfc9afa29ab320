import math

import pytest

from tests.transcoding.kit import Kit

KIT = Kit("""
message M { google.protobuf.Struct s = 1; google.protobuf.Value v = 2; google.protobuf.ListValue l = 3;
            repeated google.protobuf.Value vs = 4; repeated google.protobuf.Struct ss = 5; string note = 6;
            repeated google.protobuf.ListValue ls = 7; M m = 8; }
""")


@pytest.mark.parametrize(
    "value",
    [None, True, False, 0, 1.5, -7, "", "text", [], {}, {"any": [1, None, {"k": []}]}, [[[]]], {"fields": {"a": 1}}],
)
def test_any_json_goes_both_ways(value):
    json = {"v": value, "vs": [value, value], "l": [value], "s": {"k": value}, "ss": [{"k": value}], "ls": [[value]]}
    assert KIT.print(KIT.parse(json)) == json


def test_numbers_are_printed_as_integers_where_they_are():
    message = KIT.parse({"vs": [1, 1.0, 2**53, 1e300, -0.0, 0]})
    assert repr(KIT.print(message)) == "{'vs': [1, 1, 9007199254740992, 1e+300, -0.0, 0]}"


def test_what_is_no_object_or_array_is_refused():
    assert KIT.find_problems({"s": [], "l": {}, "ss": [None, 1], "ls": [None]}) == {
        "/s": "must be an object, got []",
        "/l": "must be an array, got {}",
        "/ss/0": "must be an object, got null",
        "/ss/1": "must be an object, got 1",
        "/ls/0": "must be an array, got null",
    }


def test_lone_surrogates_have_their_place_inside_free_json():
    lone = "k\ud800"
    problem = 'must be text without lone surrogates, got "{}\\ud800"'
    assert KIT.find_problems({"s": {lone: 1, "a": [1, {"b": lone}]}, "v": lone, "l": [[lone]]}) == {
        "/s/k\\ud800": problem.format("k"),
        "/s/a/1/b": problem.format("k"),
        "/v": problem.format("k"),
        "/l/0/0": problem.format("k"),
    }


def nest(levels, wrap, core):
    value = core
    for _ in range(levels):
        value = wrap(value)
    return value


@pytest.mark.parametrize(
    ("field", "wrap", "core", "most"),
    [
        ("s", lambda value: {"k": value}, {}, 33),
        ("s", lambda value: {"k": value}, {"k": 1}, 32),
        ("l", lambda value: [value], [], 49),
        ("v", lambda value: {"k": value}, {}, 32),
        ("v", lambda value: [value], 1, 49),
    ],
)
def test_free_json_nests_as_deep_as_decoders_can_read_and_no_deeper(field, wrap, core, most):
    deepest = {field: nest(most, wrap, core)}
    message = KIT.parse(deepest)
    assert KIT.print(KIT.codec.decoder_for(KIT.descriptor())(message.SerializeToString())) == deepest
    (problem,) = KIT.find_problems({field: nest(most + 1, wrap, core)}).values()
    assert problem == "nests deeper than the 100 levels of messages that can be sent"


def test_a_hundred_thousand_levels_are_refused_without_harm():
    assert list(KIT.find_problems({"v": nest(500, lambda value: [value], 1)}).values()) == [
        "nests deeper than the 100 levels of messages that can be sent"
    ]


def test_a_value_that_holds_nothing_is_null():
    assert KIT.print(KIT.make(v={}, vs=[{}])) == {"v": None, "vs": [None]}


def test_numbers_that_json_lacks_are_shown_as_null_and_noted():
    message = KIT.make(note="ok")
    message.s["a"] = math.nan
    message.l.append(math.inf)
    note = "is {}, a number that JSON does not have; null is shown"
    assert KIT.print_noting(message) == (
        {"s": {"a": None}, "l": [None], "note": "ok"},
        {"/s/a": note.format("NaN"), "/l/0": note.format("Infinity")},
    )
