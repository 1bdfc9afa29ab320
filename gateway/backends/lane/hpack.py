"""Header blocks of HTTP/2 (RFC 7541), both ways, without a dynamic table.

What is written never asks the peer to remember anything, and the peer is told to remember nothing for what it writes
(SETTINGS_HEADER_TABLE_SIZE 0). So a block means the same wherever it stands, and whoever has read it once may keep what
it said.
"""

from gateway.backends.lane.huffman import HuffmanError, decode_huffman

Headers = tuple[tuple[bytes, bytes], ...]

# RFC 7541 appendix A, from index 1 on; "=" parts name and value.
_STATIC_TEXT = (
    ":authority :method=GET :method=POST :path=/ :path=/index.html :scheme=http :scheme=https :status=200 :status=204 "
    ":status=206 :status=304 :status=400 :status=404 :status=500 accept-charset accept-encoding=gzip,deflate "
    "accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control "
    "content-disposition content-encoding content-language content-length content-location content-range content-type "
    "cookie date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since "
    "last-modified link location max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after "
    "server set-cookie strict-transport-security transfer-encoding user-agent vary via www-authenticate"
)
_STATIC = tuple(
    # The only value with a blank in it.
    (name.encode(), value.replace(",", ", ").encode())
    for name, _, value in (entry.partition("=") for entry in _STATIC_TEXT.split())
)
# An integer of more bits is none that a header block needs; section 5.1 lets a decoder bound them.
_LIMIT_SHIFT = 28


class HpackError(ValueError):
    """A header block that cannot be read, or one that refers to what nobody was asked to remember."""


def encode_header(name: bytes, value: bytes) -> bytes:
    """One header as a literal that is not indexed (section 6.2.2), without Huffman coding."""
    return b"\x00" + _encode_integer(len(name), 7) + name + _encode_integer(len(value), 7) + value


def encode_indexed(index: int) -> bytes:
    """One header that is an entry of the static table (section 6.1)."""
    return _encode_integer(index, 7, first=0x80)


def decode_block(block: bytes) -> Headers:
    """The headers of a whole block. Raises HpackError."""
    headers: list[tuple[bytes, bytes]] = []
    at, end = 0, len(block)
    try:
        while at < end:
            octet = block[at]
            if octet & 0x80:
                index, at = _decode_integer(block, at, 7)
                headers.append(_get_static(index))
            elif octet & 0xE0 == 0x20:
                size, at = _decode_integer(block, at, 5)
                if size or headers:
                    raise HpackError("the table was to be empty")
            else:
                index, at = _decode_integer(block, at, 6 if octet & 0x40 else 4)
                if index:
                    name = _get_static(index)[0]
                else:
                    name, at = _decode_string(block, at)
                value, at = _decode_string(block, at)
                headers.append((name, value))
    except IndexError:
        raise HpackError("the block is cut") from None
    except HuffmanError as error:
        raise HpackError(str(error)) from None
    return tuple(headers)


def _get_static(index: int) -> tuple[bytes, bytes]:
    if not 0 < index <= len(_STATIC):
        raise HpackError(f"no entry has the index {index}")
    return _STATIC[index - 1]


def _encode_integer(value: int, prefix_bits: int, *, first: int = 0) -> bytes:
    limit = (1 << prefix_bits) - 1
    if value < limit:
        return bytes((first | value,))
    encoded = bytearray((first | limit,))
    value -= limit
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _decode_integer(block: bytes, at: int, prefix_bits: int) -> tuple[int, int]:
    limit = (1 << prefix_bits) - 1
    value = block[at] & limit
    at += 1
    if value < limit:
        return value, at
    shift = 0
    while True:
        octet = block[at]
        at += 1
        value += (octet & 0x7F) << shift
        if octet < 0x80:
            return value, at
        shift += 7
        if shift > _LIMIT_SHIFT:
            raise HpackError("an integer is too long")


def _decode_string(block: bytes, at: int) -> tuple[bytes, int]:
    is_coded = block[at] & 0x80
    length, at = _decode_integer(block, at, 7)
    end = at + length
    if end > len(block):
        raise HpackError("a string is cut")
    return (decode_huffman(block[at:end]) if is_coded else block[at:end]), end
