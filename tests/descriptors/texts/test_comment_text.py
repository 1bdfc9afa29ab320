"""Comments made fit to stand before a model."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.texts.comment_text import CommentText, clean_comment, cut_text


def clean(raw: str, limit: int = 4096) -> str:
    return clean_comment(raw, limit_characters=limit).text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("", ""),
        ("   \n\n ", ""),
        (" Gets an order. \n", "Gets an order."),
        (" One\n line.\n\n Second  paragraph.\n", "One line.\n\nSecond paragraph."),
        (" First.\n\n\n\n Second.", "First.\n\nSecond."),
        (" A lone\r return.\r\n Another.", "A lone return. Another."),
        (
            " Modes:\n - fast: goes\n   quickly\n - slow\n\n After.",
            "Modes:\n- fast: goes quickly\n- slow\n\nAfter.",
        ),
        (" 1. one\n 2. two\n    more", "1. one\n2. two more"),
        (" # Title\n Text\n more.", "# Title\nText more."),
        (" | a | b |\n |---|---|\n | 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"),
        (" Example:\n\n     {\n       a: 1\n     }\n\n Done.", "Example:\n\n    {\n      a: 1\n    }\n\nDone."),
        (" Run:\n ```\n a  b\n   c\n ```\n Done.", "Run:\n```\na  b\n  c\n```\nDone."),
        ("/ Three slashes.\n/ Twice.", "Three slashes. Twice."),
        ("Starts at its mark\n   and goes on\n   there.", "Starts at its mark and goes on there."),
        (" See [Order][shop.v1.Order] and [names]\n (https://x.test/n).", "See Order and [names](https://x.test/n)."),
        (" =====================\n Orders\n =====================", "Orders"),
        (" Kept (-- not kept --) here.", "Kept here."),
        (" Kept.\n\n (-- api-linter: core::0127=disabled\n     aip.dev/not-precedent: Because. --)", "Kept."),
        (" Kept. (-- never closed\n and all after it", "Kept."),
        (" Gets.\n buf:lint:ignore FIELD_LOWER_SNAKE_CASE", "Gets."),
        (" TODO(bob): rename this\n   once v2 is out.\n Gets it.", "Gets it."),
        (" FIXME: wrong\n Gets it.", "Gets it."),
        (" protolint:disable MAX_LINE_LENGTH\n Gets it.\n api-linter: x=y", "Gets it."),
        (" @exclude Internal notes.\n More of them.", ""),
        (" Gets.\n @exclude this line", "Gets."),
        (" Todo lists are kept: todo items too.", "Todo lists are kept: todo items too."),
    ],
)
def test_a_comment_reads_as_its_author_meant(raw, text):
    assert clean(raw) == text


def test_nothing_invisible_comes_through_and_it_is_told():
    raw = " Gets\U000e0041\U000e005a an\u202e or\u200bder\x1b[31m red\x1b[0m\x07\u2066.\ufe0f\ufeff "
    assert clean_comment(raw, limit_characters=4096) == CommentText(text="Gets an order red.", had_hidden=True)
    assert clean_comment(" Grüße, 世界. 🎉\tTab.", limit_characters=99) == CommentText(text="Grüße, 世界. 🎉 Tab.")


def test_a_huge_comment_is_cut_at_a_sentence_and_it_is_told():
    text = clean_comment("A sentence that says a thing. " * 3500, limit_characters=4096)
    assert text.was_cut
    assert len(text.text) <= 4096
    assert text.text.endswith(" a thing.…")


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("short", 5, "short"),
        ("One. Two words here", 10, "One. Two…"),
        ("One two. Three four", 14, "One two.…"),
        ("x" * 20, 10, "x" * 9 + "…"),
        ("v1.2.3.4.5.6.7.8", 10, "v1.2.3.4.…"),
    ],
)
def test_text_is_cut_where_it_hurts_least(text, limit, cut):
    assert cut_text(text, limit) == cut


@settings(max_examples=60)
@given(raw=st.text(alphabet=st.characters() | st.sampled_from("\n\r \t-#`|(*)@/:.\x1b\u202e[]"), max_size=400))
def test_any_text_comes_out_bounded_and_visible(raw):
    made = clean_comment(raw, limit_characters=100)
    assert len(made.text) <= 100
    assert made.text == made.text.strip()
    assert not [c for c in made.text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co") and c != "\n"]
    assert clean_comment(raw, limit_characters=100) == made


@pytest.mark.parametrize(
    "piece", ["(--", "(-- --)", "[a", "TODO(", "\x1b[", "\x1b]", "- \n", "```\n", "\n\n", ". ", " "]
)
def test_hostile_repetition_takes_no_time(piece):
    assert len(clean(piece * 100_000)) <= 4096
