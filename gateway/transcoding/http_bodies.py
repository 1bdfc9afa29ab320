"""google.api.HttpBody as a whole reply: content of some media type, and not a structure (google/api/httpbody.proto)."""

from typing import Any

from gateway.contract.distilled import Problem
from gateway.transcoding.printed import Body, Printed

HTTP_BODY = "google.api.HttpBody"

_UNSEEN = Problem(at="/extensions", text="are not shown: they are metadata of an HTTP response")


def print_body(message: Any) -> Printed:
    """The content that the message holds. Its extensions have no place beside it."""
    body = Body(content_type=message.content_type, data=message.data)
    return Printed(value=None, notes=(_UNSEEN,) if message.extensions else (), body=body)
