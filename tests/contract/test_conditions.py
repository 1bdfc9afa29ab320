import pytest

from gateway.contract.conditions import CONDITIONS, Condition
from gateway.contract.statuses import STATUSES, Dialect, get_status_row

JSON_RPC = {
    Condition.PARSE_ERROR: -32700,
    Condition.INVALID_REQUEST: -32600,
    Condition.METHOD_NOT_FOUND: -32601,
    Condition.INVALID_PARAMS: -32602,
    Condition.INTERNAL_ERROR: -32603,
}
PROTOCOL = {
    Condition.HEADER_MISMATCH: -32020,
    Condition.MISSING_CLIENT_CAPABILITY: -32021,
    Condition.UNSUPPORTED_PROTOCOL_VERSION: -32022,
}


def test_every_condition_has_one_row_and_one_code():
    assert set(CONDITIONS) == set(Condition)
    assert len({row.code for row in CONDITIONS.values()}) == len(CONDITIONS)


def test_the_codes_of_json_rpc_and_of_the_protocol_are_theirs():
    fixed = JSON_RPC | PROTOCOL
    assert {condition: CONDITIONS[condition].code for condition in fixed} == fixed


def test_a_code_of_our_own_lies_outside_the_reserved_range_and_tells_its_status():
    own = [row for condition, row in CONDITIONS.items() if condition not in JSON_RPC | PROTOCOL]
    assert [row.code for row in own] == [-31000 - row.grpc_status for row in own]
    assert not any(-32768 <= row.code <= -32000 for row in own)


def test_default_messages_are_short_lines():
    assert all(row.message and len(row.message) <= 200 and row.message.isprintable() for row in CONDITIONS.values())


def test_there_are_seventeen_statuses_in_order_and_each_error_has_a_condition():
    assert [row.number for row in STATUSES] == list(range(17))
    assert [row.number for row in STATUSES if row.condition is None] == [0]


def test_a_status_is_told_on_the_grpc_front_with_its_own_number():
    for row in STATUSES[1:]:
        assert CONDITIONS[row.condition].grpc_status == row.number


def test_a_status_and_its_condition_agree_on_retrying():
    for row in STATUSES[1:]:
        assert CONDITIONS[row.condition].retryable == row.retryable


def test_the_dialects_are_as_designed():
    assert [row.name for row in STATUSES if row.dialect is Dialect.PROTOCOL] == [
        "CANCELLED",
        "UNIMPLEMENTED",
        "INTERNAL",
        "DATA_LOSS",
        "UNAUTHENTICATED",
    ]


@pytest.mark.parametrize("number", [-1, 17, 42, 999, 2**40])
def test_a_number_outside_the_table_is_unknown(number):
    assert get_status_row(number) is STATUSES[2]
