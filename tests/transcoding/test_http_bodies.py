from google.protobuf.any_pb2 import Any

from gateway.contract.distilled import Problem
from gateway.transcoding.codec import Codec
from gateway.transcoding.printed import Body, Printed
from gateway.transcoding.rpc_transcoder import RpcTranscoder
from tests.laws.compiled import compile_api

API = compile_api(
    t="""syntax = "proto3"; package t; import "google/api/httpbody.proto";
    message Holder { google.api.HttpBody body = 1; }
    service S { rpc Get(google.api.HttpBody) returns (google.api.HttpBody); rpc Hold(Holder) returns (Holder); }"""
)
GET, HOLD = (RpcTranscoder(Codec(API), rpc) for rpc in API.rpcs)


def test_a_whole_reply_of_content_is_content():
    sent = GET.encode_arguments({"contentType": "text/plain; charset=utf-8", "data": "aMOp"})
    assert GET.read_reply(sent) == Printed(
        value=None, body=Body(content_type="text/plain; charset=utf-8", data="hé".encode())
    )
    assert GET.read_reply(b"") == Printed(value=None, body=Body(content_type="", data=b""))


def test_what_has_no_place_beside_content_is_noted():
    extensions = b"\x1a" + bytes([len(held := Any(type_url="x/y").SerializeToString())]) + held
    assert GET.read_reply(extensions).notes == (
        Problem(at="/extensions", text="are not shown: they are metadata of an HTTP response"),
    )


def test_inside_another_message_it_is_a_message():
    value = {"body": {"contentType": "text/plain", "data": "aGk="}}
    assert HOLD.read_reply(HOLD.encode_arguments(value)) == Printed(value=value)
