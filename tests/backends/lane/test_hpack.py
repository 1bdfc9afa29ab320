"""Header blocks, held to an implementation that nobody here wrote."""

import hpack
import pytest
from hpack.huffman import HuffmanEncoder
from hpack.huffman_constants import REQUEST_CODES, REQUEST_CODES_LENGTH
from hpack.table import HeaderTable
from hypothesis import given
from hypothesis import strategies as st

from gateway.backends.lane.hpack import HpackError, decode_block, encode_header, encode_indexed
from gateway.backends.lane.huffman import HuffmanError, decode_huffman

ENCODER = HuffmanEncoder(REQUEST_CODES, REQUEST_CODES_LENGTH)

names = st.sampled_from([b":status", b"content-type", b"grpc-status", b"grpc-message", b"x-bin"]) | st.binary(
    max_size=40
)
headers = st.lists(st.tuples(names, st.sampled_from([b"200", b"0", b""]) | st.binary(max_size=300)), max_size=6)


@given(headers, st.booleans())
def test_what_a_peer_without_a_table_writes_is_read(sent: list[tuple[bytes, bytes]], is_coded: bool) -> None:
    encoder = hpack.Encoder()
    encoder.header_table_size = 0
    assert decode_block(encoder.encode(sent, huffman=is_coded)) == tuple(sent)


@given(headers)
def test_what_is_written_is_read_by_a_peer(sent: list[tuple[bytes, bytes]]) -> None:
    block = b"".join(encode_header(name, value) for name, value in sent)
    read = hpack.Decoder(max_header_list_size=2**20).decode(block, raw=True)
    assert [(bytes(name), bytes(value)) for name, value in read] == sent
    assert decode_block(block) == tuple(sent)


@pytest.mark.parametrize("index", range(1, 62))
def test_every_entry_of_the_static_table_is_known(index: int) -> None:
    assert decode_block(encode_indexed(index)) == (HeaderTable.STATIC_TABLE[index - 1],)


@given(st.binary(max_size=400))
def test_huffman_coded_strings_are_read(text: bytes) -> None:
    assert decode_huffman(ENCODER.encode(text)) == text


@given(st.binary(max_size=60))
def test_whatever_comes_is_read_or_refused(block: bytes) -> None:
    try:
        decode_block(block)
    except HpackError:
        return


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (b"\x80", "no entry has the index 0"),
        (b"\xbe", "no entry has the index 62"),
        (b"\x3f\xe1\x1f", "the table was to be empty"),
        (b"\x88\x20", "the table was to be empty"),
        (b"\x00\x05ab", "a string is cut"),
        (b"\x00\x01a", "the block is cut"),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff", "an integer is too long"),
        (b"\x00\x81\x00\x00", "the padding is not that of a Huffman-coded string"),
    ],
)
def test_a_block_that_cannot_be_read_is_refused(block: bytes, reason: str) -> None:
    with pytest.raises(HpackError, match=reason):
        decode_block(block)


@pytest.mark.parametrize("coded", [b"\xff\xff\xff\xfc", b"\xff", b"\x07\xff\xff"])
def test_a_huffman_coded_string_that_is_none_is_refused(coded: bytes) -> None:
    with pytest.raises(HuffmanError):
        decode_huffman(coded)
