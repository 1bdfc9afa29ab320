"""Both directions of one RPC's values, and its failures: what the MCP methods see of transcoding.

The value gate stands here: arguments become a request only if every part of them is right, and are refused with every
cause at once otherwise.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from gateway.contract.distilled import Distilled, distil
from gateway.contract.status_report import StatusReport
from gateway.descriptors.api import Rpc
from gateway.descriptors.root_forms import RootForm, get_root_form
from gateway.transcoding.argument_roots import make_value_parser, parse_list
from gateway.transcoding.codec import Codec
from gateway.transcoding.converters.type_index import get_class
from gateway.transcoding.errors import ArgumentProblems
from gateway.transcoding.http_bodies import HTTP_BODY, print_body
from gateway.transcoding.printed import Printed
from gateway.transcoding.rpc_status import RpcStatus
from gateway.transcoding.status_details import report_status

SUBJECT = "arguments"


class RpcTranscoder:
    """The values of one RPC. Satisfies `gateway.mcp.ports.Transcoder`."""

    def __init__(self, codec: Codec, rpc: Rpc) -> None:
        parse = self._parse_message = codec.request_parser_for(rpc.request)
        if get_root_form(rpc.request) is RootForm.VALUE:
            parse = make_value_parser(parse, rpc.request)
        self._parse = parse
        self._serialize = get_class(rpc.request).SerializeToString
        self._decode = codec.decoder_for(rpc.response)
        self._print = codec.printer_for(rpc.response)
        is_body = rpc.response.full_name == HTTP_BODY and not rpc.server_streaming
        self._print_noting = print_body if is_body else codec.noting_printer_for(rpc.response)
        self._codec = codec
        self._request = rpc.request
        self._client_streaming = rpc.client_streaming

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        """The serialised request, or every reason why these arguments are refused, each with its JSON pointer."""
        try:
            return self._serialize(self._parse(arguments))
        except ArgumentProblems as refusal:
            return distil(refusal.problems, subject=SUBJECT, is_complete=refusal.is_complete)

    def encode_requests(self, arguments: Mapping[str, Any]) -> Sequence[bytes] | Distilled:
        """The serialised requests of a call: one, or those that a client's stream lists; or every reason against them.

        No message of a list is sent unless all of them are right.
        """
        if not self._client_streaming:
            request = self.encode_arguments(arguments)
            return request if isinstance(request, Distilled) else (request,)
        try:
            return [self._serialize(message) for message in parse_list(self._parse_message, arguments)]
        except ArgumentProblems as refusal:
            return distil(refusal.problems, subject=SUBJECT, is_complete=refusal.is_complete)

    def decode_reply(self, reply: bytes) -> Any:
        """The reply as JSON data. Raises BadReply where the bytes are no such message."""
        return self._print(self._decode(reply))

    def read_reply(self, reply: bytes) -> Printed:
        """The same, with notes on the parts that JSON cannot say as they are; content where it is a HttpBody."""
        return self._print_noting(self._decode(reply))

    def encode_reply_json(self, reply: bytes) -> bytes:
        """The reply as JSON text in UTF-8. Raises BadReply."""
        return orjson.dumps(self._print(self._decode(reply)))

    def report_status(self, status: RpcStatus) -> StatusReport:
        """What a caller may know of a failure; its details are decoded with the backend's own descriptors."""
        return report_status(status, codec=self._codec, request=self._request)
