"""Rules about strings, and about bytes, which in JSON are base64: its length says only about how many they are."""

import base64
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from gateway.contract.quoting import quote
from gateway.descriptors.schema.rules.validation.clauses import Clause, choose, exact, partly, said
from gateway.descriptors.schema.rules.validation.patterns import make_portable
from gateway.descriptors.validation.vocabulary import RuleMessage

LIMIT_LENGTH = 2**31 - 1
"""Bounds beyond it bound nothing; some readers of schemas cannot hold them."""

_LONGEST_CHARACTER = 4  # bytes of a character in UTF-8

# The forms that StringRules knows, as a value of `format` where most readers know one, and in words.
_FORMATS: Mapping[str, tuple[str | None, str]] = MappingProxyType(
    {
        "email": ("email", "an email address"),
        "hostname": ("hostname", "a host name"),
        "ip": (None, "an IPv4 or IPv6 address"),
        "ipv4": ("ipv4", "an IPv4 address"),
        "ipv6": ("ipv6", "an IPv6 address"),
        "uri": ("uri", "a URI"),
        "uri_ref": (None, "a URI or a relative reference"),
        "address": (None, "a host name or an IP address"),
        "uuid": ("uuid", "a UUID"),
        "tuuid": (None, "a UUID without dashes"),
        "ip_with_prefixlen": (None, "an IP address with prefix length, e.g. 10.0.0.1/8"),
        "ipv4_with_prefixlen": (None, "an IPv4 address with prefix length, e.g. 10.0.0.1/8"),
        "ipv6_with_prefixlen": (None, "an IPv6 address with prefix length, e.g. 2001:db8::1/64"),
        "ip_prefix": (None, "an IP network, e.g. 10.0.0.0/8"),
        "ipv4_prefix": (None, "an IPv4 network, e.g. 10.0.0.0/8"),
        "ipv6_prefix": (None, "an IPv6 network, e.g. 2001:db8::/32"),
        "host_and_port": (None, "a host and a port, e.g. example.com:443"),
        "ulid": (None, "a ULID"),
        "protobuf_fqn": (None, "a full protobuf name, e.g. pkg.Message"),
        "protobuf_dot_fqn": (None, "a full protobuf name with a leading dot, e.g. .pkg.Message"),
    }
)
_HEADER_FORMS = MappingProxyType({1: "an HTTP header name", 2: "an HTTP header value"})

_BINARY_FORMS = MappingProxyType(
    {
        "ip": "an IPv4 or IPv6 address in binary form (4 or 16 bytes)",
        "ipv4": "an IPv4 address in binary form (4 bytes)",
        "ipv6": "an IPv6 address in binary form (16 bytes)",
        "uuid": "a UUID in binary form (16 bytes)",
    }
)
_LIMIT_SHOWN = 32


def list_string_clauses(rules: RuleMessage) -> Iterator[Clause]:
    """The clauses of StringRules."""
    if rules.HasField("const"):
        yield choose([rules.const], [quote(rules.const)])
    yield from _list_lengths(rules)
    yield from _list_byte_lengths(rules)
    if rules.HasField("pattern"):
        portable = make_portable(rules.pattern)
        text = f"matches the regular expression {rules.pattern}"
        yield said(text) if portable is None else exact(text, {"pattern": portable})
    if rules.prefix:
        yield exact(f"starts with {quote(rules.prefix)}", {"pattern": f"^{escape(rules.prefix)}"})
    if rules.suffix:
        yield exact(f"ends with {quote(rules.suffix)}", {"pattern": f"{escape(rules.suffix)}$"})
    if rules.contains:
        yield exact(f"contains {quote(rules.contains)}", {"pattern": escape(rules.contains)})
    if rules.HasField("not_contains"):
        yield said(f"does not contain {quote(rules.not_contains)}")
    choices = list(getattr(rules, "in"))
    if choices:
        yield choose(choices, map(quote, choices))
    if rules.not_in:
        yield said(f"not {' or '.join(map(quote, rules.not_in))}")
    yield from _list_forms(rules)


