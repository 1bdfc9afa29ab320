"""What clients declare, and what is refused for the lack of it."""

from typing import Any

import pytest

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal, refusal_response
from gateway.descriptors.facts.values import ClientCapability
from gateway.mcp.call_contexts import describe_client, make_call_context
from gateway.mcp.capabilities import CAPABILITIES_KEY, get_capabilities, has_capability, refuse_missing
from gateway.mcp.exchange import Exchange
from gateway.transcoding.call_context import CallContext, ClientAbilities

TASKS = "io.modelcontextprotocol/tasks"


@pytest.mark.parametrize(
    ("declared", "capabilities"),
    [
        ({}, set()),
        ({"sampling": {}, "roots": {"listChanged": True}}, {ClientCapability.SAMPLING, ClientCapability.ROOTS}),
        ({"elicitation": {"url": {}}}, {ClientCapability.ELICITATION}),
        ({"extensions": {TASKS: {}}}, {ClientCapability.TASKS}),
        ({"extensions": {"other": {}}, "sampling": True, "elicitation": None}, set()),
        ({"extensions": []}, set()),
    ],
)
def test_a_capability_is_declared_by_an_object(declared: Any, capabilities: set[ClientCapability]) -> None:
    assert {one for one in ClientCapability if has_capability(declared, one)} == capabilities


def test_what_is_missing_is_named_as_the_protocol_has_it() -> None:
    refusal = refuse_missing({"roots": {}}, frozenset(ClientCapability), 'the tool "a"')
    assert refusal == Refusal(
        condition=Condition.MISSING_CLIENT_CAPABILITY,
        message=(
            'the tool "a" needs the client capabilities elicitation and io.modelcontextprotocol/tasks and sampling, '
            "which this request does not declare"
        ),
        data={"requiredCapabilities": {"elicitation": {}, "extensions": {TASKS: {}}, "sampling": {}}},
    )
    assert refusal_response(refusal, 1).http_status == 400
    assert refuse_missing({"sampling": {}}, [ClientCapability.SAMPLING], "it") is None


def test_a_request_goes_by_its_own_word_and_else_by_its_session_s() -> None:
    session = Exchange(front="test", client_capabilities={"roots": {}})
    assert get_capabilities(session, {CAPABILITIES_KEY: {"sampling": {}}}) == {"sampling": {}}
    assert get_capabilities(session, {}) == {"roots": {}}
    assert get_capabilities(Exchange(front="test"), {}) == {}
    assert get_capabilities(session, {CAPABILITIES_KEY: 5}) == {}


@pytest.mark.parametrize(
    ("declared", "abilities"),
    [
        ({"elicitation": {}}, ClientAbilities(elicitation=True)),
        ({"elicitation": {"form": {}, "url": {}}}, ClientAbilities(elicitation=True, elicitation_url=True)),
        ({"elicitation": {"url": {}}}, ClientAbilities(elicitation_url=True)),
        ({"sampling": {}, "roots": {}}, ClientAbilities(sampling=True, roots=True)),
    ],
)
def test_a_backend_is_told_what_a_client_can_do(declared: Any, abilities: ClientAbilities) -> None:
    assert describe_client(declared) == abilities


def test_without_a_way_to_the_client_nothing_is_wanted_of_the_backend() -> None:
    meta = {"progressToken": 1, "io.modelcontextprotocol/logLevel": "debug"}
    assert make_call_context(Exchange(front="test", principal="ann"), meta) == CallContext(principal="ann")
