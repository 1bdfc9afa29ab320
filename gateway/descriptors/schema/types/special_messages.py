"""The table of messages that ProtoJSON does not write as an object of their fields, and of lines about well-known ones.

A new well-known type is a new row. This module knows no descriptor, only full names.
"""

from collections.abc import Mapping
from types import MappingProxyType

from google.protobuf.descriptor import FieldDescriptor

from gateway.descriptors.schema.dialect import Part
from gateway.descriptors.schema.types.scalars import SCALARS, ScalarRow

ANY = "google.protobuf.Any"
EMPTY = "google.protobuf.Empty"
FIELD_MASK = "google.protobuf.FieldMask"
OPERATION = "google.longrunning.Operation"
NULL_VALUE = "google.protobuf.NullValue"


def _both(part: Part) -> ScalarRow:
    return ScalarRow(input=part, output=part)


def _scalar(field_type: int) -> ScalarRow:
    return SCALARS[field_type]


# Source of the forms: the ProtoJSON guide and the comments in google/protobuf/*.proto.
SPECIAL_MESSAGES: Mapping[str, ScalarRow] = MappingProxyType(
    {
        ANY: ScalarRow(
            input=Part(
                schema={
                    "type": "object",
                    "properties": {
                        "@type": {"type": "string", "description": "type URL, e.g. type.googleapis.com/pkg.Message"}
                    },
                    "required": ["@type"],
                    "additionalProperties": True,
                },
                notes=('any message: its fields beside "@type"',),
            ),
            output=Part(schema={"type": "object"}),
        ),
        EMPTY: ScalarRow(
            input=Part(schema={"type": "object", "properties": {}, "additionalProperties": False}),
            output=Part(schema={"type": "object"}),
        ),
        "google.protobuf.Timestamp": _both(
            Part(schema={"type": "string", "format": "date-time"}, notes=("e.g. 2026-01-31T09:00:00Z",))
        ),
        "google.protobuf.Duration": _both(
            Part(schema={"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$"}, notes=('seconds, e.g. "1.5s"',))
        ),
        FIELD_MASK: ScalarRow(
            input=Part(schema={"type": "string"}, notes=("comma-separated camelCase paths",)),
            output=Part(schema={"type": "string"}),
        ),
        # `true` is spelled out: some grammars take its absence for false.
        "google.protobuf.Struct": _both(Part(schema={"type": "object", "additionalProperties": True})),
        "google.protobuf.Value": _both(Part(schema={}, notes=("any JSON value",))),
        "google.protobuf.ListValue": _both(Part(schema={"type": "array", "items": {}})),
        "google.protobuf.DoubleValue": _scalar(FieldDescriptor.TYPE_DOUBLE),
        "google.protobuf.FloatValue": _scalar(FieldDescriptor.TYPE_FLOAT),
        "google.protobuf.Int64Value": _scalar(FieldDescriptor.TYPE_INT64),
        "google.protobuf.UInt64Value": _scalar(FieldDescriptor.TYPE_UINT64),
        "google.protobuf.Int32Value": _scalar(FieldDescriptor.TYPE_INT32),
        "google.protobuf.UInt32Value": _scalar(FieldDescriptor.TYPE_UINT32),
        "google.protobuf.BoolValue": _scalar(FieldDescriptor.TYPE_BOOL),
        "google.protobuf.StringValue": _scalar(FieldDescriptor.TYPE_STRING),
        "google.protobuf.BytesValue": _scalar(FieldDescriptor.TYPE_BYTES),
    }
)

SPECIAL_ENUMS: Mapping[str, ScalarRow] = MappingProxyType({NULL_VALUE: _both(Part(schema={"type": "null"}))})

MESSAGE_NOTES: Mapping[str, str] = MappingProxyType(
    {
        "google.type.Color": "red, green, blue and alpha from 0 to 1",
        "google.type.Date": "year, month, day; 0 = unknown",
        "google.type.DateTime": "local time with utcOffset or timeZone; year 0 = unknown",
        "google.type.Decimal": 'value is a decimal number as string, e.g. "-2.50"',
        "google.type.Expr": "expression in the Common Expression Language",
        "google.type.Fraction": "numerator divided by denominator",
        "google.type.Interval": "startTime inclusive, endTime exclusive",
        "google.type.LatLng": "latitude from -90 to 90, longitude from -180 to 180, in degrees",
        "google.type.LocalizedText": 'text in one language, languageCode as in BCP 47, e.g. "en-US"',
        "google.type.Money": "units = whole units as string, nanos = billionths, currencyCode = ISO 4217",
        "google.type.PhoneNumber": 'e164Number, e.g. "+15552220123", or shortCode',
        "google.type.PostalAddress": "regionCode = ISO 3166 country, addressLines in the order of the envelope",
        "google.type.TimeOfDay": "hours from 0 to 23, 24:00:00 may be the end of the day",
        "google.type.TimeZone": 'id as in the IANA database, e.g. "Europe/Berlin"',
        OPERATION: "a long-running operation: the response stands in response once done is true",
    }
)
"""One line, in place of their own long comments, about messages that are ordinary objects all the same."""
