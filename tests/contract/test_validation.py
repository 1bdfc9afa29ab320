import copy
import time

import jsonschema
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Distilled
from gateway.contract.envelopes import encode_envelope, refusal_response
from gateway.contract.validation import (
    PER_REQUEST_REVISION,
    MessageValidator,
    SchemaValidator,
    load_protocol_schema,
)

SCHEMA = load_protocol_schema(PER_REQUEST_REVISION)
VALIDATOR = MessageValidator(SCHEMA)
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
    "com.example/own": {"anything": [None, 1.5]},
}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "get_order", "arguments": {"id": "a", "deep": [{"x": None}]}, "_meta": META, "extra": True},
}


def explain(message):
    refusal = VALIDATOR.refuse_message(message)
    if refusal is None:
        return None
    return refusal.condition, {location["at"]: location["problems"] for location in refusal.data["errors"]}


def test_halves_of_characters_do_not_stand_in_the_way_of_a_message():
    arguments = {"\ud800": "\udc00", "deep": [{"x\ud83d": None}]}
    assert VALIDATOR.validate_message({**CALL, "params": {**CALL["params"], "arguments": arguments}}) is None
    meta = {**META, "com.example/\ud800": "\ud800"}
    assert VALIDATOR.validate_message({**CALL, "params": {**CALL["params"], "_meta": meta}}) is None
    assert explain({**CALL, "jsonrpc": "\ud800", "params": {**CALL["params"], "arguments": {"\ud800": 1}}}) == (
        Condition.INVALID_REQUEST,
        {"/jsonrpc": ['must be "2.0", got "\ufffd"']},
    )
    deep = "\ud800"
    for _ in range(5000):
        deep = {"\ud800": deep}
    assert SchemaValidator({"additionalProperties": {"required": ["a"]}}).validate(deep) is not None


@pytest.mark.parametrize(
    "message",
    [
        CALL,
        CALL | {"id": "abc"},
        CALL | {"unknown": {"field": 1}},
        {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": META}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META, "cursor": "x"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        # a method that the revision does not know has no shape of its own
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "roots/list", "params": {"any": 1}},
        {"jsonrpc": "2.0", "method": "notifications/unknown"},
        {"jsonrpc": "2.0", "method": "tools/call"},
    ],
)
def test_a_message_of_the_right_shape_is_taken(message):
    assert VALIDATOR.validate_message(message) is None
    assert VALIDATOR.refuse_message(message) is None


INVALID, PARAMS = Condition.INVALID_REQUEST, Condition.INVALID_PARAMS


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ({}, (INVALID, {"/id": ["is required"], "/jsonrpc": ["is required"], "/method": ["is required"]})),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, (INVALID, {"/method": ["is required"]})),
        ({"jsonrpc": "2.0", "method": 5}, (INVALID, {"/method": ["must be a string, got 5"]})),
        (CALL | {"jsonrpc": "1.0"}, (INVALID, {"/jsonrpc": ['must be "2.0", got "1.0"']})),
        (CALL | {"id": {}}, (INVALID, {"/id": ["must be a string or an integer, got {}"]})),
        (CALL | {"id": None}, (INVALID, {"/id": ["must be a string or an integer, got null"]})),
        (CALL | {"id": 1.5}, (INVALID, {"/id": ["must be a string or an integer, got 1.5"]})),
        (CALL | {"params": []}, (INVALID, {"/params": ["must be an object, got []"]})),
        (
            {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": 5},
            (INVALID, {"/params": ["must be an object, got 5"]}),
        ),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}, (PARAMS, {"/params": ["is required"]})),
        (CALL | {"params": {}}, (PARAMS, {"/params/_meta": ["is required"], "/params/name": ["is required"]})),
        (
            CALL | {"params": {"_meta": {}, "name": 5, "arguments": []}},
            (
                PARAMS,
                {
                    "/params/_meta/io.modelcontextprotocol~1clientCapabilities": ["is required"],
                    "/params/_meta/io.modelcontextprotocol~1protocolVersion": ["is required"],
                    "/params/arguments": ["must be an object, got []"],
                    "/params/name": ["must be a string, got 5"],
                },
            ),
        ),
        (
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META, "cursor": 5}},
            (PARAMS, {"/params/cursor": ["must be a string, got 5"]}),
        ),
        (
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": []}},
            (PARAMS, {"/params/requestId": ["must be a string or an integer, got []"]}),
        ),
    ],
)
def test_a_message_of_the_wrong_shape_is_refused_by_cause(message, outcome):
    assert explain(message) == outcome


