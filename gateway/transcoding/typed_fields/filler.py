"""Fills in what a request wants to know of its call: gateway.v1.CallContext and gateway.v1.CompletionQuery.

A serialised message with a field's bytes behind it is the message with that field set (protobuf.dev, "Encoding", Last
One Wins), so requests are filled in as bytes and never parsed again.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.contract.lone_surrogates import replace_lone_surrogates
from gateway.descriptors.facts.vocabulary import get_gateway_class
from gateway.descriptors.typed_fields import CALL_CONTEXT, COMPLETION_QUERY, list_filled_in
from gateway.transcoding.call_context import CallContext, CompletionQuery
from gateway.transcoding.converters.type_index import encode_varint, get_message_type
from gateway.transcoding.reply_parts import LOG_LEVELS
from gateway.transcoding.typed_fields.content import parse_block, parse_role

_LENGTH_DELIMITED, _START_GROUP, _END_GROUP = 2, 3, 4
# gateway.v1.ElicitationAction.
_ACTIONS: Mapping[str, int] = MappingProxyType({"accept": 1, "decline": 2, "cancel": 3})


class ContextFiller:
    """Fills in the requests of one RPC."""

    def __init__(self, request: Descriptor) -> None:
        fields = [field for field in list_filled_in(request) if not field.is_repeated]
        self._contexts = [field for field in fields if get_message_type(field).full_name == CALL_CONTEXT]
        self._queries = [field for field in fields if get_message_type(field).full_name == COMPLETION_QUERY]

    @property
    def wants_context(self) -> bool:
        """Whether the request has a field for the context."""
        return bool(self._contexts)

    @property
    def wants_query(self) -> bool:
        """Whether the request has a field for what is to be completed."""
        return bool(self._queries)

    def fill(self, request: bytes, context: CallContext, query: CompletionQuery | None = None) -> bytes:
        """The serialised request with its fields of these types filled in."""
        if self._contexts:
            request += _frame(self._contexts, _make_context(context).SerializeToString())
        if self._queries and query is not None:
            made = get_gateway_class("CompletionQuery")(
                argument=query.argument, value=query.value, resolved=dict(query.resolved)
            )
            request += _frame(self._queries, made.SerializeToString())
        return request


def _make_context(context: CallContext) -> Any:
    client = context.client
    made: Any = get_gateway_class("CallContext")(
        client={
            "sampling": client.sampling,
            "elicitation": client.elicitation,
            "elicitation_url": client.elicitation_url,
            "roots": client.roots,
            "tasks": client.tasks,
        },
        state=context.state,
        wants_progress=context.wants_progress,
        principal=context.principal,
        log_level=LOG_LEVELS.index(context.log_level) + 1 if context.log_level in LOG_LEVELS else 0,
    )
    for key, result in context.answers.items():
        # Half characters may have come this far; a message holds none.
        fill_answer(made.answers[replace_lone_surrogates(key)], replace_lone_surrogates(result))
    return made


def fill_answer(answer: Any, result: Mapping[str, Any]) -> None:
    """Fills a gateway.v1.InputAnswer with a client's result: as JSON, and typed where it is of a known kind."""
    answer.result_json = orjson.dumps(result).decode()
    match result:
        case {"action": str() as action}:
            answer.elicitation.action = _ACTIONS.get(action, 0)
            content = result.get("content")
            if isinstance(content, dict):
                answer.elicitation.content.update(content)
        case {"roots": list() as roots}:
            answer.roots.SetInParent()
            for root in roots:
                match root:
                    case {"uri": str() as uri}:
                        name = root.get("name")
                        answer.roots.roots.add(uri=uri, name=name if isinstance(name, str) else "")
        case {"role": role, "content": content}:
            sampling = answer.sampling
            sampling.role = parse_role(role)
            blocks = (parse_block(block) for block in (content if isinstance(content, list) else [content]))
            sampling.content.extend(block for block in blocks if block is not None)
            for name, member in (("model", "model"), ("stop_reason", "stopReason")):
                if isinstance(result.get(member), str):
                    setattr(sampling, name, result[member])


def _frame(fields: list[FieldDescriptor], payload: bytes) -> bytes:
    return b"".join(_encode_field(field, payload) for field in fields)


def _encode_field(field: FieldDescriptor, payload: bytes) -> bytes:
    """The field on the wire, in the one or the other form of messages (proto2 groups, editions' DELIMITED)."""
    number = field.number << 3
    if field.type == FieldDescriptor.TYPE_GROUP:
        return encode_varint(number | _START_GROUP) + payload + encode_varint(number | _END_GROUP)
    return encode_varint(number | _LENGTH_DELIMITED) + encode_varint(len(payload)) + payload
