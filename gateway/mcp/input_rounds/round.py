"""One round of a call: what is known when it begins, and how that travels sealed between two requests of a client.

The state says what was asked, so that missing answers are asked for again and unknown ones ignored, without anybody
keeping anything. Source: MCP 2026-07-28, basic/patterns/mrtr.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from gateway.mcp.sealing import LIMIT_SEALED_CHARACTERS, Sealer, digest_binding
from gateway.transcoding.reply_parts import InputKind, InputQuestion

KIND = "round"
DEFAULT_TTL_SECONDS = 3600.0

Answers = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What a call knows when a round begins.

    `answers` by the backend's keys and `state` are for the backend; `questions` are those that are still open, by the
    same keys. `is_confirmed`: the user agreed to the call. `number` counts the rounds before this one. `operation`
    names the long-running operation that the call has started and waits for.
    """

    answers: Answers = field(default_factory=dict)
    state: bytes = b""
    questions: Mapping[str, InputQuestion] = field(default_factory=dict)
    is_confirmed: bool = False
    number: int = 0
    operation: str = ""


FIRST_ROUND = Round()


def seal_round(sealer: Sealer, one: Round, binding: bytes, *, ttl_seconds: float) -> str | None:
    """The round as a requestState, or None where it is too large to travel."""
    content = orjson.dumps(
        {
            "answers": one.answers,
            "state": base64.b64encode(one.state).decode(),
            "questions": {
                key: {"kind": question.kind.value, "method": question.method, "params": question.params}
                for key, question in one.questions.items()
            },
            "isConfirmed": one.is_confirmed,
            "number": one.number,
            "operation": one.operation,
        }
    )
    text = sealer.seal(KIND, content, bound_to=binding, ttl_seconds=ttl_seconds)
    return text if len(text) <= LIMIT_SEALED_CHARACTERS else None


def open_round(sealer: Sealer, state: str, binding: bytes) -> Round | None:
    """The round in a requestState, or None where this gateway did not give it for this call, or too long ago."""
    content = sealer.open(KIND, state, bound_to=binding)
    if content is None:
        return None
    told = orjson.loads(content)
    return Round(
        answers=told["answers"],
        state=base64.b64decode(told["state"]),
        questions={
            key: InputQuestion(kind=InputKind(one["kind"]), method=one["method"], params=one["params"])
            for key, one in told["questions"].items()
        },
        is_confirmed=told["isConfirmed"],
        number=told["number"],
        operation=told["operation"],
    )


def make_binding(principal: str, tool: str, asked: Mapping[str, Any]) -> bytes:
    """What a state belongs to: who calls which tool, and what is asked of it, however its members are ordered."""
    canonical = orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)
    return digest_binding(principal.encode(), tool.encode(), canonical)
