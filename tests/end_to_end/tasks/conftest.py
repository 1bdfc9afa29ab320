"""A backend with long-running operations behind a whole gateway."""

import asyncio
from collections.abc import Mapping
from typing import Any

import grpc
import pytest
from google.longrunning.operations_proto_pb2 import CancelOperationRequest, GetOperationRequest, Operation
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc.status_pb2 import Status

from gateway.descriptors.facts.vocabulary import get_gateway_class
from tests.end_to_end.stage import META, HttpAnswer, Stage
from tests.end_to_end.typed_fields.conftest import HEAD

PROTO = (
    HEAD
    + """
import "gateway/v1/tasks.proto";
import "google/longrunning/operations_proto.proto";
message Q { string text = 1; gateway.v1.CallContext context = 2; }
message Book { string title = 1; int32 pages = 2; }
message Page { repeated gateway.v1.ContentBlock content = 1; }
message Metadata { string phase = 1; gateway.v1.TaskState task = 2; }
service S {
  rpc Scan(Q) returns (google.longrunning.Operation) {
    option (google.longrunning.operation_info) = {response_type: "Book", metadata_type: "Metadata"};
  }
  rpc Must(Q) returns (google.longrunning.Operation) {
    option (google.longrunning.operation_info) = {response_type: "t.Book", metadata_type: "Metadata"};
    option (gateway.v1.method).task = {
      support: TASK_SUPPORT_REQUIRED, ttl: {seconds: 60}, poll_interval: {nanos: 200000000}
    };
  }
  rpc Never(Q) returns (google.longrunning.Operation) {
    option (google.longrunning.operation_info) = {response_type: "Page", metadata_type: "Metadata"};
    option (gateway.v1.method).task.support = TASK_SUPPORT_NONE;
  }
  rpc Open(Q) returns (google.longrunning.Operation);
}
"""
)
TASKS = "io.modelcontextprotocol/tasks"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
DECLARED = {"elicitation": {}, "extensions": {TASKS: {}}}
NAME = "operations/1"

GET = "google.longrunning.Operations/GetOperation"
CANCEL = "google.longrunning.Operations/CancelOperation"
PROVIDE = "gateway.v1.TaskInputService/ProvideInput"


class Work:
    """The backend's operations by name. Each is what is answered next, and stays; `looks` counts how often."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.operations: dict[str, Operation] = {}
        self.cancelled: list[str] = []
        self.has_cancelled = asyncio.Event()
        self.has_looked = asyncio.Event()
        self.answers: list[Any] = []
        self.looks = 0
        self.after: dict[int, Operation] = {}
        stage.backend.answers |= {GET: self._get, CANCEL: self._cancel, PROVIDE: self._provide}
        for method in ("Scan", "Must", "Never", "Open"):
            stage.backend.answers[f"t.S/{method}"] = self._start

    async def _start(self, request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return self.operations[NAME].SerializeToString()

    async def _get(self, request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        name = GetOperationRequest.FromString(request).name
        self.looks += 1
        self.has_looked.set()
        self.operations[NAME] = self.after.get(self.looks, self.operations[NAME])
        if name not in self.operations:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such operation")
        return self.operations[name].SerializeToString()

    async def _cancel(self, request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        self.cancelled.append(CancelOperationRequest.FromString(request).name)
        self.has_cancelled.set()
        return b""

    async def _provide(self, request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        provided: Any = get_gateway_class("ProvideInputRequest").FromString(request)
        assert provided.operation == NAME
        self.answers.append({key: answer.result_json for key, answer in provided.answers.items()})
        self.begin(self.end(title="Answered"))
        return b""

    def begin(self, operation: Operation) -> None:
        """What the operation is now."""
        self.operations[NAME] = operation

    def work(self, **state: Any) -> Operation:
        """An operation at work, whose metadata holds a TaskState in a field where something is said."""
        operation = Operation(name=NAME)
        if state:
            message = self.stage.make("t.Metadata", phase="scanning", task=state)
            operation.metadata.CopyFrom(pack("t.Metadata", message.SerializeToString()))
        return operation

    def end(self, type_name: str = "t.Book", /, **fields: Any) -> Operation:
        """An operation that ended well."""
        message = self.stage.make(type_name, **fields)
        return Operation(name=NAME, done=True, response=pack(type_name, message.SerializeToString()))

    def fail(self, code: int, message: str) -> Operation:
        """An operation that failed."""
        return Operation(name=NAME, done=True, error=Status(code=code, message=message))

    def ask(self, *keys: str) -> Operation:
        """An operation that waits for forms."""
        return self.work(
            status_message="waiting",
            input_required={"requests": {key: {"elicitation": {"message": f"{key}?"}} for key in keys}},
        )

    async def call(self, rpc: str, *, declared: Any = DECLARED, **more: Any) -> Any:
        """The envelope that answers a call of the tool."""
        return (await self.post_call(rpc, declared=declared, **more)).json

    async def post_call(
        self, rpc: str, *, declared: Any = DECLARED, meta: Mapping[str, Any] = {}, **more: Any
    ) -> HttpAnswer:
        message = self.stage.make_call(rpc, {})
        message["params"] |= more
        message["params"]["_meta"] = {**META, CAPABILITIES: declared, **meta}
        return await self.stage.post(message)

    async def ask_task(self, method: str, task_id: Any, *, declared: Any = DECLARED, **more: Any) -> Any:
        """The envelope that answers tasks/*."""
        message = self.stage.make_request(f"tasks/{method}", {"taskId": task_id, **more})
        message["params"]["_meta"] = {**META, CAPABILITIES: declared}
        headers = {"mcp-name": task_id if isinstance(task_id, str) else None}
        return (await self.stage.post(message, headers)).json


def pack(type_name: str, data: bytes) -> AnyMessage:
    return AnyMessage(type_url=f"type.googleapis.com/{type_name}", value=data)


@pytest.fixture
async def work(make_stage: Any) -> Work:
    stage = await make_stage(PROTO)
    made = Work(stage)
    made.begin(made.work())
    return made
