"""Whether client and endpoint speak of JSON: the Content-Type of a body and the Accept of an answer (RFC 9110)."""

from collections.abc import Mapping

_JSON = "application/json"

# What nearly every client sends, decided without a look inside.
_USUAL_TYPES = frozenset({b"application/json", b"application/json; charset=utf-8"})
_USUAL_ACCEPTS = frozenset({b"application/json, text/event-stream", b"application/json", b"*/*"})
_USUAL_STREAM_ACCEPT = b"application/json, text/event-stream"

# RFC 9110 section 12.5.1: of several ranges that match, the most specific one counts.
_RANGES: Mapping[str, int] = {"*/*": 1, "application/*": 2, _JSON: 3}
# `*/*` is no leave to stream: it is what clients send that know of no server-sent events.
_STREAM_RANGES: Mapping[str, int] = {"text/*": 1, "text/event-stream": 2}
_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii"})  # JSON is UTF-8 (RFC 8259 section 8.1), and ASCII is part of it


def is_json(content_type: bytes) -> bool:
    """Whether a Content-Type announces JSON in UTF-8."""
    if content_type in _USUAL_TYPES:
        return True
    media_type, parameters = _split(content_type.decode("latin-1"))
    return media_type == _JSON and parameters.get("charset", "utf-8") in _CHARSETS


def accepts_json(accept: bytes) -> bool:
    """Whether an Accept lets the answer be JSON. An empty one states no preference; a weight of 0 excludes."""
    if accept in _USUAL_ACCEPTS or not accept:
        return True
    return _is_accepted(accept, _RANGES)


def accepts_events(accept: bytes | None) -> bool:
    """Whether an Accept names server-sent events, so that the answer may be a stream; `*/*` alone does not."""
    if accept == _USUAL_STREAM_ACCEPT:
        return True
    return accept is not None and _is_accepted(accept, _STREAM_RANGES)


def _is_accepted(accept: bytes, ranges: Mapping[str, int]) -> bool:
    """Whether the most specific of the ranges that an Accept has is not excluded by it."""
    best, is_accepted = 0, False
    for element in accept.decode("latin-1").split(","):
        media_range, parameters = _split(element)
        rank = ranges.get(media_range, 0)
        if rank > best:
            best, is_accepted = rank, _is_positive(parameters.get("q", "1"))
    return is_accepted


def _split(element: str) -> tuple[str, dict[str, str]]:
    """A media type or range in lower case, and its parameters."""
    head, *rest = element.lower().split(";")
    pairs = (part.partition("=") for part in rest)
    return head.strip(), {name.strip(): value.strip().strip('"') for name, _, value in pairs}


def _is_positive(weight: str) -> bool:
    """Whether a weight is above 0; one that is no number is taken for none, which is 1."""
    try:
        return float(weight) != 0
    except ValueError:
        return True