def test_garbage_is_answered_in_few_bytes():
    refusal = VALIDATOR.refuse_message({"jsonrpc": "1.0", "id": {}, "method": 5, "params": []})
    encoded = encode_envelope(refusal_response(refusal, None))
    assert len(encoded) <= 435
    assert orjson.loads(encoded) == {
        "jsonrpc": "2.0",
        "error": {
            "code": -32600,
            "message": "request: /id must be a string or an integer, got {} (and 3 more)",
            "data": {
                "errors": [
                    {"at": "/id", "problems": ["must be a string or an integer, got {}"]},
                    {"at": "/jsonrpc", "problems": ['must be "2.0", got "1.0"']},
                    {"at": "/method", "problems": ["must be a string, got 5"]},
                    {"at": "/params", "problems": ["must be an object, got []"]},
                ]
            },
        },
    }


def test_a_response_is_a_message_only_where_the_server_sends_requests():
    older = copy.deepcopy(SCHEMA)
    older["$defs"]["ServerRequest"] = {"anyOf": []}
    response = {"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete"}}
    assert MessageValidator(older).validate_message(response) is None
    assert VALIDATOR.validate_message(response) == Distilled(
        message="request: /method is required", errors=({"at": "/method", "problems": ["is required"]},)
    )


def test_every_earlier_revision_can_be_served_by_the_same_validator(protocol_references):
    initialize = {"protocolVersion": "x", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    for revision in ("2025-03-26", "2025-06-18", "2025-11-25"):
        validator = MessageValidator(orjson.loads((protocol_references / f"schema-{revision}.json").read_bytes()))
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize}
        assert validator.validate_message(request) is None
        assert validator.validate_message({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
        assert validator.validate_message(request | {"params": {}}).errors == (
            {"at": "/params/capabilities", "problems": ["is required"]},
            {"at": "/params/clientInfo", "problems": ["is required"]},
            {"at": "/params/protocolVersion", "problems": ["is required"]},
        )


def test_a_revision_that_is_not_carried_is_refused_in_one_line():
    for revision in ("1999-01-01", "../schema", "2026-07-28\n"):
        with pytest.raises(ValueError, match=r"^no schema for protocol revision .*; this build carries .*2026-07-28"):
            load_protocol_schema(revision)


def test_a_schema_that_is_none_is_refused_in_one_line():
    for schema in ({"type": 5}, {"$ref": "#/nope"}, {"$ref": "http://127.0.0.1:9/x"}, {"pattern": "["}):
        with pytest.raises(ValueError, match=r"\Anot a usable JSON Schema: [^\n]+\Z"):
            SchemaValidator(schema)


def test_a_schema_may_refer_to_the_metaschema_without_being_fetched():
    validator = SchemaValidator({"$ref": "https://json-schema.org/draft/2020-12/schema"}, subject="schema")
    assert validator.validate({"type": "object"}) is None
    assert validator.validate({"type": 5}) is not None


def test_accepting_an_ordinary_call_costs_microseconds():
    VALIDATOR.validate_message(CALL)
    began = time.process_time()
    for _ in range(1000):
        VALIDATOR.validate_message(CALL)
    assert (time.process_time() - began) / 1000 < 50e-6


# The native validator accepts, `jsonschema` explains: what follows says that they never disagree.

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
METHODS = ["tools/list", "tools/call", "server/discover", "resources/read", "prompts/get", "ping"]
SEEDS = [
    CALL,
    CALL
    | {
        "params": CALL["params"]
        | {"inputResponses": {"a": {"action": "accept", "content": {"x": "y"}}}, "requestState": "s"}
    },
    CALL
    | {
        "params": CALL["params"]
        | {"inputResponses": {"a": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "t"}}}}
    },
    {
        "jsonrpc": "2.0",
        "id": "a",
        "method": "completion/complete",
        "params": {"_meta": META, "ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": "v"}},
    },
    {
        "jsonrpc": "2.0",
        "id": "a",
        "method": "subscriptions/listen",
        "params": {"_meta": META, "notifications": {"toolsListChanged": True}},
    },
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "r"}},
]


def list_places(value, path=()):
    yield path
    if isinstance(value, (dict, list)):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from list_places(member, (*path, key))


