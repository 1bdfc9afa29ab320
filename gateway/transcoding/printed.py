"""A message on its way out: JSON data, notes on what JSON cannot say, and bytes that are content themselves.

These are all that `mcp` sees of a reply: this module must never know protobuf.
"""

from dataclasses import dataclass
from typing import Any

from gateway.contract.distilled import Problem
from gateway.transcoding.reply_parts import Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Content of any media type (google.api.HttpBody); `content_type` as the backend sent it, with its parameters."""

    content_type: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A message as JSON data. `notes` say, by JSON pointer, which parts are shown otherwise than they are and why.

    `body` is set where a whole reply is no structure but content; `value` is None then. `parts` are set where the reply
    says something beside its value.
    """

    value: Any
    notes: tuple[Problem, ...] = ()
    body: Body | None = None
    parts: Parts | None = None
