"""Reads the wire form of descriptors' options by field number.

A descriptor's options live in the default pool's classes, where an extension that this process does not link stays
unknown bytes; the file that declares the extension may be missing from the backend's own pool as well. The bytes are
there in every case. This module knows the wire format (protobuf.dev, "Encoding") and no option by name.
"""

from collections.abc import Iterator

_VARINT, _FIXED64, _LENGTH, _START_GROUP, _END_GROUP, _FIXED32 = range(6)

WireValue = int | bytes


def read_fields(data: bytes) -> Iterator[tuple[int, WireValue]]:
    """The fields of one serialised message in wire order: an int for a varint or fixed value, else the payload's bytes.

    Groups are passed over. Bytes that are not a message end the reading where they go wrong.
    """
    for number, value, _, _ in _walk(data):
        yield number, value


def drop_field(data: bytes, number: int) -> bytes:
    """The same message without every occurrence of that field."""
    kept: list[bytes] = []
    at = 0
    for found, _, start, end in _walk(data):
        if found == number:
            kept.append(data[at:start])
            at = end
    if not kept:
        return data
    kept.append(data[at:])
    return b"".join(kept)


def _walk(data: bytes) -> Iterator[tuple[int, WireValue, int, int]]:
    """(number, value, where the field starts, where it ends) of each field."""
    at, end, depth = 0, len(data), 0
    while at < end:
        start = at
        tag, at = _read_varint(data, at)
        number, wire_type = tag >> 3, tag & 7
        value: WireValue
        if wire_type == _VARINT:
            value, at = _read_varint(data, at)
        elif wire_type == _LENGTH:
            size, at = _read_varint(data, at)
            value, at = data[at : at + size], at + size
        elif wire_type in (_FIXED64, _FIXED32):
            size = 8 if wire_type == _FIXED64 else 4
            value, at = int.from_bytes(data[at : at + size], "little"), at + size
        elif wire_type in (_START_GROUP, _END_GROUP):
            depth += 1 if wire_type == _START_GROUP else -1
            continue
        else:
            return
        if at > end or number == 0:
            return
        if depth == 0:
            yield number, value, start, at


def collect_fields(data: bytes) -> dict[int, list[WireValue]]:
    """The same fields gathered by number, in wire order."""
    fields: dict[int, list[WireValue]] = {}
    for number, value in read_fields(data):
        fields.setdefault(number, []).append(value)
    return fields


def read_numbers(values: list[WireValue]) -> tuple[int, ...]:
    """The numbers of a repeated varint field, packed or not."""
    numbers: list[int] = []
    for value in values:
        if isinstance(value, int):
            numbers.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = _read_varint(value, at)
            numbers.append(number)
    return tuple(numbers)


def read_texts(values: list[WireValue]) -> tuple[str, ...]:
    """The texts of a string field; bytes that are not UTF-8 are replaced."""
    return tuple(value.decode("utf-8", "replace") for value in values if isinstance(value, bytes))


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """One varint and the place after it; a truncated one gives a place past the end."""
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            break
    return 0, len(data) + 1
