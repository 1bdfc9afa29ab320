import pytest

from gateway.transcoding.codec import Codec
from tests.transcoding.kit import EDITION, PROTO2, Kit

KIT = Kit("""
message Money { int64 units = 1; }
message Line { Money price = 1; string sku = 2; int32 quantity = 3; }
message M {
  string display_name = 1; Line line = 2; repeated Line lines = 3; optional int32 o = 4;
  oneof pick { string a = 5; int32 b = 6; Line c = 7; google.protobuf.NullValue n = 8; }
  map<string, Line> by_key = 9; repeated int32 xs = 10; map<string, int64> m = 11;
  google.protobuf.Value v = 12; repeated google.protobuf.Value vs = 13; string odd = 14 [json_name = "$odd"];
}
message Node { string v = 1; Node next = 2; repeated Node kids = 3; map<string, Node> named = 4; }
message Nothing {}
""")
OLD = Kit(
    """
message R {
  required string id = 1; optional int32 n = 2 [default = 7]; repeated group Item = 3 { optional string sku = 1; }
  optional R next = 4; extensions 100 to 200;
}
message Clash { optional string foo_bar = 1; optional int32 fooBar = 2; optional string other_name = 3; }
extend R { optional int64 big = 100; repeated R more = 101; optional R one = 102; repeated int32 ns = 103;
           optional google.protobuf.Struct free = 104; repeated google.protobuf.Struct frees = 105; }
message M { extensions 1 to 9; }
extend M { optional group Grouped = 1 { optional string t = 1; } }
""",
    syntax=PROTO2,
)


@pytest.mark.parametrize("name", ["displayName", "display_name"])
def test_a_field_is_taken_by_both_of_its_names(name):
    assert KIT.parse({name: "x"}) == KIT.make(display_name="x")


@pytest.mark.parametrize("name", ["$odd", "odd"])
def test_a_name_that_models_may_not_send_has_an_alias_and_is_printed_as_it_stands(name):
    assert KIT.parse({name: "x"}) == KIT.make(odd="x")
    assert KIT.print(KIT.make(odd="x")) == {"$odd": "x"}


def test_a_field_given_by_both_of_its_names_is_refused_even_where_one_is_null():
    problem = {"/display_name": "is the same field as `displayName`; give it once"}
    assert KIT.find_problems({"displayName": "x", "display_name": "x"}) == problem
    assert KIT.find_problems({"displayName": "x", "display_name": None}) == problem


def test_an_unknown_name_is_answered_with_the_nearest_or_with_a_few():
    assert KIT.find_problems({"dispalyName": "x", "line": {"skuu": 1, "wholly": 1}}) == {
        "/dispalyName": "is not a field of this message; did you mean `displayName`?",
        "/line/skuu": "is not a field of this message; did you mean `sku`?",
        "/line/wholly": "is not a field of this message; it has `price`, `sku`, `quantity`",
    }
    assert KIT.find_problems({"x": 1}, "Nothing") == {"/x": "is not a field of this message, which has none"}


def test_a_hostile_name_is_told_in_one_bounded_line():
    ((at, problem),) = KIT.find_problems({"\n\x1b[31m" + "x" * 100_000: 1}, "Nothing").items()
    assert at.isprintable()
    assert len(at) < 300
    assert problem == "is not a field of this message, which has none"


def test_the_place_of_every_fault_is_named_at_once():
    lines = [{}, {}, {}, {"price": {"units": "abc"}}, {}, {"sku": 7}]
    assert KIT.find_problems({"lines": lines, "byKey": {"a/b": {"quantity": "x"}}, "xs": 5}) == {
        "/lines/3/price/units": 'must be an integer, got "abc"',
        "/lines/5/sku": "must be a string, got 7",
        "/byKey/a~1b/quantity": 'must be an integer, got "x"',
        "/xs": "must be an array, got 5",
    }


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], "must be an object, got []"),
        ("x", 'must be an object, got "x"'),
        ('{"sku":"s"}', 'must be an object itself, not JSON text inside a string, got "{\\"sku\\":\\"s\\"}"'),
    ],
)
def test_what_is_no_object_is_refused(value, problem):
    assert KIT.find_problems({"line": value}) == {"/line": problem}


def test_what_is_no_array_or_map_is_refused():
    assert KIT.find_problems({"xs": "[1,2]", "m": [1], "lines": {}}) == {
        "/xs": 'must be an array itself, not JSON text inside a string, got "[1,2]"',
        "/m": "must be an object, got [1]",
        "/lines": "must be an array, got {}",
    }


