"""google.protobuf.Duration both ways: decimal seconds such as "1.5s" (google/protobuf/duration.proto)."""

import re
from typing import Any

from gateway.contract.quoting import quote
from gateway.transcoding.converters.explanations import SAMPLE_DURATION
from gateway.transcoding.converters.outcomes import BlemishError, Cause, refuse, refuse_depth
from gateway.transcoding.converters.well_known.timestamps import NANOS, print_fraction

# About 10,000 years, the range that the type's own documentation gives.
LIMIT_SECONDS = 315_576_000_000

_DURATION = re.compile(r"(-?)([0-9]{1,18})(?:\.([0-9]{1,9}))?s", re.ASCII).fullmatch
_NEARLY = (
    (re.compile(r"-?[0-9]+(?:\.[0-9]+)?", re.ASCII), 'it lacks the "s" at its end'),
    (re.compile(r"-?[0-9]+\.[0-9]{10,}s", re.ASCII), "it has more than nine digits of a second"),
    (re.compile(r"-?[0-9.]+(?:ns|us|ms|m|h|d|min)", re.ASCII), "the only unit is seconds"),
    (re.compile(r"-?[0-9]+(?:\.[0-9]+)?s", re.ASCII), f"its limit is {LIMIT_SECONDS} seconds"),
)


def parse_duration(value: Any, room: int) -> dict[str, int]:
    """A duration from its text; its whole seconds within ±315,576,000,000."""
    if room < 1:
        raise refuse_depth()
    match = _DURATION(value) if type(value) is str else None
    if match is None:
        raise _refuse(value)
    sign, whole, fraction = match.groups()
    seconds = int(whole)
    nanos = int(fraction.ljust(9, "0")) if fraction else 0
    if seconds > LIMIT_SECONDS:
        raise _refuse(value)
    return {"seconds": -seconds, "nanos": -nanos} if sign else {"seconds": seconds, "nanos": nanos}


def _refuse(value: Any) -> Exception:
    why = ""
    if type(value) is str and len(value) < 64:
        why = next((f"; {text}" for pattern, text in _NEARLY if pattern.fullmatch(value)), "")
    return refuse(f"must be a duration such as {quote(SAMPLE_DURATION)}, got {quote(value)}{why}")


def print_duration(message: Any, _room: int) -> str:
    """A duration as its text, with 0, 3, 6 or 9 digits of a second.

    One whose seconds and nanoseconds differ in sign, or which lies out of range, is shown as the sum that it is.
    """
    seconds, nanos = message.seconds, message.nanos
    if not nanos and -LIMIT_SECONDS <= seconds <= LIMIT_SECONDS:
        return f"{seconds}s"
    total = seconds * NANOS + nanos
    whole, rest = divmod(abs(total), NANOS)
    text = f"{'-' if total < 0 else ''}{whole}{print_fraction(rest) if rest else ''}s"
    if abs(seconds) <= LIMIT_SECONDS and abs(nanos) < NANOS and (seconds >= 0 <= nanos or seconds <= 0 >= nanos):
        return text
    raise BlemishError(
        text, Cause(f"is no valid duration ({seconds} seconds, {nanos} nanoseconds); their sum is shown")
    )
