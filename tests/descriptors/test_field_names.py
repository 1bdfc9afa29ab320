"""One table of names for schemas and converters."""

import re

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.field_names import FieldNames, get_field_names
from gateway.descriptors.linking import link_files

SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
LONG = "a_very_long_field_name_" + "x" * 47


def name_fields(files, message) -> tuple[FieldNames, dict[str, str], dict[str, str], dict[int, str]]:
    names = get_field_names(link_files(files).pool.FindMessageTypeByName(message))
    return (
        names,
        {name: field.name for name, field in names.published.items()},
        {name: field.name for name, field in names.accepted.items()},
        dict(names.printed),
    )


def test_fields_go_by_their_json_names_in_order(compile_protos):
    text = """syntax = "proto3"; package n; message M { string z_last = 2; string a = 1;
        string own = 3 [json_name = "Mine"]; }"""
    _, published, accepted, printed = name_fields(compile_protos({"n.proto": text}), "n.M")
    assert list(published.items()) == [("zLast", "z_last"), ("a", "a"), ("Mine", "own")]
    assert accepted == {"zLast": "z_last", "z_last": "z_last", "a": "a", "Mine": "own", "own": "own"}
    assert printed == {2: "zLast", 1: "a", 3: "Mine"}


def test_names_that_providers_refuse_get_an_alias_in_input_only(compile_protos):
    text = f"""syntax = "proto3"; package n; message F {{ string filter = 1 [json_name = "$filter"];
        string size = 2 [json_name = "größe"]; string {LONG} = 3; string e = 4 [json_name = "__proto__"]; }}"""
    names, published, accepted, printed = name_fields(compile_protos({"n.proto": text}), "n.F")
    assert len(LONG) == 70
    assert all(SAFE.fullmatch(name) for name in published)
    (alias,) = set(published) - {"filter", "size", "__proto__"}
    assert re.fullmatch(r"a_very_long_field_name_x{32}_[0-9a-f]{8}", alias)
    json_name = names.published[alias].json_name
    assert printed == {1: "$filter", 2: "größe", 3: json_name, 4: "__proto__"}
    assert accepted == {
        **dict.fromkeys(("filter", "$filter"), "filter"),
        **dict.fromkeys(("size", "größe"), "size"),
        **dict.fromkeys((alias, json_name, LONG), LONG),
        **dict.fromkeys(("__proto__", "e"), "e"),
    }


def test_an_alias_takes_no_other_fields_name(compile_protos):
    text = """syntax = "proto3"; package n; message F { string filter = 1 [json_name = "$f"];
        string x = 2 [json_name = "filter"]; }"""
    _, published, accepted, _ = name_fields(compile_protos({"n.proto": text}), "n.F")
    (alias,) = [name for name, field in published.items() if field == "filter"]
    assert re.fullmatch(r"filter_[0-9a-f]{8}", alias)
    assert accepted["filter"] == "x"
    assert accepted["$f"] == accepted[alias] == "filter"


def test_fields_with_one_json_name_go_by_their_proto_names(compile_protos):
    text = 'syntax = "proto2"; package n; message M { optional string foo_bar = 1; optional string fooBar = 2; }'
    _, published, accepted, printed = name_fields(compile_protos({"n.proto": text}), "n.M")
    assert published == accepted == {"foo_bar": "foo_bar", "fooBar": "fooBar"}
    assert printed == {1: "foo_bar", 2: "fooBar"}


def test_a_proto_name_that_is_anothers_json_name_belongs_to_that_other(compile_protos):
    text = """syntax = "proto2"; package n; message M { optional string a = 1 [json_name = "b"];
        optional string b = 2 [json_name = "c"]; }"""
    _, _, accepted, _ = name_fields(compile_protos({"n.proto": text}), "n.M")
    assert accepted == {"b": "a", "c": "b", "a": "a"}


NAMES = st.sampled_from(["a", "b", "ab", "a_b", "aB", "A", "$a", "ü", "a b", "x" * 64, "x" * 65, "x" * 66])


@settings(max_examples=60, deadline=None)
@given(
    protos=st.lists(NAMES.filter(lambda name: name.isascii() and name.isidentifier()), unique=True, max_size=6),
    data=st.data(),
)
def test_every_field_has_one_safe_name_and_no_name_has_two_owners(protos, data):
    file = FileDescriptorProto(name="n.proto", package="n", syntax="proto2")
    message = file.message_type.add(name="M")
    for number, name in enumerate(protos, 1):
        message.field.add(name=name, number=number, label=1, type=9, json_name=data.draw(NAMES))
    names, published, accepted, printed = name_fields([file], "n.M")
    assert list(published.values()) == protos
    assert all(SAFE.fullmatch(name) for name in published)
    assert len(set(printed.values())) == len(protos)
    for name, field in names.published.items():
        assert accepted[name] == accepted[printed[field.number]] == field.name
    assert set(accepted.values()) == set(protos)
