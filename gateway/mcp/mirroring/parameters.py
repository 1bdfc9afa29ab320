"""Which arguments of a tool are mirrored in `Mcp-Param-*` headers, and whether the two agree.

Source: MCP 2026-07-28, Streamable HTTP, "Custom Headers from Tool Parameters". The annotations are read from the
schema as it is listed, since that is what clients go by.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.contract.envelopes import Refusal
from gateway.descriptors.schema.header_annotations import find_annotations
from gateway.mcp.exchange import MirroredHeaders
from gateway.mcp.mirroring.mismatch import refuse_header
from gateway.mcp.mirroring.values import MALFORMED, decode_header_value

PREFIX = "Mcp-Param-"

_WHOLE_NUMBER = re.compile(r"(-?[0-9]{1,20})(?:\.0+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderParameter:
    """One mirrored argument.

    `token` is the header's name in lower case without `Mcp-Param-`, `header` its whole name as annotated; `path` are
    the property names that lead to the argument.
    """

    token: str
    header: str
    path: tuple[str, ...]
    is_integer: bool


def find_header_parameters(input_schema: Any) -> tuple[HeaderParameter, ...]:
    """The mirrored arguments that a tool's input schema annotates, in the schema's order.

    An annotation counts where the specification lets it: a token, on a string, integer or boolean property that is
    reached from the root by `properties` alone. Any other one is ignored, and so are all that share a name ignoring
    case.
    """
    return tuple(
        HeaderParameter(
            token=annotation.name.lower(),
            header=PREFIX + annotation.name,
            path=annotation.path,
            is_integer=annotation.kind == "integer",
        )
        for annotation in find_annotations(input_schema)
        if annotation.fault is None
    )


def check_parameters(
    parameters: tuple[HeaderParameter, ...], arguments: Mapping[str, Any], mirrored: MirroredHeaders
) -> Refusal | None:
    """The refusal of the first mirrored argument whose header is missing, doubled, malformed or different, or None.

    Header and argument go together: both or neither, null counting as absent. Integers are compared by value, so 42.0
    equals 42. Headers that no annotation asks for are ignored.
    """
    for parameter in parameters:
        refusal = _check(parameter, _find_value(arguments, parameter.path), mirrored)
        if refusal is not None:
            return refusal
    return None


def _find_value(arguments: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """The argument at a path; None where it is absent, null, or a container, which no header can mirror."""
    value: Any = arguments
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return None if isinstance(value, list | Mapping) else value


def _check(parameter: HeaderParameter, value: Any, mirrored: MirroredHeaders) -> Refusal | None:
    header = parameter.header
    if mirrored.doubled and header.lower() in mirrored.doubled:
        return refuse_header(header, "came more than once")
    received = mirrored.parameters.get(parameter.token)
    if received is None:
        return None if value is None else refuse_header(header, "is missing", expected=value)
    if value is None:
        return refuse_header(header, "came without its argument", received=received)
    decoded = decode_header_value(received)
    if decoded is None:
        return refuse_header(header, MALFORMED, expected=value, received=received)
    if _render(value) == decoded or (parameter.is_integer and _is_same_number(value, decoded)):
        return None
    return refuse_header(header, "differs from the argument", expected=value, received=received)


def _render(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _is_same_number(value: Any, text: str) -> bool:
    """Whether an integer argument, which may be written as a string or as a float, equals what a header says."""
    said = _WHOLE_NUMBER.fullmatch(text)
    meant = _WHOLE_NUMBER.fullmatch(value) if isinstance(value, str) else None
    if said is None or isinstance(value, bool) or (isinstance(value, str) and meant is None):
        return False
    return int(said[1]) == (int(meant[1]) if meant else value)
