"""`completion/complete`: values for an argument of a prompt or a variable of a resource template.

An RPC that completes it is asked first; else the values that the argument can take are filtered by what was typed.
Source: MCP 2026-07-28, server/utilities/completion.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.contract.quoting import quote
from gateway.mcp.methods.method import MethodCall, Outcome
from gateway.mcp.offerings.asking import RpcAsker
from gateway.mcp.offerings.values import Completer, Offerings
from gateway.transcoding.call_context import CompletionQuery
from gateway.transcoding.printed import Printed
from gateway.transcoding.reply_parts import CompletionPart

LIMIT_VALUES = 100  # the protocol's


class Completion:
    """Answers completion/complete."""

    def __init__(self, asker: RpcAsker) -> None:
        self._asker = asker

    async def answer(self, call: MethodCall) -> Outcome:
        """A CompleteResult, with no values where none are known; invalid_params for an unknown prompt or template."""
        reference, argument = call.params["ref"], call.params["argument"]
        offerings = call.catalogue.offerings
        owner = reference.get("name") or reference.get("uri", "")
        choices = _find_choices(offerings, reference)
        if choices is None:
            return _refuse_reference(reference)
        completer = _find_completer(offerings.completers, owner, argument["name"])
        if completer is None:
            typed = argument["value"].casefold()
            known = choices.get(argument["name"], ())
            return _tell([value for value in known if value.casefold().startswith(typed)])
        resolved = (call.params.get("context") or {}).get("arguments") or {}
        if completer.read_values is not None:
            return await self._complete_by_list(completer, completer.read_values, resolved, argument["value"], call)
        query = CompletionQuery(argument=argument["name"], value=argument["value"], resolved=resolved)
        reply = await self._asker.ask(completer.source, {}, call, query=query)
        if not isinstance(reply, Printed):
            return reply
        completion = None if reply.parts is None else reply.parts.completion
        if completion is None:
            return _tell(())
        return _tell(completion.values, total=completion.total, has_more=completion.has_more)

    async def _complete_by_list(
        self,
        completer: Completer,
        read_values: Callable[[Any], CompletionPart],
        resolved: Mapping[str, str],
        typed: str,
        call: MethodCall,
    ) -> Outcome:
        """What an RPC lists that knows nothing of completion; nothing where it cannot be asked yet."""
        try:
            completer.source.make_arguments(resolved)
        except KeyError:
            return _tell(())
        reply = await self._asker.ask(completer.source, resolved, call)
        if not isinstance(reply, Printed):
            return reply
        found = read_values(reply.value)
        folded = typed.casefold()
        return _tell([one for one in found.values if one.casefold().startswith(folded)], has_more=found.has_more)


def _find_choices(offerings: Offerings, reference: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]] | None:
    """The values that the arguments of a prompt or template can take; None where there is no such thing."""
    if reference["type"] == "ref/prompt":
        prompt = offerings.prompts.get(reference["name"])
        return None if prompt is None else prompt.choices
    templates = (one for one in offerings.templates if one.template.text == reference["uri"])
    template = next(templates, None)
    if template is not None:
        return template.choices
    return {} if reference["uri"] in offerings.resources else None


def _find_completer(completers: Iterable[Completer], owner: str, argument: str) -> Completer | None:
    fitting = (one for one in completers if one.owner == owner and one.argument in ("", argument))
    return next(fitting, None)


def _tell(values: Iterable[str], *, total: int | None = None, has_more: bool = False) -> dict[str, Any]:
    known = list(values)
    completion: dict[str, Any] = {"values": known[:LIMIT_VALUES]}
    if total is not None or len(known) > LIMIT_VALUES:
        completion["total"] = len(known) if total is None else total
    if has_more or len(known) > LIMIT_VALUES:
        completion["hasMore"] = True
    return {"resultType": "complete", "completion": completion}


def _refuse_reference(reference: Mapping[str, Any]) -> Refusal:
    what, name = ("prompt", reference["name"]) if reference["type"] == "ref/prompt" else ("template", reference["uri"])
    return Refusal(condition=Condition.INVALID_PARAMS, message=f"Unknown {what}: {quote(name)}", rejection=False)
