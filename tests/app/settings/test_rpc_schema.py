"""What the operator may say about RPCs is read, or refused by its place."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from gateway.app.operator_error import OperatorError
from gateway.app.settings.loader import read_settings
from gateway.app.settings.rpc_schema import RPC_ENTRY
from gateway.descriptors.facts.entries import RpcEntry
from gateway.descriptors.rpc_facts import RpcFacts


def read(*entries: Any, **environ: str) -> tuple[RpcEntry, ...]:
    return read_settings({"rpcs": list(entries)}, folder=Path(), environ=environ, source="propylon.yaml").rpcs


def refuse(*entries: Any, **environ: str) -> dict[str, str]:
    with pytest.raises(OperatorError) as refusal:
        read(*entries, **environ)
    lines = refusal.value.findings or (refusal.value.line.removeprefix("propylon.yaml: "),)
    return dict(line.split(": ", 1) for line in lines)


def test_the_entries_have_the_words_of_the_facts() -> None:
    assert set(RPC_ENTRY["properties"]) - {"match"} == {field.name for field in dataclasses.fields(RpcFacts)} - {
        "faults"
    }


def test_entries_keep_what_is_said_and_nothing_else() -> None:
    assert read({"match": "shop.v1.*", "title": "Shop", "hints": {"read_only": True}}, {"match": "*/Delete*"}) == (
        RpcEntry(match="shop.v1.*", facts={"title": "Shop", "hints": {"read_only": True}}),
        RpcEntry(match="*/Delete*", facts={}),
    )


def test_a_constant_is_any_value_also_from_the_environment() -> None:
    constants: dict[str, Any] = {"a": {"constant": {"key": ["${TOKEN}", None, 5]}}, "b": {"constant": None}, "c": {}}
    (entry,) = read({"match": "*", "arguments": constants}, TOKEN="s3cret")
    assert entry.facts == {
        "arguments": {"a": {"constant": {"key": ["s3cret", None, 5]}}, "b": {"constant": None}, "c": {}}
    }


@pytest.mark.parametrize(
    ("entry", "faults"),
    [
        ({}, {"/rpcs/0/match": "is required"}),
        ({"match": "*", "titel": "x"}, {"/rpcs/0/titel": 'unknown key; did you mean "title"?'}),
        (
            {"match": "*", "hints": {"readonly": True}},
            {"/rpcs/0/hints/readonly": 'unknown key; did you mean "read_only"?'},
        ),
        (
            {"match": "*", "required_capabilities": ["samplng"]},
            {
                "/rpcs/0/required_capabilities/0": (
                    'must be one of "sampling", "elicitation", "roots", "tasks", got "samplng"; '
                    'did you mean "sampling"?'
                )
            },
        ),
        (
            {"match": "*", "arguments": {"a": {"constant": 1, "header": "X-A"}}},
            {"/rpcs/0/arguments/a": "takes one of constant, header alone: a value has one source"},
        ),
        (
            {"match": "*", "resource": {"name": "a"}},
            {
                "/rpcs/0/resource": (
                    "must have either uri, for one resource, or uri_template, for a template of resources"
                )
            },
        ),
        (
            {"match": "*", "completion": {"prompt": "p", "resource_template": "t"}},
            {
                "/rpcs/0/completion": (
                    "must have either prompt or resource_template: what the completed argument belongs to"
                )
            },
        ),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_place(entry: Any, faults: dict[str, str]) -> None:
    assert refuse(entry) == faults


def test_a_constant_is_never_shown_in_a_fault() -> None:
    found = refuse({"match": "*", "arguments": {"a": {"constant": "s3cret", "header": "X Y"}}})
    assert "s3cret" not in str(found)
    assert "/rpcs/0/arguments/a/header" in found


def test_a_variable_that_is_not_set_is_a_fault_before_anything_starts() -> None:
    entry = {"match": "*", "arguments": {"a": {"environment": "THERE"}, "b.c": {"environment": "NOT_THERE"}}}
    assert refuse(entry, THERE="x") == {
        "/rpcs/0/arguments/b.c/environment": 'the environment has no "NOT_THERE"; set it'
    }
