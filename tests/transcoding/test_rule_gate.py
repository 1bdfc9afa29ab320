"""Arguments that break the backend's rules are refused like any others; rules that cannot be run refuse nothing."""

import pytest

from gateway.descriptors.api import describe_api
from gateway.transcoding.codec import Codec
from gateway.transcoding.rpc_transcoder import RpcTranscoder
from gateway.transcoding.rule_gate import LIMIT_EXPLAINED_BYTES
from tests.laws.compiled import compile_api
from tests.laws.ruled_messages import make_ruled_api

ORDER = """
syntax = "proto3"; package t; import "buf/validate/validate.proto";
message Line {
  string sku_code = 1 [(buf.validate.field).string.min_len = 2]; int32 count = 2 [(buf.validate.field).int32.gt = 0];
}
message Order {
  string customer_name = 1 [(buf.validate.field).required = true];
  repeated Line order_lines = 2;
  map<string, Line> by_name = 3 [(buf.validate.field).map.keys.string.min_len = 2];
  map<bool, Line> by_flag = 4;
  oneof payment { option (buf.validate.oneof).required = true; string card_number = 5; string account = 6; }
  optional group_like nested = 7;
  string odd = 8 [json_name = "$odd", (buf.validate.field).string.max_len = 1];
}
message group_like { Order again = 1; oneof which { option (buf.validate.oneof).required = true; int32 one_a = 1001; } }
service S { rpc Do(Order) returns (Order); }
"""


def make_transcoder(api, **options):
    return RpcTranscoder(Codec(api, **options), api.rpcs[0])


def refuse(transcoder, arguments):
    """The places and texts of a refusal."""
    refusal = transcoder.encode_arguments(arguments)
    assert not isinstance(refusal, bytes)
    return {location["at"]: location["problems"] for location in refusal.errors}


def test_violations_are_told_where_the_caller_wrote_or_left_out_the_value():
    transcoder = make_transcoder(compile_api(t=ORDER))
    lines = {"skuCode": "a", "count": 1}
    assert refuse(
        transcoder,
        {
            "orderLines": [{"skuCode": "ab", "count": 1}, lines],
            "byName": {"k/1": lines, "": {"skuCode": "ab", "count": 1}},
            "byFlag": {"true": lines},
            "nested": {"again": {"customerName": "x", "account": "y"}},
            "$odd": "ab",
        },
    ) == {
        "": ["needs exactly one of `cardNumber`, `account`"],
        "/customerName": ["is required"],
        "/orderLines/1/skuCode": ["must be at least 2 characters"],
        "/byName/k~11/skuCode": ["must be at least 2 characters"],
        "/byName/": ["key: must be at least 2 characters"],
        "/byFlag/true/skuCode": ["must be at least 2 characters"],
        "/nested": ["needs exactly one of `oneA`"],
        "/odd": ["must be at most 1 characters"],
    }


def test_what_is_no_such_message_is_refused_before_any_rule_is_run():
    assert refuse(make_transcoder(compile_api(t=ORDER)), {"orderLines": [{"count": "two"}]}) == {
        "/orderLines/0/count": ['must be an integer, got "two"']
    }


def test_a_message_that_keeps_the_rules_is_sent():
    transcoder = make_transcoder(compile_api(t=ORDER))
    assert transcoder.encode_arguments({"customerName": "x", "account": "y"}) == b"\n\x01x2\x01y"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (".cel = {id: 'even', message: 'must be even', expression: 'this % 2 == 0'}", "must be even"),
        (".cel = {id: 'even', expression: \"this % 2 == 0 ? '' : 'is odd: %s'.format([this])\"}", "is odd: 3"),
        (".cel = {id: 'even', expression: 'this % 2 == 0'}", 'breaks the rule "even"'),
        (".cel_expression = 'this % 2 == 0'", "breaks a rule of the backend"),
    ],
)
def test_expressions_are_never_shown(rules, said):
    assert refuse(make_transcoder(make_ruled_api(f"int32 v = 1 [R{rules}]")), {"v": 3}) == {"/v": [said]}


def test_texts_are_bounded_lines():
    rule = "{id: 'x', message: 'one\\\\n" + "two " * 500 + "', expression: 'false'}"
    (text,) = refuse(make_transcoder(make_ruled_api(f"int32 v = 1 [R.cel = {rule}]")), {"v": 3})["/v"]
    assert "\n" not in text
    assert len(text) <= 200


