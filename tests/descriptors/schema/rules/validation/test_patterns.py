"""RE2 patterns that mean the same to every reader."""

import re

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.descriptors.schema.rules.validation.patterns import LIMIT_PATTERN, make_portable


@pytest.mark.parametrize(
    ("pattern", "portable"),
    [
        ("^[a-z0-9_]{3,16}$", "^[a-z0-9_]{3,16}$"),
        ("", ""),
        ("a", "a"),
        (r"^\d+\.\w*\s$", r"^[0-9]+\.[0-9A-Za-z_]*[\t\n\f\r ]$"),
        (r"\D\W\S", r"[^0-9][^0-9A-Za-z_][^\t\n\f\r ]"),
        (r"[\d\-x]", r"[0-9\-x]"),
        (r"[^\w]", "[^0-9A-Za-z_]"),
        (r"[a-]", r"[a\-]"),
        (r"[-a]", r"[\-a]"),
        (r"[]a]", r"[\]a]"),
        ("[[:alpha:]_]", "[A-Za-z_]"),
        ("[a[b]", r"[a\[b]"),
        (r"a\-b\_c\@d\/e", r"a-b_c@d\/e"),
        (r"\x41\x{2E}\x5b", r"A\.\["),
        (r"a{", r"a\{"),
        (r"a{2", r"a\{2"),
        (r"x}", r"x\}"),
        (r"a{2}b{2,}c{2,3}?d+?", r"a{2}b{2,}c{2,3}?d+?"),
        ("(?P<year>[0-9]{4})|(?:x)|(y)|(?<z>z)", "(?:[0-9]{4})|(?:x)|(y)|(?:z)"),
        ("^é/ß$", r"^é\/ß$"),
        (r"\t\n\\", r"\t\n\\"),
    ],
)
def test_what_all_readers_know_is_passed_on_and_what_can_be_said_alike_is_rewritten(pattern, portable):
    assert make_portable(pattern) == portable
    jsonschema_rs.Draft202012Validator({"pattern": portable}, offline=True)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(?i)abc", r"(?s:.)", r"\pL", r"\p{Greek}", r"[\pL]", r"\bword\b", r"a\z", r"\Aa", r"\Qa.b\E", r"\C", r"\a"),
        *(r"[^\D]", r"[\W]", "[[:ascii:]]", "[[:^alpha:]]", "[a&&b]", "[a--b]", "[a||b]", "[a~~b]"),
        *("(", ")", "[a", "a**", "*a", "^*", "(?=a)", "(?!a)", "a\\", r"\x{110000}", r"\x{D800}", "a{1001}{9}", r"\é"),
        "a" * (LIMIT_PATTERN + 1),
    ],
)
def test_what_some_readers_do_not_know_or_read_otherwise_has_no_portable_form(pattern):
    assert make_portable(pattern) is None


@given(
    st.text(alphabet=r"ab1_.^$*+?(){}[]|\-dwsx:&~,P<>i/é", max_size=12), st.text(alphabet="ab1_. -/é{}[]\n", max_size=6)
)
def test_readers_agree_on_every_portable_pattern(pattern, text):
    portable = make_portable(pattern)
    if portable is None:
        return
    # Python's $ alone also stands before a last line break.
    python = re.search(portable, text) is not None
    if not text.endswith("\n"):
        assert jsonschema_rs.Draft202012Validator({"pattern": portable}, offline=True).is_valid(text) == python
