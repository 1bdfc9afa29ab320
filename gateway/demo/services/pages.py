"""Pages of a list, as https://google.aip.dev/158 describes them."""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from google.protobuf.message import Message

from gateway.demo.failures import bad_request

DEFAULT_SIZE = 10
LARGEST_SIZE = 50

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Item]):
    """Some items of a list in order, and the token for those after them ("" where there are none)."""

    items: Sequence[Item]
    next_page_token: str


def cut_page(items: Sequence[Item], *, page_size: int, page_token: str, filters: Message) -> Page[Item]:
    """The page of `items` that a request asks for. Raises `Refused` where its size or its token is none.

    `filters` is the request without its size and token: a token holds only for the filters that it was given for.
    """
    if page_size < 0:
        raise bad_request({"page_size": f"must be 0 or more, got {page_size}"})
    digest = hashlib.sha256(filters.SerializeToString(deterministic=True)).digest()[:6]
    start = read_token(page_token, digest) if page_token else 0
    end = start + min(page_size or DEFAULT_SIZE, LARGEST_SIZE)
    return Page(items=items[start:end], next_page_token=write_token(end, digest) if end < len(items) else "")


def write_token(start: int, digest: bytes) -> str:
    """An opaque token for the page that starts at `start`."""
    return base64.urlsafe_b64encode(digest + start.to_bytes(4, "big")).decode("ascii").rstrip("=")


def read_token(token: str, digest: bytes) -> int:
    """Where the page of `token` starts. Raises `Refused` where the token is not one of this list."""
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        raw = b""
    if len(raw) != 10 or raw[:6] != digest:
        raise bad_request({"page_token": "must be the next_page_token of a call with the same other arguments"})
    return int.from_bytes(raw[6:], "big")
