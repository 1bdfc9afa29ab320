"""Which fields have a meaning of their own."""

from gateway.descriptors.facts.vocabulary import get_gateway_class
from gateway.descriptors.typed_fields import (
    FILLED_IN,
    STREAM_EVENT,
    STREAM_EVENT_VALUE,
    TAKEN_OUT,
    has_progress,
    is_nothing_else,
    list_filled_in,
    list_taken_out,
)
from tests.laws.compiled import compile_api

API = compile_api(
    t="""
syntax = "proto3"; package t;
import "gateway/v1/content.proto"; import "gateway/v1/events.proto"; import "gateway/v1/input.proto";
message Q { gateway.v1.CallContext c = 1; gateway.v1.ContentBlock block = 2; Inner inner = 3; }
message Inner { gateway.v1.CallContext c = 1; }
message Mixed {
  repeated gateway.v1.ContentBlock blocks = 1;
  gateway.v1.CallContext c = 2;
  map<string, gateway.v1.Progress> m = 3;
}
message Only { oneof news { gateway.v1.Progress p = 1; gateway.v1.ContentBlock block = 2; } }
message Empty {}
service S { rpc A(Q) returns (Mixed); rpc B(Empty) returns (Only); rpc C(Empty) returns (gateway.v1.StreamEvent); }
"""
)


def names(fields: object) -> list[str]:
    return [field.name for field in fields]  # type: ignore[attr-defined]


def test_the_types_are_those_of_the_protos() -> None:
    for name in FILLED_IN | TAKEN_OUT | {STREAM_EVENT}:
        assert get_gateway_class(name.removeprefix("gateway.v1.")).DESCRIPTOR.full_name == name
    assert STREAM_EVENT_VALUE in get_gateway_class("StreamEvent").DESCRIPTOR.fields_by_name


def test_type_and_place_decide() -> None:
    a, b, c = API.rpcs
    assert names(list_filled_in(a.request)) == ["c"]  # content in a request is an argument
    assert names(list_taken_out(a.response)) == ["blocks"]  # nor is a context of a reply anything, nor a map
    assert names(list_taken_out(b.response)) == ["p", "block"]
    assert [is_nothing_else(rpc.response) for rpc in (a, b, c)] == [False, True, True]
    assert not is_nothing_else(b.request)  # no fields at all are an empty value
    assert [has_progress(rpc.response) for rpc in (a, b, c)] == [False, True, True]
