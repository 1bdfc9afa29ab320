"""The Huffman code of HPACK, decoded (RFC 7541 section 5.2 and appendix B)."""

from functools import cache

# How many bits the code of each octet has, as a letter: "e" is 5, "~" is 30; the last one is the end of string. The
# code is canonical, so that the lengths are the whole of it.
_LENGTHS = (
    "mw|||||||x~||~||||||||~|||||||||fjjlmfhkjjhkhfffeeefffffffghoflj"
    "mfgggggggggggggggggggggghghmsmnfoefefefffeggfffefgfeefgggggoknm|"
    "tvttvvvwvwwwwwxwxxvwxwwwwuvwvwwxvutvvwwuwvvxuvwwuuvuwvwwtvvvwvvw"
    "zztsvwvyzzz{{zxysuz{{z{xuuzz|{{{txtuvuuwvvyyxxzwz{zz{{{{{|{{{{{z"
    "~"
)
_END_OF_STRING = 256
_WINDOW_BITS = 8
_LIMIT_BITS = 30


class HuffmanError(ValueError):
    """Octets that are no Huffman-coded string."""


def decode_huffman(coded: bytes) -> bytes:
    """The octets that a coded string stands for. Raises HuffmanError."""
    short, long = _make_tables()
    decoded = bytearray()
    bits = count = 0  # what is read and not yet decoded: the lowest `count` bits of `bits`
    for octet in coded:
        bits = bits << 8 | octet
        count += 8
        while count >= _WINDOW_BITS:
            symbol, length = short[bits >> (count - _WINDOW_BITS) & 0xFF]
            if length == 0:
                symbol, length = _find_long(long, bits, count)
                if length == 0:
                    break
            decoded.append(symbol)
            count -= length
            bits &= (1 << count) - 1
    while count:
        symbol, length = short[bits << (_WINDOW_BITS - count) & 0xFF] if count < _WINDOW_BITS else (0, 0)
        if length == 0 or length > count:
            break
        decoded.append(symbol)
        count -= length
        bits &= (1 << count) - 1
    # What is left is the beginning of the end of string, which is ones, and less than an octet of it.
    if count >= 8 or bits != (1 << count) - 1:
        raise HuffmanError("the padding is not that of a Huffman-coded string")
    return bytes(decoded)


def _find_long(long: dict[tuple[int, int], int], bits: int, count: int) -> tuple[int, int]:
    """The octet at the front of the bits, by a code longer than a window, and the code's length; 0 where it is cut."""
    for length in range(_WINDOW_BITS + 1, min(count, _LIMIT_BITS) + 1):
        symbol = long.get((length, bits >> (count - length)))
        if symbol is not None:
            if symbol == _END_OF_STRING:
                raise HuffmanError("the end of string stands inside a string")
            return symbol, length
    if count >= _LIMIT_BITS:
        raise HuffmanError("the bits are no code")
    return 0, 0


@cache
def _make_tables() -> tuple[tuple[tuple[int, int], ...], dict[tuple[int, int], int]]:
    """Octet and length by the first eight bits (0, 0 where more are needed), and octets by length and code."""
    short = [(0, 0)] * (1 << _WINDOW_BITS)
    long: dict[tuple[int, int], int] = {}
    code = last = 0
    for length, symbol in sorted((ord(letter) - 96, symbol) for symbol, letter in enumerate(_LENGTHS)):
        code <<= length - last
        if length <= _WINDOW_BITS:
            spread = _WINDOW_BITS - length
            for rest in range(1 << spread):
                short[code << spread | rest] = (symbol, length)
        else:
            long[length, code] = symbol
        code += 1
        last = length
    return tuple(short), long
