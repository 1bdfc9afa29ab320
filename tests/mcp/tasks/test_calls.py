from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from gateway.contract.envelopes import Refusal, encode_envelope
from gateway.descriptors.facts.values import TaskSupport
from gateway.mcp.catalogue import Tool
from gateway.mcp.dispatch import Dispatcher
from gateway.mcp.exchange import Exchange
from gateway.mcp.ports import Metadata
from gateway.mcp.sealing import Sealer
from gateway.mcp.tasks.long_running import LongRunning
from gateway.transcoding.errors import BadReply
from gateway.transcoding.operations import OperationState
from gateway.transcoding.reply_parts import InputKind, InputPart, InputQuestion
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

NAME = "operations/1"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
DECLARED = {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
QUESTION = InputQuestion(kind=InputKind.FORM, method="elicitation/create", params={"message": "Who?"})
DONE = OperationState(name=NAME, is_done=True, response=b'{"a":1}')
WORKING = OperationState(name=NAME)
ASKING = OperationState(name=NAME, input_required=InputPart(questions={"who": QUESTION}))

Seen = OperationState | RpcStatus


class FakeCodec:
    """Operations travel as their place in a list."""

    def __init__(self) -> None:
        self.states: list[OperationState] = []

    def write(self, state: OperationState) -> bytes:
        self.states.append(state)
        return str(len(self.states) - 1).encode()

    def read(self, reply: bytes) -> OperationState:
        try:
            return self.states[int(reply)]
        except ValueError:
            raise BadReply("it is no number") from None

    def encode_name(self, name: str) -> bytes:
        return name.encode()

    def encode_answers(self, name: str, answers: Mapping[str, Mapping[str, Any]]) -> bytes:
        return orjson.dumps([name, answers])


class FakeAsker:
    """A client that can be asked while its call waits."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(
        self, method: str, params: Mapping[str, Any], *, timeout_seconds: float
    ) -> Mapping[str, Any] | Refusal:
        self.asked.append(method)
        return {"action": "accept", "content": {"name": "Ada"}}


@dataclass(slots=True)
class Backend:
    """Operations that are seen like this, one look after the other; the last one stays."""

    kit: Any
    seen: list[Seen]
    codec: FakeCodec = field(default_factory=FakeCodec)
    sent: list[tuple[str, bytes, float, tuple[Any, ...]]] = field(default_factory=list)

    def make_tool(self, support: TaskSupport = TaskSupport.UNSPECIFIED, **options: Any) -> Tool:
        long_running = LongRunning(
            codec=self.codec,
            get=self._rpc("get", self._look),
            cancel=self._rpc("cancel", lambda: b""),
            provide_input=self._rpc("provide", lambda: b""),
            support=support,
        )
        started = self.kit.FakeRpc(lambda _: self.codec.write(WORKING))
        tool: Tool = self.kit.make_tool(**{"call": started, "long_running": long_running, **options})
        return tool

    def _look(self) -> bytes | RpcStatus:
        seen = self.seen.pop(0) if len(self.seen) > 1 else self.seen[0]
        return self.codec.write(seen) if isinstance(seen, OperationState) else seen

    def _rpc(self, name: str, answer: Callable[[], bytes | RpcStatus]) -> Any:
        async def call(request: bytes, *, timeout_seconds: float, metadata: Metadata) -> bytes | RpcStatus:
            self.sent.append((name, request, timeout_seconds, tuple(metadata)))
            return answer()

        return call

    @property
    def rpcs(self) -> list[str]:
        return [name for name, _, _, _ in self.sent]


async def call(
    kit: Any, dispatcher: Dispatcher, *, exchange: Exchange | None = None, declared: Any = None, **meta: Any
) -> Any:
    message = kit.make_request("tools/call", {"name": "echo"}, **{CAPABILITIES: declared or {}, **meta})
    envelope = await dispatcher.dispatch(message, exchange or Exchange(front="test"))
    assert envelope is not None
    return orjson.loads(encode_envelope(envelope))


@pytest.mark.parametrize("code", [4, 14])
async def test_a_look_that_fails_for_the_moment_is_made_again(kit: Any, code: int) -> None:
    backend = Backend(kit, [RpcStatus(code=code, message="later", origin=StatusOrigin.CONNECTION), DONE])
    body = await call(kit, kit.make_dispatcher(backend.make_tool()))
    assert body["result"]["structuredContent"] == {"a": 1}
    assert backend.rpcs == ["get", "get"]


async def test_a_gateway_that_closes_its_connections_waits_no_longer(kit: Any) -> None:
    backend = Backend(kit, [RpcStatus(code=14, message="closing", origin=StatusOrigin.GATEWAY)])
    body = await call(kit, kit.make_dispatcher(backend.make_tool()))
    assert (body["result"]["isError"], backend.rpcs) == (True, ["get"])


async def test_a_name_that_would_make_too_long_an_id_is_refused(kit: Any) -> None:
    backend = Backend(kit, [DONE])
    started = kit.FakeRpc(lambda _: backend.codec.write(OperationState(name="n" * 1001)))
    body = await call(kit, kit.make_dispatcher(backend.make_tool(call=started)))
    assert body["error"]["message"].startswith("the backend's operation has too long a name (reference ")
    assert backend.rpcs == []


async def test_a_look_that_fails_for_good_ends_the_call(kit: Any) -> None:
    backend = Backend(kit, [RpcStatus(code=7, message="not yours")])
    body = await call(kit, kit.make_dispatcher(backend.make_tool()))
    assert (body["result"]["isError"], body["result"]["content"][0]["text"]) == (True, "PERMISSION_DENIED: not yours")
    assert backend.rpcs == ["get"]


async def test_looks_carry_what_the_call_carries_and_keep_its_deadline(kit: Any) -> None:
    backend = Backend(kit, [DONE])
    dispatcher = kit.make_dispatcher(backend.make_tool(deadline_seconds=2.0))
    await call(kit, dispatcher, exchange=Exchange(front="test", metadata=(("x-user", "ada"),)))
    ((name, request, timeout_seconds, metadata),) = backend.sent
    assert (name, request, metadata) == ("get", NAME.encode(), (("x-user", "ada"),))
    assert 1 < timeout_seconds < 2


async def test_a_client_that_can_be_asked_is_asked_while_its_call_waits(kit: Any) -> None:
    backend, asker = Backend(kit, [ASKING, DONE]), FakeAsker()
    exchange = Exchange(front="test", asker=asker)
    dispatcher = kit.make_dispatcher(backend.make_tool())
    body = await call(kit, dispatcher, exchange=exchange, declared={"elicitation": {}})
    assert body["result"]["structuredContent"] == {"a": 1}
    assert asker.asked == ["elicitation/create"]
    assert backend.rpcs == ["get", "provide", "get"]
    provided = orjson.loads(backend.sent[1][1])
    assert provided == [NAME, {"who": {"action": "accept", "content": {"name": "Ada"}}}]


@pytest.mark.parametrize(
    ("support", "is_declared", "kind"),
    [
        (TaskSupport.UNSPECIFIED, True, "task"),
        (TaskSupport.OPTIONAL, True, "task"),
        (TaskSupport.REQUIRED, True, "task"),
        (TaskSupport.NONE, True, "complete"),
        (TaskSupport.UNSPECIFIED, False, "complete"),
        (TaskSupport.OPTIONAL, False, "complete"),
        (TaskSupport.NONE, False, "complete"),
    ],
)
async def test_a_call_becomes_a_task_where_both_sides_will(
    kit: Any, support: TaskSupport, is_declared: bool, kind: str
) -> None:
    backend = Backend(kit, [DONE])
    body = await call(kit, kit.make_dispatcher(backend.make_tool(support)), declared=DECLARED if is_declared else {})
    assert body["result"]["resultType"] == kind


async def test_a_task_belongs_to_the_principal_that_made_it(kit: Any) -> None:
    backend = Backend(kit, [DONE])
    dispatcher = kit.make_dispatcher(backend.make_tool())
    created = await call(kit, dispatcher, exchange=Exchange(front="test", principal="ada"), declared=DECLARED)
    params = {"taskId": created["result"]["taskId"]}
    seen = []
    for principal in ("ada", "bob", ""):
        message = kit.make_request("tasks/get", params, **{CAPABILITIES: DECLARED})
        envelope = await dispatcher.dispatch(message, Exchange(front="test", principal=principal))
        assert envelope is not None
        body = orjson.loads(encode_envelope(envelope))
        seen.append(body["result"]["status"] if "result" in body else body["error"]["code"])
    assert seen == ["completed", -32602, -32602]


async def test_a_task_whose_tool_is_gone_is_unknown(kit: Any) -> None:
    backend = Backend(kit, [DONE])
    sealer = Sealer([b"k" * 32])
    sealed = kit.make_dispatcher(backend.make_tool(), sealer=sealer)
    created = await call(kit, sealed, declared=DECLARED)
    for tool in (kit.make_tool("other"), kit.make_tool(), backend.make_tool(backend="elsewhere")):
        dispatcher = kit.make_dispatcher(tool, sealer=sealer)
        message = kit.make_request("tasks/get", {"taskId": created["result"]["taskId"]}, **{CAPABILITIES: DECLARED})
        _, body = await kit.ask(dispatcher, message)
        assert body["error"]["code"] == -32602
