import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.transcoding.json_reader import JsonError, read_json, read_strict_json


@pytest.mark.parametrize("read", [read_json, read_strict_json])
@pytest.mark.parametrize(
    "text", [b'{"a": [1, 1.5, "x", null, {"a": true}], "b": {"a": 1}}', b"[]", b'"{"', b"18446744073709551615"]
)
def test_right_json_is_read(read, text):
    assert read(text) == eval(text.replace(b"null", b"None").replace(b"true", b"True"))


@pytest.mark.parametrize("read", [read_json, read_strict_json])
@pytest.mark.parametrize("text", [b"", b"{", b"NaN", b"[1,]", b'"\\ud800"', b"\xff", b"{'a':1}", b"01"])
def test_what_is_no_json_is_refused_in_one_line(read, text):
    with pytest.raises(JsonError) as caught:
        read(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b'{"a":1,"a":1}', '"a"'),
        (b'[{"x":{"b":1,"c":2,"b":3}}]', '"b"'),
        (b'{"\\u0061":1,"a":2}', '"a"'),
        (b'{"":1,"":2}', '""'),
    ],
)
def test_a_name_that_stands_twice_is_refused_by_the_strict_reader_alone(text, name):
    read_json(text)
    with pytest.raises(JsonError) as caught:
        read_strict_json(text)
    assert str(caught.value) == f"the name {name} stands twice in one object"


@given(st.binary(max_size=30) | st.text(alphabet='{}[]":,a1e-. \\u', max_size=12).map(str.encode))
def test_both_readers_take_the_same_but_for_doubled_names(text):
    def judge(read):
        try:
            return repr(read(text))
        except JsonError as error:
            return "doubled" if "stands twice" in str(error) else "refused"

    strict = judge(read_strict_json)
    assert strict == "doubled" or strict == judge(read_json)
