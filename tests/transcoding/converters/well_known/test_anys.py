import pytest

from tests.transcoding.kit import PROTO2, Kit

KIT = Kit("""
message Inner { string t = 1; int64 n = 2; map<string, string> m = 3; google.protobuf.Any any = 4; }
message M { google.protobuf.Any a = 1; repeated google.protobuf.Any as = 2; string note = 3; }
""")
INNER = "type.googleapis.com/t.Inner"


def pack(url, data):
    return {"type_url": url, "value": data}


def test_a_type_that_only_the_backend_knows_is_shown_and_taken_in_its_own_json():
    message = KIT.make(a=pack(INNER, KIT.make("Inner", t="x", n=2**60).SerializeToString()), note="ok")
    value = {"a": {"@type": INNER, "t": "x", "n": "1152921504606846976"}, "note": "ok"}
    assert KIT.print(message) == value
    assert KIT.parse(value) == message
    assert KIT.parse({"a": {"t": "x", "n": 2**60, "@type": INNER}, "note": "ok"}) == message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Timestamp", "2026-01-31T09:00:00Z"),
        ("Duration", "-0.500s"),
        ("FieldMask", "displayName"),
        ("Struct", {"a": [None, {}]}),
        ("Value", None),
        ("Value", {"a": 1}),
        ("ListValue", [1, []]),
        ("Int64Value", "7"),
        ("StringValue", ""),
        ("Any", {"@type": INNER, "t": "x"}),
        ("Any", {}),
    ],
)
def test_a_type_with_a_form_of_its_own_stands_under_value(name, value):
    json = {"a": {"@type": f"type.googleapis.com/google.protobuf.{name}", "value": value}}
    assert KIT.print(KIT.parse(json)) == json


def test_empty_is_an_ordinary_message_and_taken_under_value_too():
    url = "type.googleapis.com/google.protobuf.Empty"
    message = KIT.make(a=pack(url, b""))
    assert KIT.print(message) == {"a": {"@type": url}}
    assert KIT.parse({"a": {"@type": url}}) == message
    assert KIT.parse({"a": {"@type": url, "value": {}}}) == message


def test_an_any_that_holds_nothing_is_an_empty_object():
    assert KIT.print(KIT.make(a={})) == {"a": {}}
    assert KIT.parse({"a": {}}) == KIT.make(a={})


def test_an_unknown_type_and_bytes_that_do_not_fit_are_shown_in_base64_and_the_rest_is_delivered():
    message = KIT.make(**{"a": pack("x.org/far.Away", b"\xff"), "as": [pack(INNER, b"\xff\xff")], "note": "ok"})
    assert KIT.print_noting(message) == (
        {"a": {"@type": "x.org/far.Away", "value": "/w=="}, "as": [{"@type": INNER, "value": "//8="}], "note": "ok"},
        {
            "/a": 'holds "x.org/far.Away", a type that the backend does not describe; its bytes are shown in base64',
            "/as/0": f'holds bytes that are no "{INNER}"; its bytes are shown in base64',
        },
    )


def test_an_unknown_type_can_be_given_in_base64():
    assert KIT.parse({"a": {"@type": "x.org/far.Away", "value": "_w"}}) == KIT.make(a=pack("x.org/far.Away", b"\xff"))


UNKNOWN = 'is "x/far.Away", a type that the backend does not describe; its bytes can be given as base64 in "value"'
SAMPLE = '"type.googleapis.com/package.Message"'


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ({"t": "x"}, {"/a": f'needs "@type", the URL of the type that it holds, such as {SAMPLE}'}),
        ({"@type": 5}, {"/a/@type": f"must be the URL of a type, such as {SAMPLE}, got 5"}),
        ({"@type": "t.Inner"}, {"/a/@type": f'must be the URL of a type, got "t.Inner"; did you mean "{INNER}"?'}),
        ({"@type": "far.Away"}, {"/a/@type": f'must be the URL of a type, such as {SAMPLE}, got "far.Away"'}),
        ({"@type": "x/\ud800", "value": ""}, {"/a/@type": 'must be text without lone surrogates, got "x/\\ud800"'}),
        ({"@type": "x/"}, {"/a/@type": f'must be the URL of a type, such as {SAMPLE}, got "x/"'}),
        ({"@type": "x/far.Away", "t": 1}, {"/a/@type": UNKNOWN}),
        ({"@type": "x/far.Away"}, {"/a/@type": UNKNOWN}),
        (
            {"@type": "x/far.Away", "value": "?"},
            {"/a/value": 'must be bytes in base64, standard or URL-safe but not mixed, got "?"'},
        ),
        ({"@type": INNER, "tt": "x"}, {"/a/tt": "is not a field of this message; did you mean `t`?"}),
        (
            {"@type": INNER, "n": "x", "t": 1},
            {"/a/n": 'must be an integer, got "x"', "/a/t": "must be a string, got 1"},
        ),
        (
            {"@type": "x/google.protobuf.Duration", "seconds": 1},
            {
                "/a/seconds": 'is not known here; the content stands in "value"',
                "/a/value": "is required for this type",
            },
        ),
        (
            {"@type": "x/google.protobuf.Duration", "value": 1},
            {"/a/value": 'must be a duration such as "1.5s", got 1'},
        ),
        ("x", {"/a": 'must be an object with "@type", got "x"'}),
    ],
)
def test_what_an_any_cannot_hold_is_refused_with_its_place(value, problems):
    assert KIT.find_problems({"a": value}) == problems


def test_faults_that_only_the_constructor_finds_have_their_place_too():
    assert KIT.find_problems({"a": {"@type": INNER, "n": 2**63, "t": "\ud800"}}) == {
        "/a/n": "must be an integer from -9223372036854775808 to 9223372036854775807, got 9223372036854775808",
        "/a/t": 'must be text without lone surrogates, got "\\ud800"',
    }


def test_equal_json_gives_equal_bytes():
    forwards = {"@type": INNER, "m": {str(number): "x" for number in range(50)}}
    backwards = {"m": {str(number): "x" for number in reversed(range(50))}, "@type": INNER}
    assert KIT.parse({"a": forwards}).a.value == KIT.parse({"a": backwards}).a.value


def nest(levels):
    value = {"@type": INNER, "t": "deepest"}
    for _ in range(levels):
        value = {"@type": INNER, "any": value}
    return {"a": value}


def test_anys_within_anys_nest_no_deeper_than_other_messages():
    deepest = nest(49)
    assert KIT.print(KIT.parse(deepest)) == deepest
    (problem,) = KIT.find_problems(nest(50)).values()
    assert problem == "nests deeper than the 100 levels of messages that can be sent"


def test_a_reply_of_anys_without_end_is_shown_in_part():
    data = b""
    for _ in range(2000):
        data = KIT.make("Inner", t="x", any=pack(INNER, data)).SerializeToString()
    value, notes = KIT.print_noting(KIT.make(a=pack(INNER, data), note="ok"))
    assert value["note"] == "ok"
    assert list(notes.values()) == ["nests too deep to be shown; its bytes are shown in base64"]


def test_missing_required_fields_inside_have_their_place():
    old = Kit("message R { required string id = 1; } message M { optional google.protobuf.Any a = 1; }", syntax=PROTO2)
    assert old.find_problems({"a": {"@type": "x/t.R"}}) == {"/a/id": "is required"}
