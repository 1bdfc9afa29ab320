"""Asks the user before a call that may destroy something; without a yes the call is not made."""

from collections.abc import Mapping
from typing import Any

from gateway.transcoding.reply_parts import InputKind, InputQuestion

CONFIRMATION_KEY = "dev.propylon/confirm"

_CONFIRM = "confirm"


def make_confirmation(tool_title: str, arguments: str) -> InputQuestion:
    """The question to the user; `arguments` is how the call's arguments are shown, one bounded line."""
    return InputQuestion(
        kind=InputKind.FORM,
        method="elicitation/create",
        params={
            "mode": "form",
            "message": f"{tool_title} may change or destroy something for good. Call it with {arguments}?",
            "requestedSchema": {
                "type": "object",
                "properties": {_CONFIRM: {"type": "boolean", "title": "Go ahead", "default": False}},
                "required": [_CONFIRM],
            },
        },
    )


def is_agreed(answer: Mapping[str, Any]) -> bool:
    """Whether the user said yes: accepted the form with the box ticked. Anything else is a no."""
    content = answer.get("content")
    return answer.get("action") == "accept" and isinstance(content, Mapping) and content.get(_CONFIRM) is True
