"""google.protobuf.Timestamp both ways: RFC 3339 text, up to nine digits of a second (google/protobuf/timestamp.proto).

Days come from a bounded cache and times of day from tables: half the cost of computing them where days repeat.
"""

import datetime
import functools
import re
from typing import Any

from gateway.contract.quoting import quote
from gateway.transcoding.converters.explanations import SAMPLE_TIMESTAMP
from gateway.transcoding.converters.outcomes import BlemishError, Cause, Parse, Print, refuse, refuse_depth

_DAY = 86_400
_UNIX_EPOCH = datetime.date(1970, 1, 1).toordinal()
LOWEST_SECONDS = (datetime.date.min.toordinal() - _UNIX_EPOCH) * _DAY
HIGHEST_SECONDS = (datetime.date.max.toordinal() - _UNIX_EPOCH + 1) * _DAY - 1
NANOS = 1_000_000_000

_LIMIT_CACHED_DAYS = 2048

# "T09", ":05" and ":07" to their seconds: the separators are checked by the same look-up.
_HOURS = {f"T{hour:02}": hour * 3600 for hour in range(24)}
_MINUTES = {f":{minute:02}": minute * 60 for minute in range(60)}
_SECONDS = {f":{second:02}": second for second in range(60)}
_HOUR_TEXTS = tuple(_HOURS)
_SIXTIETHS = tuple(_SECONDS)

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII).fullmatch
_TAIL = re.compile(r"(?:\.([0-9]{1,9}))?(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))", re.ASCII).fullmatch

# What is wrong with text that is nearly right: the first that matches says it.
_NEARLY = (
    (re.compile(r"[^.]*\.[0-9]{10,}.*", re.ASCII), "has more than nine digits of a second"),
    (re.compile(r"[^Tt ]*[Tt ][0-9:.]*", re.ASCII), 'lacks "Z" or an offset such as +05:30 at its end'),
    (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII), "lacks the time of day"),
    (re.compile(r"[0-9-]+T[0-9]{2}:[0-9]{2}:60.*", re.ASCII), "has a second of 60; leap seconds are not taken"),
    (re.compile(r"[0-9-]+[t ].*", re.ASCII), 'must have a capital "T" between date and time'),
    (re.compile(r".*z", re.ASCII), 'must end in a capital "Z"'),
    (re.compile(r"(?:0000|[0-9]{5,}|-[0-9]+)-.*", re.ASCII), "lies outside the years 0001 to 9999"),
)


def make_timestamp_parser() -> Parse:
    """A parser of RFC 3339 text with "Z" or an offset, years 0001 to 9999, no leap seconds, capital letters only."""

    @functools.lru_cache(maxsize=_LIMIT_CACHED_DAYS)
    def get_day_start(text: str) -> int:
        if not _DATE(text):
            raise ValueError
        return (datetime.date.fromisoformat(text).toordinal() - _UNIX_EPOCH) * _DAY

    def parse_timestamp(value: Any, room: int) -> dict[str, int]:
        if room < 1:
            raise refuse_depth()
        try:
            seconds = get_day_start(value[:10]) + _HOURS[value[10:13]] + _MINUTES[value[13:16]] + _SECONDS[value[16:19]]
        except (KeyError, ValueError, TypeError):
            raise _refuse(value) from None
        tail = value[19:]
        if tail == "Z":
            return {"seconds": seconds}
        digits = tail[1:-1]
        if len(digits) == 3 and tail[0] == "." and tail[4] == "Z" and digits.isdigit() and digits.isascii():
            return {"seconds": seconds, "nanos": int(digits) * 1_000_000}
        match = _TAIL(tail)
        if match is None:
            raise _refuse(value)
        fraction, sign, hours, minutes = match.groups()
        if sign:
            offset = int(hours) * 3600 + int(minutes) * 60
            seconds += -offset if sign == "+" else offset
            if not LOWEST_SECONDS <= seconds <= HIGHEST_SECONDS:
                raise _refuse(value)
        return {"seconds": seconds, "nanos": int(fraction.ljust(9, "0")) if fraction else 0}

    return parse_timestamp


def _refuse(value: Any) -> Exception:
    why = ""
    if type(value) is str and len(value) < 64:
        why = next((f"; it {text}" for pattern, text in _NEARLY if pattern.fullmatch(value)), "")
    return refuse(f"must be a timestamp such as {quote(SAMPLE_TIMESTAMP)}, got {quote(value)}{why}")


def make_timestamp_printer() -> Print:
    """A printer of RFC 3339 text in UTC with 0, 3, 6 or 9 digits of a second.

    What lies outside years 1 to 9999 is shown as the nearest instant inside; nanoseconds that are out of range are
    carried over into the seconds.
    """

    @functools.lru_cache(maxsize=_LIMIT_CACHED_DAYS)
    def print_day(day: int) -> str:
        return datetime.date.fromordinal(day + _UNIX_EPOCH).isoformat()

    def print_instant(seconds: int, nanos: int) -> str:
        day, rest = divmod(seconds, _DAY)
        minutes = rest // 60
        whole = f"{print_day(day)}{_HOUR_TEXTS[rest // 3600]}{_SIXTIETHS[minutes % 60]}{_SIXTIETHS[rest % 60]}"
        return f"{whole}{print_fraction(nanos)}Z" if nanos else f"{whole}Z"

    def print_timestamp(message: Any, _room: int) -> str:
        seconds, nanos = message.seconds, message.nanos
        if 0 <= nanos < NANOS and LOWEST_SECONDS <= seconds <= HIGHEST_SECONDS:
            return print_instant(seconds, nanos)
        carried, rest = divmod(nanos, NANOS)
        nearest = min(max(seconds + carried, LOWEST_SECONDS), HIGHEST_SECONDS)
        if nearest != seconds + carried:
            rest = 0 if nearest == LOWEST_SECONDS else NANOS - 1
        raise BlemishError(
            print_instant(nearest, rest),
            Cause(f"is no valid timestamp ({seconds} seconds, {nanos} nanoseconds); the nearest one is shown"),
        )

    return print_timestamp


def print_fraction(nanos: int) -> str:
    """Nanoseconds from 1 to 999999999 as ".5" with 3, 6 or 9 digits."""
    if nanos % 1_000_000 == 0:
        return f".{nanos // 1_000_000:03}"
    return f".{nanos:09}" if nanos % 1000 else f".{nanos // 1000:06}"
