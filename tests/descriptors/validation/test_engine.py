"""Rules that are run: what a message breaks, what its absence breaks, and rules that cannot be used."""

import pytest
from google.protobuf.message_factory import GetMessageClass

from gateway.descriptors.api import describe_api
from gateway.descriptors.validation.engine import UnusableRules, Violation
from tests.laws.compiled import compile_files
from tests.laws.ruled_messages import make_ruled_api


def find_type(api, name="M"):
    return api.pool.FindMessageTypeByName(f"t.{name}")


def find_violations(body, /, *, first_only=False, **fields):
    """The violations of a message M of that body."""
    api = make_ruled_api(body)
    message = GetMessageClass(find_type(api))(**fields)
    return api.rule_engine.find_violations(message, first_only=first_only)


def list_missed(body):
    """The names of the fields whose absence breaks their own rules, and why the rules cannot be used."""
    api = make_ruled_api(body)
    message = find_type(api)
    missed = api.rule_engine.get_missed(message)
    return {field.name for field in message.fields if field.number in missed}, api.rule_engine.find_fault(message)


def test_a_violation_leads_to_its_field():
    body = "map<int32, In> a_b = 7; repeated In c = 8; map<string, string> d = 9 [R.map.keys.string.min_len = 2]"
    found = find_violations(body, a_b={-3: {"text": "x"}}, c=[{"text": "ab"}, {}], d={"x": ""})
    text = {"fieldName": "text", "fieldNumber": 1}
    assert found == (
        Violation(
            elements=({"fieldName": "a_b", "fieldNumber": 7, "intKey": -3}, text),
            oneof="",
            rule_id="string.min_len",
            message="must be at least 2 characters",
            is_for_key=False,
        ),
        Violation(
            elements=({"fieldName": "c", "fieldNumber": 8, "index": 1}, text),
            oneof="",
            rule_id="string.min_len",
            message="must be at least 2 characters",
            is_for_key=False,
        ),
        Violation(
            elements=({"fieldName": "d", "fieldNumber": 9, "stringKey": "x"},),
            oneof="",
            rule_id="string.min_len",
            message="must be at least 2 characters",
            is_for_key=True,
        ),
    )


def test_a_violation_of_a_oneof_names_it_and_one_of_the_message_leads_to_the_message():
    body = (
        "oneof k { option (buf.validate.oneof).required = true; string v = 1; string w = 2; } "
        "option (buf.validate.message).cel = {id: 'x', message: 'never', expression: 'false'}"
    )
    found = find_violations(body)
    assert {(violation.elements, violation.oneof, violation.message) for violation in found} == {
        ((), "k", "exactly one field is required in oneof"),
        ((), "", "never"),
    }


def test_the_first_violation_alone_can_be_asked_for():
    body = "repeated string v = 1 [R.repeated.items.string.min_len = 2]"
    assert len(find_violations(body, v=["", "", "ab"])) == 2
    assert len(find_violations(body, v=["", "", "ab"], first_only=True)) == 1
    assert find_violations(body, v=["ab"], first_only=True) == ()


def test_fields_whose_absence_breaks_their_own_rules_are_found_by_running_them():
    body = (
        "string a = 1 [R.string.email = true]; string b = 2 [R.string.max_len = 3]; "
        "optional string c = 3 [R.required = true]; In d = 4; In e = 5 [R.required = true]; "
        "oneof k { option (buf.validate.oneof).required = true; string f = 6; } "
        "int32 g = 7 [R.cel = {id: 'x', expression: 'this > 3'}]; string h = 8; "
        "option (buf.validate.message).cel = {id: 'y', expression: 'size(this.h) > 2'}"
    )
    assert list_missed(body) == ({"a", "c", "e", "g"}, None)


