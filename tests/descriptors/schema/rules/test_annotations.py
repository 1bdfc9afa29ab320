from tests.descriptors.schema.rules.library import BEHAVIOR, INFO, INT32_IN, RESOURCE, SHELF
from tests.laws.compiled import compile_body


def test_each_behavior_does_what_it_means_in_each_direction(schemas_of):
    api = compile_body(
        """message M {
          string must = 1 [(google.api.field_behavior) = REQUIRED];
          string may = 2 [(google.api.field_behavior) = OPTIONAL];
          string out = 3 [(google.api.field_behavior) = OUTPUT_ONLY];
          string in = 4 [(google.api.field_behavior) = INPUT_ONLY];
          string once = 5 [(google.api.field_behavior) = IMMUTABLE, (google.api.field_behavior) = REQUIRED];
          repeated string bag = 6 [(google.api.field_behavior) = UNORDERED_LIST];
          string chosen = 7 [(google.api.field_behavior) = NON_EMPTY_DEFAULT];
          string name = 8 [(google.api.field_behavior) = IDENTIFIER];
        } service S { rpc Do(M) returns (M); }""",
        imports=(BEHAVIOR,),
    )
    text = {"type": "string"}
    given, printed = schemas_of(api)
    assert given == {
        "type": "object",
        "properties": {
            "must": text,
            "may": text,
            "in": text,
            "once": text | {"description": "cannot change after creation"},
            "bag": {"type": "array", "items": text},
            "chosen": text | {"description": "server chooses a default"},
            "name": text,
        },
        "required": ["must", "once"],
        "additionalProperties": False,
    }
    assert printed == {
        "type": "object",
        "properties": {
            "must": text,
            "may": text,
            "out": text,
            "once": text,
            "bag": {"type": "array", "items": text},
            "chosen": text,
            "name": text,
        },
    }


def test_what_protobuf_requires_is_kept_whatever_its_behavior(schemas_of):
    api = compile_body(
        """message M { required string a = 1 [(google.api.field_behavior) = OUTPUT_ONLY, deprecated = true]; }
        service S { rpc Do(M) returns (M); }""",
        head='syntax = "proto2";',
        imports=(BEHAVIOR,),
    )
    given, _ = schemas_of(api)
    assert (list(given["properties"]), given["required"]) == (["a"], ["a"])


def test_a_member_of_a_oneof_is_not_required_as_long_as_there_is_another(properties_of, schemas_of):
    api = compile_body(
        """message M {
          oneof a { string b = 1 [(google.api.field_behavior) = REQUIRED]; string c = 2; }
          oneof d { string e = 3 [(google.api.field_behavior) = REQUIRED]; }
        } service S { rpc Do(M) returns (M); }""",
        imports=(BEHAVIOR,),
    )
    assert schemas_of(api)[0]["required"] == ["e"]


def test_a_resource_reference_shows_the_form_of_the_name(properties_of):
    given, printed = properties_of(
        f"""{SHELF}
        message Note {{
          option (google.api.resource) = {{type: "lib.example.com/Note", pattern: "notes/{{note}}", pattern: "*"}};
          string id = 1;
        }}
        message M {{
          // Which book.
          string book = 1 [(google.api.resource_reference).type = "lib.example.com/Book"];
          string parent = 2 [(google.api.resource_reference).child_type = "lib.example.com/Book"];
          repeated string notes = 3 [(google.api.resource_reference) = {{type: "lib.example.com/Note"}}];
          string anything = 4 [(google.api.resource_reference).type = "*"];
        }}""",
        imports=(BEHAVIOR, RESOURCE),
    )
    text = {"type": "string"}
    assert given == {
        "book": text | {"description": "Which book. (resource name, e.g. `shelves/{shelf}/books/{book}`)"},
        "parent": text | {"description": "resource name, e.g. `shelves/{shelf}`"},
        "notes": {"type": "array", "items": text, "description": "resource name, e.g. `notes/{note}`"},
        "anything": text,
    }
    assert printed["parent"] == text


def test_a_format_of_field_info_is_stated_both_ways(properties_of):
    given, printed = properties_of(
        """message M {
          string id = 1 [(google.api.field_info).format = UUID4];
          repeated string v4 = 2 [(google.api.field_info).format = IPV4];
          string v6 = 3 [(google.api.field_info).format = IPV6];
          string either = 4 [(google.api.field_info).format = IPV4_OR_IPV6];
        }""",
        imports=(INFO,),
    )
    expected = {
        "id": {"type": "string", "format": "uuid"},
        "v4": {"type": "array", "items": {"type": "string", "format": "ipv4"}},
        "v6": {"type": "string", "format": "ipv6"},
        "either": {"type": "string", "description": "an IPv4 or IPv6 address"},
    }
    assert (given, printed) == (expected, expected)


def test_pages_explain_themselves(schemas_of):
    api = compile_body(
        """message List { int32 page_size = 1; string page_token = 2; }
        message Listed { repeated string xs = 1; string next_page_token = 2; }
        message Alone { string page_token = 1; } message Other { string page_token = 1; }
        service S { rpc ListXs(List) returns (Listed); rpc Plain(Alone) returns (Other); }"""
    )
    given, printed = schemas_of(api, "ListXs")
    assert given["properties"] == {
        "pageSize": INT32_IN | {"description": "server may return fewer"},
        "pageToken": {
            "type": "string",
            "description": "nextPageToken of the previous call, with the same other arguments",
        },
    }
    assert printed["properties"]["nextPageToken"] == {"type": "string", "description": "empty or absent = last page"}
    plain = {"pageToken": {"type": "string"}}
    assert [schema["properties"] for schema in schemas_of(api, "Plain")] == [plain, plain]


def test_a_deprecated_field_is_left_out_of_arguments_and_marked_in_results(properties_of):
    body = """message Sub { string s = 1; }
    message M {
      string a = 1;
      // The old one.
      string b = 2 [deprecated = true];
      repeated Sub c = 3 [deprecated = true];
      Sub d = 4 [deprecated = true];
    }"""
    sub = {"type": "object", "properties": {"s": {"type": "string"}}}
    given, printed = properties_of(body)
    assert given == {"a": {"type": "string"}}
    assert printed == {
        "a": {"type": "string"},
        "b": {"type": "string", "deprecated": True, "description": "The old one."},
        "c": {"type": "array", "items": sub, "deprecated": True},
        "d": sub | {"deprecated": True},
    }
    kept, _ = properties_of(body, keep_deprecated=True)
    closed = sub | {"additionalProperties": False}
    assert kept == {
        "a": {"type": "string"},
        "b": {"type": "string", "description": "The old one. (Deprecated.)"},
        "c": {"type": "array", "items": closed, "description": "Deprecated."},
        "d": closed | {"description": "Deprecated."},
    }
