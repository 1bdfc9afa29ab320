"""`subscriptions/listen`: one long request on whose stream a client hears of changes.

The first message of the stream says which of the wanted notifications it will carry; the answer comes when the gateway
stops, and a client that closes the request has unsubscribed. Source: MCP 2026-07-28, basic/utilities/subscriptions.
"""

from collections.abc import Mapping
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal, notification
from gateway.descriptors.facts.values import ClientCapability
from gateway.mcp.capabilities import refuse_missing
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.methods.resource_subscriptions import ResourceWatcher
from gateway.mcp.subscriptions.hub import SubscriptionHub
from gateway.mcp.subscriptions.resource_watch import UPDATED_METHOD
from gateway.mcp.subscriptions.topics import TOPICS, Topic
from gateway.mcp.tasks.calls import takes_task

SUBSCRIPTION_ID_KEY = "io.modelcontextprotocol/subscriptionId"

# The extension io.modelcontextprotocol/tasks: the tasks whose changes a client wants to hear of.
_TASKS_MEMBER = "taskIds"
_URIS_MEMBER = "resourceSubscriptions"
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_NO_STREAM = Refusal(
    condition=Condition.INVALID_REQUEST,
    message="subscriptions/listen answers with a stream: Accept must take text/event-stream",
)


class SubscriptionsListen:
    """Answers subscriptions/listen from one hub; `watcher` watches single resources."""

    def __init__(self, hub: SubscriptionHub, watcher: ResourceWatcher) -> None:
        self._hub = hub
        self._watcher = watcher

    async def answer(self, call: MethodCall) -> Outcome:
        """A SubscriptionsListenResult once the gateway stops, notifications until then.

        Refused are a client that takes no stream, one too many (resource_exhausted), and one that wants to hear of
        tasks and did not declare them. Of tasks nothing is told: they are asked for. Being cancelled unsubscribes.
        """
        if _TASKS_MEMBER in call.params["notifications"] and not takes_task(call):
            refusal = refuse_missing({}, (ClientCapability.TASKS,), f"{_TASKS_MEMBER} of subscriptions/listen")
            if refusal is not None:
                return refusal
        outlet = call.exchange.outlet
        if outlet is None:
            return _NO_STREAM
        if self._hub.is_full:
            limit = self._hub.limit_listeners
            message = f"all {limit} subscriptions that are kept at once are taken; try again later"
            return Refusal(condition=Condition.RESOURCE_EXHAUSTED, message=message, rejection=False)
        meta = {SUBSCRIPTION_ID_KEY: call.request_id}
        asked = call.params["notifications"]
        wanted = _read_wanted(asked)
        uris = self._watcher.choose(call, asked.get(_URIS_MEMBER, ()))
        with self._hub.listen(wanted) as listener:
            honoured: dict[str, Any] = {TOPICS[topic].filter_member: True for topic in Topic if topic in wanted}
            if uris:
                honoured[_URIS_MEMBER] = list(uris)
            watch = self._watcher.open(call)
            # Before the acknowledgement: whatever changes after it is a change.
            await watch.add(*uris)
            await outlet.notify(notification(_ACKNOWLEDGED, {"notifications": honoured, "_meta": meta}))
            while (changed := await listener.wait(timeout_seconds=watch.pause_seconds)) is not None:
                for topic in changed:
                    await outlet.notify(notification(TOPICS[topic].notification, {"_meta": meta}))
                for uri in await watch.find_changed():
                    await outlet.notify(notification(UPDATED_METHOD, {"uri": uri, "_meta": meta}))
        return {"resultType": "complete", "_meta": meta}


def _read_wanted(asked: Mapping[str, Any]) -> frozenset[Topic]:
    return frozenset(topic for topic, row in TOPICS.items() if asked.get(row.filter_member) is True)