def test_rules_that_do_not_compile_are_reported_once_for_each_type_and_refuse_nothing():
    told = []
    api = make_ruled_api("int32 v = 1 [R.string.min_len = 1]; In w = 2; repeated In x = 3")
    codec = Codec(api, tell=told.append)
    (fault,) = codec.list_rule_faults(api.rpcs[0].request)
    assert fault.startswith(
        "the validation rules of t.M cannot be used, so requests that hold one are sent unchecked: "
    )
    assert "t.M.v" in fault
    assert RpcTranscoder(codec, api.rpcs[0]).encode_arguments({"v": 3}) == b"\x08\x03"
    assert told == []


def test_a_type_that_the_engine_cannot_read_is_reported_like_rules_that_do_not_compile():
    api = make_ruled_api(
        "string x = 1 [json_name = 'y', R.string.len = 1]; string y = 2 [json_name = 'z']".replace(
            ", R", ", (buf.validate.field)"
        )
    )
    codec = Codec(api)
    assert ['"y" more than once' in fault for fault in codec.list_rule_faults(api.rpcs[0].request)] == [True]
    assert RpcTranscoder(codec, api.rpcs[0]).encode_arguments({"z": "a"}) == b"\x12\x01a"


def test_rules_that_do_not_compile_within_a_message_let_it_pass_only_where_it_is_set():
    told = []
    api = make_ruled_api(
        "message Bad { int32 a = 1 [R.string.min_len = 1]; } Bad v = 1; string w = 2 [R.required = true]"
    )
    codec = Codec(api, tell=told.append)
    assert ["t.M.Bad" in fault for fault in codec.list_rule_faults(api.rpcs[0].request)] == [True]
    transcoder = RpcTranscoder(codec, api.rpcs[0])
    assert refuse(transcoder, {}) == {"/w": ["is required"]}
    assert [transcoder.encode_arguments({"v": {}}) for _ in range(2)] == [b"\n\x00"] * 2
    # It is told as a fault, and no second time.
    assert told == []


def test_rules_that_fail_over_the_values_of_a_call_are_told_once_and_refuse_nothing():
    told = []
    rules = "[R.cel = {id: 'x', message: 'too much', expression: '10 / this > 1'}]"
    transcoder = make_transcoder(make_ruled_api(f"int32 v = 1 {rules}"), tell=told.append)
    assert [transcoder.encode_arguments({}) for _ in range(3)] == [b"", b"", b""]
    assert refuse(transcoder, {"v": 10}) == {"/v": ["too much"]}
    assert [line.partition(":")[0] for line in told] == [
        "validation rules failed over a request of the type t.M, which was sent unchecked"
    ]


def test_of_a_large_request_the_first_violation_is_told():
    transcoder = make_transcoder(make_ruled_api("repeated string v = 1 [R.repeated.items.string.min_len = 2]"))
    small = transcoder.encode_arguments({"v": ["a"] * 25})
    assert small.message == "arguments: /v/0 must be at least 2 characters (and 24 more)"
    large = transcoder.encode_arguments({"v": ["ab", "a", "a", "b" * LIMIT_EXPLAINED_BYTES]})
    assert (large.message, len(large.errors)) == ("arguments: /v/1 must be at least 2 characters", 1)


def test_every_message_of_a_stream_keeps_the_rules():
    api = compile_api(
        t="""syntax = "proto3"; package t; import "buf/validate/validate.proto";
        message M { string v = 1 [(buf.validate.field).string.min_len = 2]; }
        service S { rpc Do(stream M) returns (M); }"""
    )
    refusal = make_transcoder(api).encode_requests({"messages": [{"v": "ab"}, {"v": "a"}, {}]})
    assert [location["at"] for location in refusal.errors] == ["/messages/1/v", "/messages/2/v"]


def test_rules_hold_although_the_backend_does_not_describe_their_language():
    file = compile_api(t=ORDER).files["t.proto"]
    alone = type(file).FromString(file.SerializeToString())
    del alone.dependency[:]
    api = describe_api([alone])
    assert list(api.files) == ["t.proto"]
    assert refuse(make_transcoder(api), {"account": "x"}) == {"/customerName": ["is required"]}


def test_what_the_gateway_fills_in_is_nobodys_fault_before_it_is_there():
    api = compile_api(
        t="""syntax = "proto3"; package t; import "buf/validate/validate.proto"; import "gateway/v1/input.proto";
        message M {
          gateway.v1.CallContext context = 1 [(buf.validate.field).required = true];
          string v = 2 [(buf.validate.field).string.min_len = 2];
        }
        service S { rpc Do(M) returns (M); }"""
    )
    transcoder = make_transcoder(api)
    assert transcoder.encode_arguments({"v": "ab"}) == b"\x12\x02ab"
    assert refuse(transcoder, {"v": "a"}) == {"/v": ["must be at least 2 characters"]}
