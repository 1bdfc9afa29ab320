"""Why a message is no JSON-RPC request or notification at all (JSON-RPC 2.0 section 4), told without a schema.

Garbage comes in floods, and this is what is wrong with most of it; a walk through the schema would cost more than
answering a good message. The words are those of the walk, and a test holds the two to one another.
"""

from collections.abc import Mapping
from typing import Any

from gateway.contract.distilled import Problem
from gateway.contract.explaining.leaves import enum_words, type_words

# The definitions that this module knows by heart, but for what they say of ids. `params` may hold anything.
_PROPERTIES: Mapping[str, Any] = {
    "jsonrpc": {"const": "2.0", "type": "string"},
    "method": {"type": "string"},
    "params": {"additionalProperties": {}, "type": "object"},
}
_ID_TYPES = ["string", "integer"]


def is_known_by_heart(definition: Mapping[str, Any]) -> bool:
    """Whether a protocol schema's definition of a request or notification says what is told here."""
    properties = {name: shape for name, shape in definition.get("properties", {}).items() if name != "id"}
    required = set(definition.get("required", ())) - {"id"}
    return properties == _PROPERTIES and required == {"jsonrpc", "method"} and definition.get("type") == "object"


def find_envelope_faults(message: Mapping[str, Any], *, needs_id: bool) -> list[Problem]:
    """Every fault of the envelope; `needs_id` where it is to be a request."""
    problems: list[Problem] = []

    def tell(name: str, text: str) -> None:
        problems.append(Problem(at=f"/{name}", text=text))

    if needs_id:
        if "id" not in message:
            tell("id", "is required")
        elif not _is_id(message["id"]):
            tell("id", type_words(_ID_TYPES, message["id"]))
    if "jsonrpc" not in message:
        tell("jsonrpc", "is required")
    elif message["jsonrpc"] != "2.0":
        tell("jsonrpc", enum_words(["2.0"], message["jsonrpc"]))
    if "method" not in message:
        tell("method", "is required")
    elif not isinstance(message["method"], str):
        tell("method", type_words("string", message["method"]))
    if not isinstance(message.get("params", {}), dict):
        tell("params", type_words("object", message["params"]))
    return problems


def _is_id(value: Any) -> bool:
    match value:
        case bool():
            return False
        case float():
            return value.is_integer()
        case _:
            return isinstance(value, str | int)
