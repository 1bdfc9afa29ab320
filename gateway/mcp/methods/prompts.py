"""`prompts/list` and `prompts/get`: prompts of backends, and those that stand in the configuration.

Source: MCP 2026-07-28, server/prompts.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Problem, distil
from gateway.contract.envelopes import Refusal, distilled_refusal
from gateway.contract.nearest_names import find_nearest_name
from gateway.contract.quoting import quote
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.methods.pages import make_page
from gateway.mcp.offerings.asking import RpcAsker
from gateway.mcp.offerings.values import Prompt
from gateway.transcoding.printed import Printed

_PLACE = re.compile(r"\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}")


class Prompts:
    """Answers both methods."""

    def __init__(self, asker: RpcAsker, *, page_size: int | None = None) -> None:
        self._asker = asker
        self._page_size = page_size

    async def answer_list(self, call: MethodCall) -> Outcome:
        """A ListPromptsResult."""
        prompts = call.catalogue.offerings.prompts
        entries = ((name, prompt.listing) for name, prompt in prompts.items())
        return make_page(call, "prompts", entries, self._page_size)

    async def answer_get(self, call: MethodCall) -> Outcome:
        """A GetPromptResult, an InputRequiredResult, or the refusal of an unknown prompt or of its arguments."""
        prompts = call.catalogue.offerings.prompts
        prompt = prompts.get(call.params["name"])
        if prompt is None:
            return _refuse_name(call.params["name"], prompts)
        values: Mapping[str, str] = call.params.get("arguments") or {}
        refusal = _check_arguments(prompt, values)
        if refusal is not None:
            return refusal
        if prompt.source is None:
            messages = [_fill_in(message, values) for message in prompt.messages]
            return _tell(prompt, messages)
        reply = await self._asker.ask(prompt.source, values, call)
        if not isinstance(reply, Printed):
            return reply
        if reply.parts is None or not reply.parts.prompt_messages:
            return Refusal(
                condition=Condition.INTERNAL_ERROR,
                message=f"the backend gave no messages for the prompt {quote(prompt.name)}",
                rejection=False,
            )
        return _tell(prompt, list(reply.parts.prompt_messages))


def _tell(prompt: Prompt, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {"resultType": "complete", "messages": messages}
    description = prompt.listing.get("description")
    return result | ({"description": description} if description else {})


def _check_arguments(prompt: Prompt, values: Mapping[str, str]) -> Refusal | None:
    """invalid_params for arguments that are missing or that the prompt does not have, each by its pointer."""
    known = {one["name"]: bool(one.get("required")) for one in prompt.listing.get("arguments", ())}
    problems = [
        Problem(at=f"/params/arguments/{name}", text="is required")
        for name, is_required in known.items()
        if is_required and name not in values
    ]
    for name in values:
        if name not in known:
            near = find_nearest_name(name, known)
            hint = f"; did you mean {quote(near)}?" if near else ""
            problems.append(Problem(at="/params/arguments", text=f"{quote(name)} is no argument of this prompt{hint}"))
    if not problems:
        return None
    return distilled_refusal(Condition.INVALID_PARAMS, distil(problems, subject="request"), rejection=False)


def _fill_in(message: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    text = _PLACE.sub(lambda place: values.get(place[1], ""), message["content"]["text"])
    return {"role": message["role"], "content": {"type": "text", "text": text}}


def _refuse_name(name: str, prompts: Mapping[str, Prompt]) -> Refusal:
    near = find_nearest_name(name, prompts)
    hint = f"; did you mean {quote(near)}?" if near else "; prompts/list names those that there are"
    return Refusal(condition=Condition.INVALID_PARAMS, message=f"Unknown prompt: {quote(name)}{hint}", rejection=False)
