import pytest
from google.rpc import error_details_pb2 as rpc
from google.rpc.status_pb2 import Status

from gateway.contract.status_report import StatusReport
from gateway.transcoding.rpc_status import RpcStatus
from tests.transcoding.kit import PROTO2, Kit

BODY = """
message Money { int64 unit_price = 1; }
message Line { Money price = 1; string sku = 2; }
message Custom { string why = 1; int64 code = 2; google.protobuf.Timestamp at = 3; }
message M { repeated Line line_items = 1; map<string, Line> by_key = 2; string email = 3; }
service S { rpc Do(M) returns (M); }
"""
KIT = Kit(BODY)
DO = KIT.transcoder("Do")

VALIDATE = """
syntax = "proto2"; package buf.validate;
message FieldPathElement {
  optional int32 field_number = 1; optional string field_name = 2;
  oneof subscript {
    uint64 index = 5; bool bool_key = 6; int64 int_key = 7; uint64 uint_key = 8; string string_key = 9;
  }
}
message FieldPath { repeated FieldPathElement elements = 1; }
message Violation { optional FieldPath field = 5; optional string rule_id = 2; optional string message = 3;
                    optional bool for_key = 4; optional string field_path = 1; }
message Violations { repeated Violation violations = 1; }
"""
VALIDATED = Kit(BODY, validate=VALIDATE)


def report(*details, kit=KIT, code=3, message="bad"):
    """The report of a status with these details, each a message or an (url, bytes) pair."""
    sent = Status(code=code, message=message)
    for detail in details:
        if isinstance(detail, tuple):
            sent.details.add(type_url=detail[0], value=detail[1])
        else:
            sent.details.add(
                type_url=f"type.googleapis.com/{detail.DESCRIPTOR.full_name}", value=detail.SerializeToString()
            )
    status = RpcStatus(code=code, message=message, details=sent.SerializeToString())
    return kit.transcoder("Do").report_status(status)


def test_a_status_without_details_keeps_its_code_and_message():
    assert DO.report_status(RpcStatus(code=42, message="caf\u00e9\nline2")) == StatusReport(
        code=42, message="caf\u00e9\nline2"
    )


def test_field_violations_become_errors_at_the_arguments_by_their_published_names():
    violations = [
        ("line_items[3].price.unit_price", "too\nsmall"),
        ('by_key["a/b"].sku', ""),
        ("email", "must be an address"),
    ]
    bad = rpc.BadRequest(
        field_violations=[rpc.BadRequest.FieldViolation(field=field, description=said) for field, said in violations]
    )
    assert report(bad).errors == (
        {"at": "/byKey/a~1b/sku", "problems": ["is not valid"]},
        {"at": "/email", "problems": ["must be an address"]},
        {"at": "/lineItems/3/price/unitPrice", "problems": ["too small"]},
    )


def test_several_violations_of_one_field_stand_together():
    said = ("is too short", "is too short", "has no digit")
    bad = rpc.BadRequest(
        field_violations=[rpc.BadRequest.FieldViolation(field="email", description=text) for text in said]
    )
    assert report(bad).errors == ({"at": "/email", "problems": ["is too short", "has no digit"]},)


def test_error_info_and_retry_info_state_reason_domain_and_delay():
    retry = rpc.RetryInfo()
    retry.retry_delay.seconds, retry.retry_delay.nanos = 1, 500_000_001
    told = report(rpc.ErrorInfo(reason="STOCK_LOW", domain="shop.example", metadata={"sku": "x"}), retry, code=8)
    assert told == StatusReport(
        code=8,
        message="bad",
        reason="STOCK_LOW",
        domain="shop.example",
        retry_after_ms=1501,
        details=(
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "STOCK_LOW",
                "domain": "shop.example",
                "metadata": {"sku": "x"},
            },
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.500000001s"},
        ),
    )


