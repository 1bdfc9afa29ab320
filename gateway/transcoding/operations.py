"""Reads the long-running operations of one backend, and writes the requests that follow them.

google/longrunning/operations.proto is read with this process's own classes: its fields are the same everywhere, and a
backend that serves something else under that name is found out by its bytes. What the metadata says beside is in
gateway.v1.TaskState (proto/gateway/v1/tasks.proto).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.longrunning.operations_proto_pb2 import GetOperationRequest, Operation
from google.protobuf.message import DecodeError

from gateway.contract.lone_surrogates import replace_lone_surrogates
from gateway.contract.quoting import quote
from gateway.descriptors.facts.vocabulary import get_gateway_class
from gateway.transcoding.codec import Codec
from gateway.transcoding.converters.type_index import get_class
from gateway.transcoding.errors import BadReply
from gateway.transcoding.reply_parts import InputPart, ProgressPart
from gateway.transcoding.rpc_status import RpcStatus
from gateway.transcoding.typed_fields.filler import fill_answer
from gateway.transcoding.typed_fields.questions import print_input_required

TASK_STATE = "gateway.v1.TaskState"

_ANY = "google.protobuf.Any"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationState:
    """What an operation says of itself at one moment.

    Once it is done either `error` or `response` is set: how it failed, or the serialised message that it ended in.
    `input_required` are the questions that it waits for; `status_message` is for people.
    """

    name: str
    is_done: bool = False
    status_message: str = ""
    progress: ProgressPart | None = None
    input_required: InputPart | None = None
    error: RpcStatus | None = None
    response: bytes | None = None


class OperationCodec:
    """The operations of one RPC. Satisfies `gateway.mcp.ports.OperationCodec`."""

    def __init__(self, codec: Codec, result_type: str, *, default_uri: str) -> None:
        """`result_type` is the full name of what they end in, google.protobuf.Any where that is open."""
        self._codec = codec
        self._result_type = result_type
        self._default_uri = default_uri

    def read(self, reply: bytes) -> OperationState:
        """A serialised Operation. Raises BadReply where it is none, or ends in what it should not."""
        try:
            operation = Operation.FromString(reply)
        except DecodeError:
            raise BadReply(f"the reply of {len(reply)} bytes is not a readable google.longrunning.Operation") from None
        if operation.done:
            return self._read_end(operation)
        state = self._find_state(operation.metadata) if operation.HasField("metadata") else None
        if state is None:
            return OperationState(name=operation.name)
        asks = state.HasField("input_required")
        return OperationState(
            name=operation.name,
            status_message=state.status_message,
            progress=_read_progress(state.progress) if state.HasField("progress") else None,
            input_required=print_input_required(state.input_required, self._default_uri) if asks else None,
        )

    def encode_name(self, name: str) -> bytes:
        """The request that asks for, or cancels, the operation of that name."""
        # CancelOperationRequest and DeleteOperationRequest are the same message on the wire.
        request: bytes = GetOperationRequest(name=name).SerializeToString()
        return request

    def encode_answers(self, name: str, answers: Mapping[str, Mapping[str, Any]]) -> bytes:
        """A gateway.v1.ProvideInputRequest."""
        request: Any = get_gateway_class("ProvideInputRequest")(operation=name)
        for key, result in answers.items():
            fill_answer(request.answers[replace_lone_surrogates(key)], replace_lone_surrogates(result))
        encoded: bytes = request.SerializeToString()
        return encoded

    def _read_end(self, operation: Any) -> OperationState:
        match operation.WhichOneof("result"):
            case "error" if operation.error.code:
                status = operation.error
                error = RpcStatus(code=status.code, message=status.message, details=status.SerializeToString())
                return OperationState(name=operation.name, is_done=True, error=error)
            case "response":
                response = self._take_response(operation.response)
                return OperationState(name=operation.name, is_done=True, response=response)
            case _:
                # Done without saying how it went: an empty message, which is what some servers leave out.
                return OperationState(name=operation.name, is_done=True, response=b"")

    def _take_response(self, response: Any) -> bytes:
        """The serialised message of the type that the operation is to end in."""
        serialised: bytes = response.value
        if self._result_type == _ANY:
            serialised = response.SerializeToString()
        elif _get_type(response) != self._result_type:
            raise BadReply(f"the operation ends in {quote(_get_type(response))}, it is to end in {self._result_type}")
        return serialised

    def _find_state(self, metadata: Any) -> Any | None:
        """The TaskState that the metadata is, or holds in a field of its own; None where it has none."""
        name, data = _get_type(metadata), metadata.value
        try:
            if name != TASK_STATE:
                data = self._find_state_bytes(metadata.type_url, data)
            return None if data is None else get_gateway_class("TaskState").FromString(data)
        except DecodeError:
            raise BadReply(f"the operation's metadata is not a readable {quote(name)}") from None

    def _find_state_bytes(self, type_url: str, data: bytes) -> bytes | None:
        descriptor = self._codec.find_descriptor(type_url)
        if descriptor is None:
            return None
        for field in descriptor.fields:
            if not field.is_repeated and field.message_type is not None and field.message_type.full_name == TASK_STATE:
                message: Any = get_class(descriptor).FromString(data)
                if message.HasField(field.name):
                    state: bytes = getattr(message, field.name).SerializePartialToString()
                    return state
        return None


def _get_type(packed: Any) -> str:
    """The full name of the type that an Any holds."""
    name: str = packed.type_url.rpartition("/")[2]
    return name


def _read_progress(progress: Any) -> ProgressPart:
    total = progress.total if progress.HasField("total") else None
    return ProgressPart(progress=progress.progress, total=total, message=progress.message)
