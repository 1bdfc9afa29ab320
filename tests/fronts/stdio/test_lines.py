import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.fronts.stdio.lines import LineCutter, OverlongLine


def cut(chunks: list[bytes], limit: int = 10) -> list[bytes | OverlongLine]:
    cutter = LineCutter(limit_bytes=limit)
    lines = [line for chunk in chunks for line in cutter.feed(chunk)]
    return [*lines, *cutter.close()]


OVERLONG = OverlongLine(limit_bytes=10)


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([], []),
        ([b""], []),
        ([b"\n\n"], []),
        ([b"a\nb\n"], [b"a", b"b"]),
        ([b"a\r\nb\r\n"], [b"a", b"b"]),
        ([b"  \r\n\t\n a \n"], [b"a"]),
        ([b"a", b"b", b"\n", b"c"], [b"ab", b"c"]),
        ([b"0123456789\n"], [b"0123456789"]),
        ([b"0123456789x\nafter\n"], [OVERLONG, b"after"]),
        ([b"01234", b"56789", b"x", b"y" * 1000, b"\nafter\n"], [OVERLONG, b"after"]),
        ([b"x" * 11], [OVERLONG]),
        ([b"x" * 11 + b"\n" + b"y" * 11 + b"\nz"], [OVERLONG, OVERLONG, b"z"]),
    ],
)
def test_a_stream_is_cut_at_its_newlines(chunks: list[bytes], lines: list[bytes | OverlongLine]) -> None:
    assert cut(chunks) == lines


@given(st.lists(st.binary(max_size=8), max_size=8), st.integers(1, 5))
@settings(max_examples=60)
def test_how_the_stream_is_cut_into_chunks_makes_no_difference(chunks: list[bytes], step: int) -> None:
    stream = b"".join(chunks)
    steps = [stream[start : start + step] for start in range(0, len(stream), step)]
    assert cut(chunks) == cut(steps) == cut([stream])


def test_an_overlong_line_is_not_kept_while_it_comes() -> None:
    cutter = LineCutter(limit_bytes=10)
    for _ in range(1000):
        assert list(cutter.feed(b"x" * 1000)) == []
    assert cutter._parts == []
    assert list(cutter.feed(b"\nnext\n")) == [OVERLONG, b"next"]
