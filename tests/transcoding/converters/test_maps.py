import pytest

from tests.transcoding.kit import Kit

INTEGERS = ("int32", "sint32", "sfixed32", "int64", "sint64", "sfixed64", "uint32", "fixed32", "uint64", "fixed64")
FIELDS = "".join(f"map<{kind}, string> m_{kind} = {number};" for number, kind in enumerate(INTEGERS, 1))
KIT = Kit(f"""
message M {{
  {FIELDS} map<bool, int64> flags = 20; map<string, bytes> blobs = 21; map<string, M> more = 22;
  map<string, google.protobuf.Struct> free = 23; map<string, google.protobuf.ListValue> lists = 24;
  map<string, google.protobuf.Value> any = 25; map<int32, google.protobuf.Timestamp> times = 26;
}}
""")


@pytest.mark.parametrize("kind", INTEGERS)
def test_integer_keys_are_text_in_json_and_bounded_by_their_type(kind):
    bits = 64 if "64" in kind else 32
    low, high = (
        (0, 2**bits - 1)
        if kind in ("uint32", "fixed32", "uint64", "fixed64")
        else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )
    name = f"m{kind.capitalize()}"
    value = {name: {str(low): "low", str(high): "high"}}
    message = KIT.make(**{f"m_{kind}": {low: "low", high: "high"}})
    assert KIT.parse(value) == message
    assert KIT.print(message) == value
    assert KIT.find_problems({name: {str(high + 1): "x"}}) == {
        f"/{name}": f'must have keys that are integers from {low} to {high}, got the key "{high + 1}"'
    }


@pytest.mark.parametrize("key", ["01", "+1", " 1", "1.0", "1e0", "-0", "x", "", "1_0", "٧"])
def test_a_key_has_one_spelling_alone(key):
    (problem,) = KIT.find_problems({"mInt32": {key: "x"}}).values()
    assert problem.startswith("must have keys that are integers from -2147483648 to 2147483647, got the key ")


def test_boolean_keys_are_words():
    assert KIT.parse({"flags": {"true": "1", "false": 2}}) == KIT.make(flags={True: 1, False: 2})
    assert KIT.print(KIT.make(flags={True: 1, False: 2})) == {"flags": {"false": "2", "true": "1"}}
    assert KIT.find_problems({"flags": {"True": 1}}) == {
        "/flags": 'must have the keys "true" and "false" only, got the key "True"'
    }


def test_values_have_their_place_and_wrong_keys_that_of_the_map():
    assert KIT.find_problems({"blobs": {"a b": "?"}, "more": {"x~": {"mInt32": {"1": 2}}}, "mInt64": {"y": "z"}}) == {
        "/blobs/a b": 'must be bytes in base64, standard or URL-safe but not mixed, got "?"',
        "/more/x~0/mInt32/1": "must be a string, got 2",
        "/mInt64": 'must have keys that are integers from -9223372036854775808 to 9223372036854775807, got the key "y"',
    }


def test_maps_are_printed_in_the_order_of_their_keys():
    message = KIT.make(m_int32=dict.fromkeys((10, -1, 9, 2), "x"), more={key: {} for key in "zxay"})
    printed = KIT.print(message)
    assert list(printed["mInt32"]) == ["-1", "2", "9", "10"]
    assert list(printed["more"]) == ["a", "x", "y", "z"]


def test_maps_of_well_known_messages_go_both_ways():
    value = {
        "free": {"a": {"x": [1, {"y": None}]}, "b": {}},
        "lists": {"a": [1, [], {"z": True}], "b": []},
        "any": {"a": None, "b": {"c": [1.5]}, "d": "text"},
        "times": {"7": "2026-01-31T09:00:00Z"},
    }
    assert KIT.print(KIT.parse(value)) == value
