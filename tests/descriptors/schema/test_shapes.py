import orjson

from tests.laws.compiled import compile_body

INT32_IN = {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}
CLOSED = {"additionalProperties": False}


def test_nothing_is_required_by_implicit_presence(schemas_of):
    api = compile_body(
        "message M { int64 a = 1; string b = 2; M2 c = 3; } message M2 {} service S { rpc Do(M) returns (M); }"
    )
    given, printed = schemas_of(api)
    assert given.keys() == {"type", "properties", "additionalProperties"}
    assert printed.keys() == {"type", "properties"}


def test_what_proto2_requires_is_required_both_ways(schemas_of):
    api = compile_body(
        """message M {
          required string id = 1; optional int32 n = 2 [default = 7];
          repeated group Item = 3 { optional string sku = 1; required bool ok = 2; }
        } service S { rpc Do(M) returns (M); }""",
        head='syntax = "proto2";',
    )
    item = {"type": "object", "properties": {"sku": {"type": "string"}, "ok": {"type": "boolean"}}, "required": ["ok"]}
    given, printed = schemas_of(api)
    assert given == {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "n": INT32_IN,
            "item": {"type": "array", "items": item | CLOSED},
        },
        "required": ["id"],
        "additionalProperties": False,
    }
    assert printed == {
        "type": "object",
        "properties": {"id": {"type": "string"}, "n": {"type": "integer"}, "item": {"type": "array", "items": item}},
        "required": ["id"],
    }


def test_editions_say_required_and_delimited_by_features(schemas_of):
    api = compile_body(
        """message Sub { string s = 1; }
        message M {
          string id = 1 [features.field_presence = LEGACY_REQUIRED];
          Sub sub = 2 [features.message_encoding = DELIMITED];
        } service S { rpc Do(M) returns (M); }""",
        head='edition = "2023";',
    )
    sub = {"type": "object", "properties": {"s": {"type": "string"}}}
    given, printed = schemas_of(api)
    assert given == {
        "type": "object",
        "properties": {"id": {"type": "string"}, "sub": sub | CLOSED},
        "required": ["id"],
        "additionalProperties": False,
    }
    assert printed == {"type": "object", "properties": {"id": {"type": "string"}, "sub": sub}, "required": ["id"]}


def test_the_members_of_a_oneof_stand_flat_and_say_so_in_arguments(properties_of):
    given, printed = properties_of(
        """message Sub {}
        message M {
          oneof pick { string a = 1; int32 b_c = 2; Sub sub = 3; }
          optional string alone = 4;
          oneof one { string o = 5; }
        }"""
    )
    note = {"description": "at most one of a, bC, sub"}
    assert given == {
        "a": {"type": "string"} | note,
        "bC": INT32_IN | note,
        "sub": {"type": "object", "properties": {}, "additionalProperties": False} | note,
        "alone": {"type": "string"},
        "o": {"type": "string"},
    }
    assert printed == {
        "a": {"type": "string"},
        "bC": {"type": "integer"},
        "sub": {"type": "object"},
        "alone": {"type": "string"},
        "o": {"type": "string"},
    }


def test_a_name_that_providers_refuse_has_an_alias_in_arguments_and_stands_as_it_is_in_results(properties_of):
    long = "a_very_long_field_name_" + "x" * 50
    given, printed = properties_of(
        f"""message M {{
          string filter = 1 [json_name = "$filter"]; string size = 2 [json_name = "größe"]; string {long} = 3;
        }}"""
    )
    assert list(given)[:2] == ["filter", "size"]
    assert len(given) == 3
    assert all(len(name) <= 64 and name.isascii() and name.isidentifier() for name in given)
    assert list(printed)[:2] == ["$filter", "größe"]


def test_a_json_name_of_two_fields_gives_way_to_their_proto_names(properties_of):
    given, printed = properties_of(
        "message M { optional string foo_bar = 1; optional int32 fooBar = 2; }",
        head='syntax = "proto2";',
    )
    assert given == {"foo_bar": {"type": "string"}, "fooBar": INT32_IN}
    assert printed == {"foo_bar": {"type": "string"}, "fooBar": {"type": "integer"}}


def test_names_that_mean_something_to_python_are_ordinary(properties_of):
    names = ["DESCRIPTOR", "ListFields", "SerializeToString", "from", "None", "self"]
    fields = " ".join(f"string {name} = {number};" for number, name in enumerate(names, 1))
    given, printed = properties_of(f"message M {{ {fields} }}")
    assert given == printed == {name: {"type": "string"} for name in names}


def test_extensions_are_not_listed(properties_of):
    given, printed = properties_of(
        "message M { optional string a = 1; extensions 100 to 200; } extend M { optional string more = 100; }",
        head='syntax = "proto2";',
    )
    assert given == printed == {"a": {"type": "string"}}


def test_a_nested_message_is_written_out_with_the_comment_of_its_field_or_else_its_own(properties_of):
    given, printed = properties_of(
        """// An address.
        message Address { string city = 1; }
        message M {
          // Where to send it.
          Address ship = 1;
          Address bill = 2;
          // All that were ever used.
          repeated Address past = 3;
          map<string, Address> named = 4;
        }"""
    )
    address = {"type": "object", "properties": {"city": {"type": "string"}}}
    own = {"description": "An address."}
    for found, schema in ((given, address | CLOSED), (printed, address)):
        assert found == {
            "ship": schema | {"description": "Where to send it."},
            "bill": schema | own,
            "past": {"type": "array", "items": schema | own, "description": "All that were ever used."},
            "named": {"type": "object", "additionalProperties": schema | own},
        }


def test_a_comment_is_one_bounded_line_and_the_note_after_it_survives(properties_of):
    given, _ = properties_of(f"message M {{\n// {'word ' * 300}\n// and more\nint64 a = 1; }}")
    text = given["a"]["description"]
    assert len(text) <= 450
    assert text.startswith("word word ")
    assert text.endswith("… (64-bit integer as string)")


def test_a_message_of_forty_fields_is_small(schemas_of):
    kinds = ["int32", "int64", "string", "bool", "double", "bytes", "repeated string", "map<string, int64>"]
    fields = " ".join(f"{kinds[number % 8]} some_field_{number} = {number + 1};" for number in range(40))
    given, printed = schemas_of(compile_body(f"message M {{ {fields} }} service S {{ rpc Do(M) returns (M); }}"))
    assert (len(given["properties"]), len(printed["properties"])) == (40, 40)
    assert len(orjson.dumps(given)) < 4096
    assert len(orjson.dumps(printed)) < 4096
