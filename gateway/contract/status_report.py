"""A failed RPC, as far as a caller may know it: what the tool dialect and the protocol dialect are both made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.contract.distilled import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReport:
    """A gRPC status, decoded and fit to be told to a caller.

    `code` is the status number as the backend sent it (may lie outside 0..16); `message` its message, not yet bounded.
    `errors` holds field violations by JSON pointer; `reason` and `domain` come from google.rpc.ErrorInfo,
    `retry_after_ms` from google.rpc.RetryInfo; `details` is every detail as ProtoJSON with "@type", those that no
    descriptor decodes as {"@type", "value": base64}. `reference` is the id under which the log holds the rest.
    `is_own_wording` says that the message is this gateway's, so that nothing in it has to be withheld.
    """

    code: int
    message: str
    errors: tuple[Location, ...] = ()
    reason: str | None = None
    domain: str | None = None
    retry_after_ms: int | None = None
    details: tuple[Mapping[str, Any], ...] = ()
    reference: str | None = None
    is_own_wording: bool = False