@pytest.mark.parametrize(
    "failing",
    [
        "option (buf.validate.message).cel = {id: 'x', expression: 'size(this.f[0]) > 1'}",
        "int32 z = 9 [R.cel = {id: 'x', expression: '10 / this > 1'}]",
        "int32 z = 9 [R.int32.(t.multiple) = 0]",
    ],
)
def test_where_an_expression_fails_over_an_empty_message_the_standard_rules_stand_alone(failing):
    body = (
        "string a = 1 [R.string.email = true]; Color d = 4 [R.enum.const = 1]; "
        "repeated In b = 2 [R.repeated = {min_items: 1, items: {required: true}}]; "
        "map<string, Color> c = 3 [R.map = {min_pairs: 1, values: {enum: {not_in: [0]}}}]; "
        "optional string e = 5 [R.required = true]; repeated string f = 6; "
        "google.protobuf.Timestamp g = 7 [R.required = true]; "
    )
    assert list_missed(body + failing) == ({"a", "b", "c", "d", "e", "g"}, None)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("int32 v = 1 [R.string.min_len = 1]", "expected rule"),
        ("string v = 1 [R.cel = {id: 'x', expression: 'this +'}]", "x"),
        ("string v = 1 [R.string.pattern = '(']", "pattern"),
    ],
)
def test_rules_that_do_not_compile_are_a_fault_of_their_type(body, reason):
    api = make_ruled_api(body + "; string w = 2 [R.required = true]")
    fault = api.rule_engine.find_fault(find_type(api))
    assert fault is not None
    assert reason in fault
    assert "\n" not in fault
    with pytest.raises(UnusableRules) as failure:
        api.rule_engine.find_violations(GetMessageClass(find_type(api))(v=1 if "int32" in body else "x"))
    assert failure.value.is_broken
    # What is required for sure is still known.
    assert 2 in api.rule_engine.get_missed(find_type(api))


def test_rules_that_fail_over_some_values_are_no_fault_of_their_type():
    api = make_ruled_api("int32 v = 1 [R.cel = {id: 'x', expression: '10 / this > 1'}]")
    make = GetMessageClass(find_type(api))
    assert api.rule_engine.find_fault(find_type(api)) is None
    assert api.rule_engine.find_violations(make(v=2)) == ()
    with pytest.raises(UnusableRules) as failure:
        api.rule_engine.find_violations(make(v=0))
    assert not failure.value.is_broken
    assert "zero" in failure.value.reason


def test_predefined_rules_are_run_even_where_the_backend_leaves_out_the_language_of_rules():
    whole = make_ruled_api("string v = 1 [R.string.(t.shouts) = true]")
    api = describe_api(file for name, file in whole.files.items() if not name.startswith("buf/"))
    message = GetMessageClass(find_type(api))(v="abc")
    assert [violation.message for violation in api.rule_engine.find_violations(message)] == ["must be in capitals"]


def test_two_backends_with_types_of_one_name_have_rules_of_their_own():
    strict = make_ruled_api("string v = 1 [R.string.min_len = 3]")
    lenient = make_ruled_api("string v = 1 [R.string.min_len = 1]")
    found = [
        len(api.rule_engine.find_violations(GetMessageClass(find_type(api))(v="a")))
        for api in (strict, lenient, strict)
    ]
    assert found == [1, 0, 1]


def test_predefined_rules_are_run_although_their_file_is_imported_for_options_alone():
    own = """edition = "2023"; package own; import "buf/validate/validate.proto";
        extend buf.validate.StringRules { bool shouts = 1001 [(buf.validate.predefined).cel = {
          id: "shouts" message: "must be in capitals" expression: "!rule || this == this.upperAscii()" }]; }"""
    text = """edition = "2024"; package t; import option "buf/validate/validate.proto"; import option "own.proto";
        message M { string v = 1 [(buf.validate.field).string.(own.shouts) = true]; }"""
    files = compile_files(own=own, t=text)
    # In the order of names, which is not that of imports.
    api = describe_api(sorted(files, key=lambda file: file.name, reverse=True))
    message = GetMessageClass(find_type(api))(v="abc")
    assert [violation.message for violation in api.rule_engine.find_violations(message)] == ["must be in capitals"]
    assert api.warnings == ()