def test_the_first_of_several_details_of_one_type_counts():
    told = report(rpc.ErrorInfo(reason="A", domain="a"), rpc.ErrorInfo(reason="B", domain="b"))
    assert (told.reason, told.domain) == ("A", "a")


def test_a_negative_delay_is_none_to_wait():
    retry = rpc.RetryInfo()
    retry.retry_delay.seconds = -5
    assert report(retry).retry_after_ms == 0


def test_the_backends_own_details_are_decoded_with_its_own_descriptors():
    custom = KIT.make("Custom", why="because", code=2**60, at={"seconds": 1})
    assert report(custom).details == (
        {
            "@type": "type.googleapis.com/t.Custom",
            "why": "because",
            "code": "1152921504606846976",
            "at": "1970-01-01T00:00:01Z",
        },
    )


def test_well_known_details_stand_under_value():
    details = (("type.googleapis.com/google.protobuf.StringValue", b"\x0a\x01x"),)
    assert report(*details).details == ({"@type": details[0][0], "value": "x"},)


@pytest.mark.parametrize(
    ("url", "data", "value"),
    [
        ("x.org/far.Away", b"\xff\x01", "/wE="),
        ("type.googleapis.com/google.rpc.ErrorInfo", b"\xff", "/w=="),
        ("type.googleapis.com/t.Custom", b"\x1a\x06\x08", "GgYI"),
        ("", b"", ""),
    ],
)
def test_what_cannot_be_decoded_or_told_exactly_is_kept_as_bytes(url, data, value):
    assert report((url, data)).details == ({"@type": url, "value": value},)


def test_a_detail_that_json_cannot_say_exactly_is_kept_as_bytes():
    custom = KIT.make("Custom", at={"seconds": 253402300800})
    (detail,) = report(custom).details
    assert detail == {"@type": "type.googleapis.com/t.Custom", "value": "GgcIgIPR/68H"}


@pytest.mark.parametrize("details", [b"\xff\xff\xff", b"garbage", b"\x0a"])
def test_details_that_are_no_status_are_passed_over(details):
    status = RpcStatus(code=5, message="gone", details=details)
    assert DO.report_status(status) == StatusReport(code=5, message="gone")


def test_the_message_in_the_details_stands_in_for_one_that_is_empty():
    sent = Status(code=5, message="gone").SerializeToString()
    assert DO.report_status(RpcStatus(code=5, message="", details=sent)).message == "gone"


def test_protovalidate_violations_become_errors_too():
    violations = VALIDATED.make(
        "buf.validate.Violations",
        violations=[
            {
                "field": {
                    "elements": [
                        {"field_number": 1, "field_name": "line_items", "index": 2},
                        {"field_number": 2, "field_name": "sku"},
                    ]
                },
                "rule_id": "string.min_len",
                "message": "value length must be at least 1",
            },
            {
                "field": {"elements": [{"field_name": "by_key", "string_key": "a.b"}]},
                "rule_id": "string.email",
                "for_key": True,
            },
            {"field_path": "email", "message": "must be an address"},
            {"rule_id": "message.rule"},
        ],
    )
    assert report(violations, kit=VALIDATED).errors == (
        {"at": "", "problems": ["message.rule"]},
        {"at": "/byKey/a.b", "problems": ["key: string.email"]},
        {"at": "/email", "problems": ["must be an address"]},
        {"at": "/lineItems/2/sku", "problems": ["value length must be at least 1"]},
    )


def test_a_backends_own_edition_of_a_type_serves_as_well():
    kit = Kit(
        BODY.replace("message M {", "message M { reserved 99;"),
        details=f"{PROTO2} package google.rpc; "
        "message ErrorInfo { optional int32 reason = 1; optional string domain = 2; }",
    )
    told = report(("x/google.rpc.ErrorInfo", b"\x08\x05\x12\x01d"), kit=kit)
    assert (told.reason, told.domain) == (None, "d")
    assert told.details == ({"@type": "x/google.rpc.ErrorInfo", "reason": 5, "domain": "d"},)
