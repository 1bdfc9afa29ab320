import importlib
import os
import pkgutil
import subprocess
import sys
import time
from pathlib import Path

import google.api
import google.logging.type
import google.longrunning
import google.protobuf
import google.rpc
import google.type
import jsonschema
import jsonschema_rs
import orjson
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from gateway.descriptors.api import describe_api
from gateway.descriptors.schema import Direction, SchemaBuilder
from gateway.descriptors.schema.rules.facts import FieldFacts, Place
from tests.laws.compiled import compile_body

ROOT = Path(__file__).parents[3]
WELL_KNOWN = tuple(
    f"google/protobuf/{name}.proto"
    for name in ("any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers")
)


def one_value(schema):
    return {"type": "object", "properties": {"value": schema}, "additionalProperties": False}


NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
INT64 = {"type": "string", "pattern": "^-?[0-9]{1,19}$", "description": "64-bit integer as string"}
TIME = {"type": "string", "format": "date-time", "description": "e.g. 2026-01-31T09:00:00Z"}
ROOTS = [
    ("Empty", NOTHING, {"type": "object"}),
    (
        "Struct",
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object", "additionalProperties": True},
    ),
    ("Value", one_value({"description": "any JSON value"}), None),
    ("ListValue", one_value({"type": "array", "items": {}}), None),
    ("StringValue", one_value({"type": "string"}), None),
    ("Int64Value", one_value(INT64), None),
    ("BoolValue", one_value({"type": "boolean"}), None),
    ("Timestamp", one_value(TIME), None),
    ("FieldMask", one_value({"type": "string", "description": "comma-separated camelCase paths"}), None),
]


@pytest.mark.parametrize(("name", "given", "printed"), ROOTS, ids=[case[0] for case in ROOTS])
def test_a_special_message_as_a_whole_request_and_a_whole_reply(schemas_of, name, given, printed):
    kind = f"google.protobuf.{name}"
    assert schemas_of(compile_body(f"service S {{ rpc Do({kind}) returns ({kind}); }}", imports=WELL_KNOWN)) == (
        given,
        printed,
    )


def test_an_any_as_a_whole_request_keeps_its_type_out_of_the_root(schemas_of):
    given, printed = schemas_of(
        compile_body("service S { rpc Do(google.protobuf.Any) returns (google.protobuf.Any); }", imports=WELL_KNOWN)
    )
    assert given["properties"].keys() == {"value"}
    assert given["properties"]["value"]["required"] == ["@type"]
    assert given["properties"]["value"]["additionalProperties"] is True
    assert given["additionalProperties"] is False
    assert printed == {"type": "object"}


def test_a_message_without_fields_is_an_empty_object(schemas_of):
    api = compile_body("message None {} service S { rpc Do(None) returns (None); }")
    assert schemas_of(api) == (NOTHING, {"type": "object"})


def test_a_body_over_http_is_an_ordinary_request_and_no_structured_reply(schemas_of):
    api = compile_body(
        "service S { rpc Do(google.api.HttpBody) returns (google.api.HttpBody); }",
        imports=("google/api/httpbody.proto",),
    )
    given, printed = schemas_of(api)
    assert list(given["properties"]) == ["contentType", "data", "extensions"]
    assert printed is None


def test_a_status_in_a_reply_is_an_open_object(properties_of):
    _, printed = properties_of("message M { google.rpc.Status status = 1; }", imports=["google/rpc/status.proto"])
    status = printed["status"]
    assert (status["type"], list(status["properties"])) == ("object", ["code", "message", "details"])
    assert "additionalProperties" not in status
    assert status["properties"]["details"]["items"] == {"type": "object"}


