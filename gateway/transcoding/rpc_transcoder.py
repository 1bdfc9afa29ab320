"""Both directions of one RPC's values, and its failures: what the MCP methods see of transcoding.

The value gate stands here: arguments become a request only if every part of them is right, and are refused with every
cause at once otherwise.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from google.protobuf.descriptor import Descriptor

from gateway.contract.distilled import Distilled, Problem, distil, make_pointer
from gateway.contract.status_report import StatusReport
from gateway.descriptors.api import Rpc
from gateway.descriptors.root_forms import VALUE_PROPERTY, RootForm, get_root_form
from gateway.transcoding.codec import Codec, Parser, Printed
from gateway.transcoding.converters.type_index import get_class
from gateway.transcoding.errors import ArgumentProblems
from gateway.transcoding.rpc_status import RpcStatus
from gateway.transcoding.status_details import report_status

SUBJECT = "arguments"

_TYPE_KEY = "@type"


class RpcTranscoder:
    """The values of one RPC. Satisfies `gateway.mcp.ports.Transcoder`."""

    def __init__(self, codec: Codec, rpc: Rpc) -> None:
        parse = codec.parser_for(rpc.request)
        if get_root_form(rpc.request) is RootForm.VALUE:
            parse = _make_value_parser(parse, rpc.request)
        self._parse = parse
        self._serialize = get_class(rpc.request).SerializeToString
        self._decode = codec.decoder_for(rpc.response)
        self._print = codec.printer_for(rpc.response)
        self._print_noting = codec.noting_printer_for(rpc.response)
        self._codec = codec
        self._request = rpc.request

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        """The serialised request, or every reason why these arguments are refused, each with its JSON pointer."""
        try:
            return self._serialize(self._parse(arguments))
        except ArgumentProblems as refusal:
            return distil(refusal.problems, subject=SUBJECT, is_complete=refusal.is_complete)

    def decode_reply(self, reply: bytes) -> Any:
        """The reply as JSON data. Raises BadReply where the bytes are no such message."""
        return self._print(self._decode(reply))

    def read_reply(self, reply: bytes) -> Printed:
        """The same, with notes on the parts that JSON cannot say as they are."""
        return self._print_noting(self._decode(reply))

    def encode_reply_json(self, reply: bytes) -> bytes:
        """The reply as JSON text in UTF-8. Raises BadReply."""
        return orjson.dumps(self._print(self._decode(reply)))

    def report_status(self, status: RpcStatus) -> StatusReport:
        """What a caller may know of a failure; its details are decoded with the backend's own descriptors."""
        return report_status(status, codec=self._codec, request=self._request)


def _make_value_parser(parse: Parser, descriptor: Descriptor) -> Parser:
    """A parser of arguments whose one member `value` holds the whole request (`descriptors.root_forms`)."""
    message_class = get_class(descriptor)
    takes_null = descriptor.full_name == "google.protobuf.Value"

    def parse_value(arguments: Any) -> Any:
        if type(arguments) is dict and _TYPE_KEY in arguments:
            return parse(arguments)
        unknown = [key for key in arguments if key != VALUE_PROPERTY]
        if unknown:
            raise ArgumentProblems(
                tuple(
                    Problem(
                        at=make_pointer((key,)), text=f"is not an argument; the request stands in `{VALUE_PROPERTY}`"
                    )
                    for key in unknown
                )
            )
        value = arguments.get(VALUE_PROPERTY)
        if value is None and not (takes_null and VALUE_PROPERTY in arguments):
            return message_class()
        try:
            return parse(value)
        except ArgumentProblems as refusal:
            inside = (Problem(at=f"/{VALUE_PROPERTY}{problem.at}", text=problem.text) for problem in refusal.problems)
            raise ArgumentProblems(tuple(inside), is_complete=refusal.is_complete) from None

    return parse_value
