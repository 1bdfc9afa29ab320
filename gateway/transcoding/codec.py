"""JSON to protobuf messages and back, for the types of one backend. Compiled lazily, once for each type and direction.

Both directions make one fast pass. Only where that fails does a second, slower pass find every cause and its place.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message

from gateway.descriptors.api import Api, describe_api
from gateway.descriptors.schema.types.enums import list_offered_names
from gateway.transcoding.common_types import iterate_common_files
from gateway.transcoding.converters.outcomes import (
    LIMIT_CAUSES,
    LIMIT_NESTING,
    ROOT_ROOM,
    BlemishError,
    RefusedError,
    as_problems,
)
from gateway.transcoding.converters.parser_compiler import ParserCompiler
from gateway.transcoding.converters.printer_compiler import PrinterCompiler
from gateway.transcoding.converters.type_index import TypeIndex, get_class, has_required
from gateway.transcoding.errors import ArgumentProblems, BadReply
from gateway.transcoding.printed import Printed
from gateway.transcoding.rule_gate import RuleGate

_LIMIT_MISSING = 5  # names of missing fields that are told

# What the message constructor raises over values; it cannot say where they stand.
_CONSTRUCTOR_ERRORS = (ValueError, TypeError, OverflowError)

# What the fast printers raise over values that JSON cannot say; UnicodeDecodeError comes from walking a map.
_BLEMISHES = (BlemishError, UnicodeDecodeError)

Parser = Callable[[Any], Message]
Printer = Callable[[Message], Any]


class Codec:
    """The converters of one backend.

    They take and print ProtoJSON (protobuf.dev/programming-guides/json): field names as `descriptors.field_names` gives
    them, every spelling in, one out. Stricter than most implementations in what no caller can have meant, see
    docs/protobuf.md.
    """

    def __init__(
        self, api: Api, *, ignores_unknown: bool = False, tell: Callable[[str], None] = lambda _line: None
    ) -> None:
        """`ignores_unknown`: drop unknown fields and unknown enum names instead of refusing them.

        `tell` gets a line, once for each type of request, where validation rules fail over the values of a call.
        """
        types = TypeIndex(api.pool, api.options.json_string, lambda enum: list_offered_names(enum, api.options))
        self._fast = ParserCompiler(types, trusting=True, ignores_unknown=ignores_unknown)
        self._careful = ParserCompiler(types, trusting=False, ignores_unknown=ignores_unknown)
        self._printers = PrinterCompiler(types, places_blemishes=False)
        self._noting_printers = PrinterCompiler(types, places_blemishes=True)
        self._find_message = types.find_message
        self._rules = RuleGate(api, tell)

    @cached_property
    def common(self) -> "Codec":
        """The converters of google.rpc's error details, for a backend that does not describe those that it sends."""
        return Codec(describe_api(iterate_common_files()))

    def has_own_form(self, descriptor: Descriptor) -> bool:
        """Whether the JSON of a type is no object of its fields, so that in an Any it stands under "value"."""
        return self._printers.has_own_form(descriptor)

    def find_descriptor(self, type_url: str) -> Descriptor | None:
        """The backend's type that an Any's URL names, or None."""
        return self._find_message(type_url)

    def parser_for(self, descriptor: Descriptor) -> Parser:
        """A function from JSON data to the message. It raises ArgumentProblems with every cause."""
        build = self._fast.get_builder(descriptor)
        careful = self._careful

        def parse(value: Any) -> Message:
            try:
                return build(value, ROOT_ROOM)
            except (RefusedError, *_CONSTRUCTOR_ERRORS):
                pass
            try:
                return careful.get_builder(descriptor)(value, ROOT_ROOM)
            except RefusedError as refusal:
                is_complete = len(refusal.causes) < LIMIT_CAUSES
                raise ArgumentProblems(as_problems(refusal.causes), is_complete=is_complete) from None

        return parse

    def request_parser_for(self, descriptor: Descriptor) -> Parser:
        """The same for what is to be sent: the message must keep the backend's validation rules, too."""
        parse, check = self.parser_for(descriptor), self._rules.find_check(descriptor)
        if check is None:
            return parse

        def parse_request(value: Any) -> Message:
            message = parse(value)
            check(message)
            return message

        return parse_request

    def list_rule_faults(self, request: Descriptor) -> tuple[str, ...]:
        """A line for each type in such a request whose validation rules cannot be used."""
        return self._rules.list_faults(request)

    def noting_printer_for(self, descriptor: Descriptor) -> Callable[[Message], Printed]:
        """A function from a message to JSON data and notes."""
        print_fast = self._printers.get_printer(descriptor)

        def print_noting(message: Message) -> Printed:
            try:
                return Printed(value=print_fast(message, ROOT_ROOM))
            except _BLEMISHES:
                return self._print_noting(descriptor, message)

        return print_noting

    def printer_for(self, descriptor: Descriptor) -> Printer:
        """A function from a message to JSON data alone."""
        print_fast = self._printers.get_printer(descriptor)

        def print_value(message: Message) -> Any:
            try:
                return print_fast(message, ROOT_ROOM)
            except _BLEMISHES:
                return self._print_noting(descriptor, message).value

        return print_value

    def _print_noting(self, descriptor: Descriptor, message: Message) -> Printed:
        try:
            return Printed(value=self._noting_printers.get_printer(descriptor)(message, ROOT_ROOM))
        except BlemishError as blemish:
            return Printed(value=blemish.value, notes=as_problems(blemish.causes))

    def decoder_for(self, descriptor: Descriptor) -> Callable[[bytes], Message]:
        """A function from wire bytes to the message. It raises BadReply where they are no such message."""
        message_class = get_class(descriptor)
        decode: Callable[[bytes], Message] = message_class.FromString
        is_complete = message_class.IsInitialized if has_required(descriptor) else None
        # The type stubs do not know it, the library documents it.
        find_missing: Callable[[Message], list[str]] = message_class.FindInitializationErrors  # type: ignore[attr-defined]
        name = descriptor.full_name

        def decode_message(data: bytes) -> Message:
            try:
                message = decode(data)
            except DecodeError as error:
                raise BadReply(_explain_bytes(error, data, name)) from None
            if is_complete is not None and not is_complete(message):
                missing = ", ".join(find_missing(message)[:_LIMIT_MISSING])
                raise BadReply(f"the reply lacks required fields of {name}: {missing}")
            return message

        return decode_message


# How the decoder words what is wrong, and what that means for a reader who does not know it.
_DECODER_WORDS = (
    ("MaxDepth", f"nests deeper than {LIMIT_NESTING} messages"),
    ("UTF-8", "holds a string that is not UTF-8"),
)


def _explain_bytes(error: DecodeError, data: bytes, name: str) -> str:
    words = str(error)
    for part, meaning in _DECODER_WORDS:
        if part in words:
            return f"the reply {meaning}"
    return f"the reply of {len(data)} bytes is not a readable {name}"
