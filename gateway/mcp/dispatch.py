"""Which method answers this message? The one way from a parsed message to its envelope, for every front."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import orjson

from gateway.contract.envelopes import Envelope, Refusal, notification, refusal_response, success_response
from gateway.contract.parsing import find_request_id
from gateway.contract.validation import MessageValidator
from gateway.descriptors.facts.values import ClientCapability
from gateway.mcp.admission import Admission
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.exchange import Exchange, Outlet
from gateway.mcp.input_rounds.rounds import InputRounds
from gateway.mcp.methods.completion import Completion
from gateway.mcp.methods.initialize import Initialize
from gateway.mcp.methods.logging_set_level import answer_set_level
from gateway.mcp.methods.method import Method
from gateway.mcp.methods.ping import answer_ping
from gateway.mcp.methods.prompts import Prompts
from gateway.mcp.methods.resource_subscriptions import ResourceSubscriptions, ResourceWatcher
from gateway.mcp.methods.resources import Resources
from gateway.mcp.methods.server_discover import ServerDiscover
from gateway.mcp.methods.subscriptions_listen import SubscriptionsListen
from gateway.mcp.methods.tasks import Tasks
from gateway.mcp.methods.tools_call import ToolsCall, find_mirrored
from gateway.mcp.methods.tools_list import ToolsList
from gateway.mcp.offerings.asking import RpcAsker
from gateway.mcp.progress import ProgressPace
from gateway.mcp.revisions import Era
from gateway.mcp.sealing import Sealer, make_random_key
from gateway.mcp.sessions.admission import SessionAdmission
from gateway.mcp.sessions.belonging import INITIALIZE
from gateway.mcp.sessions.forms import fit_result
from gateway.mcp.sessions.session import Session, SessionHolder
from gateway.mcp.sessions.sessions import Sessions
from gateway.mcp.subscriptions.hub import SubscriptionHub
from gateway.mcp.subscriptions.resource_watch import DEFAULT_POLL_SECONDS, UPDATED_METHOD, ResourceDigests
from gateway.mcp.subscriptions.topics import TOPICS, Topic
from gateway.mcp.tasks.calls import OperationCalls
from gateway.mcp.tool_calls.collector import StreamLimits

SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"

# Optional parameters whose null counts as absent.
_PAGED = ("cursor",)
_ROUNDS = ("inputResponses", "requestState")

_PER_REQUEST = frozenset({Era.PER_REQUEST})
_HANDSHAKE = frozenset({Era.HANDSHAKE})

DEFAULT_RESULT_LIMIT_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerIdentity:
    """Who answers: an Implementation of the protocol, stated in every result's `_meta`."""

    name: str
    version: str
    title: str | None = None
    description: str | None = None
    website_url: str | None = None

    def describe(self) -> dict[str, str]:
        """The identity as the protocol writes it, without what is unknown."""
        members = {
            "name": self.name,
            "title": self.title,
            "version": self.version,
            "description": self.description,
            "websiteUrl": self.website_url,
        }
        return {key: value for key, value in members.items() if value is not None}


