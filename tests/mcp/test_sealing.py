"""Seals open for whoever has the key, the kind and the binding, while they last, and for nobody else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.mcp.sealing import LIMIT_SEALED_CHARACTERS, Sealer, digest_binding, make_random_key

KEY = b"k" * 32
OTHER = b"o" * 32


class Clock:
    """A clock that stands until it is set."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@given(content=st.binary(max_size=300), bound_to=st.binary(max_size=40), kind=st.text(max_size=10))
def test_what_was_sealed_opens_to_the_same(content: bytes, bound_to: bytes, kind: str) -> None:
    sealer = Sealer([KEY])
    text = sealer.seal(kind, content, bound_to=bound_to, ttl_seconds=60)
    assert Sealer([KEY]).open(kind, text, bound_to=bound_to) == content


def test_a_seal_is_printable_text_that_urls_and_headers_take() -> None:
    text = Sealer([KEY]).seal("state", bytes(range(256)), bound_to=b"", ttl_seconds=60)
    assert text.isascii()
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_a_seal_does_not_show_its_content_and_is_never_the_same_twice() -> None:
    sealer = Sealer([KEY])
    one, other = (sealer.seal("state", b"secret", bound_to=b"", ttl_seconds=60) for _ in range(2))
    assert one != other
    assert "secret" not in one


def test_another_kind_binding_or_key_does_not_open_a_seal() -> None:
    text = Sealer([KEY]).seal("state", b"x", bound_to=b"alice", ttl_seconds=60)
    assert Sealer([KEY]).open("task", text, bound_to=b"alice") is None
    assert Sealer([KEY]).open("state", text, bound_to=b"bob") is None
    assert Sealer([OTHER]).open("state", text, bound_to=b"alice") is None


def test_a_kind_cannot_run_into_its_binding() -> None:
    text = Sealer([KEY]).seal("ab", b"x", bound_to=b"c", ttl_seconds=60)
    assert Sealer([KEY]).open("a", text, bound_to=b"bc") is None
    assert digest_binding(b"ab", b"c") != digest_binding(b"a", b"bc")


def test_a_seal_expires() -> None:
    clock = Clock()
    sealer = Sealer([KEY], clock=clock)
    text = sealer.seal("state", b"x", bound_to=b"", ttl_seconds=60)
    clock.now += 59
    assert sealer.open("state", text, bound_to=b"") == b"x"
    clock.now += 1
    assert sealer.open("state", text, bound_to=b"") is None


def test_an_old_key_still_opens_and_only_the_newest_seals() -> None:
    text = Sealer([OTHER]).seal("state", b"old", bound_to=b"", ttl_seconds=60)
    rotated = Sealer([KEY, OTHER])
    assert rotated.open("state", text, bound_to=b"") == b"old"
    fresh = rotated.seal("state", b"new", bound_to=b"", ttl_seconds=60)
    assert Sealer([KEY]).open("state", fresh, bound_to=b"") == b"new"
    assert Sealer([OTHER]).open("state", fresh, bound_to=b"") is None


@given(st.data())
def test_a_seal_that_was_changed_anywhere_does_not_open(data: st.DataObject) -> None:
    sealer = Sealer([KEY])
    text = sealer.seal("state", b"content", bound_to=b"", ttl_seconds=60)
    place = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from("ABCxyz019-_=").filter(lambda new: new != text[place]))
    assert sealer.open("state", text[:place] + letter + text[place + 1 :], bound_to=b"") is None
    assert sealer.open("state", text + letter, bound_to=b"") is None
    assert sealer.open("state", text[:place], bound_to=b"") is None


@pytest.mark.parametrize("text", ["", "x", "=", "é", "A" * (LIMIT_SEALED_CHARACTERS + 1), "AAAA", "\x00", "-" * 200])
def test_what_is_no_seal_does_not_open(text: str) -> None:
    assert Sealer([KEY]).open("state", text, bound_to=b"") is None


def test_keys_that_are_none_or_short_are_refused() -> None:
    with pytest.raises(ValueError, match="sealing wants at least one key"):
        Sealer([])
    with pytest.raises(ValueError, match="a sealing key must have at least 32 bytes"):
        Sealer([KEY, b"short"])


def test_a_random_key_is_a_key() -> None:
    assert make_random_key() != make_random_key()
    Sealer([make_random_key()])