def test_null_leaves_a_field_unset_and_is_a_value_only_where_null_is_one():
    nulls = {"a": None, "b": 1, "o": None, "line": None, "xs": None, "m": None, "lines": None, "displayName": None}
    assert KIT.parse(nulls) == KIT.make(b=1)
    assert KIT.parse({"v": None, "vs": [None]}) == KIT.make(v={"null_value": 0}, vs=[{"null_value": 0}])
    assert KIT.find_problems({"xs": [1, None], "m": {"k": None}, "lines": [None]}) == {
        "/xs/1": "must be an integer, got null",
        "/m/k": "must be an integer, got null",
        "/lines/0": "must be an object, got null",
    }


def test_two_members_of_a_oneof_are_refused_by_the_names_that_were_given():
    assert KIT.find_problems({"a": "x", "b": 0, "line": {}}) == {
        "": "takes only one of `a` and `b`; they exclude each other"
    }
    assert KIT.find_problems({"lines": [{}], "c": {}, "n": None}) == {
        "": "takes only one of `c` and `n`; they exclude each other"
    }


def test_an_optional_field_of_proto3_excludes_nothing():
    assert KIT.parse({"o": 0, "a": ""}) == KIT.make(o=0, a="")


def test_empty_messages_are_set_where_they_are_given():
    assert KIT.parse({"line": {}, "lines": [{}], "byKey": {"k": {}}}) == KIT.make(line={}, lines=[{}], by_key={"k": {}})


def test_fields_are_printed_in_the_order_of_their_numbers_and_only_where_they_are_set():
    assert KIT.print(KIT.make()) == {}
    message = KIT.make(o=0, b=0, xs=[0], line={}, display_name="")
    assert list(KIT.print(message).items()) == [("line", {}), ("o", 0), ("b", 0), ("xs", [0])]


def test_required_fields_are_demanded_by_the_name_that_is_published():
    assert OLD.find_problems({}, "R") == {"/id": "is required"}
    assert OLD.find_problems({"id": None, "next": {}, "[t.one]": {}}, "R") == {
        "/id": "is required",
        "/next/id": "is required",
        "/[t.one]/id": "is required",
    }


def test_groups_are_messages_under_the_name_of_their_descriptor():
    message = OLD.make("R", id="x", item=[{"sku": "s"}])
    assert OLD.parse({"id": "x", "item": [{"sku": "s"}]}, "R") == message
    assert OLD.print(message) == {"id": "x", "item": [{"sku": "s"}]}


def test_delimited_fields_of_editions_are_messages_like_any_other():
    kit = Kit(
        "message M { M m = 1 [features.message_encoding = DELIMITED]; repeated M ms = 2 "
        "[features.message_encoding = DELIMITED]; int32 i = 3 [features.field_presence = IMPLICIT]; int32 e = 4; }",
        syntax=EDITION,
    )
    value = {"m": {"e": 0}, "ms": [{"i": 1}, {}]}
    assert kit.parse(value) == kit.make(m={"e": 0}, ms=[{"i": 1}, {}])
    assert kit.print(kit.make(m={"e": 0, "i": 0}, ms=[{"i": 1}, {}])) == value


def test_extensions_go_by_their_full_name_in_brackets():
    value = {
        "id": "x",
        "[t.big]": "9007199254740993",
        "[t.more]": [{"id": "a"}, {"id": "b", "[t.ns]": [1, 2]}],
        "[t.one]": {"id": "c"},
        "[t.ns]": [3],
        "[t.free]": {"a": [None]},
        "[t.frees]": [{}, {"b": True}],
    }
    message = OLD.parse(value, "R")
    assert OLD.codec.decoder_for(OLD.descriptor("R"))(message.SerializeToString()) == message
    assert OLD.print(message) == value
    assert OLD.print(OLD.parse({"[t.grouped]": {"t": "x"}})) == {"[t.grouped]": {"t": "x"}}


def test_an_extension_of_another_message_or_of_none_is_unknown():
    text = "is not a field of this message, which has none"
    places = ("/[t.big]", "/[t.nope]", "/[", "/[]", "/[\\ud800]")
    unknown = {"[t.big]": 1, "[t.nope]": 1, "[": 1, "[]": 1, "[\ud800]": 1}
    assert OLD.find_problems(unknown) == dict.fromkeys(places, text)


def test_faults_in_extensions_have_their_place():
    assert OLD.find_problems({"id": "x", "[t.more]": [{"id": 1}], "[t.big]": "x", "[t.ns]": None}, "R") == {
        "/[t.more]/0/id": "must be a string, got 1",
        "/[t.big]": 'must be an integer, got "x"',
    }


