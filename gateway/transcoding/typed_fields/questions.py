"""gateway.v1.InputRequired as the protocol's requests to a client: of its user, its model, its roots.

Source: MCP 2026-07-28, client/elicitation, client/sampling, client/roots. JSON text of the backend is passed on as it
is; text that is no JSON object makes the reply unreadable, for there is nothing else that could be asked.
"""

from typing import Any

import orjson

from gateway.contract.quoting import one_line, quote
from gateway.transcoding.errors import BadReply
from gateway.transcoding.reply_parts import InputKind, InputPart, InputQuestion
from gateway.transcoding.typed_fields.content import print_block, print_role

# sampling/createMessage requires a bound; a backend that names none leaves it to the gateway.
DEFAULT_MAX_TOKENS = 1024


def print_input_required(required: Any, default_uri: str) -> InputPart:
    """The questions by their keys, in the order of the keys, and the state. Raises BadReply."""
    questions = {key: _print_question(key, required.requests[key], default_uri) for key in sorted(required.requests)}
    return InputPart(questions=questions, state=required.state)


def _print_question(key: str, request: Any, default_uri: str) -> InputQuestion:
    match request.WhichOneof("request"):
        case "elicitation":
            return _print_elicitation(key, request.elicitation)
        case "sampling":
            return _print_sampling(key, request.sampling, default_uri)
        case "roots":
            return InputQuestion(kind=InputKind.ROOTS, method="roots/list", params={})
        case _:
            raise BadReply(f"the reply asks {quote(key)} for nothing that is known here")


def _print_elicitation(key: str, elicitation: Any) -> InputQuestion:
    if elicitation.WhichOneof("mode") == "url":
        params = {"mode": "url", "message": elicitation.message, "url": elicitation.url}
        if elicitation.elicitation_id:
            params["elicitationId"] = elicitation.elicitation_id
        return InputQuestion(kind=InputKind.URL, method="elicitation/create", params=params)
    schema: Any = {"type": "object", "properties": {}}
    if elicitation.requested_schema_json:
        schema = _read_object(elicitation.requested_schema_json, key, "requested_schema_json")
    params = {"mode": "form", "message": elicitation.message, "requestedSchema": schema}
    return InputQuestion(kind=InputKind.FORM, method="elicitation/create", params=params)


def _print_sampling(key: str, sampling: Any, default_uri: str) -> InputQuestion:
    more = _read_object(sampling.params_json, key, "params_json") if sampling.params_json else {}
    contents = [(message.role, print_block(message.content, default_uri)) for message in sampling.messages]
    params: dict[str, Any] = {
        "messages": [{"role": print_role(role), "content": content} for role, content in contents if content],
        "maxTokens": sampling.max_tokens if sampling.max_tokens > 0 else DEFAULT_MAX_TOKENS,
    }
    if sampling.system_prompt:
        params["systemPrompt"] = sampling.system_prompt
    # What the typed fields say has the last word, but for a bound or messages that they do not name.
    named = {name for name in ("messages", "maxTokens") if name in more and not _is_named(sampling, name)}
    kept = {name: value for name, value in params.items() if name not in named}
    return InputQuestion(kind=InputKind.SAMPLING, method="sampling/createMessage", params=more | kept)


def _is_named(sampling: Any, name: str) -> bool:
    return bool(sampling.messages) if name == "messages" else sampling.max_tokens > 0


def _read_object(text: str, key: str, field: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadReply(f"{field} of the question {quote(key)} is no JSON: {one_line(error.msg, 100)}") from None
    if not isinstance(value, dict):
        raise BadReply(f"{field} of the question {quote(key)} must be a JSON object, got {quote(value)}")
    return value
