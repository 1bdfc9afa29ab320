import pytest

from tests.transcoding.kit import PROTO2, Kit

FIELDS = """
message M {
  %s string t = 1; %s bytes b = 2; %s bool o = 3; repeated string ts = 4;
  map<string, string> m = 5; map<string, N> n = 6;
}
message N { %s string t = 1; }
"""
KIT = Kit(FIELDS.replace("%s", ""))
OLD = Kit(FIELDS.replace("%s", "optional"), syntax=PROTO2)


@pytest.mark.parametrize("text", ['{"n":1}', "123", "", "\x00", "é \U0001f600", "null"])
def test_text_reaches_the_backend_as_it_is(text):
    assert KIT.parse({"t": text, "ts": [text], "m": {text: text}}) == KIT.make(t=text, ts=[text], m={text: text})


def test_what_is_no_text_is_refused():
    assert KIT.find_problems({"t": 123, "ts": [True, "a", None], "m": {"k": 1.5}}) == {
        "/t": "must be a string, got 123",
        "/ts/0": "must be a string, got true",
        "/ts/2": "must be a string, got null",
        "/m/k": "must be a string, got 1.5",
    }


def test_lone_surrogates_are_refused_wherever_they_stand():
    lone = "\ud800"
    assert KIT.find_problems({"t": lone, "ts": ["a", lone], "m": {"k": lone, f"x{lone}": "a"}, lone: 1}) == {
        "/t": 'must be text without lone surrogates, got "\\ud800"',
        "/ts/1": 'must be text without lone surrogates, got "\\ud800"',
        "/m": 'must have keys without lone surrogates, got the key "x\\ud800"',
        "/m/k": 'must be text without lone surrogates, got "\\ud800"',
        "/\\ud800": "is not a field of this message; it has `t`, `b`, `o`, `ts`, `m`, `n`",
    }


@pytest.mark.parametrize("text", ["+/8=", "+/8", "-_8=", "-_8"])
def test_bytes_are_taken_in_both_alphabets_padded_or_not(text):
    assert KIT.parse({"b": text}) == KIT.make(b=b"\xfb\xff")


@pytest.mark.parametrize(
    "text", ["+_8=", "+/8==", "+/8=x", "a", "YQ=", "Y Q==", "YQ==\n", "ü", "=", "YQ===", "YQ==YQ=="]
)
def test_what_is_no_base64_is_refused(text):
    (problem,) = KIT.find_problems({"b": text}).values()
    assert problem.startswith("must be ")
    assert "base64" in problem


def test_bytes_of_another_type_and_words_for_booleans_are_refused():
    assert KIT.find_problems({"b": 5, "o": "true"}) == {
        "/b": "must be bytes as a base64 string, got 5",
        "/o": 'must be true or false, got "true"',
    }
    assert KIT.find_problems({"o": 1}) == {"/o": "must be true or false, got 1"}


def test_bytes_are_printed_as_padded_standard_base64():
    assert KIT.print(KIT.make(b=b"\xfb\xff", o=True)) == {"b": "+/8=", "o": True}


def decode_old(data):
    return OLD.codec.decoder_for(OLD.descriptor())(data)


REPLACED = "is not UTF-8 text; \N{REPLACEMENT CHARACTER} stands for what could not be read"


def test_proto2_text_that_is_not_utf8_is_replaced_and_noted_and_the_rest_is_delivered():
    message = decode_old(b"\x0a\x03a\xff\xfe" + b"\x18\x01" + b"\x22\x01b\x22\x01\xff")
    assert OLD.print_noting(message) == (
        {"t": "a\ufffd\ufffd", "o": True, "ts": ["b", "\ufffd"]},
        {"/t": REPLACED, "/ts/1": REPLACED},
    )


def test_proto2_maps_with_text_that_is_not_utf8_keep_all_their_entries():
    texts = b"\x2a\x06\x0a\x01k\x12\x01\xff" + b"\x2a\x06\x0a\x01\xff\x12\x01v" + b"\x2a\x06\x0a\x01a\x12\x01b"
    messages = b"\x32\x08\x0a\x01\xfe\x12\x03\x0a\x01x" + b"\x32\x08\x0a\x01z\x12\x03\x0a\x01\xff"
    assert OLD.print_noting(decode_old(b"\x18\x01" + texts + messages)) == (
        {
            "o": True,
            "m": {"a": "b", "k": "\ufffd", "\ufffd": "v"},
            "n": {"z": {"t": "\ufffd"}, "\ufffd": {"t": "x"}},
        },
        {"/m": f"has a key that {REPLACED}", "/m/k": REPLACED, "/n": f"has a key that {REPLACED}", "/n/z/t": REPLACED},
    )
