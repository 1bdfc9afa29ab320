import pytest

FLOAT_OUT = {"anyOf": [{"type": "number"}, {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]}]}
INT64 = {"type": "string", "pattern": "^-?[0-9]{1,19}$"}
UINT64 = {"type": "string", "pattern": "^[0-9]{1,20}$"}
TIMESTAMP = {"type": "string", "format": "date-time", "description": "e.g. 2026-01-31T09:00:00Z"}
DURATION = {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$", "description": 'seconds, e.g. "1.5s"'}
STRUCT = {"type": "object", "additionalProperties": True}
VALUE = {"description": "any JSON value"}
BYTES = {"type": "string", "contentEncoding": "base64", "description": "bytes in base64"}
ANY_IN = {
    "type": "object",
    "properties": {"@type": {"type": "string", "description": "type URL, e.g. type.googleapis.com/pkg.Message"}},
    "required": ["@type"],
    "additionalProperties": True,
    "description": 'any message: its fields beside "@type"',
}

CASES = [
    ("timestamp", "Timestamp", TIMESTAMP, TIMESTAMP),
    ("duration", "Duration", DURATION, DURATION),
    (
        "field_mask",
        "FieldMask",
        {"type": "string", "description": "comma-separated camelCase paths"},
        {"type": "string"},
    ),
    ("struct", "Struct", STRUCT, STRUCT),
    ("struct", "Value", VALUE, VALUE),
    ("struct", "ListValue", {"type": "array", "items": {}}, {"type": "array", "items": {}}),
    ("struct", "NullValue", {"type": "null"}, {"type": "null"}),
    ("any", "Any", ANY_IN, {"type": "object"}),
    ("empty", "Empty", {"type": "object", "properties": {}, "additionalProperties": False}, {"type": "object"}),
    ("wrappers", "DoubleValue", {"type": "number"}, FLOAT_OUT),
    ("wrappers", "FloatValue", {"type": "number", "description": "32-bit"}, FLOAT_OUT),
    ("wrappers", "Int64Value", INT64 | {"description": "64-bit integer as string"}, INT64),
    ("wrappers", "UInt64Value", UINT64 | {"description": "unsigned 64-bit integer as string"}, UINT64),
    ("wrappers", "Int32Value", {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}, {"type": "integer"}),
    (
        "wrappers",
        "UInt32Value",
        {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
        {"type": "integer", "minimum": 0},
    ),
    ("wrappers", "BoolValue", {"type": "boolean"}, {"type": "boolean"}),
    ("wrappers", "StringValue", {"type": "string"}, {"type": "string"}),
    ("wrappers", "BytesValue", BYTES, BYTES),
]


@pytest.mark.parametrize(("file", "name", "given", "printed"), CASES, ids=[case[1] for case in CASES])
def test_a_special_message_has_its_own_schema_alone_in_a_list_and_in_a_map(properties_of, file, name, given, printed):
    found = properties_of(
        f"""message M {{
          google.protobuf.{name} x = 1;
          repeated google.protobuf.{name} xs = 2;
          map<int32, google.protobuf.{name}> m = 3;
        }}""",
        imports=[f"google/protobuf/{file}.proto"],
    )
    keys = {"propertyNames": {"pattern": "^(0|-?[1-9][0-9]{0,9})$"}}
    note = {"description": "keys are 32-bit integers"}
    assert found == (
        {
            "x": given,
            "xs": {"type": "array", "items": given},
            "m": {"type": "object", "additionalProperties": given, **keys, **note},
        },
        {
            "x": printed,
            "xs": {"type": "array", "items": printed},
            "m": {"type": "object", "additionalProperties": printed},
        },
    )


def test_a_comment_goes_before_what_the_type_says(properties_of):
    given, _ = properties_of(
        """message M {
          // When it is due.
          google.protobuf.Timestamp due = 1;
          // The times of all reminders.
          repeated google.protobuf.Timestamp reminders = 2;
        }""",
        imports=["google/protobuf/timestamp.proto"],
    )
    assert given == {
        "due": TIMESTAMP | {"description": "When it is due. (e.g. 2026-01-31T09:00:00Z)"},
        "reminders": {"type": "array", "items": TIMESTAMP, "description": "The times of all reminders."},
    }


def test_a_well_known_ordinary_message_says_one_line(properties_of):
    given, _ = properties_of(
        "message M { google.type.LatLng a = 1; repeated google.type.LatLng b = 2; }",
        imports=["google/type/latlng.proto"],
    )
    note = "latitude from -90 to 90, longitude from -180 to 180, in degrees"
    assert {name: given["a"][name] for name in given["a"] if name != "properties"} == {
        "type": "object",
        "additionalProperties": False,
        "description": note,
    }
    assert given["b"] == {"type": "array", "items": given["a"]}


def test_the_types_that_only_an_any_can_hold_are_named_while_they_are_few(properties_of):
    body = "message M { google.protobuf.Any a = 1; } message Cat { Tail tail = 1; } message Tail {} message Dog {}"
    given, printed = properties_of(body, imports=["google/protobuf/any.proto"])
    note = 'any message: its fields beside "@type"; known types: t.Cat, t.Dog'
    assert given == {"a": ANY_IN | {"description": note}}
    assert printed == {"a": {"type": "object"}}
    many = " ".join(f"message Extra{number} {{}}" for number in range(9))
    assert properties_of(f"{body} {many}", imports=["google/protobuf/any.proto"])[0] == {"a": ANY_IN}
