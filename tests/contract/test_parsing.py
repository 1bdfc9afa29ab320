import itertools
import time

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal, encode_envelope, refusal_response
from gateway.contract.lone_surrogates import read_with_surrogates
from gateway.contract.parsing import LIMIT_DEPTH, find_request_id, parse_message


def test_a_message_is_parsed():
    assert parse_message(b' {"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1.5,"s":"\xc3\xa9"}}\n') == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "ping",
        "params": {"n": 1.5, "s": "é"},
    }


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is empty; send one JSON-RPC message"),
        (b" \r\n", "the body is empty; send one JSON-RPC message"),
        (b'{"a":"\xff"}', "the body is not UTF-8 text: byte 6 is 0xff"),
        (b"hello", "the body is not JSON: "),
        (b'{"a":1', "the body is not JSON: "),
        (b'{"a":1}{}', "the body is not JSON: "),
        (b"\xef\xbb\xbf{}", "the body is not JSON: "),
        (b'{"a":NaN}', "the body is not JSON: "),
        (b'{"a":Infinity}', "the body is not JSON: "),
        (b'{"a":1e999}', "the body holds a number beyond the range of a double (about 1.8e308) at line 1 column 6"),
        (
            b'{"id":' + b"9" * 5000 + b"}",
            "the body holds a number beyond the range of a double (about 1.8e308) at line ",
        ),
        (b'{"a":"\\ud800",}', "the body is not JSON: "),
        (b'{"a":"\\ud800","b":1e999}', "the body is not JSON: "),
        (b'{"a":"\\ud800","b":NaN}', "the body is not JSON: "),
        (b'{"a":"\\ud800' + b"x" * 300_000 + b'"}', "the body is not JSON: no low surrogate in string at line "),
        (b'{"a":"\xed\xa0\x80"}', "the body is not UTF-8 text: byte 6 is 0xed"),
        (b"[" * 20000 + b"]" * 20000, "the body nests deeper than the 100 levels that are taken at line 1 column "),
        (b"[" * 20000, "the body nests deeper than the 100 levels that are taken at line 1 column "),
    ],
    ids=itertools.count(),
)
def test_what_is_no_json_is_a_parse_error_in_one_line(body, message):
    refusal = parse_message(body)
    assert isinstance(refusal, Refusal)
    assert (refusal.condition, refusal.data, refusal.rejection) == (Condition.PARSE_ERROR, None, True)
    assert refusal.message.startswith(message)
    assert "\n" not in refusal.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"a":"\\ud800"}', {"a": "\ud800"}),
        (b'{"\\udc00":[{"b":"x\\ud83dy"}]}', {"\udc00": [{"b": "x\ud83dy"}]}),
        (b'{"a":"\\ud83d\\ude00","b":"\\ude00\\ud83d"}', {"a": "😀", "b": "\ude00\ud83d"}),
        (
            b'{"a":"\\ud800","n":[18446744073709551615,18446744073709551616,-9223372036854775809,1.0,-0.0]}',
            {"a": "\ud800", "n": [2**64 - 1, 2.0**64, -(2.0**63), 1.0, -0.0]},
        ),
        (b'{"a":"\\ud800","a":1}', {"a": 1}),
    ],
    ids=itertools.count(),
)
def test_halves_of_characters_are_read_for_the_value_gate_to_refuse(body, message):
    assert parse_message(body) == message


def test_nesting_behind_half_of_a_character_costs_no_stack():
    assert isinstance(parse_message(b'{"a":"\\ud800","b":' + b"[" * 1000 + b"]" * 1000 + b"}"), Refusal)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "batches are not supported; send each message on its own"),
        (b"[]", "batches are not supported; send each message on its own"),
        (b"5", "a message must be a JSON object, got 5"),
        (b"null", "a message must be a JSON object, got null"),
        (b'"' + b"x" * 1000 + b'"', f'a message must be a JSON object, got "{"x" * 62}…" (1000 characters)'),
    ],
    ids=itertools.count(),
)
def test_json_that_is_not_one_message_is_an_invalid_request(body, message):
    assert parse_message(body) == Refusal(condition=Condition.INVALID_REQUEST, message=message)


