"""Both directions of one RPC's values, and its failures: what the MCP methods see of transcoding.

The value gate stands here: arguments become a request only if every part of them is right, and are refused with every
cause at once otherwise.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson
from google.protobuf.message import Message

from gateway.contract.distilled import Distilled, distil
from gateway.contract.status_report import StatusReport
from gateway.descriptors.api import Rpc
from gateway.descriptors.root_forms import RootForm, get_root_form
from gateway.descriptors.rpc_facts import NO_FACTS, RpcFacts
from gateway.descriptors.typed_fields import has_progress
from gateway.transcoding.argument_roots import make_value_parser, parse_list, refuse_filled_in
from gateway.transcoding.call_context import CallContext, CompletionQuery
from gateway.transcoding.codec import Codec
from gateway.transcoding.converters.type_index import get_class
from gateway.transcoding.errors import ArgumentProblems
from gateway.transcoding.http_bodies import HTTP_BODY, print_body
from gateway.transcoding.printed import Printed
from gateway.transcoding.rpc_status import RpcStatus
from gateway.transcoding.sensitive_values import Redactor
from gateway.transcoding.status_details import report_status
from gateway.transcoding.typed_fields.filler import ContextFiller
from gateway.transcoding.typed_fields.reading import wrap_printer

SUBJECT = "arguments"


class RpcTranscoder:
    """The values of one RPC. Satisfies `gateway.mcp.ports.Transcoder`."""

    def __init__(self, codec: Codec, rpc: Rpc, facts: RpcFacts = NO_FACTS) -> None:
        parse = self._parse_message = refuse_filled_in(codec.request_parser_for(rpc.request), rpc.request)
        if get_root_form(rpc.request) is RootForm.VALUE:
            parse = make_value_parser(parse, rpc.request)
        self._parse = parse
        self._serialize = get_class(rpc.request).SerializeToString
        self._decode = codec.decoder_for(rpc.response)
        self._print = codec.printer_for(rpc.response)
        is_body = rpc.response.full_name == HTTP_BODY and not rpc.server_streaming
        self._print_noting = print_body if is_body else _make_printer(codec, rpc, facts)
        self._tells_progress = has_progress(rpc.response)
        self._filler = ContextFiller(rpc.request)
        self._redactor = _make_redactor(rpc, facts)
        self._codec = codec
        self._request = rpc.request
        self._client_streaming = rpc.client_streaming

    def encode_arguments(self, arguments: Mapping[str, Any]) -> bytes | Distilled:
        """The serialised request, or every reason why these arguments are refused, each with its JSON pointer."""
        try:
            return self._serialize(self._parse(arguments))
        except ArgumentProblems as refusal:
            return self._distil(refusal, arguments)

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
            return self._distil(refusal, arguments)

    @property
    def takes_context(self) -> bool:
        """Whether a request has fields that `fill_in` fills in."""
        return self._filler.wants_context or self._filler.wants_query

    @property
    def tells_progress(self) -> bool:
        """Whether replies can say how far the work is."""
        return self._tells_progress

    def fill_in(self, request: bytes, context: CallContext, query: CompletionQuery | None = None) -> bytes:
        """The serialised request with what the backend wants to know of the call (`descriptors.typed_fields`).

        Of a client's stream it is the first request that is told.
        """
        return self._filler.fill(request, context, query)

    def decode_reply(self, reply: bytes) -> Any:
        """The reply as JSON data. Raises BadReply where the bytes are no such message."""
        return self._print(self._decode(reply))

    def read_reply(self, reply: bytes) -> Printed:
        """The same, with notes on the parts that JSON cannot say as they are; content where it is a HttpBody.

        What the reply says beside its value (`descriptors.typed_fields`), and media, are in its parts and not in it.
        """
        return self._print_noting(self._decode(reply))

    def encode_reply_json(self, reply: bytes) -> bytes:
        """The reply as JSON text in UTF-8. Raises BadReply."""
        return orjson.dumps(self._print(self._decode(reply)))

    def report_status(self, status: RpcStatus) -> StatusReport:
        """What a caller may know of a failure; its details are decoded with the backend's own descriptors."""
        return report_status(status, codec=self._codec, request=self._request)

    def _distil(self, refusal: ArgumentProblems, arguments: Mapping[str, Any]) -> Distilled:
        problems = refusal.problems
        if self._redactor is not None:
            problems = self._redactor.redact(problems, arguments)
        return distil(problems, subject=SUBJECT, is_complete=refusal.is_complete)


def _make_printer(codec: Codec, rpc: Rpc, facts: RpcFacts) -> Callable[[Message], Printed]:
    printer = codec.noting_printer_for(rpc.response)
    return wrap_printer(printer, rpc.response, facts.media_types, default_uri=f"grpc:///{rpc.name}")


def _make_redactor(rpc: Rpc, facts: RpcFacts) -> Redactor | None:
    """What rewrites refusals; None where no field is sensitive."""
    if not facts.sensitive:
        return None
    # `messages` and an index, or `value`: see descriptors.root_forms.
    prefix = 2 if rpc.client_streaming else 0
    if get_root_form(rpc.request) is RootForm.VALUE:
        prefix += 1
    return Redactor(rpc.request, facts.sensitive, prefix=prefix)
