"""What a client has been asked and has not answered yet: requests of the server, which only the handshake era has.

Source: MCP 2025-11-25, Streamable HTTP, "Sending Messages to the Server", and basic/utilities/cancellation.
"""

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal, notification, server_request
from gateway.contract.quoting import one_line
from gateway.mcp.exchange import Outlet
from gateway.mcp.revisions import Revision

LIMIT_QUESTIONS = 100
_LIMIT_TOLD = 120

Answer = Mapping[str, Any] | Refusal


class Questions:
    """The open questions of one session."""

    def __init__(self, revision: Revision) -> None:
        self._revision = revision
        # Where two processes serve one session, an answer that comes to the wrong one must not fit another's question.
        self._prefix = os.urandom(4).hex()
        self._count = 0
        self._open: dict[str, asyncio.Future[Mapping[str, Any]]] = {}

    async def ask(self, outlet: Outlet, method: str, params: Mapping[str, Any], *, timeout_seconds: float) -> Answer:
        """The client's result, or why there is none: too many questions, an error as the answer, or none in time."""
        if len(self._open) >= LIMIT_QUESTIONS:
            message = f"the client has {LIMIT_QUESTIONS} questions to answer already"
            return Refusal(condition=Condition.RESOURCE_EXHAUSTED, message=message, rejection=False)
        self._count += 1
        question_id = f"{self._prefix}-{self._count}"
        answer: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._open[question_id] = answer
        known = {name: value for name, value in params.items() if name not in self._revision.unknown_question_members}
        try:
            await outlet.notify(server_request(question_id, method, known, revision=self._revision.name))
            async with asyncio.timeout(timeout_seconds):
                response = await answer
        except TimeoutError:
            reason = {"requestId": question_id, "reason": "no answer came in time"}
            await outlet.notify(notification("notifications/cancelled", reason))
            told = f"the client did not answer {method} within {timeout_seconds:g} s"
            return Refusal(condition=Condition.DEADLINE_EXCEEDED, message=told, rejection=False)
        finally:
            del self._open[question_id]
        return _read(method, response)

    def settle(self, message: Mapping[str, Any]) -> None:
        """Takes a response of the client; one to no open question is ignored, since it may only be late."""
        answer = self._open.get(str(message.get("id")))
        if answer is not None and not answer.done():
            answer.set_result(message)


class SessionAsker:
    """Asks the client of one request: on its own stream, else on the one that its session keeps open.

    A `gateway.mcp.exchange.Asker`. Without either, or without a session, every question is refused.
    """

    def __init__(self, questions: Questions | None, *outlets: Outlet | None) -> None:
        self._questions = questions
        self._outlet = next((outlet for outlet in outlets if outlet is not None), None)

    async def ask(self, method: str, params: Mapping[str, Any], *, timeout_seconds: float) -> Answer:
        """The client's result, or why there is none."""
        if self._questions is None or self._outlet is None:
            message = (
                f"the client must be asked ({method}), but keeps no stream open: Accept must take text/event-stream"
            )
            return Refusal(condition=Condition.FAILED_PRECONDITION, message=message, rejection=False)
        return await self._questions.ask(self._outlet, method, params, timeout_seconds=timeout_seconds)


def _read(method: str, message: Mapping[str, Any]) -> Answer:
    result = message.get("result")
    if isinstance(result, Mapping):
        return result
    error = message.get("error")
    told = error.get("message") if isinstance(error, Mapping) else None
    cause = one_line(told, _LIMIT_TOLD) if isinstance(told, str) and told else "no reason was given"
    return Refusal(
        condition=Condition.FAILED_PRECONDITION,
        message=f"the client did not answer {method}: {cause}",
        rejection=False,
    )
