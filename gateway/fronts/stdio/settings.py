"""What an operator may decide about the stdio front."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioSettings:
    """How the stdio front serves.

    `line_limit_bytes` bounds one message; a longer line is answered with an error and skipped. `in_flight_limit` is the
    number of requests that may be unanswered: at that number nothing more is read, so that a client which reads no
    answers costs no more memory than these. `closing_grace_seconds` is how long requests in flight may go on after the
    end of the input, before they are cancelled.
    """

    line_limit_bytes: int = 4 * 1024 * 1024
    in_flight_limit: int = 100
    closing_grace_seconds: float = 1.0
