"""The ladder that a message of the handshake era climbs before any method sees it; the first rung that fails answers.

Shape of the message; a revision that is served and is the session's; a method that is known; the shape of that method,
as the revision has it. Notifications and the client's answers are taken here. Source: MCP 2025-11-25, basic and
basic/lifecycle.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.contract.parsing import find_request_id
from gateway.contract.quoting import quote
from gateway.contract.validation import MessageValidator
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.exchange import Exchange
from gateway.mcp.methods.method import Method, MethodCall
from gateway.mcp.revisions import Era, Revision, find_served, negotiate, refuse_revision
from gateway.mcp.sessions.belonging import INITIALIZE
from gateway.mcp.sessions.questions import SessionAsker
from gateway.mcp.sessions.session import Session, SessionHolder

# Keys of `_meta` that belong to later revisions: what they say of a client is settled by the handshake here.
_LATER_KEYS = "io.modelcontextprotocol/"
_CANCELLED = "notifications/cancelled"
_NO_CAPABILITIES: Mapping[str, Any] = {}


class SessionAdmission:
    """Judges messages by the methods that are served; `validators` are those of the revisions, by name."""

    def __init__(self, *, methods: Mapping[str, Method], validators: Mapping[str, MessageValidator]) -> None:
        self._methods = methods
        self._validators = validators
        self._known = ", ".join(sorted(methods))

    def judge(
        self, message: dict[str, Any], exchange: Exchange, catalogue: Catalogue, holder: SessionHolder
    ) -> tuple[Method, MethodCall] | Refusal | None:
        """The method and its call, or the refusal, or None for what has no answer. Takes the message over."""
        revision = self._settle_revision(message, exchange, holder.session)
        if isinstance(revision, Refusal):
            return revision
        validator = self._validators[revision.name]
        if "method" in message and "id" in message and find_request_id(message) is not None:
            return self._judge_request(message, exchange, catalogue, holder, revision, validator)
        refusal = validator.refuse_message(message)
        if refusal is not None:
            # A notification that is unsound is ignored like one that is unknown, as far as it is one at all.
            return refusal if refusal.condition is Condition.INVALID_REQUEST or "id" in message else None
        if "method" not in message:
            if holder.session is not None:
                holder.session.questions.settle(message)
        elif message["method"] == _CANCELLED and holder.session is not None:
            _cancel(message, holder.session)
        return None

    def _settle_revision(
        self, message: Mapping[str, Any], exchange: Exchange, session: Session | None
    ) -> Revision | Refusal:
        if message.get("method") == INITIALIZE:
            params = message.get("params")
            return negotiate(params.get("protocolVersion") if isinstance(params, dict) else None)
        header = exchange.mirrored.version if exchange.mirrored is not None else None
        if header is None:
            return session.revision if session is not None else negotiate(None)
        revision = find_served(header, Era.HANDSHAKE)
        if revision is None:
            return refuse_revision(header, Era.HANDSHAKE)
        if session is not None and session.revision is not revision:
            message_text = f"this session speaks {session.revision.name}, but MCP-Protocol-Version says {header}"
            return Refusal(condition=Condition.INVALID_REQUEST, message=message_text)
        return revision

    def _judge_request(
        self,
        message: dict[str, Any],
        exchange: Exchange,
        catalogue: Catalogue,
        holder: SessionHolder,
        revision: Revision,
        validator: MessageValidator,
    ) -> tuple[Method, MethodCall] | Refusal:
        method = self._methods.get(message["method"])
        if method is None:
            told = f"Method not found: {quote(message['method'])}; served are {self._known}"
            return Refusal(condition=Condition.METHOD_NOT_FOUND, message=told)
        params = message.get("params")
        if isinstance(params, dict):
            for optional in method.nullable:
                if optional in params and params[optional] is None:
                    del params[optional]
            for later in revision.unknown_params:
                params.pop(later, None)
        refusal = validator.refuse_message(message)
        if refusal is not None:
            return refusal
        call = MethodCall(
            request_id=message["id"],
            params=_complete(params),
            exchange=_enter(exchange, holder.session),
            catalogue=catalogue,
            revision=revision,
            holder=holder,
        )
        return method, call


def _complete(params: Any) -> dict[str, Any]:
    """Parameters with a `_meta` of this era: a request may leave either out."""
    given: dict[str, Any] = params if isinstance(params, dict) else {}
    meta = given.get("_meta") or {}
    given["_meta"] = {key: value for key, value in meta.items() if not key.startswith(_LATER_KEYS)}
    return given


def _enter(exchange: Exchange, session: Session | None) -> Exchange:
    """The surroundings of a request, as its session has them; without one the client is asked and told nothing."""
    if session is None:
        return replace(exchange, client_capabilities=_NO_CAPABILITIES, asker=SessionAsker(None))
    return replace(
        exchange,
        client_capabilities=session.client_capabilities,
        log_level=session.log_level,
        asker=SessionAsker(session.questions, exchange.outlet, session.back_channel),
    )


def _cancel(message: Mapping[str, Any], session: Session) -> None:
    params = message.get("params")
    request_id = params.get("requestId") if isinstance(params, dict) else None
    if isinstance(request_id, str | int) and not isinstance(request_id, bool):
        session.cancel(request_id)
