from types import MappingProxyType

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.conditions import CONDITIONS, Condition
from gateway.contract.distilled import Problem, distil
from gateway.contract.envelopes import (
    DATA_KEYS,
    LIMIT_MESSAGE,
    Envelope,
    Refusal,
    distilled_refusal,
    encode_envelope,
    error_response,
    notification,
    refusal_response,
    success_response,
)

ANY_TEXT = st.text(st.characters(codec=None))
ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | st.binary() | st.just(object()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(ANY_TEXT | st.integers() | st.booleans() | st.none(), inner, max_size=4)
    ),
    max_leaves=20,
)


def encode_result(**members):
    """The members of a result after a trip through the exit."""
    encoded = encode_envelope(success_response(1, {"resultType": "complete", **members}))
    result = orjson.loads(encoded)["result"]
    del result["resultType"]
    return result


def test_a_result_is_one_compact_line():
    envelope = success_response("a-1", {"resultType": "complete", "text": "é\n"})
    assert encode_envelope(envelope) == (
        '{"jsonrpc":"2.0","id":"a-1","result":{"resultType":"complete","text":"é\\n"}}'.encode()
    )
    assert envelope.http_status == 200


def test_a_notification_has_no_id():
    assert encode_envelope(notification("notifications/progress", {"progressToken": 1, "progress": 2})) == (
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}'
    )
    assert encode_envelope(notification("notifications/tools/list_changed")) == (
        b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
    )


@pytest.mark.parametrize("condition", Condition)
def test_an_error_with_nothing_more_to_say_gives_the_words_of_the_table(condition):
    row = CONDITIONS[condition]
    envelope = error_response(condition, 7)
    assert envelope == Envelope(
        body={"jsonrpc": "2.0", "id": 7, "error": {"code": row.code, "message": row.message}}, condition=condition
    )
    assert error_response(condition, 7, "") == envelope
    assert error_response(condition, 7, " \n") == envelope


def test_an_error_without_a_request_has_no_id_at_all():
    assert encode_envelope(error_response(Condition.PARSE_ERROR, None)) == (
        b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}'
    )


def test_a_message_becomes_one_bounded_line():
    body = error_response(Condition.NOT_FOUND, 1, "no\nsuch " + "x" * 500).body
    assert body["error"]["message"] == "no such " + "x" * (LIMIT_MESSAGE - 9) + "…"


def test_data_is_kept_and_its_strings_are_bounded():
    data = {"status": "NOT_FOUND", "reason": "r" * 300, "retryAfterMs": 5, "supported": ["2026-07-28"]}
    assert error_response(Condition.NOT_FOUND, 1, "gone", data).body["error"]["data"] == {
        "status": "NOT_FOUND",
        "reason": "r" * 199 + "…",
        "retryAfterMs": 5,
        "supported": ["2026-07-28"],
    }
    assert "data" not in error_response(Condition.NOT_FOUND, 1, "gone", {}).body["error"]


def test_data_with_a_key_outside_the_vocabulary_is_a_mistake():
    with pytest.raises(ValueError, match="error data may not carry cause, request: a new key joins DATA_KEYS first"):
        error_response(Condition.NOT_FOUND, 1, data={"request": {}, "cause": "x", "uri": "x"})


def test_the_vocabulary_of_data_is_closed():
    assert sorted(DATA_KEYS) == [
        "domain", "errors", "expected", "header", "reason", "received", "requested",
        "requiredCapabilities", "retryAfterMs", "status", "supported", "uri",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "rejection", "status"),
    [
        (Condition.PARSE_ERROR, True, 400),
        (Condition.INVALID_PARAMS, True, 400),
        (Condition.INVALID_PARAMS, False, 200),
        (Condition.METHOD_NOT_FOUND, False, 404),
        (Condition.INTERNAL_ERROR, True, 200),
        (Condition.UNSUPPORTED_PROTOCOL_VERSION, True, 400),
        (Condition.UNAVAILABLE, False, 200),
    ],
)
def test_the_http_status_tells_rejections_from_method_errors(condition, rejection, status):
    assert error_response(condition, 1, rejection=rejection).http_status == status


def test_a_distilled_error_is_split_over_message_and_data():
    distilled = distil([Problem(at="/id", text="is required")], subject="request")
    refusal = distilled_refusal(Condition.INVALID_REQUEST, distilled, rejection=True)
    assert refusal == Refusal(
        condition=Condition.INVALID_REQUEST,
        message="request: /id is required",
        data={"errors": ({"at": "/id", "problems": ["is required"]},)},
        rejection=True,
    )
    assert encode_envelope(refusal_response(refusal, None)) == (
        b'{"jsonrpc":"2.0","error":{"code":-32600,"message":"request: /id is required",'
        b'"data":{"errors":[{"at":"/id","problems":["is required"]}]}}}'
    )


def test_values_that_json_can_hold_but_the_encoder_cannot_still_leave():
    assert encode_envelope(success_response(1, {"resultType": "complete", "n": 2**70, "m": -(2**64)})) == (
        b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","n":1180591620717411303424,"m":-18446744073709551616}}'
    )
    assert encode_result(a="x\ud800y", **{"\udfff": 1}) == {"a": "x\ufffdy", "\ufffd": 1}
    assert encode_result(a={7: "seven", None: 2, True: 3}) == {"a": {"7": "seven", "None": 2, "True": 3}}
    assert encode_result(a=MappingProxyType({"b": (1, 2)})) == {"a": {"b": [1, 2]}}
    assert encode_result(a=float("nan"), b=float("inf"), c=object(), d=b"x") == {
        "a": None,
        "b": None,
        "c": None,
        "d": None,
    }
    assert encode_result(a=2**5000) == {"a": "an integer of 5001 bits"}


def test_encoded_json_leaves_as_it_is_even_beside_what_takes_the_slower_way():
    assert encode_result(a=orjson.Fragment(b'{"x":1.50}'), b="\ud800") == {"a": {"x": 1.5}, "b": "\ufffd"}


def test_what_nests_without_end_is_cut():
    nested = {}
    for _ in range(100_000):
        nested = {"a": nested}
    depth, value = 0, encode_result(a=nested)
    while value:
        depth, value = depth + 1, value["a"]
    assert depth == 199
    while nested:
        nested = nested.pop("a")


@given(ANY_VALUE, ANY_TEXT)
def test_whatever_the_builders_accept_can_be_encoded(value, text):
    encoded = encode_envelope(success_response(1, {"resultType": "complete", "value": value}))
    assert orjson.loads(encoded)["id"] == 1
    encoded = encode_envelope(error_response(Condition.INTERNAL_ERROR, None, text, {"received": text}))
    assert orjson.loads(encoded)["error"]["code"] == -32603
