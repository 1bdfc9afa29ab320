import pytest

INT64 = {"type": "string", "pattern": "^-?[0-9]{1,19}$"}
UINT64 = {"type": "string", "pattern": "^[0-9]{1,20}$"}
INT32_IN = {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
UINT32_IN = {"type": "integer", "minimum": 0, "maximum": 4294967295}
FLOAT_OUT = {"anyOf": [{"type": "number"}, {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]}]}
SIGNED_NOTE = {"description": "64-bit integer as string"}
UNSIGNED_NOTE = {"description": "unsigned 64-bit integer as string"}
BYTES = {"type": "string", "contentEncoding": "base64", "description": "bytes in base64"}

CASES = [
    ("int32", INT32_IN, {"type": "integer"}),
    ("sint32", INT32_IN, {"type": "integer"}),
    ("sfixed32", INT32_IN, {"type": "integer"}),
    ("uint32", UINT32_IN, {"type": "integer", "minimum": 0}),
    ("fixed32", UINT32_IN, {"type": "integer", "minimum": 0}),
    ("int64", INT64 | SIGNED_NOTE, INT64),
    ("sint64", INT64 | SIGNED_NOTE, INT64),
    ("sfixed64", INT64 | SIGNED_NOTE, INT64),
    ("uint64", UINT64 | UNSIGNED_NOTE, UINT64),
    ("fixed64", UINT64 | UNSIGNED_NOTE, UINT64),
    ("double", {"type": "number"}, FLOAT_OUT),
    ("float", {"type": "number", "description": "32-bit"}, FLOAT_OUT),
    ("bool", {"type": "boolean"}, {"type": "boolean"}),
    ("string", {"type": "string"}, {"type": "string"}),
    ("bytes", BYTES, BYTES),
]


@pytest.mark.parametrize(("kind", "given", "printed"), CASES, ids=[case[0] for case in CASES])
def test_a_scalar_has_its_schema_alone_in_a_list_and_in_a_map(properties_of, kind, given, printed):
    found = properties_of(f"message M {{ {kind} x = 1; repeated {kind} xs = 2; map<string, {kind}> m = 3; }}")
    assert found == tuple(
        {
            "x": schema,
            "xs": {"type": "array", "items": schema},
            "m": {"type": "object", "additionalProperties": schema},
        }
        for schema in (given, printed)
    )


@pytest.mark.parametrize("kind", [case[0] for case in CASES if case[0] != "bytes"])
def test_presence_changes_nothing_and_gives_no_default(properties_of, kind):
    given, printed = properties_of(f"message M {{ {kind} implicit = 1; optional {kind} explicit = 2; }}")
    assert (given["implicit"], printed["implicit"]) == (given["explicit"], printed["explicit"])


KEYS = [
    ("int32", {"pattern": "^(0|-?[1-9][0-9]{0,9})$"}, "keys are 32-bit integers"),
    ("fixed32", {"pattern": "^(0|[1-9][0-9]{0,9})$"}, "keys are unsigned 32-bit integers"),
    ("sint64", {"pattern": "^(0|-?[1-9][0-9]{0,18})$"}, "keys are 64-bit integers"),
    ("uint64", {"pattern": "^(0|[1-9][0-9]{0,19})$"}, "keys are unsigned 64-bit integers"),
    ("bool", {"enum": ["true", "false"]}, "keys are true and false"),
]


@pytest.mark.parametrize(("kind", "keys", "note"), KEYS, ids=[case[0] for case in KEYS])
def test_the_keys_of_a_map_are_told_in_arguments_alone(properties_of, kind, keys, note):
    given, printed = properties_of(f"message M {{ map<{kind}, string> m = 1; }}")
    assert given == {
        "m": {
            "type": "object",
            "propertyNames": keys,
            "additionalProperties": {"type": "string"},
            "description": note,
        }
    }
    assert printed == {"m": {"type": "object", "additionalProperties": {"type": "string"}}}
