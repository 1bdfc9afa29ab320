"""What an operator may decide about the stdio front."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioSettings:
    """How the stdio front serves.

    `line_limit_bytes` bounds one message; a longer line is answered with an error and skipped. `in_flight_limit` is the
    number of requests that are answered at a time, `waiting_limit` that of those which wait for it; one more is
    refused. The first is also how many lines may wait for the client to read: then nothing more is read from it.
    `closing_grace_seconds` is how long requests in flight may go on after the end of the input, before they are
    cancelled.
    """

    line_limit_bytes: int = 4 * 1024 * 1024
    in_flight_limit: int = 100
    waiting_limit: int = 1000
    closing_grace_seconds: float = 1.0