class Dispatcher:
    """Answers messages from the catalogue that is served at their moment.

    `catalogue` gives the current one and is asked once a message. `page_size` is the number of tools a page of
    tools/list, None for one page. `result_limit_bytes` bounds the JSON of a tool's result, `stream_limits` what is
    collected of a stream, `progress_pace` how often progress is told; `forward_internal` tells callers what a backend
    says of its internal failures. `subscriptions` is who is told of changes; None offers no subscriptions.
    `sealer` seals what clients carry between two requests; None gives this process a key of its own.
    `session_validators` are those of the revisions of the handshake era, by name; None leaves that era unserved, and
    `sessions` is then None. Resources that somebody subscribed to are read every `resource_poll_seconds`.
    """

    def __init__(
        self,
        *,
        catalogue: Callable[[], Catalogue],
        validator: MessageValidator,
        server: ServerIdentity,
        page_size: int | None = None,
        result_limit_bytes: int = DEFAULT_RESULT_LIMIT_BYTES,
        stream_limits: StreamLimits | None = None,
        progress_pace: ProgressPace | None = None,
        forward_internal: bool = False,
        subscriptions: SubscriptionHub | None = None,
        sealer: Sealer | None = None,
        session_validators: Mapping[str, MessageValidator] | None = None,
        resource_poll_seconds: float = DEFAULT_POLL_SECONDS,
    ) -> None:
        self._catalogue = catalogue
        self._subscriptions = subscriptions
        self._server_info = orjson.Fragment(orjson.dumps(server.describe()))
        sealer = sealer or Sealer([make_random_key()])
        rounds = InputRounds(sealer=sealer)
        operations = OperationCalls(
            sealer=sealer, result_limit_bytes=result_limit_bytes, forward_internal=forward_internal
        )
        tasks = Tasks(operations)
        asker = RpcAsker(rounds=rounds, forward_internal=forward_internal)
        tools_list = ToolsList(page_size=page_size)
        tools_call = ToolsCall(
            result_limit_bytes=result_limit_bytes,
            stream_limits=stream_limits or StreamLimits(),
            progress_pace=progress_pace or ProgressPace(),
            rounds=rounds,
            operations=operations,
            forward_internal=forward_internal,
        )
        prompts = Prompts(asker, page_size=page_size)
        resources = Resources(asker, limit_bytes=result_limit_bytes, page_size=page_size)
        served = (
            Method(name="tools/list", answer=tools_list.answer, capability="tools", nullable=_PAGED),
            Method(
                name="tools/call",
                answer=tools_call.answer,
                capability="tools",
                nullable=("arguments", *_ROUNDS),
                mirrors=find_mirrored,
            ),
            Method(name="prompts/list", answer=prompts.answer_list, capability="prompts", nullable=_PAGED),
            Method(
                name="prompts/get",
                answer=prompts.answer_get,
                capability="prompts",
                nullable=("arguments", *_ROUNDS),
            ),
            Method(name="resources/list", answer=resources.answer_list, capability="resources", nullable=_PAGED),
            Method(
                name="resources/templates/list",
                answer=resources.answer_templates,
                capability="resources",
                nullable=_PAGED,
            ),
            Method(name="resources/read", answer=resources.answer_read, capability="resources", nullable=_ROUNDS),
        )
        completion = Method(name="completion/complete", answer=Completion(asker).answer, nullable=("context",))
        watcher = ResourceWatcher(
            resources=resources, digests=ResourceDigests(poll_seconds=resource_poll_seconds), catalogue=catalogue
        )
        self._poll_seconds = watcher.digests.poll_seconds
        # Lists that clients may keep are told of when they change, where there is somebody to tell.
        changes = {} if subscriptions is None else {"listChanged": True}
        capabilities = {row.capability: changes for row in served if row.capability}
        capabilities |= {"completions": {}, "logging": {}}
        if subscriptions is not None:
            capabilities["resources"] = {**changes, "subscribe": True}
        discover = ServerDiscover(capabilities={**capabilities, "extensions": {ClientCapability.TASKS.value: {}}})
        rows = [Method(name="server/discover", answer=discover.answer, eras=_PER_REQUEST), *served, completion]
        rows += [
            Method(name="tasks/get", answer=tasks.get, eras=_PER_REQUEST),
            Method(name="tasks/update", answer=tasks.update, eras=_PER_REQUEST),
            Method(name="tasks/cancel", answer=tasks.cancel, eras=_PER_REQUEST),
        ]
        if subscriptions is not None:
            listen = SubscriptionsListen(subscriptions, watcher)
            rows.append(Method(name="subscriptions/listen", answer=listen.answer, eras=_PER_REQUEST))
        self._admission = Admission(methods=_select(rows, Era.PER_REQUEST), validator=validator)
        self.sessions: Sessions | None = None
        if session_validators is not None:
            self.sessions = Sessions(sealer)
            watched = ResourceSubscriptions(watcher)
            initialize = Initialize(self.sessions, capabilities=capabilities, server=server.describe())
            rows += [
                Method(name=INITIALIZE, answer=initialize.answer, eras=_HANDSHAKE),
                Method(name="ping", answer=answer_ping, eras=_HANDSHAKE),
                Method(name="logging/setLevel", answer=answer_set_level, eras=_HANDSHAKE),
                Method(name="resources/subscribe", answer=watched.subscribe, eras=_HANDSHAKE),
                Method(name="resources/unsubscribe", answer=watched.unsubscribe, eras=_HANDSHAKE),
            ]
            methods = _select(rows, Era.HANDSHAKE)
            self._session_admission = SessionAdmission(methods=methods, validators=session_validators)

    async def dispatch(self, message: dict[str, Any], exchange: Exchange) -> Envelope | None:
        """The answer to a parsed message, or None for a notification. Takes the message over.

        Being cancelled cancels what the message set going. Any other exception is a fault of ours, for the front's
        outermost ring to answer.
        """
        admitted = self._admission.judge(message, exchange, self._choose_catalogue(message, None))
        if admitted is None:
            return None
        if isinstance(admitted, Refusal):
            return refusal_response(admitted, find_request_id(message))
        method, call = admitted
        outcome = await method.answer(call)
        if isinstance(outcome, Refusal):
            return refusal_response(outcome, message["id"])
        for member in call.revision.unknown_members:
            outcome.pop(member, None)
        if call.revision.has_server_info:
            outcome["_meta"] = {**outcome.get("_meta", {}), SERVER_INFO_KEY: self._server_info}
        return success_response(message["id"], outcome)

    async def dispatch_in_session(
        self, message: dict[str, Any], exchange: Exchange, holder: SessionHolder
    ) -> Envelope | None:
        """The same for a message of the handshake era (`mcp.sessions.belonging`).

        `holder` has the session that the message belongs to; `initialize` puts a new one in. None is also the answer to
        a response, which goes to whoever asked.
        """
        admitted = self._session_admission.judge(message, exchange, self._choose_catalogue(message, holder), holder)
        if admitted is None:
            return None
        if isinstance(admitted, Refusal):
            return refusal_response(admitted, find_request_id(message))
        method, call = admitted
        outcome = await method.answer(call)
        if isinstance(outcome, Refusal):
            return refusal_response(outcome, message["id"])
        return success_response(message["id"], fit_result(outcome, call.revision), revision=call.revision.name)

    def _choose_catalogue(self, message: Mapping[str, Any], holder: SessionHolder | None) -> Catalogue:
        """The catalogue that this message is answered from; nothing has looked at it yet."""
        return self._catalogue()

    async def tell_changes(self, session: Session, outlet: Outlet) -> None:
        """Keeps a session's way to its client: tells what changes, until another stream takes over or all is over."""
        hub = self._subscriptions or SubscriptionHub()
        with hub.listen(frozenset(Topic)) as listener, session.listen(outlet, listener):
            # A session may begin to watch resources at any time.
            while (changed := await listener.wait(timeout_seconds=self._poll_seconds)) is not None:
                for topic in changed:
                    await outlet.notify(notification(TOPICS[topic].notification))
                for uri in await session.watch.find_changed() if session.watch is not None else ():
                    await outlet.notify(notification(UPDATED_METHOD, {"uri": uri}))

    @property
    def has_room_to_tell(self) -> bool:
        """Whether one more stream of changes is kept."""
        return self._subscriptions is None or not self._subscriptions.is_full


def _select(rows: Iterable[Method], era: Era) -> Mapping[str, Method]:
    return MappingProxyType({row.name: row for row in rows if era in row.eras})
