"""The ladder that a message climbs before any method sees it; the first rung that fails answers.

Shape of the message; `_meta` with its required keys; headers that agree with the body; a revision that is served;
`Mcp-Param-*` headers that agree with the arguments; a method that is known; the shape of that method. The next rung,
client capabilities that what is called needs, is each method's first (`mcp.capabilities`). The order is what clients
and the conformance suite of MCP 2026-07-28 go by. This module must never know HTTP: headers come as a neutral value, or
not at all.
"""

from collections.abc import Mapping
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Distilled, Problem, distil, make_pointer
from gateway.contract.envelopes import Refusal, distilled_refusal
from gateway.contract.nearest_names import find_nearest_name
from gateway.contract.parsing import find_request_id
from gateway.contract.quoting import quote
from gateway.contract.validation import MessageValidator
from gateway.mcp.capabilities import CAPABILITIES_KEY
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.exchange import Exchange, MirroredHeaders
from gateway.mcp.methods.method import Method, MethodCall
from gateway.mcp.mirroring.agreement import check_agreement
from gateway.mcp.mirroring.parameters import check_parameters
from gateway.mcp.revisions import Era, find_served, judge_era, refuse_revision

# MCP 2026-07-28, basic, "Per-request protocol fields".
REVISION_KEY = "io.modelcontextprotocol/protocolVersion"

_SUBJECT = "request"
_META_PATH = ("params", "_meta")
_HANDSHAKE_METHOD = "initialize"
_NOTHING: Mapping[str, Any] = {}


class Admission:
    """Judges messages by the methods that are served and the shapes that the protocol gives them."""

    def __init__(self, *, methods: Mapping[str, Method], validator: MessageValidator) -> None:
        self._methods = methods
        self._validator = validator

    def judge(
        self, message: dict[str, Any], exchange: Exchange, catalogue: Catalogue
    ) -> tuple[Method, MethodCall] | Refusal | None:
        """The method and its call, or the refusal, or None for a notification, which has no answer.

        Takes the message over: optional parameters that are null are taken out of it.
        """
        name = message.get("method")
        method = self._methods.get(name) if isinstance(name, str) else None
        if not _is_message(message, is_request=method is not None):
            return self._refuse_shape(message)
        if "id" not in message:
            return None
        params = message.get("params", _NOTHING)
        meta = params.get("_meta")
        revision_name = meta.get(REVISION_KEY) if isinstance(meta, dict) else None
        mirrored = exchange.mirrored
        if not isinstance(revision_name, str) or CAPABILITIES_KEY not in meta:
            return _refuse_meta(message["method"], params, revision_name, mirrored)
        if mirrored is not None:
            refusal = check_agreement(message["method"], params, revision_name, mirrored)
            if refusal is not None:
                return refusal
        revision = find_served(revision_name)
        if revision is None:
            return refuse_revision(revision_name)
        if method is None:
            return self._refuse_method(message["method"])
        for optional in method.nullable:
            if params.get(optional, _NOTHING) is None:
                del params[optional]
        if mirrored is not None and method.mirrors is not None:
            refusal = _check_mirrored(method, params, catalogue, mirrored)
            if refusal is not None:
                return refusal
        distilled = self._validator.validate_message(message)
        if distilled is not None:
            return distilled_refusal(Condition.INVALID_PARAMS, distilled, rejection=True)
        return method, MethodCall(
            request_id=message["id"], params=params, exchange=exchange, catalogue=catalogue, revision=revision
        )

    def _refuse_shape(self, message: Mapping[str, Any]) -> Refusal:
        distilled = self._validator.validate_message(message) or _explain_shape(message)
        return distilled_refusal(Condition.INVALID_REQUEST, distilled, rejection=True)

    def _refuse_method(self, name: str) -> Refusal:
        near = find_nearest_name(name, self._methods)
        hint = f"; did you mean {quote(near)}?" if near else ""
        return Refusal(condition=Condition.METHOD_NOT_FOUND, message=f"Method not found: {quote(name)}{hint}")


def _is_message(message: Mapping[str, Any], *, is_request: bool) -> bool:
    """Whether this is a request or a notification of JSON-RPC 2.0 at all; a method of ours needs an id."""
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return False
    if not isinstance(message.get("params", _NOTHING), dict):
        return False
    return find_request_id(message) is not None if "id" in message else not is_request


def _explain_shape(message: Mapping[str, Any]) -> Distilled:
    """What is wrong with a message that the schema lets pass: a request sent as a notification, or an odd id."""
    text = "is required: this method has an answer"
    if "id" in message:
        text = f"must be a string or an integer, got {quote(message['id'])}"
    return distil([Problem(at="/id", text=text)], subject=_SUBJECT)


def _refuse_meta(
    method: str, params: Mapping[str, Any], revision_name: Any, mirrored: MirroredHeaders | None
) -> Refusal:
    """The refusal of a request without a sound `_meta`; one that opens or continues a handshake is told the revisions.

    A client of the handshake era cannot move to a later one by itself: the message may be all that its user sees (MCP
    2026-07-28, basic/versioning).
    """
    header = mirrored.version if mirrored is not None else None
    stated = revision_name if isinstance(revision_name, str) else None
    if judge_era(stated, header) is Era.HANDSHAKE and (header is not None or method == _HANDSHAKE_METHOD):
        asked = params.get("protocolVersion") if method == _HANDSHAKE_METHOD else None
        return refuse_revision(asked if isinstance(asked, str) else header or "")
    distilled = distil(_find_meta_problems(params), subject=_SUBJECT)
    return distilled_refusal(Condition.INVALID_PARAMS, distilled, rejection=True)


def _find_meta_problems(params: Mapping[str, Any]) -> list[Problem]:
    meta = params.get("_meta", _NOTHING)
    if not isinstance(meta, dict):
        return [Problem(at=make_pointer(_META_PATH), text=f"must be an object, got {quote(meta)}")]
    problems = [
        Problem(at=make_pointer((*_META_PATH, key)), text="is required")
        for key in (REVISION_KEY, CAPABILITIES_KEY)
        if key not in meta
    ]
    revision = meta.get(REVISION_KEY, "")
    if not isinstance(revision, str):
        at = make_pointer((*_META_PATH, REVISION_KEY))
        problems.append(Problem(at=at, text=f"must be a string, got {quote(revision)}"))
    return problems


def _check_mirrored(
    method: Method, params: Mapping[str, Any], catalogue: Catalogue, mirrored: MirroredHeaders
) -> Refusal | None:
    parameters = method.mirrors(params, catalogue) if method.mirrors is not None else ()
    arguments = params.get("arguments", _NOTHING)
    if not parameters or not isinstance(arguments, dict):
        return None
    return check_parameters(parameters, arguments, mirrored)