def _list_lengths(rules: RuleMessage) -> Iterator[Clause]:
    if rules.HasField("len"):
        yield exact(f"exactly {rules.len} characters", {"minLength": rules.len, "maxLength": rules.len})
    if rules.HasField("min_len"):
        yield exact(f"at least {rules.min_len} characters", {"minLength": rules.min_len})
    if rules.max_len < LIMIT_LENGTH and rules.HasField("max_len"):
        yield exact(f"at most {rules.max_len} characters", {"maxLength": rules.max_len})


def _list_byte_lengths(rules: RuleMessage) -> Iterator[Clause]:
    for name, words in (("len_bytes", "exactly"), ("min_bytes", "at least"), ("max_bytes", "at most")):
        if not rules.HasField(name):
            continue
        size = getattr(rules, name)
        keywords = {}
        if name != "max_bytes":
            keywords["minLength"] = -(-size // _LONGEST_CHARACTER)
        if name != "min_bytes" and size < LIMIT_LENGTH:
            keywords["maxLength"] = size
        yield partly(f"{words} {size} bytes in UTF-8", keywords)


def _list_forms(rules: RuleMessage) -> Iterator[Clause]:
    form = rules.WhichOneof("well_known")
    if form is None:
        return
    if form == "well_known_regex":
        text = _HEADER_FORMS.get(rules.well_known_regex)
        if text is not None:
            yield said(text)
    elif getattr(rules, form):
        name, text = _FORMATS.get(form, (None, form.replace("_", " ")))
        yield said(text) if name is None else exact(text, {"format": name})


def escape(text: str) -> str:
    """The text as a regular expression that matches it and nothing else, in ECMA-262 and elsewhere."""
    return re.sub(r"[\^$\\.*+?()\[\]{}|/]", lambda found: f"\\{found[0]}", text)


def list_bytes_clauses(rules: RuleMessage) -> Iterator[Clause]:
    """The clauses of BytesRules."""
    if rules.HasField("const"):
        yield _choose_bytes([rules.const])
    if rules.HasField("len"):
        yield partly(f"exactly {rules.len} bytes", {**at_least_bytes(rules.len), **_at_most_bytes(rules.len)})
    if rules.HasField("min_len"):
        yield partly(f"at least {rules.min_len} bytes", at_least_bytes(rules.min_len))
    if rules.HasField("max_len"):
        yield partly(f"at most {rules.max_len} bytes", _at_most_bytes(rules.max_len))
    if rules.HasField("pattern"):
        yield said(f"the bytes match the regular expression {rules.pattern}")
    for name, words in (("prefix", "start with"), ("suffix", "end with"), ("contains", "contain")):
        if getattr(rules, name):
            yield said(f"the bytes {words} 0x{getattr(rules, name)[:_LIMIT_SHOWN].hex()}")
    choices = list(getattr(rules, "in"))
    if choices:
        yield _choose_bytes(choices)
    if rules.not_in:
        yield said(f"not {' or '.join(map(_encode, rules.not_in))}")
    form = rules.WhichOneof("well_known")
    if form is not None and getattr(rules, form):
        yield said(_BINARY_FORMS.get(form, form))


def at_least_bytes(size: int) -> Mapping[str, Any]:
    """The least base64 for so many bytes: padding may be left out."""
    return {"minLength": -(-size * 4 // 3)} if size < LIMIT_LENGTH else {}


def _at_most_bytes(size: int) -> Mapping[str, Any]:
    """The most base64 for so many bytes, with padding."""
    return {"maxLength": -(-size // 3) * 4} if size < LIMIT_LENGTH else {}


def _choose_bytes(values: list[bytes]) -> Clause:
    texts = [_encode(value) for value in values]
    return choose(texts, (f'"{text}"' for text in texts))


def _encode(value: bytes) -> str:
    return base64.b64encode(value).decode()
