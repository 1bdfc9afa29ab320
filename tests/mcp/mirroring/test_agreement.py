from typing import Any

import pytest

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.mcp.exchange import MirroredHeaders
from gateway.mcp.mirroring.agreement import check_agreement
from gateway.mcp.mirroring.values import MALFORMED

REVISION = "2026-07-28"


def check(body_method: str = "tools/call", params: dict[str, Any] | None = None, **headers: Any) -> Refusal | None:
    sent = {"version": REVISION, "method": body_method, "name": "greet", **headers}
    body = {"name": "greet"} if params is None else params
    return check_agreement(body_method, body, REVISION, MirroredHeaders(**sent))


def test_faithful_headers_pass() -> None:
    assert check() is None
    assert check(name="=?base64?Z3JlZXQ=?=") is None
    assert check("tools/list", params={}, name=None) is None


def test_a_name_header_on_a_method_without_a_name_is_ignored() -> None:
    assert check("tools/list", params={}, name="whatever") is None


@pytest.mark.parametrize(
    ("method", "source"),
    [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri"), ("tasks/get", "taskId")],
)
def test_each_method_has_its_own_source_of_the_name(method: str, source: str) -> None:
    assert check(method, params={source: "greet"}) is None
    refusal = check(method, params={source: "other"})
    assert refusal is not None
    assert refusal.data == {"header": "Mcp-Name", "expected": '"other"', "received": '"greet"'}


@pytest.mark.parametrize(
    ("headers", "data", "message"),
    [
        (
            {"version": None},
            {"header": "MCP-Protocol-Version", "expected": '"2026-07-28"'},
            'header MCP-Protocol-Version is missing (body "2026-07-28")',
        ),
        (
            {"version": "2025-11-25"},
            {"header": "MCP-Protocol-Version", "expected": '"2026-07-28"', "received": '"2025-11-25"'},
            'header MCP-Protocol-Version differs from the body (body "2026-07-28", header "2025-11-25")',
        ),
        ({"method": None}, {"header": "Mcp-Method", "expected": '"tools/call"'}, None),
        (
            {"method": "TOOLS/CALL"},
            {"header": "Mcp-Method", "expected": '"tools/call"', "received": '"TOOLS/CALL"'},
            None,
        ),
        ({"name": None}, {"header": "Mcp-Name", "expected": '"greet"'}, 'header Mcp-Name is missing (body "greet")'),
        ({"name": "Greet"}, {"header": "Mcp-Name", "expected": '"greet"', "received": '"Greet"'}, None),
        (
            {"name": "=?base64?Z3JlZXQ?="},
            {"header": "Mcp-Name", "expected": '"greet"', "received": '"=?base64?Z3JlZXQ?="'},
            f'header Mcp-Name {MALFORMED} (body "greet", header "=?base64?Z3JlZXQ?=")',
        ),
        ({"doubled": ("mcp-name",)}, {"header": "Mcp-Name"}, "header Mcp-Name came more than once"),
        ({"doubled": ("mcp-method",)}, {"header": "Mcp-Method"}, None),
        ({"doubled": ("mcp-protocol-version",)}, {"header": "MCP-Protocol-Version"}, None),
    ],
)
def test_a_header_that_does_not_go_with_the_body_is_named(
    headers: dict[str, Any], data: dict[str, str], message: str | None
) -> None:
    refusal = check(**headers)
    assert refusal is not None
    assert refusal.condition is Condition.HEADER_MISMATCH
    assert refusal.data == data
    assert message is None or refusal.message == message


def test_a_raw_name_beyond_ascii_is_refused_even_where_it_reads_the_same() -> None:
    refusal = check(params={"name": "café"}, name="café")
    assert refusal is not None
    assert refusal.message == f'header Mcp-Name {MALFORMED} (body "café", header "café")'


def test_a_name_that_is_no_string_is_left_to_the_shape() -> None:
    assert check(params={"name": 5}, name="5") is None
    assert check(params={}, name="greet") is None


def test_a_hostile_name_is_quoted_in_bounds() -> None:
    refusal = check(params={"name": "\x1b[2J" + "x" * 100_000}, name="greet")
    assert refusal is not None
    assert refusal.message is not None
    assert len(refusal.message) < 250
    assert "\x1b" not in refusal.message
