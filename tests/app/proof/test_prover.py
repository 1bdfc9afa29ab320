import pytest

from gateway.app.proof.findings import Law, Untried
from gateway.app.proof.prover import prove_api
from gateway.contract.distilled import Problem
from gateway.descriptors.schema import SchemaBuilder
from gateway.transcoding.codec import Codec, Printed
from gateway.transcoding.errors import ArgumentProblems
from tests.laws.compiled import compile_body
from tests.laws.kitchen_sinks import WELL_KNOWN, WELL_KNOWN_FILES, make_kitchen_sinks
from tests.laws.ruled_messages import BODIES, make_ruled_api

RPC = "t.S/Do"
API = compile_body(
    "message M { int64 a = 1; repeated M kids = 2; string name = 3; } service S { rpc Do(M) returns (M); }"
)


class BrokenSchemas(SchemaBuilder):
    """The real schemas, each changed by one function a direction."""

    def __init__(self, api, *, spoil_input=None, spoil_output=None):
        super().__init__(api)
        self._spoil = {"input": spoil_input, "output": spoil_output}

    def _change(self, schema, direction):
        spoil = self._spoil[direction]
        if spoil is not None:
            spoil(schema)
        return schema

    def input_schema(self, rpc):
        return self._change(super().input_schema(rpc), "input")

    def output_schema(self, rpc):
        return self._change(super().output_schema(rpc), "output")


class BrokenCodec(Codec):
    """The real converters with one fault each way."""

    def __init__(self, api, *, spoil_printed=None, spoil_parsed=None):
        super().__init__(api)
        self._spoil_printed = spoil_printed or (lambda value: value)
        self._spoil_parsed = spoil_parsed or (lambda value, message: message)

    def noting_printer_for(self, descriptor):
        real = super().noting_printer_for(descriptor)
        return lambda message: Printed(value=self._spoil_printed(real(message).value), notes=real(message).notes)

    def parser_for(self, descriptor):
        real = super().parser_for(descriptor)
        return lambda value: self._spoil_parsed(value, real(value))


def prove(**changes):
    return prove_api(API, **changes)


def find_laws(proof):
    return {finding.law for finding in proof.findings}


def test_every_construct_is_proved_without_a_finding():
    api = make_kitchen_sinks()
    proof = prove_api(api, examples=40)
    assert proof.findings == ()
    assert proof.untried == ()
    assert (proof.rpcs, proof.messages) == (len(api.rpcs), len(api.rpcs) * 80)


def test_requests_and_replies_with_a_form_of_their_own_are_proved_too():
    rpcs = " ".join(f"rpc Do{name}(google.protobuf.{name}) returns (google.protobuf.{name});" for name in WELL_KNOWN)
    imports = tuple(f"google/protobuf/{name}.proto" for name in WELL_KNOWN_FILES)
    proof = prove_api(compile_body(f"service S {{ {rpcs} }}", imports=imports), examples=40)
    assert (proof.findings, proof.untried, proof.rpcs) == ((), (), len(WELL_KNOWN))


def test_streams_are_proved_in_the_form_that_they_have_in_arguments_and_results():
    kinds = ("M", "google.protobuf.Any", "google.protobuf.Struct", "google.protobuf.Timestamp")
    rpcs = " ".join(f"rpc Do{number}(stream {kind}) returns (stream {kind});" for number, kind in enumerate(kinds))
    imports = tuple(f"google/protobuf/{name}.proto" for name in ("any", "struct", "timestamp"))
    proof = prove_api(compile_body(f"message M {{ M m = 1; }} service S {{ {rpcs} }}", imports=imports))
    assert (proof.findings, proof.untried) == ((), ())


def test_a_proof_is_the_same_again_and_another_seed_makes_another():
    spoilt = [
        prove(codec=BrokenCodec(API, spoil_printed=lambda value: {**value, "name": 1}), seed=seed) for seed in (1, 1, 2)
    ]
    assert spoilt[0] == spoilt[1] != spoilt[2]
    assert spoilt[0].schema_bytes == spoilt[2].schema_bytes > 500


