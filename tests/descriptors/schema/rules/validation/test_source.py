"""What rules make of fields: required, exempt, in groups, dropped, unchecked; and results."""

import pytest

from gateway.descriptors.schema.builder import SchemaBuilder
from tests.laws.compiled import compile_api


@pytest.mark.parametrize(
    "rules",
    [
        "string v = 1 [R.string.min_len = 1]",
        "string v = 1 [R.string.email = true]",
        "string v = 1 [R.string.pattern = '^a']",
        "string v = 1 [R.string = {in: ['a']}]",
        "string v = 1 [R.cel = {id: 'x', expression: 'size(this) > 2'}]",
        "string v = 1 [R.string.(t.shouts) = true, (buf.validate.field).string.min_len = 1]",
        "int32 v = 1 [R.int32.gt = 0]",
        "double v = 1 [R.double.gte = 0.5]",
        "Color v = 1 [R.enum = {not_in: [0]}]",
        "bytes v = 1 [R.bytes.len = 2]",
        "repeated string v = 1 [R.repeated.min_items = 1]",
        "map<string, string> v = 1 [R.map.min_pairs = 1]",
        "In v = 1 [R.required = true]",
        "optional string v = 1 [R.required = true]",
        "google.protobuf.Timestamp v = 1 [R.required = true]",
        "oneof k { option (buf.validate.oneof).required = true; string v = 1; }",
    ],
)
def test_a_field_whose_absence_breaks_its_rules_is_required(input_of, rules):
    assert input_of(rules)["required"] == ["v"]


@pytest.mark.parametrize(
    "rules",
    [
        "string v = 1 [R.string.max_len = 1]",
        "string v = 1 [R.string = {in: ['', 'a']}]",
        "string v = 1 [R = {ignore: IGNORE_IF_ZERO_VALUE, string: {min_len: 1}}]",
        "string v = 1 [R = {ignore: IGNORE_ALWAYS, string: {min_len: 1}}]",
        "optional string v = 1 [R.string.min_len = 1]",
        "google.protobuf.StringValue v = 1 [R.string.min_len = 1]",
        "int32 v = 1 [R.int32.gte = 0]",
        "repeated string v = 1 [R.repeated.items.string.min_len = 1]",
        "In v = 1",
        "string v = 1; option (buf.validate.message).cel = {id: 'x', expression: 'size(this.v) > 2'}",
    ],
)
def test_a_field_that_may_be_absent_is_not_required(input_of, rules):
    assert "required" not in input_of(rules)


def test_absence_is_judged_by_the_other_rules_where_an_expression_fails_over_an_empty_message(input_of):
    schema = input_of(
        "string v = 1 [R.string.min_len = 1]; repeated string w = 2; "
        "option (buf.validate.message).cel = {id: 'x', message: 'told', expression: 'size(this.w[0]) > 0'}"
    )
    assert (schema["required"], schema["description"]) == (["v"], "told")


def test_an_exempt_zero_keeps_keywords_that_it_would_break_out_of_the_schema(field_of):
    rules = " = {ignore: IGNORE_IF_ZERO_VALUE, string: {min_len: 3, max_len: 9, email: true}}"
    assert field_of("string", rules) == {
        "type": "string",
        "maxLength": 9,
        "description": "unless empty: at least 3 characters, an email address",
    }
    assert field_of("int32", " = {ignore: IGNORE_IF_ZERO_VALUE, int32: {gt: 3}}")["description"] == (
        "unless 0: greater than 3"
    )
    # A field with presence is exempt as long as it is not set, and no longer.
    assert field_of("optional string", " = {ignore: IGNORE_IF_ZERO_VALUE, string: {min_len: 3}}") == {
        "type": "string",
        "minLength": 3,
    }


