import pytest

from gateway.backends.lane.hpack import decode_block
from gateway.backends.lane.metadata import encode_metadata, encode_timeout


def test_ordinary_metadata_becomes_headers() -> None:
    block = encode_metadata((("x-tenant", "a b"), ("x-bin", b"\x00\xff\xfe"), ("empty", "")))
    assert block is not None
    assert decode_block(block) == ((b"x-tenant", b"a b"), (b"x-bin", b"AP/+"), (b"empty", b""))


@pytest.mark.parametrize(
    "entry",
    [
        ("Upper", "a"),
        (":path", "a"),
        ("", "a"),
        ("grpc-timeout", "1m"),
        ("te", "a"),
        ("x", " a"),
        ("x", "a\n"),
        ("x", "é"),
        ("x", b"a"),
        ("x-bin", "a"),
    ],
)
def test_what_somebody_could_refuse_is_left_to_grpc(entry: tuple[str, str | bytes]) -> None:
    assert encode_metadata((("fine", "a"), entry)) is None


@pytest.mark.parametrize(
    ("seconds", "value"),
    [
        (30.0, b"30000m"),
        (0.0001, b"1m"),
        (1.0001, b"1001m"),
        (99_999.0, b"99999000m"),
        (0.0, None),
        (-1.0, None),
        (1e9, None),
    ],
)
def test_a_timeout_is_told_in_whole_milliseconds(seconds: float, value: bytes | None) -> None:
    block = encode_timeout(seconds)
    assert (None if block is None else decode_block(block)) == (None if value is None else ((b"grpc-timeout", value),))
