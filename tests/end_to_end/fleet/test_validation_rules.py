"""Backends with validation rules: what an agent is told before a call and instead of one, and what an operator."""

from collections.abc import Awaitable, Callable
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorProto

from tests.end_to_end.fleet.kit import Backend, name_backends, run_gateway
from tests.laws.compiled import compile_files

Start = Callable[[Backend], Awaitable[Backend]]

RPC = "shop.Orders/Place"
OWN = """
syntax = "proto2"; package own; import "buf/validate/validate.proto";
extend buf.validate.StringRules { optional bool shouts = 1001 [(buf.validate.predefined).cel = {
  id: "shouts" message: "must be in capitals" expression: "!rule || this == this.upperAscii()" }]; }
"""
SHOP = """
syntax = "proto3"; package shop; import "buf/validate/validate.proto"; import "own.proto";
message Line {
  string sku = 1 [(buf.validate.field).string.(own.shouts) = true, (buf.validate.field).string.min_len = 2];
}
message Order {
  string customer_email = 1 [(buf.validate.field).string.email = true];
  repeated Line order_lines = 2 [(buf.validate.field).repeated.min_items = 1];
  int32 share = 3 [(buf.validate.field).cel = {
    id: "share" message: "at most a tenth" expression: "this == 0 || 100 / (this - 7) < 11"
  }];
}
service Orders { rpc Place(Order) returns (Order); }
"""
GOOD = {"customerEmail": "a@example.com", "orderLines": [{"sku": "AB"}]}


def serve(*names: str, changed: Callable[[FileDescriptorProto], None] = lambda file: None) -> Backend:
    """A shop that serves these of its files alone."""
    compiled = compile_files(own=OWN, shop=SHOP)
    files = [FileDescriptorProto.FromString(file.SerializeToString()) for file in compiled if file.name in names]
    for file in files:
        changed(file)
    return Backend.of(files)


async def test_rules_are_enforced_for_a_server_that_does_not_serve_their_language(start: Start, log: Any) -> None:
    backend = await start(serve("own.proto", "shop.proto"))
    async with run_gateway(name_backends(backend)) as agent:
        (tool,) = await agent.list_tools()
        schema = tool["inputSchema"]
        assert schema["required"] == ["customerEmail", "orderLines"]
        assert schema["properties"]["customerEmail"] == {"type": "string", "minLength": 1, "format": "email"}
        assert schema["properties"]["orderLines"]["items"]["properties"] == {
            "sku": {"type": "string", "minLength": 2, "description": "must be in capitals"}
        }
        refused = await agent.call(RPC, {"customerEmail": "nobody", "orderLines": [{"sku": "AB"}, {"sku": "ab"}]})
        assert refused["isError"] is True
        assert refused["content"][0]["text"].splitlines() == [
            "INVALID_ARGUMENT: arguments: /customerEmail must be a valid email address (and 1 more)",
            "/customerEmail: must be a valid email address",
            "/orderLines/1/sku: must be in capitals",
        ]
        assert backend.calls == []
        assert (await agent.call(RPC, GOOD))["structuredContent"] == GOOD
    assert (log.warnings, log.skipped) == ([], {})


async def test_rules_are_enforced_for_a_server_whose_file_no_longer_says_where_they_come_from(start: Start) -> None:
    def cut(file: FileDescriptorProto) -> None:
        del file.dependency[:]
        # Only the rules that are in the language itself: nobody describes the others.
        file.message_type[0].field[0].ClearField("options")

    backend = await start(serve("shop.proto", changed=cut))
    async with run_gateway(name_backends(backend)) as agent:
        refused = await agent.call(RPC, {"customerEmail": "nobody"})
        assert refused["content"][0]["text"].splitlines()[1:] == [
            "/customerEmail: must be a valid email address",
            "/orderLines: must contain at least 1 item(s)",
        ]
        assert backend.calls == []
        assert (await agent.call(RPC, GOOD))["structuredContent"] == GOOD


async def test_rules_that_cannot_be_used_are_told_the_operator_once_and_cost_no_call(start: Start, log: Any) -> None:
    # Predefined rules that nobody describes.
    backend = await start(serve("shop.proto"))
    async with run_gateway(name_backends(backend)) as agent:
        assert (await agent.call(RPC, GOOD))["structuredContent"] == GOOD
        assert "isError" not in await agent.call(RPC, {**GOOD, "orderLines": [{"sku": "b"}]})
    assert ["shop.Line cannot be used" in warning for warning in log.warnings if "rules" in warning] == [True]
    assert log.fields("validation rules") == []


async def test_a_rule_that_fails_over_the_values_of_a_call_is_logged_once_and_costs_no_call(
    start: Start, log: Any
) -> None:
    backend = await start(serve("own.proto", "shop.proto"))
    async with run_gateway(name_backends(backend)) as agent:
        for _ in range(2):
            assert (await agent.call(RPC, {**GOOD, "share": 7}))["structuredContent"] == {**GOOD, "share": 7}
        refused = await agent.call(RPC, {**GOOD, "share": 8})
        assert refused["content"][0]["text"] == "INVALID_ARGUMENT: arguments: /share at most a tenth"
    (logged,) = log.fields("validation rules")
    assert (logged["backend"], "shop.Order" in logged["warning"]) == ("b0", True)