def test_nothing_in_a_field_without_checks_is_held_to_rules(input_of):
    schema = input_of(
        "In a = 1 [R.ignore = IGNORE_ALWAYS]; In b = 2; repeated In c = 3 [R.repeated.items.ignore = IGNORE_ALWAYS]"
    )
    unchecked = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False}
    assert schema["properties"]["a"] == schema["properties"]["c"]["items"] == unchecked
    assert schema["properties"]["b"] == unchecked | {
        "properties": {"text": {"type": "string", "minLength": 2}},
        "required": ["text"],
    }


def test_members_of_a_required_oneof_say_that_exactly_one_is_wanted(input_of):
    schema = input_of("oneof k { option (buf.validate.oneof).required = true; string v = 1; string w = 2; }")
    assert "required" not in schema
    assert {field["description"] for field in schema["properties"].values()} == {"exactly one of v, w"}


def test_a_required_member_of_a_oneof_says_so(input_of):
    schema = input_of("oneof k { string v = 1; string w = 2 [R.required = true]; }")
    assert [field["description"] for field in schema["properties"].values()] == [
        "at most one of v, w",
        "required; at most one of v, w",
    ]


def test_fields_that_exclude_each_other_say_so_and_are_exempt_while_empty(input_of):
    schema = input_of(
        "string one_a = 1 [R.string.min_len = 2]; optional string b = 2 [R.string.min_len = 2]; string c = 3; "
        "option (buf.validate.message).oneof = {fields: ['one_a', 'b']}; "
        "option (buf.validate.message).oneof = {fields: ['b', 'c'], required: true}"
    )
    assert "required" not in schema
    assert schema["properties"] == {
        "oneA": {"type": "string", "description": "at most one of oneA, b; unless empty: at least 2 characters"},
        "b": {"type": "string", "minLength": 2, "description": "at most one of oneA, b; exactly one of b, c"},
        "c": {"type": "string", "description": "exactly one of b, c"},
    }


def test_a_field_that_leads_back_to_its_own_message_says_that_it_is_required(input_of):
    schema = input_of("Back v = 1 [R.required = true]; string w = 2")
    assert "required" not in schema
    assert schema["description"] == "v: required"


def test_a_field_that_rules_require_is_offered_even_if_it_is_deprecated(input_of):
    schema = input_of(
        "string v = 1 [deprecated = true, (buf.validate.field).string.min_len = 1]; string w = 2 [deprecated = true]"
    )
    assert (list(schema["properties"]), schema["required"]) == (["v"], ["v"])


def test_results_are_held_to_no_rule_but_that_a_number_is_finite(output_of):
    assert output_of(
        "string a = 1 [R.string.min_len = 3]; double b = 2 [R.double.finite = true]; float c = 3 [R.float.gt = 0]; "
        "repeated double d = 4 [R.repeated.items.double.finite = true]; "
        "map<string, float> e = 5 [R.map.values.float.finite = true]; "
        "double f = 6 [R = {ignore: IGNORE_ALWAYS, double: {finite: true}}]"
    ) == {
        "a": {"type": "string"},
        "b": {"type": "number"},
        "c": {"anyOf": [{"type": "number"}, {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]}]},
        "d": {"type": "array", "items": {"type": "number"}},
        "e": {"type": "object", "additionalProperties": {"type": "number"}},
        "f": {"anyOf": [{"type": "number"}, {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]}]},
    }


def test_the_language_of_rules_is_no_type_that_an_any_may_hold(input_of):
    # The backend's pool has it, because its files import it.
    assert (
        "known types"
        not in input_of("google.protobuf.Any v = 1; In w = 2; Back x = 3")["properties"]["v"]["description"]
    )


def test_what_the_gateway_fills_in_is_no_argument_whatever_its_rules():
    api = compile_api(
        t="""syntax = "proto3"; package t; import "buf/validate/validate.proto"; import "gateway/v1/input.proto";
        message M { gateway.v1.CallContext context = 1 [(buf.validate.field).required = true]; string v = 2; }
        service S { rpc Do(M) returns (M); }"""
    )
    schema = SchemaBuilder(api).input_schema(api.rpcs[0])
    assert (list(schema["properties"]), "required" in schema) == (["v"], False)
