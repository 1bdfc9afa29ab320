"""A failed RPC as a caller may know it: google.rpc.Status details decoded and distilled (AIP-193).

Each detail is decoded with the backend's own descriptors, else as one of google.rpc's, else kept as bytes. What is
drawn from a detail is drawn from its JSON, so that a backend's own edition of a type serves as well.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError
from google.rpc.status_pb2 import Status

from gateway.contract.distilled import Problem, distil
from gateway.contract.quoting import one_line
from gateway.contract.status_report import StatusReport
from gateway.transcoding.codec import Codec
from gateway.transcoding.converters.outcomes import RefusedError
from gateway.transcoding.converters.texts import print_bytes
from gateway.transcoding.converters.type_index import get_class
from gateway.transcoding.converters.well_known.anys import TYPE_KEY, VALUE_KEY
from gateway.transcoding.converters.well_known.durations import parse_duration
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin
from gateway.transcoding.violation_paths import follow_elements, follow_path

LIMIT_REASON = 128  # google.rpc.ErrorInfo allows a reason 63; a domain is a host name

Json = Mapping[str, Any]


def report_status(status: RpcStatus, *, codec: Codec, request: Descriptor) -> StatusReport:
    """The report of a failed RPC whose request is of the type `request`. Never raises over what a backend sent.

    `errors` point into the arguments where the backend's field paths can be followed through the request, and repeat
    the path where they cannot.
    """
    message, details = status.message, []
    if status.details:
        try:
            sent = Status.FromString(status.details)
        except DecodeError:
            sent = Status()
        message = message or sent.message
        details = [_print_detail(detail.type_url, detail.value, codec) for detail in sent.details]
    problems: list[Problem] = []
    facts: dict[str, Any] = {}
    for detail in details:
        name = detail[TYPE_KEY].rpartition("/")[2]
        problems += _VIOLATIONS.get(name, _find_none)(detail, request)
        # The first of several details of one type counts.
        facts = _FACTS.get(name, _state_none)(detail) | facts
    return StatusReport(
        code=status.code,
        message=message,
        errors=distil(problems, subject="request").errors,
        details=tuple(details),
        is_own_wording=status.origin is not StatusOrigin.BACKEND,
        **facts,
    )


def _print_detail(url: str, data: bytes, codec: Codec) -> Json:
    """A detail as ProtoJSON with "@type"; as base64 where that would not give the detail back as it was sent."""
    for source in (codec, codec.common):
        descriptor = source.find_descriptor(url)
        if descriptor is None:
            continue
        try:
            printed = source.noting_printer_for(descriptor)(get_class(descriptor).FromString(data))
        except DecodeError:
            continue
        if printed.notes:
            break
        if source.has_own_form(descriptor):
            return {TYPE_KEY: url, VALUE_KEY: printed.value}
        return {TYPE_KEY: url, **printed.value}
    return {TYPE_KEY: url, VALUE_KEY: print_bytes(data, 0)}


def _read_bad_request(detail: Json, request: Descriptor) -> Iterator[Problem]:
    for violation in _list(detail, "fieldViolations"):
        said = _text(violation, "description") or _text(violation, "reason")
        yield _make_problem(follow_path(_text(violation, "field"), request), said)


def _read_violations(detail: Json, request: Descriptor) -> Iterator[Problem]:
    for violation in _list(detail, "violations"):
        field = violation.get("field")
        if isinstance(field, dict):
            at = follow_elements(_list(field, "elements"), request)
        else:
            # Before its first stable version the path was text.
            at = follow_path(_text(violation, "fieldPath"), request)
        said = _text(violation, "message") or _text(violation, "ruleId") or _text(violation, "constraintId")
        yield _make_problem(at, f"key: {said}" if violation.get("forKey") is True and said else said)


def _read_error_info(detail: Json) -> dict[str, Any]:
    stated = {key: one_line(_text(detail, key), LIMIT_REASON) for key in ("reason", "domain")}
    return {key: text for key, text in stated.items() if text}


def _read_retry_info(detail: Json) -> dict[str, Any]:
    try:
        delay = parse_duration(detail.get("retryDelay"), 1)
    except RefusedError:
        return {}
    milliseconds = delay["seconds"] * 1000 + -(-delay["nanos"] // 1_000_000)
    return {"retry_after_ms": max(milliseconds, 0)}


def _find_none(_detail: Json, _request: Descriptor) -> Iterator[Problem]:
    return iter(())


def _state_none(_detail: Json) -> dict[str, Any]:
    return {}


# By the type's full name: what a detail says is wrong with which argument, and what it states of the failure.
_VIOLATIONS: Mapping[str, Callable[[Json, Descriptor], Iterator[Problem]]] = MappingProxyType(
    {
        "google.rpc.BadRequest": _read_bad_request,
        "buf.validate.Violations": _read_violations,
    }
)
_FACTS: Mapping[str, Callable[[Json], dict[str, Any]]] = MappingProxyType(
    {
        "google.rpc.ErrorInfo": _read_error_info,
        "google.rpc.RetryInfo": _read_retry_info,
    }
)


def _make_problem(at: str, said: str) -> Problem:
    return Problem(at=at, text=said)


def _list(value: Json, key: str) -> list[Json]:
    found = value.get(key)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _text(value: Json, key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
