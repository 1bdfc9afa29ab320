"""google.protobuf.Any both ways: the held message's own JSON with "@type" (google/protobuf/any.proto).

A type that the backend's descriptors do not know, or bytes that are no such message, stand as base64 under "value".
"""

from collections.abc import Callable
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message

from gateway.contract.quoting import quote
from gateway.transcoding.converters.explanations import expect, expect_structure
from gateway.transcoding.converters.outcomes import (
    BlemishError,
    Cause,
    Parse,
    Print,
    RefusedError,
    TooDeepError,
    gather,
    refuse,
    refuse_depth,
)
from gateway.transcoding.converters.texts import parse_bytes, parse_string, print_bytes
from gateway.transcoding.converters.type_index import get_class

TYPE_KEY, VALUE_KEY = "@type", "value"
URL_PREFIX = "type.googleapis.com/"
SAMPLE_URL = f"{URL_PREFIX}package.Message"

_EMPTY = "google.protobuf.Empty"

FindMessage = Callable[[str], Descriptor | None]


GetBuilder = Callable[[Descriptor], Callable[[Any, int], Message]]
HasOwnForm = Callable[[Descriptor], bool]
"""Whether the JSON of a type is no object of its fields, so that in an Any it stands under "value"."""


def make_any_parser(find_message: FindMessage, get_builder: GetBuilder, has_own_form: HasOwnForm) -> Parse:
    """A parser of objects with "@type". The bytes are serialised deterministically: equal JSON gives equal bytes."""

    def parse_any(value: Any, room: int) -> dict[str, Any]:
        if type(value) is not dict:
            raise refuse(expect_structure('an object with "@type"', value))
        if room < 1:
            raise refuse_depth()
        if not value:
            return {}
        url = value.get(TYPE_KEY)
        if type(url) is not str or not url.rpartition("/")[1] or url.endswith("/"):
            raise _refuse_url(value, find_message)
        try:
            parse_string(url, room)
        except RefusedError as refusal:
            raise RefusedError(*gather(None, TYPE_KEY, refusal.causes)) from None
        descriptor = find_message(url)
        if descriptor is None:
            return {"type_url": url, "value": _parse_raw(value, url)}
        build = get_builder(descriptor)
        content = {key: item for key, item in value.items() if key != TYPE_KEY}
        if has_own_form(descriptor) or (descriptor.full_name == _EMPTY and content == {VALUE_KEY: {}}):
            message = _build_value(content, build, room - 1)
        else:
            message = build(content, room - 1)
        return {"type_url": url, "value": type(message).SerializeToString(message, deterministic=True)}

    return parse_any


def _build_value(content: dict[str, Any], build: Callable[[Any, int], Message], room: int) -> Message:
    causes: list[Cause] | None = None
    for key in content:
        if key != VALUE_KEY:
            causes = gather(causes, key, (Cause(f'is not known here; the content stands in "{VALUE_KEY}"'),))
    if VALUE_KEY not in content:
        causes = gather(causes, VALUE_KEY, (Cause("is required for this type"),))
    if causes is not None:
        raise RefusedError(*causes)
    try:
        return build(content[VALUE_KEY], room)
    except RefusedError as refusal:
        raise RefusedError(*gather(None, VALUE_KEY, refusal.causes)) from None


def _parse_raw(value: dict[str, Any], url: str) -> bytes:
    if value.keys() == {TYPE_KEY, VALUE_KEY}:
        try:
            return parse_bytes(value[VALUE_KEY], 1)
        except RefusedError as refusal:
            raise RefusedError(*gather(None, VALUE_KEY, refusal.causes)) from None
    raise refuse(
        f"is {quote(url)}, a type that the backend does not describe; "
        f'its bytes can be given as base64 in "{VALUE_KEY}"',
        TYPE_KEY,
    )


def _refuse_url(value: dict[str, Any], find_message: FindMessage) -> RefusedError:
    if TYPE_KEY not in value:
        return refuse(f'needs "{TYPE_KEY}", the URL of the type that it holds, such as {quote(SAMPLE_URL)}')
    url = value[TYPE_KEY]
    if type(url) is str and find_message(url) is not None:
        meant = f"; did you mean {quote(URL_PREFIX + url)}?"
        return refuse(expect("the URL of a type", url) + meant, TYPE_KEY)
    return refuse(expect(f"the URL of a type, such as {quote(SAMPLE_URL)}", url), TYPE_KEY)


def make_any_printer(
    find_message: FindMessage, get_printer: Callable[[Descriptor], Print], has_own_form: HasOwnForm
) -> Print:
    """A printer of what an Any holds."""

    def print_any(message: Any, room: int) -> dict[str, Any]:
        url = message.type_url
        if not url and not message.value:
            return {}
        descriptor = find_message(url)
        if descriptor is None:
            raise _as_bytes(message, f"holds {quote(url)}, a type that the backend does not describe")
        own_form = has_own_form(descriptor)
        try:
            printed = get_printer(descriptor)(get_class(descriptor).FromString(message.value), room - 1)
        except DecodeError:
            raise _as_bytes(message, f"holds bytes that are no {quote(url)}") from None
        except TooDeepError:
            raise _as_bytes(message, "nests too deep to be shown") from None
        except BlemishError as blemish:
            if own_form:
                causes = gather(None, VALUE_KEY, blemish.causes)
                raise BlemishError({TYPE_KEY: url, VALUE_KEY: blemish.value}, *causes) from None
            raise BlemishError({TYPE_KEY: url, **blemish.value}, *blemish.causes) from None
        return {TYPE_KEY: url, VALUE_KEY: printed} if own_form else {TYPE_KEY: url, **printed}

    return print_any


def _as_bytes(message: Any, why: str) -> BlemishError:
    raw = {TYPE_KEY: message.type_url, VALUE_KEY: print_bytes(message.value, 0)}
    return BlemishError(raw, Cause(f"{why}; its bytes are shown in base64"))
