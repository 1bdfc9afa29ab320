from collections.abc import Mapping
from typing import Any

import pytest

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.mcp.exchange import MirroredHeaders
from gateway.mcp.mirroring.parameters import check_parameters, find_header_parameters
from gateway.mcp.mirroring.values import MALFORMED

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry-Run"},
        "where": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}},
        "token": {"type": "string", "x-mcp-header": "Access-Token"},
    },
}
PARAMETERS = find_header_parameters(SCHEMA)


def check(arguments: dict[str, Any], doubled: tuple[str, ...] = (), **headers: str) -> Refusal | None:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return check_parameters(PARAMETERS, arguments, MirroredHeaders(parameters=sent, doubled=doubled))


def test_annotations_are_found_along_properties_alone() -> None:
    assert [(parameter.header, parameter.path) for parameter in PARAMETERS] == [
        ("Mcp-Param-Region", ("region",)),
        ("Mcp-Param-Count", ("count",)),
        ("Mcp-Param-Dry-Run", ("dry",)),
        ("Mcp-Param-Zone", ("where", "zone")),
        ("Mcp-Param-Access-Token", ("token",)),
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"type": "number", "x-mcp-header": "A"}}},
        {"properties": {"a": {"type": ["string", "null"], "x-mcp-header": "A"}}},
        {"properties": {"a": {"x-mcp-header": "A"}}},
        {"properties": {"a": {"type": "string", "x-mcp-header": ""}}},
        {"properties": {"a": {"type": "string", "x-mcp-header": "two words"}}},
        {"properties": {"a": {"type": "string", "x-mcp-header": "A\r\nB"}}},
        {"properties": {"a": {"type": "string", "x-mcp-header": 5}}},
        {"properties": {"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}},
        {"properties": {"a": {"anyOf": [{"type": "string", "x-mcp-header": "A"}]}}},
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string", "x-mcp-header": "A"}}},
        {"type": "string", "x-mcp-header": "A"},
        {"properties": {"a": True}},
        {"properties": []},
        True,
        None,
    ],
)
def test_an_annotation_where_none_may_be_is_ignored(schema: Any) -> None:
    assert find_header_parameters(schema) == ()


def test_annotations_that_share_a_name_ignoring_case_are_all_ignored() -> None:
    schema = {
        "properties": {
            "a": {"type": "string", "x-mcp-header": "Tenant"},
            "b": {"type": "string", "x-mcp-header": "tenant"},
            "c": {"type": "string", "x-mcp-header": "Region"},
        }
    }
    assert [parameter.header for parameter in find_header_parameters(schema)] == ["Mcp-Param-Region"]


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({}, {}),
        ({"region": None}, {}),
        ({"region": "eu"}, {"region": "eu"}),
        ({"region": "日本"}, {"region": "=?base64?5pel5pys?="}),
        ({"region": ["eu"]}, {}),
        ({"count": 42}, {"count": "42"}),
        ({"count": 42}, {"count": "42.0"}),
        ({"count": 42.0}, {"count": "42"}),
        ({"count": -7}, {"count": "-7"}),
        ({"count": "9007199254740993"}, {"count": "9007199254740993"}),
        ({"count": "42"}, {"count": "42.00"}),
        ({"dry": True}, {"dry_run": "true"}),
        ({"dry": False}, {"dry_run": "false"}),
        ({"where": {"zone": "b"}}, {"zone": "b"}),
        ({"where": "no object"}, {}),
        ({}, {"unknown": "forwarded and ignored"}),
    ],
)
def test_headers_that_mirror_their_arguments_pass(arguments: dict[str, Any], headers: dict[str, str]) -> None:
    assert check(arguments, **headers) is None


@pytest.mark.parametrize(
    ("arguments", "headers", "problem"),
    [
        ({"region": "eu"}, {}, 'header Mcp-Param-Region is missing (body "eu")'),
        ({}, {"region": "eu"}, 'header Mcp-Param-Region came without its argument (header "eu")'),
        ({"region": None}, {"region": "null"}, 'header Mcp-Param-Region came without its argument (header "null")'),
        (
            {"region": "eu"},
            {"region": "us"},
            'header Mcp-Param-Region differs from the argument (body "eu", header "us")',
        ),
        ({"region": "eu"}, {"region": "EU"}, None),
        (
            {"region": "Hello"},
            {"region": "=?base64?SGVsbG8?="},
            f'header Mcp-Param-Region {MALFORMED} (body "Hello", header "=?base64?SGVsbG8?=")',
        ),
        ({"region": "Hello"}, {"region": "SGVsbG8="}, None),
        ({"count": 42}, {"count": "42.5"}, None),
        ({"count": 42}, {"count": "4e1"}, None),
        ({"count": 42}, {"count": "43"}, 'header Mcp-Param-Count differs from the argument (body 42, header "43")'),
        ({"count": "4_2"}, {"count": "42"}, None),
        ({"count": True}, {"count": "1"}, None),
        ({"dry": True}, {"dry_run": "True"}, None),
    ],
)
def test_headers_that_do_not_are_refused(
    arguments: dict[str, Any], headers: dict[str, str], problem: str | None
) -> None:
    refusal = check(arguments, **headers)
    assert refusal is not None
    assert refusal.condition is Condition.HEADER_MISMATCH
    assert problem is None or refusal.message == problem


def test_a_doubled_header_is_refused_though_both_say_the_same() -> None:
    refusal = check({"region": "eu"}, doubled=("mcp-param-region",), region="eu")
    assert refusal is not None
    assert refusal.message == "header Mcp-Param-Region came more than once"


def test_a_header_that_may_carry_a_secret_is_named_and_not_quoted() -> None:
    refusal = check({"token": "hunter2"}, access_token="hunter3")
    assert refusal == Refusal(
        condition=Condition.HEADER_MISMATCH,
        message="header Mcp-Param-Access-Token differs from the argument",
        data={"header": "Mcp-Param-Access-Token"},
    )