def test_further_rules_about_fields_join_as_one_more_source():
    def limit_lists(place: Place) -> FieldFacts | None:
        if place.direction is Direction.OUTPUT or place.field.name != "xs":
            return None
        return FieldFacts(
            required=True, keywords={"pattern": "^a"}, outer_keywords={"minItems": 1}, notes=("at least one",)
        )

    api = compile_body("message M { repeated string xs = 1; } service S { rpc Do(M) returns (M); }")
    builder = SchemaBuilder(api, sources=(limit_lists,))
    assert builder.input_schema(api.rpcs[0]) == {
        "type": "object",
        "properties": {
            "xs": {
                "type": "array",
                "items": {"type": "string", "pattern": "^a"},
                "minItems": 1,
                "description": "at least one",
            }
        },
        "required": ["xs"],
        "additionalProperties": False,
    }
    assert builder.output_schema(api.rpcs[0]) == {
        "type": "object",
        "properties": {"xs": {"type": "array", "items": {"type": "string"}}},
    }


def test_a_schema_is_the_callers_own():
    api = compile_body(
        "message Sub { string s = 1; } message M { Sub a = 1; Sub b = 2; } service S { rpc Do(M) returns (M); }"
    )
    builder = SchemaBuilder(api)
    first = builder.input_schema(api.rpcs[0])
    first["properties"]["a"]["properties"].clear()
    first["properties"]["a"]["description"] = "changed"
    second = builder.input_schema(api.rpcs[0])
    sub = {"type": "object", "properties": {"s": {"type": "string"}}, "additionalProperties": False}
    assert second["properties"] == {"a": sub, "b": sub}


BUILD = """
import orjson, sys
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from gateway.descriptors.api import describe_api
from gateway.descriptors.schema import SchemaBuilder
api = describe_api(FileDescriptorSet.FromString(sys.stdin.buffer.read()).file)
builder = SchemaBuilder(api)
for rpc in api.rpcs:
    sys.stdout.buffer.write(orjson.dumps([builder.input_schema(rpc), builder.output_schema(rpc)]))
"""


