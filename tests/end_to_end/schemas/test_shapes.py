"""The schemas that clients and model providers have to live with, and the calls that follow them."""

import re
import time

import orjson
import pytest

from gateway.descriptors.api import describe_api
from gateway.descriptors.schema import SchemaBuilder
from tests.end_to_end.stage import complete_proto
from tests.laws.compiled import compile_files

KEYWORDS = {
    "type", "properties", "required", "items", "enum", "description", "additionalProperties", "$ref", "$defs",
    "minimum", "maximum", "format", "pattern", "contentEncoding", "propertyNames",
}  # fmt: skip
PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def walk(schema):
    """Every schema in a schema, itself first."""
    yield schema
    for name in ("properties", "$defs"):
        for member in schema.get(name, {}).values():
            yield from walk(member)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from walk(schema[name])


def count_keyword(schema, keyword):
    return sum(keyword in one for one in walk(schema))


async def test_deep_and_wide_types_are_listed_in_little_space_and_time(make_stage):
    diamond = " ".join(f"message M{number} {{ M{number + 1} a = 1; M{number + 1} b = 2; }}" for number in range(40))
    chain = " ".join(f"message C{number} {{ C{number + 1} n = 1; }}" for number in range(1999))
    proto = f"""
    {diamond} message M40 {{ string leaf = 1; }} {chain} message C1999 {{ string leaf = 1; }}
    message Text {{ string t = 1; }}
    service S {{ rpc Wide(M0) returns (Text); rpc Deep(C0) returns (Text); rpc Plain(Text) returns (Text); }}
    """
    compile_files(t=complete_proto(proto))
    began = time.process_time()
    stage = await make_stage(proto)
    tools = {tool["_meta"]["dev.propylon/rpc"]: tool for tool in await stage.list_tools()}
    assert time.process_time() - began < 4  # protoc's second run and a busy machine are in it
    assert await stage.structured("t.S/Plain", {"t": "x"}) == {"t": "x"}
    assert len(orjson.dumps(tools["t.S/Wide"]["inputSchema"])) < 20_000
    deep = tools["t.S/Deep"]["inputSchema"]
    assert len(orjson.dumps(deep)) < 40_000
    stage.backend.answers |= {"t.S/Wide": b"", "t.S/Deep": b""}
    assert await stage.structured("t.S/Wide", {"a": {"b": {}}}) == {}
    assert await stage.structured("t.S/Deep", {"n": {"n": {}}}) == {}


async def test_what_is_not_recursive_stands_inline_and_of_the_rest_only_the_cycle_refers(make_stage):
    body = """
    enum Status {{ STATUS_UNSPECIFIED = 0; OPEN = 1; SHIPPED = 2; }}
    message Addr {{ string city = 1; }} message Line {{ string sku = 1; }}
    message Tree {{ string v = 1; repeated Tree kids = 2; }}
    message Order {{ Status status = 1; Addr ship = 2; Addr bill = 3; repeated Line lines = 4; {more} }}
    message Forest {{ Order order = 1; Tree tree = 2; }}
    service S {{ rpc Put(Order) returns (Order); rpc Grow(Tree) returns (Forest); }}
    """
    stage = await make_stage(body.format(more=""))
    schema = stage.get_tool("t.S/Put")["inputSchema"]
    assert (count_keyword(schema, "$ref"), count_keyword(schema, "$defs")) == (0, 0)
    assert schema["properties"]["status"]["enum"] == ["OPEN", "SHIPPED"]
    assert schema["properties"]["lines"]["items"] == {
        "type": "object",
        "properties": {"sku": {"type": "string"}},
        "additionalProperties": False,
    }
    stage = await make_stage(body.format(more="Tree tree = 5;"))
    schema = stage.get_tool("t.S/Put")["inputSchema"]
    assert list(schema["$defs"]) == ["Tree"]
    assert {one["$ref"] for one in walk(schema) if "$ref" in one} == {"#/$defs/Tree"}
    assert "properties" in schema["properties"]["ship"]


def test_recursive_types_make_the_same_bytes_each_time():
    proto = complete_proto("""
    message Tree { string v = 1; repeated Tree kids = 2; } message Page { Tree tree = 1; }
    service S { rpc Put(Tree) returns (Page); }
    """)

    def build():
        api = describe_api(compile_files(t=proto))
        builder = SchemaBuilder(api)
        return [orjson.dumps([builder.input_schema(rpc), builder.output_schema(rpc)]) for rpc in api.rpcs]

    assert build() == build()


async def test_names_that_a_provider_refuses_have_safe_ones_beside_them(make_stage):
    long = "a_very_long_field_name_" + "x" * 50
    stage = await make_stage(f"""
    message F {{ string filter = 1 [json_name = "$filter"]; string size = 2 [json_name = "größe"]; string {long} = 3; }}
    service S {{ rpc Find(F) returns (F); }}
    """)
    listed = stage.get_tool("t.S/Find")
    names = list(listed["inputSchema"]["properties"])
    assert len(set(names)) == 3
    assert all(PROPERTY.fullmatch(name) for name in names)
    for name in (names[0], "$filter", "filter"):
        assert await stage.structured("t.S/Find", {name: "x"}) == {"$filter": "x"}
        assert stage.received("t.S/Find", "t.F").filter == "x"
    assert await stage.structured("t.S/Find", {names[2]: "x"}) == {listed_name(listed, 2): "x"}


