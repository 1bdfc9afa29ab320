import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.fronts.http.negotiation import accepts_json, is_json


@pytest.mark.parametrize(
    "accept",
    [
        b"application/json, text/event-stream",
        b"application/json",
        b"*/*",
        b"",
        b"application/*, text/*",
        b"text/event-stream;q=0.5, application/json",
        b"APPLICATION/JSON, TEXT/EVENT-STREAM",
        b"text/html, application/json;q=0.1",
        b"text/html,*/*;q=0.8",
        b"application/json ; q=1.000",
        b"application/json;q=nonsense",
        b"*/*;q=0, application/json",
    ],
)
def test_json_is_accepted(accept: bytes) -> None:
    assert accepts_json(accept)


@pytest.mark.parametrize(
    "accept",
    [
        b"text/html",
        b"text/event-stream",
        b"application/xml, text/*",
        b"application/json;q=0",
        b"application/json;q=0, */*",
        b"application/*;q=0.0, */*;q=1",
        b"*/*;q=0",
        b"json",
        b",",
    ],
)
def test_json_is_not_accepted(accept: bytes) -> None:
    assert not accepts_json(accept)


@pytest.mark.parametrize(
    "content_type",
    [
        b"application/json",
        b"application/json; charset=utf-8",
        b"application/json;charset=UTF-8",
        b'Application/JSON; charset="utf-8"',
        b"application/json; profile=x",
    ],
)
def test_a_body_of_json_is_taken(content_type: bytes) -> None:
    assert is_json(content_type)


@pytest.mark.parametrize(
    "content_type",
    [b"", b"text/plain", b"text/json", b"application/jsonx", b"application/json; charset=latin-1", b"json"],
)
def test_a_body_of_anything_else_is_not(content_type: bytes) -> None:
    assert not is_json(content_type)


@given(st.binary(max_size=60))
@settings(max_examples=50)
def test_no_value_is_too_odd_to_be_judged(value: bytes) -> None:
    assert accepts_json(value) in (True, False)
    assert is_json(value) in (True, False)