def test_only_the_rpcs_that_are_asked_for_are_proved():
    assert (prove(rpcs=()).rpcs, prove(rpcs=()).messages) == (0, 0)


def spoil_pattern(schema):
    schema["properties"]["a"]["pattern"] = "^[0-9]$"


def spoil_name(schema):
    schema["properties"]["a-b"] = schema["properties"].pop("a")


@pytest.mark.parametrize(
    ("changes", "law"),
    [
        ({"spoil_output": spoil_pattern}, Law.REPLY_FITS),
        ({"spoil_output": lambda schema: schema.update(additionalProperties=False, properties={})}, Law.REPLY_FITS),
        ({"spoil_output": lambda schema: schema.pop("$defs")}, Law.SCHEMA_REFERENCES),
        ({"spoil_output": lambda schema: schema.pop("type")}, Law.SCHEMA_ROOT),
        ({"spoil_input": spoil_pattern}, Law.ARGUMENTS_FIT),
        ({"spoil_input": spoil_name}, Law.SCHEMA_KEYS),
        ({"spoil_input": spoil_name}, Law.ARGUMENTS_FIT),
        ({"spoil_input": lambda schema: schema.update(oneOf=[])}, Law.SCHEMA_ROOT),
        ({"spoil_input": lambda schema: schema["properties"]["a"].update(format="int64")}, Law.SCHEMA_KEYWORDS),
        ({"spoil_input": lambda schema: schema["properties"]["a"].update(type="int64")}, Law.SCHEMA_COMPILES),
    ],
)
def test_a_fault_of_a_schema_is_found(changes, law):
    proof = prove(schemas=BrokenSchemas(API, **changes))
    assert law in find_laws(proof)
    assert {finding.rpc for finding in proof.findings} == {RPC}


def lose_sign(value, message):
    message.a = abs(message.a) if message.a > -(2**63) else 0
    return message


def refuse_names(value, message):
    if "name" in value:
        raise ArgumentProblems((Problem(at="/name", text="is not liked"),))
    return message


def fail(*_):
    raise KeyError("a")


@pytest.mark.parametrize(
    ("changes", "laws"),
    [
        ({"spoil_parsed": lose_sign}, {Law.REPLY_READS_BACK, Law.ARGUMENTS_ARE_READ}),
        ({"spoil_parsed": refuse_names}, {Law.REPLY_READS_BACK, Law.ARGUMENTS_ARE_READ}),
        ({"spoil_printed": lambda value: {**value, "a": 5}}, {Law.REPLY_FITS, Law.ARGUMENTS_FIT}),
        ({"spoil_printed": fail}, {Law.NO_FAULT}),
    ],
)
def test_a_fault_of_a_converter_is_found(changes, laws):
    proof = prove(codec=BrokenCodec(API, **changes))
    assert find_laws(proof) >= laws
    assert len(proof.findings) == len(find_laws(proof))


def test_a_finding_says_what_and_shows_an_example():
    proof = prove(codec=BrokenCodec(API, spoil_printed=lambda value: {"a": 5}))
    found = next(finding for finding in proof.findings if finding.law is Law.REPLY_FITS)
    assert (found.rpc, found.detail, found.example) == (RPC, "output: /a must be a string, got 5", '{"a":5}')


def test_names_are_proved_as_they_are_served():
    assert find_laws(prove(tool_names={RPC: "t.S.Do"})) == {Law.TOOL_NAME}


def test_what_cannot_be_proved_is_listed_with_its_reason():
    api = compile_body(
        "message Loop { required Loop loop = 1; } message Ok { optional Loop loop = 1; }"
        " service S { rpc Do(Loop) returns (Ok); }",
        head='syntax = "proto2";',
    )
    proof = prove_api(api)
    assert proof.findings == ()
    assert proof.untried == (Untried(name="t.S/Do (request)", reason="no t.Loop can ever be complete"),)


@pytest.mark.parametrize("body", BODIES)
def test_types_with_validation_rules_have_no_findings(body):
    assert prove_api(make_ruled_api(body)).findings == ()
