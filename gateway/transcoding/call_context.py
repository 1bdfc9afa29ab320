"""What a backend may be told of a call beside its arguments, as values that anybody can make: no protobuf here.

They become gateway.v1.CallContext and gateway.v1.CompletionQuery, where a request has a field for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientAbilities:
    """What the client declared that it can do."""

    sampling: bool = False
    elicitation: bool = False
    elicitation_url: bool = False
    roots: bool = False
    tasks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What the gateway knows about one call.

    `answers` are the client's results of the questions of the call before, by their keys, as JSON objects; `state` is
    what the backend gave with the questions. `log_level` is the least level of the protocol's LoggingLevel that the
    client wants, "" where it wants none.
    """

    client: ClientAbilities = ClientAbilities()
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    state: bytes = b""
    wants_progress: bool = False
    principal: str = ""
    log_level: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionQuery:
    """What is to be completed: an argument, what has been typed of it, and the other arguments so far."""

    argument: str
    value: str
    resolved: Mapping[str, str] = field(default_factory=dict)
