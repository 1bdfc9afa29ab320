"""Rules about strings and bytes as schemas."""

import pytest

BYTES = {"type": "string", "contentEncoding": "base64"}


@pytest.mark.parametrize(
    ("rules", "keywords"),
    [
        ("len: 3", {"minLength": 3, "maxLength": 3}),
        ("min_len: 2, max_len: 4", {"minLength": 2, "maxLength": 4}),
        ("max_len: 0", {"maxLength": 0}),
        ("max_len: 18446744073709551615", {}),
        ("prefix: 'a.b'", {"pattern": r"^a\.b"}),
        ("suffix: '(x)/'", {"pattern": r"\(x\)\/$"}),
        ("contains: 'a|b-c'", {"pattern": r"a\|b-c"}),
        (r"pattern: '^\\d+$'", {"pattern": "^[0-9]+$"}),
        ("in: ['a', 'b', 'a']", {"enum": ["a", "b"]}),
        ("const: 'a'", {"enum": ["a"]}),
        ("in: ['a', 'b'], const: 'b'", {"enum": ["b"]}),
        ("email: true", {"format": "email"}),
        ("hostname: true", {"format": "hostname"}),
        ("ipv4: true", {"format": "ipv4"}),
        ("ipv6: true", {"format": "ipv6"}),
        ("uri: true", {"format": "uri"}),
        ("uuid: true", {"format": "uuid"}),
        ("uuid: false", {}),
    ],
)
def test_what_keywords_say_needs_no_words(field_of, rules, keywords):
    assert field_of("optional string", f".string = {{{rules}}}") == {"type": "string"} | keywords


@pytest.mark.parametrize(
    ("rules", "keywords", "said"),
    [
        ("len_bytes: 5", {"minLength": 2, "maxLength": 5}, "exactly 5 bytes in UTF-8"),
        ("min_bytes: 5", {"minLength": 2}, "at least 5 bytes in UTF-8"),
        ("max_bytes: 5", {"maxLength": 5}, "at most 5 bytes in UTF-8"),
        ("pattern: '(?i)a'", {}, "matches the regular expression (?i)a"),
        ("not_contains: 'a'", {}, 'does not contain "a"'),
        ("not_in: ['a', 'b']", {}, 'not "a" or "b"'),
        ("prefix: 'ab', suffix: 'bc'", {"pattern": "^ab"}, 'ends with "bc"'),
        ("const: 'a', in: ['b']", {"enum": ["a"]}, '"b"'),
        ("ip: true", {}, "an IPv4 or IPv6 address"),
        ("uri_ref: true", {}, "a URI or a relative reference"),
        ("tuuid: true", {}, "a UUID without dashes"),
        ("host_and_port: true", {}, "a host and a port, e.g. example.com:443"),
        ("well_known_regex: KNOWN_REGEX_HTTP_HEADER_VALUE", {}, "an HTTP header value"),
    ],
)
def test_what_keywords_do_not_say_is_told_in_words(field_of, rules, keywords, said):
    assert field_of("optional string", f".string = {{{rules}}}") == {"type": "string", "description": said} | keywords


def test_too_many_choices_are_told_in_words(field_of):
    choices = ", ".join(f"'{number}'" for number in range(201))
    field = field_of("optional string", f".string = {{in: [{choices}]}}")
    assert field.keys() == {"type", "description"}
    assert field["description"].startswith('one of "0", "1", ')
    assert len(field["description"]) <= 160


@pytest.mark.parametrize(
    ("rules", "keywords", "said"),
    [
        ("len: 4", {"minLength": 6, "maxLength": 8}, "exactly 4 bytes"),
        ("min_len: 1, max_len: 4", {"minLength": 2, "maxLength": 8}, "at least 1 bytes; at most 4 bytes"),
        ("min_len: 3", {"minLength": 4}, "at least 3 bytes"),
        ("const: 'abc'", {"enum": ["YWJj"]}, ""),
        ("in: ['abc', 'b']", {"enum": ["YWJj", "Yg=="]}, ""),
        ("not_in: ['abc']", {}, "not YWJj"),
        ("prefix: 'a', suffix: 'c'", {}, "the bytes start with 0x61; the bytes end with 0x63"),
        ("contains: 'b', pattern: '^a'", {}, "the bytes match the regular expression ^a; the bytes contain 0x62"),
        ("ipv4: true", {}, "an IPv4 address in binary form (4 bytes)"),
    ],
)
def test_rules_of_bytes_bound_their_base64_and_are_told_in_words(field_of, rules, keywords, said):
    description = f"bytes in base64; {said}" if said else "bytes in base64"
    field = field_of("optional bytes", f".bytes = {{{rules}}}")
    assert field == BYTES | keywords | {"description": description}
