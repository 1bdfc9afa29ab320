"""A tool's entry in tools/list, kept as the JSON text that is sent.

As Python objects the entries of a large API take some ten times the memory of their text, and all that a call needs of
them is read when they are made, which may be in any thread.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from gateway.contract.kept_json import encode_to_keep
from gateway.mcp.mirroring.parameters import find_header_parameters


class Listing(Mapping[str, Any]):
    """An entry as a mapping. `encoded` is its JSON in UTF-8; whoever reads a member has all of it decoded anew.

    `header_parameters` are the arguments that clients mirror in `Mcp-Param-*` headers.
    """

    __slots__ = ("encoded", "header_parameters")

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.encoded = encode_to_keep(dict(entry))
        self.header_parameters = find_header_parameters(entry.get("inputSchema"))

    def decode(self) -> dict[str, Any]:
        """The entry as plain JSON values that are the caller's own."""
        entry: dict[str, Any] = orjson.loads(self.encoded)
        return entry

    def __getitem__(self, key: str) -> Any:
        return self.decode()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.decode())

    def __len__(self) -> int:
        return len(self.decode())
