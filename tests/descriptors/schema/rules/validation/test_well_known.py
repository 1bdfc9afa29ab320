"""Rules about instants, spans of time, masks and Any as schemas."""

import pytest


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("lt_now: true", "before now"),
        ("gt_now: false", ""),
        ("gt: {seconds: 1000000000}, lt_now: true", "after 2001-09-09T01:46:40Z and before now"),
        ("gte: {seconds: 0}", "at or after 1970-01-01T00:00:00Z"),
        ("lte: {seconds: 60}", "at or before 1970-01-01T00:01:00Z"),
        ("lt: {seconds: 999999999999}", "before 999999999999 s and 0 ns"),
        ("gt: {seconds: 60}, lt: {seconds: 0}", "after 1970-01-01T00:01:00Z or before 1970-01-01T00:00:00Z"),
        ("const: {seconds: 0}", "exactly 1970-01-01T00:00:00Z"),
        ("within: {seconds: 3600}", "within 3600s of now"),
    ],
)
def test_rules_of_instants_are_told_in_words(field_of, rules, said):
    assert field_of("google.protobuf.Timestamp", f".timestamp = {{{rules}}}") == {
        "type": "string",
        "format": "date-time",
        "description": "; ".join(["e.g. 2026-01-31T09:00:00Z", *([said] if said else [])]),
    }


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("gte: {seconds: 1}, lt: {seconds: 1, nanos: 500000000}", "at least 1s and shorter than 1.500s"),
        ("gt: {seconds: 5}, lte: {seconds: 1}", "longer than 5s or at most 1s"),
        ("in: [{seconds: 1}, {seconds: 2}]", "one of 1s, 2s"),
        ("not_in: [{seconds: 1}], const: {seconds: 2}", "exactly 2s; not 1s"),
    ],
)
def test_rules_of_spans_of_time_are_told_in_words(field_of, rules, said):
    field = field_of("google.protobuf.Duration", f".duration = {{{rules}}}")
    assert field["description"] == f'seconds, e.g. "1.5s"; {said}'


def test_rules_of_masks_are_told_in_the_spelling_of_json(field_of):
    rules = ".field_mask = {in: ['display_name', 'a_b.c_d'], not_in: ['x_y']}"
    assert field_of("google.protobuf.FieldMask", rules)["description"] == (
        "comma-separated camelCase paths; only paths in or below displayName, aB.cD; no paths in or below xY"
    )
    assert field_of("google.protobuf.FieldMask", ".field_mask.const = {paths: ['a_b', 'c']}")["description"] == (
        "comma-separated camelCase paths; exactly aB, c"
    )


def test_the_types_that_an_any_may_hold_are_choices(field_of):
    field = field_of("google.protobuf.Any", ".any = {in: ['type.googleapis.com/t.In'], not_in: ['x/y']}")
    assert field["properties"]["@type"]["enum"] == ["type.googleapis.com/t.In"]
    assert '"@type" not x/y' in field["description"]
    assert (field["required"], field["additionalProperties"]) == (["@type"], True)