def test_nesting_is_taken_to_its_limit_and_refused_beyond():
    def nest(levels):
        return b'{"a":' * (levels - 1) + b"{}" + b"}" * (levels - 1)

    too_deep = Refusal(
        condition=Condition.INVALID_REQUEST, message="the message nests deeper than the 100 levels that are taken"
    )
    assert isinstance(parse_message(nest(LIMIT_DEPTH)), dict)
    assert parse_message(nest(LIMIT_DEPTH + 1)) == too_deep
    assert parse_message(b'{"a":' + b"[" * 100 + b"]" * 100 + b"}") == too_deep
    # Brackets beside one another, or in strings, are no depth.
    assert isinstance(parse_message(b'{"a":[' + b"[]," * 5000 + b'"' + b"[" * 5000 + b'"]}'), dict)


def test_a_wide_message_of_the_largest_size_costs_little_more_than_parsing_it():
    body = b'{"a":[' + b"[1,2]," * 600_000 + b"1]}"
    began = time.process_time()
    assert isinstance(parse_message(body), dict)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("written", "taken"),
    [
        (b"1", 1),
        (b"1.0", 1),
        (b"-2e3", -2000),
        (b"18446744073709551615", 2**64 - 1),
        (b"1.5", 1.5),
        (b"null", None),
        (b'""', ""),
        (b'"' + b"x" * 256 + b'"', "x" * 256),
    ],
)
def test_an_id_that_is_a_whole_number_becomes_an_integer(written, taken):
    message = parse_message(b'{"id":%s}' % written)
    assert (message["id"], type(message["id"])) == (taken, type(taken))


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (b"18446744073709551616", "must be an integer of at most 64 bits"),
        (b"1e300", "must be an integer of at most 64 bits"),
        (
            b'"' + b"x" * 100_000 + b'"',
            f'must have at most 256 characters, got "{"x" * 62}…" (100000 characters)',
        ),
        (b'"a\\ud800"', 'must hold whole characters, no lone surrogates, got "a\\ud800"'),
    ],
    ids=itertools.count(),
)
def test_an_id_that_no_answer_can_carry_is_refused(written, problem):
    refusal = parse_message(b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % written)
    assert refusal == Refusal(
        condition=Condition.INVALID_REQUEST,
        message=f"request: /id {problem}",
        data={"errors": ({"at": "/id", "problems": [problem]},)},
    )
    assert len(encode_envelope(refusal_response(refusal, None))) < 500


@pytest.mark.parametrize(
    ("message", "request_id"),
    [
        ({"id": 1, "method": "ping"}, 1),
        ({"id": "a", "method": "ping"}, "a"),
        ({"id": "", "method": "ping"}, ""),
        ({"id": 0, "method": "ping"}, 0),
        ({"jsonrpc": "1.0", "id": 5, "method": "ping"}, 5),
        ({"method": "ping"}, None),
        ({"id": None, "method": "ping"}, None),
        ({"id": {}, "method": "ping"}, None),
        ({"id": True, "method": "ping"}, None),
        ({"id": 1.5, "method": "ping"}, None),
        ({"id": "x" * 257, "method": "ping"}, None),
        ({"id": 1}, None),
        ({"id": 1, "method": 5}, None),
        ({"id": 1, "result": {}}, None),
    ],
)
def test_only_the_id_of_a_request_is_echoed(message, request_id):
    assert find_request_id(message) == request_id


@given(st.binary(max_size=200) | st.text().map(str.encode))
def test_any_bytes_give_a_message_or_a_refusal_that_can_be_sent(body):
    outcome = parse_message(body)
    if isinstance(outcome, Refusal):
        encode_envelope(refusal_response(outcome, None))
    else:
        assert outcome == orjson.loads(body)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(st.text(max_size=3), _JSON, max_size=4))
def test_the_slow_reader_reads_all_else_as_the_quick_one_does(message):
    body = orjson.dumps(message)
    slow = read_with_surrogates(body)
    assert orjson.dumps(slow) == orjson.dumps(orjson.loads(body))
