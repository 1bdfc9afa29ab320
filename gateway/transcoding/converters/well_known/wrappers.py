"""The wrapper messages both ways: the JSON of the scalar that they hold (google/protobuf/wrappers.proto)."""

from typing import Any

from gateway.transcoding.converters.outcomes import Parse, Print, refuse_depth

WRAPPERS = frozenset(
    f"google.protobuf.{kind}Value"
    for kind in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
)


def make_wrapper_parser(parse_scalar: Parse) -> Parse:
    """A parser of the wrapped scalar's JSON."""

    def parse_wrapper(value: Any, room: int) -> dict[str, Any]:
        if room < 1:
            raise refuse_depth()
        return {"value": parse_scalar(value, room)}

    return parse_wrapper


def make_wrapper_printer(print_scalar: Print | None) -> Print:
    """A printer of the wrapped scalar; `print_scalar` None where JSON has it as it is."""

    def print_wrapper(message: Any, room: int) -> Any:
        return message.value if print_scalar is None else print_scalar(message.value, room)

    return print_wrapper
