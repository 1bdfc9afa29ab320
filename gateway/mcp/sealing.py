"""Seals what a client carries for us and must neither read nor change: request states, task ids, session ids.

Nothing is kept on our side: whoever has the keys opens the seal, so any replica answers. A seal is authenticated
encryption (ChaCha20-Poly1305, RFC 8439) of its content and expiry, bound by its associated data to what it is for (its
kind) and to whom and what it belongs (its binding). This module must never know what is sealed.
"""

import base64
import binascii
import hashlib
import os
import struct
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

LIMIT_SEALED_CHARACTERS = 64 * 1024

_KEY_BYTES = 32
_KEY_ID_BYTES = 4
_NONCE_BYTES = 12  # RFC 8439 section 2.8; random, so that replicas need not count together
_EXPIRY = struct.Struct(">Q")  # seconds since the epoch
_PURPOSE = b"propylon sealing 1"


class Sealer:
    """Seals with its first key, opens with any of them, so that keys can be rotated without breaking what is out."""

    def __init__(self, keys: Sequence[bytes], *, clock: Callable[[], float] = time.time) -> None:
        """`keys` are secrets of at least 32 bytes, the newest first. Raises ValueError for none or a shorter one."""
        if not keys:
            raise ValueError("sealing wants at least one key")
        if any(len(key) < _KEY_BYTES for key in keys):
            raise ValueError(f"a sealing key must have at least {_KEY_BYTES} bytes")
        self._keys = tuple(keys)
        self._clock = clock

    @cached_property
    def _ciphers(self) -> dict[bytes, "ChaCha20Poly1305"]:
        """The ciphers by the id under which their seals are recognised, the newest last.

        Made when the first seal is: the library takes 8 MiB, and most gateways never seal.
        """
        return dict(_make_cipher(key) for key in reversed(self._keys))

    def seal(self, kind: str, content: bytes, *, bound_to: bytes, ttl_seconds: float) -> str:
        """The content as URL-safe ASCII text, to be opened with the same kind and binding until it expires.

        The text is about a third longer than the content, and 80 characters more.
        """
        newest_id, newest = next(reversed(self._ciphers.items()))
        nonce = os.urandom(_NONCE_BYTES)
        expiry = _EXPIRY.pack(int(self._clock() + ttl_seconds))
        sealed = newest.encrypt(nonce, expiry + content, _make_context(kind, bound_to))
        return base64.urlsafe_b64encode(newest_id + nonce + sealed).rstrip(b"=").decode()

    def open(self, kind: str, text: str, *, bound_to: bytes) -> bytes | None:
        """The content, or None where the seal is broken, expired, of another kind, binding or key.

        Why it does not open is not told: the answer to all of it is the same.
        """
        raw = _decode(text)
        cipher = self._ciphers.get(raw[:_KEY_ID_BYTES])
        if cipher is None:
            return None
        from cryptography.exceptions import InvalidTag

        nonce, sealed = raw[_KEY_ID_BYTES:][:_NONCE_BYTES], raw[_KEY_ID_BYTES + _NONCE_BYTES :]
        try:
            opened = cipher.decrypt(nonce, sealed, _make_context(kind, bound_to))
        except (InvalidTag, ValueError):
            return None
        (expiry,) = _EXPIRY.unpack_from(opened)
        return opened[_EXPIRY.size :] if self._clock() < expiry else None


def make_random_key() -> bytes:
    """A fresh key: good for one process, since no other replica has it."""
    return os.urandom(_KEY_BYTES)


def digest_binding(*parts: bytes) -> bytes:
    """One binding of several parts, none of which can run into the next."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(struct.pack(">Q", len(part)))
        digest.update(part)
    return digest.digest()


def _make_cipher(key: bytes) -> tuple[bytes, "ChaCha20Poly1305"]:
    """The cipher of a key, under the id by which its seals are recognised."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    derived = HKDF(algorithm=SHA256(), length=_KEY_BYTES + _KEY_ID_BYTES, salt=None, info=_PURPOSE).derive(key)
    return derived[_KEY_BYTES:], ChaCha20Poly1305(derived[:_KEY_BYTES])


def _make_context(kind: str, bound_to: bytes) -> bytes:
    return digest_binding(kind.encode(), bound_to)


def _decode(text: str) -> bytes:
    """The bytes of a seal's text; b"" for what cannot be one. One content has one text: no other spelling counts."""
    if len(text) > LIMIT_SEALED_CHARACTERS or not text.isascii():
        return b""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        return b""
    return raw if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() == text else b""
