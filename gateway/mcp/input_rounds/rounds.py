"""Takes a client's answers in and puts the next questions to it.

A client of the per-request era gets the questions as a result and repeats its request with the answers; one that can
be asked directly (handshake era) is asked while the call waits. Only what a client declared is asked of it. Source: MCP
2026-07-28, basic/patterns/mrtr, client/elicitation, client/sampling, client/roots.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Problem, distil
from gateway.contract.envelopes import Refusal, distilled_refusal
from gateway.contract.quoting import quote
from gateway.contract.status_report import StatusReport
from gateway.contract.tool_results import tool_error
from gateway.descriptors.facts.values import ClientCapability
from gateway.mcp.call_contexts import describe_client
from gateway.mcp.capabilities import get_capabilities, refuse_missing
from gateway.mcp.catalogue import Tool
from gateway.mcp.exchange import Asker
from gateway.mcp.input_rounds.confirmation import CONFIRMATION_KEY, is_agreed, make_confirmation
from gateway.mcp.input_rounds.round import (
    DEFAULT_TTL_SECONDS,
    FIRST_ROUND,
    Answers,
    Round,
    make_binding,
    open_round,
    seal_round,
)
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.sealing import Sealer
from gateway.mcp.tool_calls.replies import refuse_question
from gateway.transcoding.call_context import ClientAbilities
from gateway.transcoding.reply_parts import InputKind, InputPart, InputQuestion

STATE_MEMBER = "requestState"
RESPONSES_MEMBER = "inputResponses"

LIMIT_ROUNDS = 20
_ASK_SECONDS = 600.0
_FIRST_PAUSE_SECONDS, _LAST_PAUSE_SECONDS = 0.05, 0.25

_FAILED_PRECONDITION = 9
_PERMISSION_DENIED = 7
# Members of a request that may differ from round to round; everything else is what its state belongs to.
_OF_ROUNDS = frozenset({"_meta", STATE_MEMBER, RESPONSES_MEMBER})

# What a client must have declared to be asked, and whether it has.
_NEEDED: Mapping[InputKind, tuple[ClientCapability, Callable[[ClientAbilities], bool]]] = {
    InputKind.FORM: (ClientCapability.ELICITATION, lambda client: client.elicitation),
    InputKind.URL: (ClientCapability.ELICITATION, lambda client: client.elicitation_url),
    InputKind.SAMPLING: (ClientCapability.SAMPLING, lambda client: client.sampling),
    InputKind.ROOTS: (ClientCapability.ROOTS, lambda client: client.roots),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRounds:
    """The rounds of all calls of a process; `sealer` makes their states, good for `ttl_seconds`."""

    sealer: Sealer
    ttl_seconds: float = DEFAULT_TTL_SECONDS

    def is_asked(self, call: MethodCall) -> bool:
        """Whether the request carries anything of an earlier round."""
        return STATE_MEMBER in call.params or RESPONSES_MEMBER in call.params

    async def begin(self, tool: Tool, call: MethodCall) -> Round | Outcome:
        """What the call knows as it begins, or what is answered before the backend is called.

        That is a refusal (invalid_params for a state that does not open), the questions of a round that were not all
        answered, the question whether to call at all, or a tool error where the user said no to it.
        """
        now = self._read(tool, call)
        if not isinstance(now, Round):
            return now
        if now.questions:
            return await self.ask(tool, call, now)
        if tool.wants_confirmation and not now.is_confirmed:
            return await self._ask_to_confirm(tool, call, now)
        return now

    async def go_on(self, tool: Tool, call: MethodCall, now: Round, part: InputPart) -> Round | Outcome:
        """The round after a backend asked for input: as `begin`, for the questions of the backend."""
        if not (tool.takes_context or part.operation):
            return refuse_question(tool, call.params["_meta"])
        if now.number >= LIMIT_ROUNDS:
            message = f"the backend asked for input {LIMIT_ROUNDS} times; the call is given up"
            return tool_error(StatusReport(code=_FAILED_PRECONDITION, message=message, is_own_wording=True))
        asked = choose_questions(tool, call, part.questions)
        if isinstance(asked, Refusal):
            return asked
        return await self.ask(
            tool,
            call,
            replace(
                now,
                answers={},
                state=part.state,
                questions=asked,
                number=now.number + 1,
                operation=part.operation,
            ),
        )

    async def ask(self, tool: Tool, call: MethodCall, now: Round) -> Round | Outcome:
        """Puts the open questions of a round: to a client that can be asked, or into the result for one that cannot."""
        asker = call.exchange.asker
        if asker is None:
            return self._hand_over(tool, call, now)
        if not now.questions:
            # A backend that only wants to be called again: at the pace that clients of the per-request era have.
            await asyncio.sleep(min(_FIRST_PAUSE_SECONDS * 2 ** max(now.number - 1, 0), _LAST_PAUSE_SECONDS))
        answers = await _ask_directly(asker, now.questions)
        if isinstance(answers, Refusal):
            return answers
        answered = _take_answers(now, answers)
        return _settle_confirmation(answered) if isinstance(answered, Round) else answered

    def _read(self, tool: Tool, call: MethodCall) -> Round | Outcome:
        params = call.params
        responses: Answers = params.get(RESPONSES_MEMBER) or {}
        state = params.get(STATE_MEMBER)
        if state is None:
            # Answers without a state are the backend's to judge: it may not have given any.
            return replace(FIRST_ROUND, answers=responses) if responses else FIRST_ROUND
        now = open_round(self.sealer, state, self._bind(tool, call))
        if now is None:
            return _refuse_state()
        return _settle_confirmation(_take_answers(now, responses))

    async def _ask_to_confirm(self, tool: Tool, call: MethodCall, now: Round) -> Round | Outcome:
        question = make_confirmation(
            str(tool.listing.get("title") or tool.name), _show_arguments(tool, call.params.get("arguments"))
        )
        asked = choose_questions(tool, call, {CONFIRMATION_KEY: question})
        if isinstance(asked, Refusal):
            return asked
        return await self.ask(tool, call, replace(now, questions=asked))

    def _hand_over(self, tool: Tool, call: MethodCall, now: Round) -> Outcome:
        """An InputRequiredResult."""
        state = seal_round(self.sealer, now, self._bind(tool, call), ttl_seconds=self.ttl_seconds)
        if state is None:
            message = "the backend's questions and state are too large to be handed to a client"
            return tool_error(StatusReport(code=_FAILED_PRECONDITION, message=message, is_own_wording=True))
        result: dict[str, Any] = {"resultType": "input_required", STATE_MEMBER: state}
        if now.questions:
            result["inputRequests"] = {
                key: {"method": one.method, "params": one.params} for key, one in now.questions.items()
            }
        return result

    def _bind(self, tool: Tool, call: MethodCall) -> bytes:
        asked = {name: value for name, value in call.params.items() if name not in _OF_ROUNDS and value != {}}
        return make_binding(call.exchange.principal, tool.name, asked)


def choose_questions(
    tool: Tool, call: MethodCall, questions: Mapping[str, InputQuestion]
) -> Mapping[str, InputQuestion] | Refusal:
    """The questions that the client can be asked; missing_client_capability where there are only others."""
    client = describe_client(get_capabilities(call.exchange, call.params["_meta"]))
    asked = {key: one for key, one in questions.items() if _can_answer(client, one.kind)}
    if asked or not questions:
        return asked
    needed = {_NEEDED[one.kind][0] for one in questions.values()}
    refusal = refuse_missing({}, needed, f"the tool {quote(tool.name)}")
    return refusal if refusal is not None else asked


def _can_answer(client: ClientAbilities, kind: InputKind) -> bool:
    return _NEEDED[kind][1](client)


def _take_answers(now: Round, responses: Answers) -> Round:
    """The round with these answers: those to open questions count, others are ignored, as the protocol asks."""
    taken = {key: responses[key] for key in now.questions if key in responses}
    open_still = {key: one for key, one in now.questions.items() if key not in taken}
    return replace(now, answers={**now.answers, **taken}, questions=open_still)


def _settle_confirmation(now: Round) -> Round | Outcome:
    """The round without the gateway's own question, or a tool error where the answer to it is a no."""
    answer = now.answers.get(CONFIRMATION_KEY)
    if answer is None:
        return now
    if not is_agreed(answer):
        message = "the user did not agree to this call, so it was not made"
        return tool_error(StatusReport(code=_PERMISSION_DENIED, message=message, is_own_wording=True))
    answers = {key: value for key, value in now.answers.items() if key != CONFIRMATION_KEY}
    return replace(now, answers=answers, is_confirmed=True)


async def _ask_directly(asker: Asker, questions: Mapping[str, InputQuestion]) -> Answers | Refusal:
    """Every answer, or the first refusal; the questions are put side by side."""

    async def put(key: str, question: InputQuestion) -> tuple[str, Mapping[str, Any] | Refusal]:
        return key, await asker.ask(question.method, question.params, timeout_seconds=_ASK_SECONDS)

    told = dict(await asyncio.gather(*(put(key, question) for key, question in questions.items())))
    refusal = next((one for one in told.values() if isinstance(one, Refusal)), None)
    if refusal is not None:
        return refusal
    return {key: one for key, one in told.items() if not isinstance(one, Refusal)}


def _show_arguments(tool: Tool, arguments: Any) -> str:
    if not arguments:
        return "no arguments"
    if tool.has_sensitive_values:
        return "arguments that are not shown"
    return quote(arguments)


def _refuse_state() -> Refusal:
    text = "is not one that was given for this call, or has expired; call again without it"
    distilled = distil([Problem(at=f"/params/{STATE_MEMBER}", text=text)], subject="request")
    return distilled_refusal(Condition.INVALID_PARAMS, distilled, rejection=False)
