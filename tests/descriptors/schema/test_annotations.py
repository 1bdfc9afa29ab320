import pytest

from tests.laws.compiled import compile_body

BEHAVIOR = "google/api/field_behavior.proto"
RESOURCE = "google/api/resource.proto"
INFO = "google/api/field_info.proto"
MASK = "google/protobuf/field_mask.proto"
LRO = "google/longrunning/operations_proto.proto"
EMPTY = "google/protobuf/empty.proto"

INT32_IN = {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}

SHELF = """
message Book {
  option (google.api.resource) = {type: "lib.example.com/Book", pattern: "shelves/{shelf}/books/{book}"};
  string name = 1 [(google.api.field_behavior) = IDENTIFIER];
  string title = 2 [(google.api.field_behavior) = REQUIRED];
  string isbn = 3 [(google.api.field_behavior) = IMMUTABLE];
  string etag = 4 [(google.api.field_behavior) = OUTPUT_ONLY];
  string page_count = 5;
  string old = 6 [deprecated = true];
}
"""
NAME_NOTE = {"description": "resource name, e.g. `shelves/{shelf}/books/{book}`"}
TITLE = {"title": {"type": "string"}}
ISBN = {"isbn": {"type": "string", "description": "cannot change after creation"}}
PAGES = {"pageCount": {"type": "string"}}


def make_library(rpcs, messages=""):
    return compile_body(f"{SHELF} {messages} service S {{ {rpcs} }}", imports=(BEHAVIOR, RESOURCE, MASK, LRO))


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


def test_a_create_gives_no_name_to_its_resource(schemas_of):
    given, _ = schemas_of(make_library("rpc CreateBook(Create) returns (Book);", "message Create { Book book = 1; }"))
    assert given["properties"]["book"] == {
        "type": "object",
        "properties": TITLE | ISBN | PAGES,
        "required": ["title"],
        "additionalProperties": False,
    }


def test_an_update_names_its_resource_and_lists_what_its_mask_can_name(schemas_of):
    given, _ = schemas_of(
        make_library(
            "rpc UpdateBook(Update) returns (Book);",
            "message Update { Book book = 1; google.protobuf.FieldMask update_mask = 2; }",
        )
    )
    assert given["properties"] == {
        "book": {
            "type": "object",
            "properties": {"name": {"type": "string"} | NAME_NOTE} | TITLE | ISBN | PAGES,
            "required": ["name", "title"],
            "additionalProperties": False,
        },
        "updateMask": {"type": "string", "description": "comma-separated camelCase paths; of title, pageCount"},
    }


@pytest.mark.parametrize(
    ("rpc", "required"), [("GetBook", ["name"]), ("DeleteBook", ["name"]), ("ArchiveBook", None), ("CreateBook", None)]
)
def test_an_identifier_in_the_request_itself_is_required_where_it_says_which_one(schemas_of, rpc, required):
    given, _ = schemas_of(
        make_library(
            f"rpc {rpc}(Request) returns (Book);",
            "message Request { string name = 1 [(google.api.field_behavior) = IDENTIFIER]; }",
        )
    )
    assert given.get("required") == required


def test_only_the_resource_itself_has_that_role(schemas_of):
    given, _ = schemas_of(
        make_library(
            "rpc CreateShelf(Create) returns (Shelf);",
            """message Create { Shelf shelf = 1; }
            message Shelf { string name = 1 [(google.api.field_behavior) = IDENTIFIER]; Book first = 2; }""",
        )
    )
    shelf = given["properties"]["shelf"]["properties"]
    assert list(shelf) == ["first"]
    assert "name" in shelf["first"]["properties"]


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


@pytest.mark.parametrize(
    ("response", "paths"),
    [("Book", "name, title, isbn, etag, pageCount, old"), ("Page", "name, title, isbn, etag, pageCount, old")],
)
def test_a_read_mask_lists_the_paths_of_what_is_read(schemas_of, response, paths):
    api = make_library(
        f"rpc Read(Request) returns ({response});",
        """message Request { google.protobuf.FieldMask read_mask = 1; google.protobuf.FieldMask other = 2; }
        message Page { repeated Book books = 1; string next_page_token = 2; }""",
    )
    note = "comma-separated camelCase paths"
    assert schemas_of(api)[0]["properties"] == {
        "readMask": {"type": "string", "description": f"{note}; of {paths}"},
        "other": {"type": "string", "description": note},
    }


def test_paths_are_bounded_and_leave_out_what_has_no_path(schemas_of):
    fields = " ".join(f"string quite_a_long_name_x{number} = {number};" for number in range(1, 100))
    api = compile_body(
        f"""message Request {{ google.protobuf.FieldMask read_mask = 1; }}
        message Big {{ string foo__bar = 200; string foo_3_bar = 201; string Upper = 202; {fields} }}
        service S {{ rpc Read(Request) returns (Big); }}""",
        imports=(MASK,),
    )
    text = schemas_of(api)[0]["properties"]["readMask"]["description"]
    assert len(text) < 500
    assert text.startswith("comma-separated camelCase paths; of quiteALongNameX1, quiteALongNameX2, ")
    assert text.endswith(", …")


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


OPERATION_IMPORTS = (LRO, EMPTY, RESOURCE, BEHAVIOR)


def make_operation(schemas_of, info):
    api = compile_body(
        f"""{SHELF} message Progress {{ int32 percent = 1; }} message Request {{}}
        service S {{ rpc Scan(Request) returns (google.longrunning.Operation) {{ {info} }} }}""",
        imports=OPERATION_IMPORTS,
    )
    return schemas_of(api)[1]


def test_a_long_running_operation_shows_what_it_ends_in_and_takes_anything(schemas_of):
    schema = make_operation(
        schemas_of,
        'option (google.longrunning.operation_info) = {response_type: "Book", metadata_type: "t.Progress"};',
    )
    assert "required" not in schema
    assert list(schema["properties"]) == ["name", "metadata", "done", "error", "response"]
    metadata, response = (schema["properties"][name]["anyOf"] for name in ("metadata", "response"))
    assert metadata == [{"type": "object", "properties": {"percent": {"type": "integer"}}}, {"type": "object"}]
    assert list(response[0]["properties"]) == ["name", "title", "isbn", "etag", "pageCount", "old"]
    assert response[1] == {"type": "object"}


@pytest.mark.parametrize(
    "info",
    [
        "",
        'option (google.longrunning.operation_info) = {response_type: "Nowhere", metadata_type: "x.y.Z"};',
        'option (google.longrunning.operation_info) = {response_type: "google.protobuf.Empty", metadata_type: ""};',
    ],
)
def test_an_operation_whose_end_is_not_known_is_open(schemas_of, info):
    found = make_operation(schemas_of, info)["properties"]
    assert [found[name]["type"] for name in ("metadata", "response")] == ["object", "object"]
    assert [found[name].keys() for name in ("metadata", "response")] == [{"type", "description"}] * 2
