import orjson
import pytest

from gateway.contract.distilled import Distilled, Problem
from gateway.transcoding.errors import BadReply
from gateway.transcoding.printed import Printed
from tests.transcoding.kit import PROTO2, Kit

KIT = Kit("""
message Del { string filter = 1; bool dry_run = 2; repeated int32 xs = 3; google.protobuf.Timestamp at = 4; Del sub = 5;
              google.protobuf.Duration d = 6; }
service S {
  rpc Do(Del) returns (Del);
  rpc Free(google.protobuf.Struct) returns (google.protobuf.Struct);
  rpc Held(google.protobuf.Any) returns (google.protobuf.Any);
  rpc Value(google.protobuf.Value) returns (google.protobuf.Value);
  rpc When(google.protobuf.Timestamp) returns (google.protobuf.Timestamp);
  rpc Count(google.protobuf.Int64Value) returns (google.protobuf.Int64Value);
  rpc List(google.protobuf.ListValue) returns (google.protobuf.ListValue);
  rpc Nothing(google.protobuf.Empty) returns (google.protobuf.Empty);
  rpc Watch(Del) returns (stream Del);
  rpc Upload(stream Del) returns (Del);
  rpc Times(stream google.protobuf.Timestamp) returns (stream google.protobuf.Timestamp);
}
""")
OLD = Kit(
    "message M { required string id = 1; optional string t = 2; } service S { rpc Do(M) returns (M); }", syntax=PROTO2
)
DO = KIT.transcoder("Do")


def test_right_arguments_become_the_request():
    assert (
        DO.encode_arguments({"filter": "x", "dry_run": True})
        == KIT.make("Del", filter="x", dry_run=True).SerializeToString()
    )
    assert DO.encode_arguments({}) == b""


def test_a_wrong_name_is_refused_and_the_right_one_offered():
    text = "is not a field of this message; did you mean `filter`?"
    assert DO.encode_arguments({"fliter": "x"}) == Distilled(
        message=f"arguments: /fliter {text}", errors=({"at": "/fliter", "problems": [text]},)
    )


def test_all_faults_are_told_at_once_in_the_order_of_their_places():
    refusal = DO.encode_arguments({"xs": ["a", 1, 2**31], "filter": 5, "sub": {"a": 1}, "at": "now"})
    assert refusal == Distilled(
        message='arguments: /at must be a timestamp such as "2026-01-31T09:00:00Z", got "now" (and 4 more)',
        errors=(
            {"at": "/at", "problems": ['must be a timestamp such as "2026-01-31T09:00:00Z", got "now"']},
            {"at": "/filter", "problems": ["must be a string, got 5"]},
            {"at": "/sub/a", "problems": ["is not a field of this message; did you mean `at`?"]},
            {"at": "/xs/0", "problems": ['must be an integer, got "a"']},
            {"at": "/xs/2", "problems": ["must be an integer from -2147483648 to 2147483647, got 2147483648"]},
        ),
    )


def test_faults_without_end_are_counted_as_far_as_they_were_looked_for():
    refusal = DO.encode_arguments({"xs": ["a"] * 5000})
    assert isinstance(refusal, Distilled)
    assert refusal.errors[-1] == {"at": "", "problems": ["and at least 980 more locations"]}


@pytest.mark.parametrize(
    ("method", "arguments", "name", "fields"),
    [
        ("Free", {}, "Struct", {}),
        ("Held", {}, "Any", {}),
        ("Held", {"value": None}, "Any", {}),
        ("Held", {"value": {"@type": "x/t.Del", "filter": "a"}}, "Any", {"type_url": "x/t.Del", "value": b"\x0a\x01a"}),
        ("Held", {"@type": "x/t.Del", "filter": "a"}, "Any", {"type_url": "x/t.Del", "value": b"\x0a\x01a"}),
        ("Value", {}, "Value", {}),
        ("Value", {"value": None}, "Value", {"null_value": 0}),
        ("Value", {"value": [1]}, "Value", {"list_value": {"values": [{"number_value": 1}]}}),
        ("When", {}, "Timestamp", {}),
        ("When", {"value": "1970-01-01T00:00:01Z"}, "Timestamp", {"seconds": 1}),
        ("Count", {"value": "7"}, "Int64Value", {"value": 7}),
        ("Count", {"value": None}, "Int64Value", {}),
        ("List", {"value": []}, "ListValue", {}),
        ("Nothing", {}, "Empty", {}),
    ],
)
def test_a_request_with_a_form_of_its_own_stands_in_one_argument(method, arguments, name, fields):
    expected = KIT.make(f"google.protobuf.{name}", **fields).SerializeToString()
    assert KIT.transcoder(method).encode_arguments(arguments) == expected


def test_free_arguments_are_the_message_itself():
    request = KIT.transcoder("Free").encode_arguments({"value": 1, "a": {"b": [None]}})
    assert KIT.transcoder("Free").decode_reply(request) == {"value": 1, "a": {"b": [None]}}


@pytest.mark.parametrize(
    ("method", "arguments", "at", "text"),
    [
        ("When", {"value": 5}, "/value", 'must be a timestamp such as "2026-01-31T09:00:00Z", got 5'),
        ("When", {"valu": "x"}, "/valu", "is not an argument; the request stands in `value`"),
        ("List", {"value": {}}, "/value", "must be an array, got {}"),
        ("Held", {"value": {"@type": "x/t.Del", "xs": [None]}}, "/value/xs/0", "must be an integer, got null"),
        ("Nothing", {"x": 1}, "/x", "is not a field of this message, which has none"),
    ],
)
def test_its_faults_stand_below_that_argument(method, arguments, at, text):
    refusal = KIT.transcoder(method).encode_arguments(arguments)
    assert refusal == Distilled(message=f"arguments: {at} {text}", errors=({"at": at, "problems": [text]},))


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("Do", {"filter": "x", "xs": [1]}),
        ("Value", None),
        ("When", "1970-01-01T00:00:00Z"),
        ("Count", "0"),
        ("List", [1, None]),
        ("Nothing", {}),
    ],
)
def test_a_reply_is_decoded_and_encoded_as_json(method, value):
    transcoder = KIT.transcoder(method)
    arguments = value if method in ("Do", "Nothing") else {"value": value}
    reply = transcoder.encode_arguments(arguments)
    assert transcoder.decode_reply(reply) == value
    assert transcoder.read_reply(reply) == Printed(value=value)
    assert orjson.loads(transcoder.encode_reply_json(reply)) == value


