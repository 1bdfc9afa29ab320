"""How one event becomes one line: as text for people or as JSON for machines.

Whatever a caller, a backend or an exception put into an event, the line stays one line of printable text, and values
under the names of secrets stay out of it. This module must never know who logs or why.
"""

import json
import logging
import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from gateway.telemetry.secrets import HIDDEN, Secrets

# What logging itself puts on a record; anything else came in by `extra=` and is a field of the event.
_OWN_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
_SECRET_WORDS = ("authorization", "cookie", "password", "secret", "token", "api_key", "apikey", "credential")
_LIMIT_CHARACTERS = 8000


def escape(text: str) -> str:
    r"""The text as one printable line: controls, line breaks, bidirectional and invisible characters as `\n`, `\x1b`.

    Characters that `str.isprintable` refuses are written as Python escapes; the backslash stays as it is, for people
    read these lines more often than programs do.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape_character(character) for character in text)


def _escape_character(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


class LineFormatter(logging.Formatter):
    """What both formats share: the event's parts, cut to size, without secrets.

    `secrets` are values (of configured metadata, say) that are replaced wherever they stand (`telemetry.secrets`).
    """

    def __init__(self, *, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = Secrets(secrets)

    def fields(self, record: logging.LogRecord) -> dict[str, Any]:
        """The event's own fields in the order given, then `error` with the traceback where there is one."""
        fields = {key: value for key, value in vars(record).items() if key not in _OWN_ATTRIBUTES}
        for key in fields:
            if _is_secret(key):
                fields[key] = HIDDEN
        if record.exc_info and record.exc_info[0] is not None:
            fields["error"] = self.formatException(record.exc_info)
        return fields

    def hide(self, line: str) -> str:
        """The line without any of the known secrets."""
        return self._secrets.hide(line)

    def message(self, record: logging.LogRecord) -> str:
        """The event's sentence, bounded; a sentence whose arguments do not fit it is given as it was written."""
        try:
            text = record.getMessage()
        except (TypeError, ValueError, KeyError):
            text = str(record.msg)
        return _cut(text)


class TextFormatter(LineFormatter):
    """`2026-01-02T03:04:05.678Z INFO propylon.app.discovery: backend discovered backend=eu tools=12`."""

    def format(self, record: logging.LogRecord) -> str:
        """The event as one line of text, without the line break at its end."""
        head = f"{_timestamp(record)} {record.levelname} {record.name}: {escape(self.message(record))}"
        fields = self.fields(record)
        return self.hide(" ".join([head, *(f"{escape(key)}={_field_text(value)}" for key, value in fields.items())]))


class JsonFormatter(LineFormatter):
    """One JSON object a line: `time`, `level`, `logger`, `message`, then the event's fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The event as one line of JSON (ASCII only, so no character can break the line), without the line break."""
        event: dict[str, Any] = {
            "time": _timestamp(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.message(record),
        }
        for key, value in self.fields(record).items():
            event.setdefault(key, self._without_secrets(value))
        event["message"] = self._without_secrets(event["message"])
        return json.dumps(event, ensure_ascii=True, separators=(",", ":"))

    def _without_secrets(self, value: Any) -> Any:
        match value:
            case bool() | int() | float() | None:
                return value
            case Mapping():
                return {str(key): self._without_secrets(one) for key, one in value.items()}
            case list() | tuple():
                return [self._without_secrets(one) for one in value]
            case _:
                return self.hide(_cut(str(value)))


def _timestamp(record: logging.LogRecord) -> str:
    """RFC 3339 in UTC with milliseconds."""
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"


@lru_cache(maxsize=256)
def _is_secret(key: str) -> bool:
    """Whether a field of this name may hold a secret; the names are those in the source, so that they come again."""
    lower = key.lower()
    return any(word in lower for word in _SECRET_WORDS)


def _cut(text: str) -> str:
    return text if len(text) <= _LIMIT_CHARACTERS else f"{text[:_LIMIT_CHARACTERS]}… ({len(text)} characters)"


def _field_text(value: Any) -> str:
    text = _cut(str(value))
    needs_quotes = not text or " " in text or '"' in text or "=" in text
    return escape(json.dumps(text, ensure_ascii=False) if needs_quotes else text)