def listed_name(listed, position):
    return list(listed["outputSchema"]["properties"])[position]


async def test_free_json_has_items_wherever_it_can_be_a_list_and_is_taken(make_stage):
    stage = await make_stage("""
    message P { google.protobuf.ListValue l = 1; repeated google.protobuf.Value v = 2; google.protobuf.Value any = 3;
                google.protobuf.Struct s = 4; repeated bytes b = 5; }
    service S { rpc Do(P) returns (P); }
    """)
    listed = stage.get_tool("t.S/Do")
    for schema in (listed["inputSchema"], listed["outputSchema"]):
        for one in walk(schema):
            assert not isinstance(one.get("type"), list)
            assert one.get("type") != "array" or "items" in one
    free = {"any": [1, None, {"k": []}]}
    assert await stage.structured("t.S/Do", {"any": free, "s": free, "l": [free], "v": [free, None]}) == {
        "l": [free],
        "v": [free, None],
        "any": free,
        "s": free,
    }


async def test_messages_of_proto2_keep_their_own_rules(make_stage):
    stage = await make_stage("""
    syntax = "proto2"; package t;
    message R {
      required string id = 1; optional int32 n = 2 [default = 7];
      repeated group Item = 3 { optional string sku = 1; } enum E { A = 1; B = 2; } optional E e = 4;
    }
    service S { rpc Do(R) returns (R); }
    """)
    schema = stage.get_tool("t.S/Do")["inputSchema"]
    assert schema["required"] == ["id"]
    assert schema["properties"]["item"]["items"]["type"] == "object"
    told = "INVALID_ARGUMENT: arguments:"
    assert await stage.refusal("t.S/Do", {}) == f"{told} /id is required"
    assert await stage.refusal("t.S/Do", {"id": "x", "e": 9}) == f'{told} /e must be one of "A", "B", got 9'
    assert stage.requests("t.S/Do") == []
    arguments = {"id": "x", "item": [{"sku": "s"}], "e": "B"}
    assert await stage.structured("t.S/Do", arguments) == arguments


async def test_input_schemas_keep_to_few_keywords(make_stage):
    stage = await make_stage("""
    enum C { C_UNSPECIFIED = 0; RED = 1; }
    message B { bytes data = 1; map<int32, string> m = 2; map<bool, int64> f = 3; google.protobuf.Duration d = 4;
                google.protobuf.Timestamp t = 5; google.protobuf.Any a = 6; B b = 7; C c = 8; map<string, C> mc = 9;
                google.protobuf.FieldMask mask = 10; uint64 u = 11; google.protobuf.Struct s = 12; double x = 13; }
    service S { rpc Do(B) returns (B); rpc Nothing(google.protobuf.Empty) returns (B);
                rpc When(google.protobuf.Timestamp) returns (B); rpc Free(google.protobuf.Struct) returns (B); }
    """)
    for tool in await stage.list_tools():
        schema = tool["inputSchema"]
        assert {keyword for one in walk(schema) for keyword in one} <= KEYWORDS
        assert schema.keys() <= {"type", "properties", "required", "additionalProperties", "$defs", "description"}
        assert schema["type"] == "object"


async def test_an_update_asks_for_no_more_than_what_its_mask_names(make_stage):
    stage = await make_stage("""
    syntax = "proto3"; package t;
    import "google/api/field_behavior.proto"; import "google/protobuf/field_mask.proto";
    message Book {
      string name = 1 [(google.api.field_behavior) = IDENTIFIER];
      string title = 2 [(google.api.field_behavior) = REQUIRED];
      string etag = 3 [(google.api.field_behavior) = OUTPUT_ONLY];
    }
    message Update {
      Book book = 1 [(google.api.field_behavior) = REQUIRED];
      google.protobuf.FieldMask update_mask = 2;
    }
    message Create { Book book = 1 [(google.api.field_behavior) = REQUIRED]; }
    service Books { rpc UpdateBook(Update) returns (Book); rpc CreateBook(Create) returns (Book); }
    """)
    updated = stage.get_tool("t.Books/UpdateBook")["inputSchema"]
    created = stage.get_tool("t.Books/CreateBook")["inputSchema"]
    assert (updated["required"], updated["properties"]["book"]["required"]) == (["book"], ["name"])
    assert list(updated["properties"]["book"]["properties"]) == ["name", "title"]
    assert created["properties"]["book"]["required"] == ["title"]
    assert list(created["properties"]["book"]["properties"]) == ["title"]


@pytest.mark.parametrize("count", [3, 20, 60])
async def test_two_fields_of_one_json_name_both_come_and_go(make_stage, count):
    more = " ".join(f"optional string f{number} = {number};" for number in range(3, count))
    stage = await make_stage(f"""
    syntax = "proto2"; package t;
    message M {{ option deprecated_legacy_json_field_conflicts = true; optional string a_b = 1; optional string aB = 2;
                 {more} }}
    service S {{ rpc Do(M) returns (M); }}
    """)
    assert list(stage.get_tool("t.S/Do")["inputSchema"]["properties"])[:2] == ["a_b", "aB"]
    assert await stage.structured("t.S/Do", {"a_b": "1", "aB": "2"}) == {"a_b": "1", "aB": "2"}
    assert await stage.structured("t.S/Do", {"aB": "2"}) == {"aB": "2"}
