import math

from tests.transcoding.kit import Kit

KINDS = ("Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64")
FIELDS = "".join(
    f"google.protobuf.{kind}Value {kind.lower()} = {number}; "
    f"repeated google.protobuf.{kind}Value r{kind.lower()} = {number + 20};"
    for number, kind in enumerate(KINDS, 1)
)
KIT = Kit(f"message M {{ {FIELDS} map<string, google.protobuf.Int64Value> m = 50; }}")

ZEROS = {
    "bool": False,
    "bytes": "",
    "double": 0.0,
    "float": 0.0,
    "int32": 0,
    "int64": "0",
    "string": "",
    "uint32": 0,
    "uint64": "0",
}


def test_wrapped_values_are_the_json_of_what_they_wrap_and_zero_is_a_value():
    value = ZEROS | {f"r{kind}": [zero, zero] for kind, zero in ZEROS.items()} | {"m": {"k": "-1"}}
    assert KIT.print(KIT.parse(value)) == value


def test_null_leaves_a_wrapper_unset():
    assert KIT.parse(dict.fromkeys(ZEROS)) == KIT.make()


def test_wrapped_values_are_judged_like_plain_ones():
    assert KIT.find_problems({"int32": "x", "rint64": ["1", None], "m": {"k": 1.5}, "bool": {"value": True}}) == {
        "/int32": 'must be an integer, got "x"',
        "/rint64/1": "must be an integer, got null",
        "/m/k": "must be an integer, got 1.5",
        "/bool": 'must be true or false, got {"value":true}',
    }


def test_wrapped_special_numbers_go_by_name():
    assert KIT.print(KIT.make(double={"value": math.nan}, float={"value": -math.inf})) == {
        "double": "NaN",
        "float": "-Infinity",
    }
