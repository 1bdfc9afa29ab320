"""What tools are called, which are chosen, and what is said of them, as an agent sees it."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorProto

from tests.end_to_end.fleet.kit import Backend, compile_protos, name_backends, run_gateway, write_set

Start = Callable[..., Awaitable[Backend]]


async def test_a_long_name_is_legal_keeps_its_end_and_reaches_its_rpc(start: Start) -> None:
    service = "acme.platform.billing.invoicing.v1beta1.InvoiceReconciliationAdministrationService"
    method = "ListUnreconciledInvoiceLineItemsForAccount"
    text = f"""syntax = "proto3"; package {service.rpartition(".")[0]}; message M {{ string account = 1; }}
        service {service.rpartition(".")[2]} {{ rpc {method}(M) returns (M); rpc {method}s(M) returns (M); }}"""
    backend = await start(Backend.of(compile_protos({"invoices.proto": text})))
    names = []
    for _ in range(2):
        async with run_gateway(name_backends(backend)) as agent:
            names.append(await agent.map_rpcs())
            result = await agent.call(f"{service}/{method}", {"account": "a"})
            assert result["structuredContent"] == {"account": "a"}
    name = names[0][f"{service}/{method}"]
    assert names[1] == names[0]
    assert len(set(names[0].values())) == 2
    assert re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}", name)
    assert name.endswith("LineItemsForAccount")
    assert [call.rpc for call in backend.calls] == [f"{service}/{method}"] * 2


async def test_the_rpc_is_named_in_its_tool(start: Start) -> None:
    text = """syntax = "proto3"; package shop.v1; message M {} service Cart { rpc AddItem(M) returns (M); }"""
    backend = await start(Backend.of(compile_protos({"cart.proto": text})))
    async with run_gateway(name_backends(backend)) as agent:
        (tool,) = await agent.list_tools()
    assert tool["name"] == "shop_v1_Cart_AddItem"
    assert tool["_meta"] == {"dev.propylon/rpc": "shop.v1.Cart/AddItem"}


def make_many() -> list[FileDescriptorProto]:
    file = FileDescriptorProto(name="many.proto", package="shop.v1", syntax="proto3")
    message = file.message_type.add(name="M")
    message.field.add(name="id", number=1, type="TYPE_STRING", label="LABEL_OPTIONAL", json_name="id")
    other = FileDescriptorProto(name="other.proto", package="other.v1", syntax="proto3")
    other.message_type.add(name="M").CopyFrom(message)
    for number in range(30):
        place = file if number % 2 else other
        service = place.service.add(name=f"S{number}")
        for method in ("Get", "List", "Create", "Update", "Delete", "Undelete", "Move", "Copy", "Export", "DeleteAll"):
            service.method.add(name=method, input_type=f".{place.package}.M", output_type=f".{place.package}.M")
    return [file, other]


def find_titles(schema: Any, name: str = "") -> list[str]:
    """The titles in a schema that say no more than the name of their property."""
    if isinstance(schema, list):
        return [title for one in schema for title in find_titles(one)]
    if not isinstance(schema, dict):
        return []
    found = [name] if isinstance(schema.get("title"), str) and schema["title"].lower() == name.lower() and name else []
    for key, one in schema.items():
        below = one.items() if key in ("properties", "$defs") else [("", one)]
        found += [title for inner, value in below for title in find_titles(value, inner)]
    return found


async def test_only_what_is_chosen_is_listed_and_the_rest_is_not_there_at_all(start: Start) -> None:
    backend = await start(Backend.of(make_many()))
    chosen = {"include": ["shop.v1.*"], "exclude": ["*/Delete*"]}
    async with run_gateway(name_backends(backend), tools=chosen) as agent:
        tools = await agent.list_tools()
        denied = await agent.call_tool("shop_v1_S1_Delete", {"id": "x"})
        elsewhere = await agent.call_tool("other_v1_S0_Get", {"id": "x"})
    rpcs = {tool["_meta"]["dev.propylon/rpc"] for tool in tools}
    assert len(tools) == len(rpcs) == 15 * 8
    assert all(re.fullmatch(r"shop\.v1\.S\d+/(?!Delete)\w+", rpc) for rpc in rpcs)
    for answer, name in ((denied, "shop_v1_S1_Delete"), (elsewhere, "other_v1_S0_Get")):
        assert answer["error"]["code"] == -32602
        assert answer["error"]["message"].startswith(f'Unknown tool: "{name}"')
    assert backend.calls == []
    assert [title for tool in tools for title in find_titles(tool["inputSchema"])] == []


HIDDEN = "".join(map(chr, (*range(0xE0041, 0xE005B), 0x202E, 0x200B, 0x1B)))


async def test_comments_are_bounded_and_free_of_what_cannot_be_seen(start: Start, tmp_path: Path, log: Any) -> None:
    text = """syntax = "proto3"; package c;
        // FIRST
        message M {
          // SECOND
          string a = 1; }
        service S {
          // THIRD
          rpc Do(M) returns (M);
          // Plain.
          rpc Other(M) returns (M); }"""
    files = compile_protos({"c.proto": text}, source_info=True)
    comments = {"THIRD": "Long. " + "word " * 20_000, "SECOND": f"see{HIDDEN}n", "FIRST": "one\rtwo"}
    for location in files[0].source_code_info.location:
        for word, comment in comments.items():
            if word in location.leading_comments + location.trailing_comments:
                location.leading_comments, location.trailing_comments = comment, ""
    backend = await start(Backend.of(compile_protos({"c.proto": text})))
    async with run_gateway(name_backends(backend, descriptors=[write_set(tmp_path / "c", files)])) as agent:
        tools = await agent.list_tools()
    listed = str(tools)
    assert tools[0]["description"].startswith("Long. word")
    assert len(tools[0]["description"]) < 5_000
    assert tools[1]["description"] == "Plain."
    assert not any(character in listed for character in HIDDEN + "\r")
    assert tools[0]["inputSchema"]["properties"]["a"]["description"] == "seen"
    assert len([line for line in log.warnings if line.startswith("c.S/Do:")]) == 1
