"""Where events go: to standard error, one line each, from the gateway and from the libraries under it.

Standard output is never written to: on the stdio front it carries the protocol alone.
"""

import enum
import logging
import sys
from collections.abc import Iterable
from typing import TextIO

from gateway.telemetry.log_lines import JsonFormatter, TextFormatter

ROOT_LOGGER = "propylon"


class LogLevel(enum.Enum):
    """The least level that is written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(enum.Enum):
    """How a line is written."""

    TEXT = "text"
    JSON = "json"


_FORMATTERS = {LogFormat.TEXT: TextFormatter, LogFormat.JSON: JsonFormatter}
# The web server tells of each start and of each client's garbage; the first is said better elsewhere, the second
# is a caller's to cause.
_QUIET_LIBRARIES = {"uvicorn": logging.ERROR, "uvicorn.access": logging.CRITICAL}


class LineHandler(logging.StreamHandler[TextIO]):
    """Writes lines and never anything else: a stream that is gone or full must not stop the gateway."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        """Nothing: the usual answer is a traceback on the very stream that failed."""


def set_up_logging(
    *,
    level: LogLevel = LogLevel.INFO,
    line_format: LogFormat = LogFormat.TEXT,
    stream: TextIO | None = None,
    secrets: Iterable[str] = (),
) -> None:
    """Sends every event of the process to `stream` (standard error where None), one line each.

    The gateway's own events are written from `level` up, those of libraries from WARNING up (or `level` where that
    is higher); Python's warnings come as events too. `secrets` never appear in a line. Calling it again replaces
    what stood before.
    """
    handler = LineHandler(stream if stream is not None else sys.stderr)
    handler.setFormatter(_FORMATTERS[line_format](secrets=secrets))
    own_level = logging.getLevelNamesMapping()[level.name]
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(own_level, logging.WARNING))
    logging.getLogger(ROOT_LOGGER).setLevel(own_level)
    for name, least in _QUIET_LIBRARIES.items():
        logging.getLogger(name).setLevel(max(own_level, least))
    logging.captureWarnings(capture=True)