def test_schemas_are_the_same_bytes_on_every_start():
    api = compile_body(
        """enum E { A = 0; B = 1; } message Cat {} message Dog {}
        message Tree { repeated Tree kids = 1; map<int32, Other> others = 2; Other other = 3; }
        message Other { Tree tree = 1; Third third = 2; google.protobuf.Any any = 3; E e = 4; }
        message Third { Other other = 1; string s = 2 [(google.api.field_behavior) = IMMUTABLE,
          (google.api.field_behavior) = NON_EMPTY_DEFAULT, (google.api.field_behavior) = REQUIRED]; }
        service S { rpc Do(Tree) returns (Other); rpc More(Other) returns (Third); }""",
        imports=("google/protobuf/any.proto", "google/api/field_behavior.proto"),
    )
    files = FileDescriptorSet(file=api.files.values()).SerializeToString()
    starts = {
        subprocess.run(
            [sys.executable, "-c", BUILD],
            input=files,
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(starts) == 1
    assert b"server chooses a default" in starts.pop()


def find_google_files():
    """Every file of google/protobuf, api, rpc, type, longrunning and logging that is installed."""
    files = {}
    pending = [
        importlib.import_module(f"{package.__name__}.{module.name}").DESCRIPTOR
        for package in (google.api, google.logging.type, google.longrunning, google.protobuf, google.rpc, google.type)
        for module in pkgutil.iter_modules(package.__path__)
        if module.name.endswith("_pb2")
    ]
    while pending:
        file = pending.pop()
        if file.name not in files:
            files[file.name] = FileDescriptorProto.FromString(file.serialized_pb)
            pending.extend(file.dependencies)
    return files.values()


def list_messages(api):
    pending = [api.pool.FindFileByName(name).message_types_by_name.values() for name in api.files]
    while pending:
        for message in pending.pop():
            yield message
            pending.append(message.nested_types)


def test_every_message_of_google_has_schemas_that_both_validators_compile():
    api = describe_api(find_google_files())
    builder = SchemaBuilder(api)
    messages = [message for message in list_messages(api) if not message.GetOptions().map_entry]
    assert len(messages) > 150
    for message in messages:
        given = builder.message_schema(message, Direction.INPUT)
        printed = builder.message_schema(message, Direction.OUTPUT)
        for schema in (given, printed):
            jsonschema_rs.Draft202012Validator(schema, offline=True)
            assert len(orjson.dumps(schema)) < 40_000
    for name in ("google.api.Service", "google.protobuf.FileDescriptorSet", "google.protobuf.Struct"):
        for direction in Direction:
            jsonschema.Draft202012Validator.check_schema(
                builder.message_schema(api.pool.FindMessageTypeByName(name), direction)
            )


def test_a_thousand_rpcs_have_their_schemas_in_about_a_second():
    parts = []
    for number in range(1000):
        fields = f"string name = 1; int64 id = 2; Part{number % 50} a = 3; repeated Part{(number + 1) % 50} b = 4;"
        parts.append(
            f"message In{number} {{ {fields} map<string, int32> m = 5; Kind k = 6; double d = 7; bool e = 8; }}"
        )
        parts.append(f"message Out{number} {{ {fields} Kind k = 6; }}")
    parts += [f"message Part{number} {{ string a = 1; int32 b = 2; Inner c = 3; }}" for number in range(50)]
    rpcs = " ".join(f"rpc Do{number}(In{number}) returns (Out{number});" for number in range(1000))
    parts.append("message Inner { repeated string xs = 1; } enum Kind { A = 0; B = 1; }")
    api = compile_body(f"{' '.join(parts)} service S {{ {rpcs} }}")
    started = time.process_time()
    builder = SchemaBuilder(api)
    schemas = [(builder.input_schema(rpc), builder.output_schema(rpc)) for rpc in api.rpcs]
    assert len(schemas) == 1000
    assert time.process_time() - started < 2


STREAMS = """
message Leaf { string id = 1; }
message Tree { repeated Tree branches = 1; Leaf leaf = 2; }
service S {
  rpc Watch(Leaf) returns (stream Leaf);
  rpc Upload(stream Leaf) returns (Leaf);
  rpc Chat(stream Tree) returns (stream Tree);
  rpc Times(stream google.protobuf.Timestamp) returns (stream google.protobuf.Timestamp);
  rpc Free(stream google.protobuf.Struct) returns (stream google.protobuf.Struct);
}
"""
ID = {"id": {"type": "string"}}
TRUNCATED = {"type": "boolean", "description": "Whether the stream was cut before its end."}


def given(item):
    listed = {
        "type": "array",
        "items": item,
        "description": "The messages of the stream, in the order in which they are sent.",
    }
    return {
        "type": "object",
        "properties": {"messages": listed},
        "required": ["messages"],
        "additionalProperties": False,
    }


def printed(item):
    listed = {
        "type": "array",
        "items": item,
        "description": "The messages of the stream, in the order in which they came.",
    }
    properties = {"messages": listed, "truncated": TRUNCATED}
    return {"type": "object", "properties": properties, "required": ["messages", "truncated"]}


def test_a_stream_is_a_list_of_its_messages(schemas_of):
    api = compile_body(STREAMS, imports=WELL_KNOWN)
    leaf_in = {"type": "object", "properties": ID, "additionalProperties": False}
    leaf_out = {"type": "object", "properties": ID}
    assert {name: schemas_of(api, name) for name in ("Watch", "Upload", "Times", "Free")} == {
        "Watch": (leaf_in, printed(leaf_out)),
        "Upload": (given(leaf_in), leaf_out),
        "Times": (given(TIME), printed({"type": "string", "format": "date-time"})),
        "Free": (
            given({"type": "object", "properties": {}, "additionalProperties": True}),
            printed({"type": "object", "additionalProperties": True}),
        ),
    }


def test_the_definitions_of_a_streams_messages_stand_at_the_root(schemas_of):
    schema, output = schemas_of(compile_body(STREAMS, imports=WELL_KNOWN), "Chat")
    tree = {"branches": [{"branches": [{"leaf": {"id": "a"}}]}]}
    assert list(schema["$defs"]) == list(output["$defs"]) == ["Tree"]
    assert jsonschema.Draft202012Validator(schema).is_valid({"messages": [tree, {}]})
    assert not jsonschema.Draft202012Validator(schema).is_valid({"messages": [{"branches": [{"odd": 1}]}]})
    assert jsonschema.Draft202012Validator(output).is_valid({"messages": [tree, {}], "truncated": False})
    assert not jsonschema.Draft202012Validator(output).is_valid({"messages": [{"branches": 1}], "truncated": False})
