"""What is told of a fault of ours: a reference, under which the log has the rest."""

import logging
import os
from collections.abc import Mapping
from typing import Any

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Envelope, error_response
from gateway.contract.parsing import find_request_id

_log = logging.getLogger("propylon.http")


def tell_fault(message: Mapping[str, Any]) -> Envelope:
    """Logs the exception that is being handled, and gives the answer to the message that it happened over."""
    reference = os.urandom(8).hex()
    _log.exception("a message could not be answered", extra={"reference": reference})
    sentence = f"the gateway failed inside (reference {reference})"
    return error_response(Condition.INTERNAL_ERROR, find_request_id(message), sentence)
