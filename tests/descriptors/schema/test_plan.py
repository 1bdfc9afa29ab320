import time

import orjson
import pytest

from gateway.descriptors.schema import Direction, SchemaBuilder
from tests.laws.compiled import compile_body

CLOSED = {"additionalProperties": False}


def make_body(messages, request="M", response="M"):
    return f"{messages} service S {{ rpc Do({request}) returns ({response}); }}"


def test_what_is_not_recursive_stands_inline(schemas_of):
    api = compile_body(
        make_body(
            """enum Status { STATUS_UNSPECIFIED = 0; OPEN = 1; }
            message Addr { string city = 1; } message Line { string sku = 1; }
            message M { Status status = 1; Addr ship = 2; Addr bill = 3; repeated Line lines = 4; }"""
        )
    )
    addr = {"type": "object", "properties": {"city": {"type": "string"}}} | CLOSED
    line = {"type": "object", "properties": {"sku": {"type": "string"}}} | CLOSED
    assert schemas_of(api)[0] == {
        "type": "object",
        "properties": {
            "status": {"type": "string", "enum": ["OPEN"]},
            "ship": addr,
            "bill": addr,
            "lines": {"type": "array", "items": line},
        },
        "additionalProperties": False,
    }


def test_only_a_cycle_is_referred_to(schemas_of):
    api = compile_body(
        make_body(
            """message Addr { string city = 1; } message Node { Addr addr = 1; repeated Node kids = 2; }
            message M { Addr ship = 1; Node tree = 2; map<string, Node> trees = 3; }"""
        )
    )
    addr = {"type": "object", "properties": {"city": {"type": "string"}}}
    reference = {"$ref": "#/$defs/Node"}
    given, printed = schemas_of(api)
    for found, closed in ((given, CLOSED), (printed, {})):
        node = {"addr": addr | closed, "kids": {"type": "array", "items": reference}}
        assert found == {
            "type": "object",
            "properties": {
                "ship": addr | closed,
                "tree": reference,
                "trees": {"type": "object", "additionalProperties": reference},
            },
            **closed,
            "$defs": {"Node": {"type": "object", "properties": node} | closed},
        }


def test_a_recursive_request_is_a_plain_object_with_its_own_definition(schemas_of):
    api = compile_body(make_body("message M { string v = 1; repeated M kids = 2; }"))
    tree = {"v": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/M"}}}
    whole = {"type": "object", "properties": tree}
    given, printed = schemas_of(api)
    assert given == whole | CLOSED | {"$defs": {"M": whole | CLOSED}}
    assert printed == whole | {"$defs": {"M": whole}}


def test_what_is_said_of_a_bare_reference_moves_to_the_object_around_it(schemas_of):
    api = compile_body(
        make_body(
            """// An expression.
            message Expr {
              oneof kind {
                string name = 1;
                // Negated.
                Expr not = 2;
              }
            }
            message M {
              // What to look for.
              Expr where = 1;
              // Further ones.
              repeated Expr more = 2;
              string plain = 3;
            }"""
        )
    )
    reference = {"$ref": "#/$defs/Expr"}
    assert schemas_of(api)[0] == {
        "type": "object",
        "description": "where: What to look for.",
        "properties": {
            "where": reference,
            "more": {"type": "array", "items": reference, "description": "Further ones."},
            "plain": {"type": "string"},
        },
        "additionalProperties": False,
        "$defs": {
            "Expr": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "at most one of name, not"},
                    "not": reference,
                },
                "additionalProperties": False,
                "description": "An expression. (not: Negated. (at most one of name, not))",
            }
        },
    }


def test_messages_of_one_name_have_different_definitions(schemas_of):
    api = compile_body(
        make_body(
            """message A { message Node { Node next = 1; } Node node = 1; }
            message B { message Node { Node prev = 1; } Node node = 1; }
            message M { A a = 1; B b = 2; }"""
        )
    )
    definitions = schemas_of(api)[0]["$defs"]
    assert {name: list(schema["properties"]) for name, schema in definitions.items()} == {
        "Node": ["next"],
        "t_B_Node": ["prev"],
    }


def test_a_recursive_field_is_not_required_even_if_its_behavior_says_so(schemas_of):
    api = compile_body(
        make_body(
            """message M {
              M self = 1 [(google.api.field_behavior) = REQUIRED];
              Other other = 2 [(google.api.field_behavior) = REQUIRED];
            }
            message Other {
              repeated M back = 1 [(google.api.field_behavior) = REQUIRED];
              string s = 2 [(google.api.field_behavior) = REQUIRED];
            }"""
        ),
        imports=("google/api/field_behavior.proto",),
    )
    schema = schemas_of(api)[0]
    assert "required" not in schema
    assert "required" not in schema["$defs"]["M"]
    assert schema["$defs"]["M"]["properties"]["other"]["required"] == ["s"]


