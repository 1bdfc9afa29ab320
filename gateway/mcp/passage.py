"""A tool that leads to others: its arguments name the tool that is meant, and hold that tool's own arguments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from gateway.contract.distilled import Distilled, Problem, distil
from gateway.contract.nearest_names import find_nearest_name
from gateway.contract.quoting import quote

if TYPE_CHECKING:
    from gateway.mcp.catalogue import Tool

NAME_ARGUMENT, NESTED_ARGUMENT = "name", "arguments"

TOOL_META_KEY = "dev.propylon/tool"
"""Where a result says which tool the passage led to."""


class ArgumentReader(Protocol):
    """The value gate of the passage itself."""

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        """The arguments as JSON text, or why they are refused."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One such tool. `tool` is how it is listed; it is never called."""

    tool: "Tool"
    reader: ArgumentReader

    def resolve(self, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | Distilled:
        """The name of the tool that is meant and its arguments, or why that cannot be told."""
        encoded = self.reader.encode_arguments(arguments)
        if isinstance(encoded, Distilled):
            return encoded
        read = orjson.loads(encoded)
        return read[NAME_ARGUMENT], read.get(NESTED_ARGUMENT, {})


def refuse_name(name: str, known: Iterable[str]) -> Distilled:
    """The refusal of a name that no tool has, for a model to mend."""
    near = find_nearest_name(name, known)
    hint = f"did you mean {quote(near)}?" if near else "search for those that there are"
    problem = Problem(at=f"/{NAME_ARGUMENT}", text=f"names no tool: {quote(name)}; {hint}")
    return distil([problem], subject="arguments")
