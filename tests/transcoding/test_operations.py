from typing import Any

import pytest
from google.longrunning.operations_proto_pb2 import GetOperationRequest, Operation
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc.status_pb2 import Status

from gateway.descriptors.facts.vocabulary import get_gateway_class
from gateway.transcoding.codec import Codec
from gateway.transcoding.errors import BadReply
from gateway.transcoding.operations import OperationCodec, OperationState
from gateway.transcoding.reply_parts import InputKind, ProgressPart
from gateway.transcoding.rpc_status import RpcStatus
from tests.laws.compiled import compile_body

API = compile_body(
    "message Book { string title = 1; } message Held { string phase = 1; gateway.v1.TaskState task = 5; }"
    "message Bare { string phase = 1; }",
    imports=("gateway/v1/tasks.proto",),
)
NAME = "operations/1"


def make_codec(result_type: str = "t.Book") -> OperationCodec:
    return OperationCodec(Codec(API), result_type, default_uri="grpc:///t.S/Scan")


def read(result_type: str = "t.Book", /, **members: Any) -> OperationState:
    return make_codec(result_type).read(Operation(name=NAME, **members).SerializeToString())


def pack(type_name: str, data: bytes) -> AnyMessage:
    return AnyMessage(type_url=f"type.googleapis.com/{type_name}", value=data)


def make_state(**members: Any) -> bytes:
    state: bytes = get_gateway_class("TaskState")(**members).SerializeToString()
    return state


STATE = make_state(
    status_message="Scanning",
    progress={"progress": 2, "total": 8, "message": "page 2"},
    input_required={"requests": {"who": {"roots": {}}}, "state": b"s"},
)


@pytest.mark.parametrize(
    "metadata",
    [pack("gateway.v1.TaskState", STATE), pack("t.Held", b"\x2a" + bytes([len(STATE)]) + STATE)],
    ids=["itself", "a field of it"],
)
def test_metadata_that_is_or_holds_a_task_state_says_how_the_work_stands(metadata: AnyMessage) -> None:
    state = read(metadata=metadata)
    assert (state.name, state.is_done, state.status_message) == (NAME, False, "Scanning")
    assert state.progress == ProgressPart(progress=2, total=8, message="page 2")
    assert state.input_required is not None
    assert state.input_required.state == b"s"
    assert [(key, one.kind) for key, one in state.input_required.questions.items()] == [("who", InputKind.ROOTS)]


@pytest.mark.parametrize(
    "metadata", [AnyMessage(), pack("t.Bare", b"\x0a\x01x"), pack("t.Held", b"\x0a\x01x"), pack("no.Where", b"\xff")]
)
def test_metadata_without_one_says_nothing(metadata: AnyMessage) -> None:
    assert read(metadata=metadata) == OperationState(name=NAME)


@pytest.mark.parametrize("metadata", [pack("gateway.v1.TaskState", b"\xff"), pack("t.Held", b"\xff")])
def test_metadata_that_is_not_readable_is_a_bad_reply(metadata: AnyMessage) -> None:
    with pytest.raises(BadReply, match="the operation's metadata is not a readable"):
        read(metadata=metadata)


def test_an_end_is_the_message_of_the_declared_type() -> None:
    assert read(done=True, response=pack("t.Book", b"\x0a\x01x")) == OperationState(
        name=NAME, is_done=True, response=b"\x0a\x01x"
    )
    with pytest.raises(BadReply, match=r'the operation ends in "t\.Bare", it is to end in t\.Book'):
        read(done=True, response=pack("t.Bare", b""))


def test_an_end_of_no_declared_type_stays_an_any() -> None:
    packed = pack("t.Book", b"\x0a\x01x")
    state = read("google.protobuf.Any", done=True, response=packed)
    assert state.response == packed.SerializeToString()


def test_an_error_is_a_status_with_its_details() -> None:
    status = Status(code=5, message="no such shelf", details=[pack("t.Book", b"")])
    assert read(done=True, error=status).error == RpcStatus(
        code=5, message="no such shelf", details=status.SerializeToString()
    )


@pytest.mark.parametrize("members", [{}, {"error": Status()}])
def test_an_end_that_says_nothing_is_an_empty_message(members: Any) -> None:
    assert read(done=True, **members) == OperationState(name=NAME, is_done=True, response=b"")


def test_bytes_that_are_no_operation_are_a_bad_reply() -> None:
    with pytest.raises(BadReply, match=r"the reply of 1 bytes is not a readable google\.longrunning\.Operation"):
        make_codec().read(b"\xff")


def test_requests_name_the_operation_and_hand_over_answers() -> None:
    codec = make_codec()
    assert GetOperationRequest.FromString(codec.encode_name("a/é")).name == "a/é"
    encoded = codec.encode_answers(NAME, {"who\ud800": {"action": "accept", "content": {"name": "Ada"}}})
    request: Any = get_gateway_class("ProvideInputRequest").FromString(encoded)
    assert request.operation == NAME
    (answer,) = request.answers.values()
    assert answer.result_json == '{"action":"accept","content":{"name":"Ada"}}'
