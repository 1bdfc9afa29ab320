import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.quoting import ELLIPSIS, LIMIT_QUOTED, escape_name, is_secret_header, one_line, quote

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(st.characters(codec=None)), inner, max_size=5),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("abc", '"abc"'),
        ("", '""'),
        ('say "hi"\\', '"say \\"hi\\"\\\\"'),
        ("café", '"café"'),
        ("a\nb\t\x1b[31m", '"a\\nb\\t\\u001b[31m"'),
        ("a\u202eb\u200bc\u2028", '"a\\u202eb\\u200bc\\u2028"'),
        ("\ud800", '"\\ud800"'),
        ("\U000e0041\ufe0f\u3164", '"\\udb40\\udc41\\ufe0f\\u3164"'),
        (None, "null"),
        (True, "true"),
        (5, "5"),
        (-1.5, "-1.5"),
        ([], "[]"),
        ({"a": {"b": [None, False, "x"]}}, '{"a":{"b":[null,false,"x"]}}'),
        ({1: 2}, "{1:2}"),
        (b"secret", "<bytes>"),
    ],
)
def test_a_value_is_quoted_as_json_with_what_cannot_be_seen_escaped(value, quoted):
    assert quote(value) == quoted


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("a" * 62, '"' + "a" * 62 + '"'),
        ("a" * 63, '"' + "a" * 62 + '…" (63 characters)'),
        ("é" * 1_000_000, '"' + "é" * 62 + '…" (1000000 characters)'),
        ("\u202e" * 50, '"' + "\\u202e" * 10 + '…" (50 characters)'),
        ([1] * 5000, "[" + "1," * 31 + "1… (5000 items)"),
        (
            {f"k{i}": i for i in range(100)},
            '{"k0":0,"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,… (100 members)',
        ),
        (10**200, "1" + "0" * 63 + "… (201 digits)"),
        (10**5000, "an integer of 16610 bits"),
    ],
    ids=itertools.count(),
)
def test_a_long_value_is_cut_and_its_full_length_is_told(value, quoted):
    assert quote(value) == quoted


@given(JSON_VALUES)
def test_a_quoted_value_is_always_one_short_printable_line(value):
    quoted = quote(value)
    assert quoted.isprintable()
    assert len(quoted.partition(ELLIPSIS)[0]) <= LIMIT_QUOTED


def test_a_value_nested_without_end_is_quoted_at_once():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    assert quote(nested) == "[" * 64 + "… (1 items)"
    while nested:  # taken apart by hand, for Python frees it recursively
        nested = nested.pop()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("not found", "not found"),
        ("café\r\n\r\n  line2\tend ", "café line2 end"),
        ("\x1b[31mred\x07", "[31mred"),
        ("a\u202e\u200bb\ufe0f", "ab"),
        ("a\ud800b", "a\ufffdb"),
        ("a\u2028b\xa0c", "a b c"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_prose_is_folded_to_one_line(text, line):
    assert one_line(text, 200) == line


def test_prose_that_is_too_long_is_cut_with_an_ellipsis():
    assert one_line("a" * 30, 20) == "a" * 19 + "…"
    assert one_line("a" * 20, 20) == "a" * 20
    assert one_line("word " * 10, 11) == "word word…"


def test_folding_looks_at_no_more_than_it_may_keep():
    began = time.process_time()
    assert one_line(" " * 50_000_000 + "x", 200) == "…"
    assert time.process_time() - began < 0.5


@given(st.text(st.characters(codec=None)), st.integers(1, 50))
def test_folded_prose_is_one_printable_line_within_its_limit(text, limit):
    line = one_line(text, limit)
    assert len(line) <= limit
    assert line.isprintable()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("filter", "filter"),
        ('a"b\\c', 'a"b\\c'),
        ("größe", "größe"),
        ("a\nb\u202e", "a\\nb\\u202e"),
        ("n" * 1000, "n" * 64 + "… (1000 characters)"),
    ],
)
def test_a_name_in_a_pointer_is_escaped_and_cut(name, shown):
    assert escape_name(name) == shown


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "cookie",
        "Set-Cookie",
        "PROXY-AUTHORIZATION",
        "x-api-key",
        "X-Amz-Security-Token",
        "x-session-id",
    ],
)
def test_a_header_that_may_carry_a_secret_is_known(name):
    assert is_secret_header(name)


def test_a_configured_header_is_secret_and_an_ordinary_one_is_not():
    assert is_secret_header("X-Tenant", {"x-tenant"})
    assert not is_secret_header("X-Tenant")
    assert not is_secret_header("mcp-protocol-version")