def test_two_fields_with_one_json_name_go_by_their_proto_names():
    message = OLD.make("Clash", foo_bar="a", fooBar=5, other_name="b")
    value = {"foo_bar": "a", "fooBar": 5, "otherName": "b"}
    assert OLD.parse(value, "Clash") == message
    assert OLD.print(message) == value
    assert OLD.print_noting(OLD.codec.decoder_for(OLD.descriptor("Clash"))(b"\x0a\x01\xff\x10\x05")) == (
        {"foo_bar": "\ufffd", "fooBar": 5},
        {"/foo_bar": "is not UTF-8 text; \N{REPLACEMENT CHARACTER} stands for what could not be read"},
    )


def nest(levels, key, wrap):
    value = {"v": "deepest"}
    for _ in range(levels):
        value = {key: wrap(value)}
    return value


@pytest.mark.parametrize(
    ("key", "wrap", "most"),
    [
        ("next", lambda value: value, 100),
        ("kids", lambda value: [value], 100),
        ("named", lambda value: {"k": value}, 50),
    ],
)
def test_messages_nest_as_deep_as_decoders_can_read_and_no_deeper(key, wrap, most):
    value = nest(most, key, wrap)
    message = KIT.parse(value, "Node")
    decoded = KIT.codec.decoder_for(KIT.descriptor("Node"))(message.SerializeToString())
    assert KIT.print(decoded) == value
    ((at, problem),) = KIT.find_problems(nest(most + 1, key, wrap), "Node").items()
    assert at.startswith(f"/{key}/")
    assert problem == "nests deeper than the 100 levels of messages that can be sent"


@pytest.mark.parametrize(
    "name", ["DESCRIPTOR", "ListFields", "SerializeToString", "HasField", "Extensions", "FromString"]
)
def test_a_field_may_bear_the_name_of_a_method(name):
    kit = Kit(
        f"message M {{ string {name} = 1; M m = 2; optional string o = 3; }} service S {{ rpc Do(M) returns (M); }}"
    )
    value = {kit.descriptor().fields[0].json_name: "a", "m": {"o": ""}}
    transcoder = kit.transcoder("Do")
    assert transcoder.decode_reply(transcoder.encode_arguments(value)) == value


def test_fields_may_bear_the_words_of_python():
    names = ("from", "None", "self", "class", "message", "room", "item", "printed", "import", "lambda")
    kit = Kit(f"message M {{ {' '.join(f'string {name} = {number};' for number, name in enumerate(names, 1))} }}")
    value = {name: name for name in names}
    assert kit.parse(value) == kit.make(**value)
    assert kit.print(kit.make(**value)) == value


def test_wide_types_are_printed_like_narrow_ones():
    fields = "".join(f"int32 field_{number} = {number};" for number in range(1, 100))
    kit = Kit(f"message M {{ {fields} optional string o = 100; repeated M ms = 101; map<int32, M> mm = 102; }}")
    value = {"field7": 7, "field99": 9, "o": "", "ms": [{"field1": 1}, {}], "mm": {"5": {"field2": 2}}}
    assert kit.print(kit.parse(value)) == value


def test_unknown_fields_of_a_newer_backend_are_passed_over():
    newer = Kit("message M { string display_name = 1; string brand_new = 99; }")
    wire = newer.make(display_name="x", brand_new="y").SerializeToString()
    assert KIT.print(KIT.codec.decoder_for(KIT.descriptor())(wire)) == {"displayName": "x"}


def test_thousands_of_faults_are_not_all_looked_for():
    kit = Kit("message M { repeated int32 xs = 1; map<int32, int32> m = 2; }")
    assert len(kit.find_problems({"xs": ["x"] * 100_000})) == 1000
    assert len(kit.find_problems({"m": {str(number): "x" for number in range(100_000)}})) == 1000


def test_types_compile_only_as_far_as_values_reach():
    chain = "".join(f"message C{number} {{ C{number + 1} n = 1; }} " for number in range(1500))
    kit = Kit(f"{chain} message C1500 {{ string s = 1; }}")
    assert kit.print(kit.parse({"n": {"n": {}}}, "C0")) == {"n": {"n": {}}}


def test_a_codec_that_ignores_the_unknown_takes_the_rest():
    lenient = Codec(KIT.api, ignores_unknown=True).parser_for(KIT.descriptor())
    assert lenient({"nope": 1, "[x.y]": 2, "line": {"nope": [], "sku": "s"}}) == KIT.make(line={"sku": "s"})
