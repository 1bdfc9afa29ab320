import asyncio
from typing import Any

import pytest

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Envelope, Refusal, encode_envelope
from gateway.mcp.revisions import REVISIONS
from gateway.mcp.sessions.questions import LIMIT_QUESTIONS, Questions, SessionAsker

ROOTS = {"roots": [{"uri": "file:///a"}]}


class Told:
    """An outlet that keeps what it is told."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[Any] = asyncio.Queue()

    async def notify(self, envelope: Envelope) -> None:
        encode_envelope(envelope)
        self.messages.put_nowait(envelope.body)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def questions() -> Questions:
    return Questions(REVISIONS["2025-11-25"])


async def test_an_answer_goes_to_its_question(questions: Questions, told: Told) -> None:
    asker = SessionAsker(questions, None, told)
    asking = [asyncio.create_task(asker.ask("roots/list", {}, timeout_seconds=5)) for _ in range(2)]
    first, second = [await told.messages.get() for _ in asking]
    assert first["id"] != second["id"]
    questions.settle({"id": "stranger", "result": {}})
    questions.settle({"id": second["id"], "result": {"roots": []}})
    questions.settle({"id": first["id"], "result": ROOTS})
    questions.settle({"id": first["id"], "result": {"roots": []}})
    assert await asyncio.gather(*asking) == [ROOTS, {"roots": []}]


async def test_a_question_without_an_answer_is_taken_back(questions: Questions, told: Told) -> None:
    answer = await SessionAsker(questions, told).ask("roots/list", {}, timeout_seconds=0.01)
    assert isinstance(answer, Refusal)
    assert (answer.condition, answer.message) == (
        Condition.DEADLINE_EXCEEDED,
        "the client did not answer roots/list within 0.01 s",
    )
    question, taken_back = told.messages.get_nowait(), told.messages.get_nowait()
    assert (taken_back["method"], taken_back["params"]["requestId"]) == ("notifications/cancelled", question["id"])


async def test_questions_are_bounded(questions: Questions, told: Told) -> None:
    asker = SessionAsker(questions, told)
    asking = [asyncio.create_task(asker.ask("roots/list", {}, timeout_seconds=5)) for _ in range(LIMIT_QUESTIONS)]
    for _ in asking:
        await told.messages.get()
    refused = await asker.ask("roots/list", {}, timeout_seconds=5)
    assert isinstance(refused, Refusal)
    assert refused.condition is Condition.RESOURCE_EXHAUSTED
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)


@pytest.mark.parametrize("has_session", [True, False])
async def test_without_a_way_to_the_client_nothing_is_asked(questions: Questions, has_session: bool) -> None:
    answer = await SessionAsker(questions if has_session else None, None).ask("roots/list", {}, timeout_seconds=5)
    assert isinstance(answer, Refusal)
    assert answer.condition is Condition.FAILED_PRECONDITION


@pytest.mark.parametrize("message", [{}, {"result": 5}, {"error": 5}, {"error": {"code": 1, "message": ""}}])
async def test_an_answer_that_is_none_is_no_answer(questions: Questions, told: Told, message: Any) -> None:
    asking = asyncio.create_task(SessionAsker(questions, told).ask("roots/list", {}, timeout_seconds=5))
    questions.settle({"id": (await told.messages.get())["id"], **message})
    answer = await asking
    assert isinstance(answer, Refusal)
    assert answer.message == "the client did not answer roots/list: no reason was given"