@st.composite
def messages(draw):
    """A good message with up to three changes anywhere: a member replaced, removed or added."""
    message = copy.deepcopy(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from([path for path in list_places(message) if path]))
        parent = message
        for key in path[:-1]:
            parent = parent[key]
        match draw(st.sampled_from(["replace", "remove", "add"])):
            case "replace":
                parent[path[-1]] = draw(JSON | st.sampled_from(METHODS))
            case "remove":
                del parent[path[-1]]
            case "add" if isinstance(parent, dict):
                parent[draw(st.text(max_size=5))] = draw(JSON)
    return message


STOCK = {
    kind: jsonschema.Draft202012Validator(SCHEMA | {"$ref": f"#/$defs/{kind}"})
    for kind in ("JSONRPCRequest", "JSONRPCNotification")
}


@given(messages())
def test_a_message_is_refused_exactly_where_the_reference_validator_refuses_it(message):
    refusal = VALIDATOR.refuse_message(message)
    kind = "JSONRPCRequest" if "id" in message or "method" not in message else "JSONRPCNotification"
    is_jsonrpc = STOCK[kind].is_valid(message)
    definition = next(
        (
            name
            for name, shape in SCHEMA["$defs"].items()
            if shape.get("properties", {}).get("method", {}).get("const") == message.get("method")
            and {"$ref": f"#/$defs/{name}"}
            in SCHEMA["$defs"]["ClientRequest"]["anyOf"] + [{"$ref": "#/$defs/CancelledNotification"}]
            and ("id" in message) == ("id" in shape["required"])
        ),
        None,
    )
    fits = definition is None or STOCK[kind].evolve(schema=SCHEMA | {"$ref": f"#/$defs/{definition}"}).is_valid(message)
    if refusal is None:
        assert is_jsonrpc
        assert fits
    else:
        assert refusal.condition is (Condition.INVALID_PARAMS if is_jsonrpc else Condition.INVALID_REQUEST)
        assert not (is_jsonrpc and fits)
        assert refusal.data["errors"][0]["problems"] != [
            "does not fit, and is too large or too deeply nested to say where"
        ]
        encode_envelope(refusal_response(refusal, 1))


SUBSCHEMAS = st.recursive(
    st.sampled_from(
        [
            True,
            False,
            {"type": "string"},
            {"type": ["integer", "null"]},
            {"const": 1},
            {"enum": ["a", 1.0, None]},
            {"minimum": 0},
            {"multipleOf": 2},
            {"maxLength": 1},
            {"minItems": 1, "uniqueItems": True},
            {"required": ["a"]},
            {"maxProperties": 1},
            {"dependentRequired": {"a": ["b"]}},
        ]
    ),
    lambda inner: st.one_of(
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
        st.builds(lambda a, b: {"oneOf": [a, b]}, inner, inner),
        st.builds(lambda a, b: {"allOf": [a, b]}, inner, inner),
        st.builds(lambda a: {"not": a}, inner),
        st.builds(lambda a, b, c: {"if": a, "then": b, "else": c}, inner, inner, inner),
        st.builds(lambda a, b: {"properties": {"a": a}, "additionalProperties": b}, inner, inner),
        st.builds(lambda a, b: {"properties": {"a": a}, "unevaluatedProperties": b}, inner, inner),
        st.builds(lambda a, b: {"prefixItems": [a], "items": b}, inner, inner),
        st.builds(lambda a: {"contains": a, "maxContains": 2}, inner),
        st.builds(lambda a: {"propertyNames": a}, inner),
        st.builds(lambda a: {"patternProperties": {"^a": a}}, inner),
        st.builds(lambda a: {"$defs": {"x": a}, "$ref": "#/$defs/x"}, inner),
    ),
    max_leaves=6,
)
SMALL = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 1.5, -2, "", "a", "abc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "ab"]), inner, max_size=3),
    max_leaves=5,
)


@given(SUBSCHEMAS.filter(lambda schema: isinstance(schema, dict) and "$defs" not in str(schema)[1:]), SMALL)
def test_a_value_is_refused_with_a_cause_exactly_where_the_reference_validator_refuses_it(schema, value):
    refused = SchemaValidator(schema).validate(value)
    assert (refused is None) == jsonschema.Draft202012Validator(schema).is_valid(value)
    if refused is not None:
        assert not refused.message.endswith("too deeply nested to say where")