def test_one_value_that_cannot_be_said_loses_nothing_else():
    reply = KIT.make(
        "Del", filter="ok", at={"seconds": 253402300800}, d={"seconds": 1, "nanos": -1}
    ).SerializeToString()
    value = {"filter": "ok", "at": "9999-12-31T23:59:59.999999999Z", "d": "0.999999999s"}
    assert DO.decode_reply(reply) == value
    assert orjson.loads(DO.encode_reply_json(reply)) == value
    assert DO.read_reply(reply) == Printed(
        value=value,
        notes=(
            Problem(
                at="/at",
                text="is no valid timestamp (253402300800 seconds, 0 nanoseconds); the nearest one is shown",
            ),
            Problem(at="/d", text="is no valid duration (1 seconds, -1 nanoseconds); their sum is shown"),
        ),
    )


def nest(levels):
    data = b""
    for _ in range(levels):
        data = b"\x2a" + encode_length(len(data)) + data
    return data


def encode_length(length):
    return bytes([length]) if length < 128 else bytes([length & 127 | 128, length >> 7])


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (b"\x0a\x02\xff\xfe", "the reply holds a string that is not UTF-8"),
        (b"\x0a\x05ab", "the reply of 4 bytes is not a readable t.Del"),
        (b"not a message", "the reply of 13 bytes is not a readable t.Del"),
        (nest(101), "the reply nests deeper than 100 messages"),
    ],
)
def test_bytes_that_are_no_such_message_are_a_bad_reply(reply, reason):
    for read in (DO.decode_reply, DO.read_reply, DO.encode_reply_json):
        with pytest.raises(BadReply) as caught:
            read(reply)
        assert caught.value.reason == reason


def test_a_reply_as_deep_as_decoders_read_is_delivered():
    value = DO.decode_reply(nest(100))
    depth = 0
    while value:
        value, depth = value["sub"], depth + 1
    assert depth == 100


def test_a_reply_without_its_required_fields_is_a_bad_reply():
    with pytest.raises(BadReply) as caught:
        OLD.transcoder("Do").decode_reply(b"")
    assert caught.value.reason == "the reply lacks required fields of t.M: id"


def test_a_request_type_of_any_length_of_chain_is_served():
    chain = "".join(f"message C{number} {{ C{number + 1} n = 1; }} " for number in range(1500))
    kit = Kit(f"{chain} message C1500 {{ C0 s = 1; }} service S {{ rpc Do(C0) returns (C1); }}")
    assert kit.transcoder("Do").encode_arguments({"n": {"n": {}}}) == b"\x0a\x02\x0a\x00"
    assert kit.transcoder("Do").decode_reply(b"\x0a\x02\x0a\x00") == {"n": {"n": {}}}


def test_a_server_stream_has_one_request_and_a_clients_stream_those_that_it_lists():
    one = KIT.make("Del", filter="x").SerializeToString()
    assert KIT.transcoder("Watch").encode_requests({"filter": "x"}) == (one,)
    upload = KIT.transcoder("Upload")
    assert upload.encode_requests({"messages": [{"filter": "x"}, {}]}) == [one, b""]
    assert [upload.encode_requests(nothing) for nothing in ({}, {"messages": []}, {"messages": None})] == [[], [], []]


def test_the_messages_of_a_stream_stand_in_their_plain_form():
    moment = KIT.parse("2026-01-31T09:00:00Z", "google.protobuf.Timestamp").SerializeToString()
    assert KIT.transcoder("Times").encode_requests({"messages": ["2026-01-31T09:00:00Z"]}) == [moment]


def test_every_fault_in_every_message_of_a_stream_is_told_at_its_place():
    refusal = KIT.transcoder("Upload").encode_requests({"messages": [{}, {"filter": 5}, {"sub": {"xs": ["a"]}}, 7]})
    assert refusal == Distilled(
        message="arguments: /messages/1/filter must be a string, got 5 (and 2 more)",
        errors=(
            {"at": "/messages/1/filter", "problems": ["must be a string, got 5"]},
            {"at": "/messages/2/sub/xs/0", "problems": ['must be an integer, got "a"']},
            {"at": "/messages/3", "problems": ["must be an object, got 7"]},
        ),
    )


def test_faults_in_a_stream_without_end_are_counted_as_far_as_they_were_looked_for():
    refusal = KIT.transcoder("Upload").encode_requests({"messages": [{"filter": 5}] * 5000})
    assert isinstance(refusal, Distilled)
    assert refusal.message == "arguments: /messages/0/filter must be a string, got 5 (and at least 999 more)"


def test_what_is_no_list_of_messages_is_refused():
    upload = KIT.transcoder("Upload")
    text = 'must be an array of messages itself, not JSON text inside a string, got "[]"'
    assert upload.encode_requests({"messages": "[]"}).errors == ({"at": "/messages", "problems": [text]},)
    text = "is not an argument; the messages of the stream stand in `messages`"
    assert upload.encode_requests({"filter": "x"}).errors == ({"at": "/filter", "problems": [text]},)
