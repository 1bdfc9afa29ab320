"""Makes the names of tools from the names of RPCs.

Every client has a rule of its own for names; these keep to what all of them take. The name is made from the RPC's name
and the prefix alone, so it is the same on every start and every replica.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

LIMIT_CHARACTERS = 50

_UNSAFE = re.compile(r"[^A-Za-z0-9_]", re.ASCII)
_GIVEN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)
_LEADING = re.compile(r"^[^A-Za-z]+", re.ASCII)
# Consonants, so that no digest spells a word and each starts as a name must.
_DIGEST_LETTERS = "bcdfghjkmnpqrstvwxz"
_DIGEST_LENGTH = 6
# A longer prefix is cut: the end of the name is what tells tools apart.
_LIMIT_PREFIX = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Collision:
    """One tool name that several RPCs would have."""

    name: str
    rpcs: tuple[str, ...]

    def describe(self) -> str:
        """The collision as one line that names every RPC."""
        return f"{self.name} would be the name of {' and of '.join(self.rpcs)}: give one of them another name"


def make_tool_name(rpc_name: str, *, prefix: str = "") -> str:
    """The tool name of "pkg.Service/Method": "pkg_Service_Method", after `prefix` and an underscore if there is one.

    Starts with a letter, holds `[A-Za-z0-9_]` only, and is at most 50 characters long with its prefix. A longer one
    keeps its end and gets a hash of the RPC's full name before it.
    """
    plain = _make_plain(rpc_name)
    head = _make_plain(prefix).rstrip("_")
    whole = f"{head}_{plain}" if head and plain else head or plain
    if whole and len(whole) <= LIMIT_CHARACTERS:
        return whole
    shown = head[:_LIMIT_PREFIX].rstrip("_")
    digest = _digest(rpc_name if shown == head else f"{prefix}\0{rpc_name}")
    start = f"{shown}_{digest}_" if shown else f"{digest}_"
    return start + _cut_head(plain, LIMIT_CHARACTERS - len(start)) if plain else start.rstrip("_")


def use_given_name(name: str, *, prefix: str = "") -> str | None:
    """A name that somebody chose, after `prefix` and an underscore if there is one; None where it is no tool's name.

    It begins with a letter or an underscore, holds `[A-Za-z0-9_-]` only, and is at most 64 characters long.
    """
    head = _make_plain(prefix).rstrip("_")
    whole = f"{head}_{name}" if head else name
    return whole if _GIVEN.fullmatch(whole) else None


def find_collisions(names: Mapping[str, str]) -> tuple[Collision, ...]:
    """The tool names that more than one RPC has, in a mapping from RPC to tool name; sorted."""
    owners: dict[str, list[str]] = {}
    for rpc, name in names.items():
        owners.setdefault(name, []).append(rpc)
    return tuple(
        Collision(name=name, rpcs=tuple(sorted(owners[name]))) for name in sorted(owners) if len(owners[name]) > 1
    )


def _make_plain(text: str) -> str:
    return _LEADING.sub("", _UNSAFE.sub("_", text))


def _cut_head(text: str, room: int) -> str:
    """The end of the text, from the beginning of a word where that costs little."""
    tail = text[-room:]
    for found in re.finditer(r"(?<=_)[A-Za-z0-9]|(?<=[a-z0-9])[A-Z]", tail[: room // 3]):
        return tail[found.start() :]
    return tail.lstrip("_") or tail


def _digest(text: str) -> str:
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    letters: list[str] = []
    for _ in range(_DIGEST_LENGTH):
        number, index = divmod(number, len(_DIGEST_LETTERS))
        letters.append(_DIGEST_LETTERS[index])
    return "".join(letters)
