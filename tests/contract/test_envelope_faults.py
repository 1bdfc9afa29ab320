from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.distilling import distil_refused
from gateway.contract.envelope_faults import is_known_by_heart
from gateway.contract.validation import PER_REQUEST_REVISION, MessageValidator, load_protocol_schema

SCHEMA = load_protocol_schema(PER_REQUEST_REVISION)
VALIDATOR = MessageValidator(SCHEMA)

values = st.sampled_from(
    [None, True, 0, 7, 1.0, 1.5, -3, "", "2.0", "1.0", "x/y", [], {}, [1], {"a": 1}, "\u202e" * 90]
)
messages = st.dictionaries(st.sampled_from(["id", "jsonrpc", "method", "params", "other"]), values, max_size=5)


@given(messages)
def test_garbage_is_told_in_the_words_of_the_schema(message: dict[str, Any]) -> None:
    is_request = "id" in message or "method" not in message
    name = "JSONRPCRequest" if is_request else "JSONRPCNotification"
    told = VALIDATOR.validate_message(message)
    if told is not None:
        assert told == distil_refused({**SCHEMA, "$ref": f"#/$defs/{name}"}, message, subject="request")


@pytest.mark.parametrize("name", ["JSONRPCRequest", "JSONRPCNotification"])
def test_the_shapes_known_by_heart_are_those_of_the_protocol(name: str) -> None:
    definition = SCHEMA["$defs"][name]
    assert is_known_by_heart(definition)
    params = {"params": {"type": "object", "properties": {"_meta": {"type": "object"}}}}
    assert not is_known_by_heart({**definition, "properties": definition["properties"] | params})
    assert not is_known_by_heart({**definition, "required": ["jsonrpc"]})