def test_what_protobuf_requires_is_required_in_a_circle_too_and_what_can_never_be_complete_is_left_out(schemas_of):
    api = compile_body(
        make_body(
            """message M {
              optional Loop loop = 1; optional Way way = 2; repeated Needs needs = 3; optional string s = 4;
            }
            message Loop { required Loop next = 1; optional Aside aside = 2; }
            message Needs { required Loop loop = 1; } message Aside { optional Aside aside = 1; }
            message Way { required Back back = 1; } message Back { optional Way way = 1; }"""
        ),
        head='syntax = "proto2";',
    )
    for schema in schemas_of(api):
        assert list(schema["properties"]) == ["way", "s"]
        assert list(schema["$defs"]) == ["Way"]
        assert schema["$defs"]["Way"]["required"] == ["back"]


DIAMOND = " ".join(f"message M{n} {{ M{n + 1} a = 1; M{n + 1} b = 2; }}" for n in range(39)) + "message M39 {}"
CHAIN = " ".join(f"message C{n} {{ C{n + 1} n = 1; }}" for n in range(2000)) + "message C2000 {}"
# Every message leads to twenty others, round and round.
WIDE = " ".join(
    f"message W{n} {{ " + " ".join(f"W{(7 * n + k * k + 1) % 200} f{k} = {k + 1};" for k in range(20)) + " }"
    for n in range(200)
)
HARD = f"{DIAMOND} {CHAIN} {WIDE} message Simple {{ string s = 1; }}"


@pytest.fixture(scope="module")
def hard_api():
    pairs = {"Diamond": "M0", "Chain": "C0", "Wide": "W0", "Plain": "Simple"}
    rpcs = " ".join(f"rpc {name}({kind}) returns ({kind});" for name, kind in pairs.items())
    return compile_body(f"{HARD} service S {{ {rpcs} }}")


@pytest.mark.parametrize(
    ("rpc", "limit_bytes"), [("Diamond", 8 * 1024), ("Chain", 8 * 1024), ("Wide", 160 * 1024), ("Plain", 100)]
)
def test_hard_shapes_have_schemas_of_linear_size(schemas_of, hard_api, rpc, limit_bytes):
    for schema in schemas_of(hard_api, rpc):
        assert len(orjson.dumps(schema)) < limit_bytes


def test_hard_shapes_are_quick(hard_api):
    started = time.process_time()
    builder = SchemaBuilder(hard_api)
    for rpc in hard_api.rpcs:
        builder.input_schema(rpc)
        builder.output_schema(rpc)
    assert time.process_time() - started < 2


def test_nothing_is_described_that_lies_deeper_than_a_message_can(schemas_of, hard_api):
    schema = schemas_of(hard_api, "Chain")[0]
    depth, found = 0, schema
    while "n" in found["properties"]:
        found = found["properties"]["n"]
        if "$ref" in found:
            found = schema["$defs"][found["$ref"].removeprefix("#/$defs/")]
        depth += 1
    assert depth == 100


def test_a_large_enum_that_is_used_often_is_written_once(schemas_of):
    values = " ".join(f"SOME_QUITE_LONG_VALUE_{n} = {n};" for n in range(200))
    fields = " ".join(f"Big f{n} = {n};" for n in range(1, 41))
    api = compile_body(make_body(f"enum Big {{ {values} }} message M {{ {fields} Big other = 50; }}"))
    given, printed = schemas_of(api)
    assert given["properties"]["f1"] == {"$ref": "#/$defs/Big"}
    assert given["$defs"]["Big"]["type"] == "string"
    assert len(orjson.dumps(given)) < 10_000
    assert len(orjson.dumps(printed)) < 10_000


def test_a_schema_that_would_be_too_large_refers_to_what_it_uses_more_than_once(schemas_of):
    fields = " ".join(f"string some_field_of_it_{n} = {n};" for n in range(1, 30))
    uses = " ".join(f"Big b{n} = {n};" for n in range(1, 30))
    api = compile_body(
        make_body(
            f"message Big {{ {fields} }} message Small {{ string s = 1; }} message Once {{ {fields} }}"
            f" message M {{ {uses} Small s1 = 40; Small s2 = 41; Once once = 42; }}"
        )
    )
    schema = schemas_of(api)[0]
    assert list(schema["$defs"]) == ["Big"]
    assert schema["properties"]["b7"] == {"$ref": "#/$defs/Big"}
    assert schema["properties"]["s2"]["type"] == "object"
    assert len(schema["properties"]["once"]["properties"]) == 29


def test_a_message_alone_has_the_same_schema_as_in_an_rpc(hard_api):
    builder = SchemaBuilder(hard_api)
    for rpc in hard_api.rpcs:
        assert builder.message_schema(rpc.request, Direction.INPUT) == builder.input_schema(rpc)
        assert builder.message_schema(rpc.response, Direction.OUTPUT) == builder.output_schema(rpc)
