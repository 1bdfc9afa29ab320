"""etcd, which serves no reflection: its .proto files say what it offers. Keys and values are bytes."""

import base64
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult

KV = "etcdserverpb.KV"


@pytest.fixture(scope="session")
def url(serve: Callable[..., str], etcd: str, built: Path) -> str:
    return serve(etcd, "--protos", str(built / "etcd"))


@pytest.fixture
def call(url: str, find_tool: Callable[..., Any]) -> Callable[..., Any]:
    async def call_rpc(rpc: str, arguments: dict[str, Any]) -> CallToolResult:
        async with Client(url) as client:
            tool = await find_tool(client, rpc)
            return await client.call_tool(tool.name, arguments)

    return call_rpc


def encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def test_without_descriptors_the_operator_is_told_what_to_do(propylon: list[str], etcd: str) -> None:
    checked = subprocess.run([*propylon, "check", etcd], capture_output=True, text=True, check=False)
    assert checked.returncode != 0
    (line,) = checked.stderr.splitlines()
    assert f"{etcd} does not serve reflection" in line
    assert "--protos" in line


async def test_tools_carry_the_comments_of_the_proto_files(url: str, find_tool: Callable[..., Any]) -> None:
    async with Client(url) as client:
        tool = await find_tool(client, f"{KV}/Put")
    assert "Put puts the given key into the key-value store." in tool.description
    assert "key is the key, in bytes, to put into the key-value store." in tool.input_schema["properties"]["key"][
        "description"
    ].replace("\n", " ")


async def test_bytes_are_put_and_found_as_they_were(call: Callable[..., Any]) -> None:
    key, value = b"\x00k\xff\xfe", bytes(range(256))
    put = await call(f"{KV}/Put", {"key": encode(key), "value": encode(value)})
    assert not put.is_error, put.content
    revision = put.structured_content["header"]["revision"]
    assert isinstance(revision, str)  # a 64-bit integer
    found = await call(f"{KV}/Range", {"key": encode(key)})
    assert found.structured_content["count"] == "1"
    assert found.structured_content["kvs"] == [
        {
            "key": encode(key),
            "value": encode(value),
            "createRevision": revision,
            "modRevision": revision,
            "version": "1",
        }
    ]
    text = found.content[0].text
    assert json.loads(text) == found.structured_content


async def test_a_range_of_keys_comes_in_order(call: Callable[..., Any]) -> None:
    for name in (b"r/3", b"r/1", b"r/2"):
        await call(f"{KV}/Put", {"key": encode(name), "value": encode(name[-1:])})
    asked = {"key": encode(b"r/"), "rangeEnd": encode(b"r0"), "sortOrder": "DESCEND", "limit": "2", "keysOnly": True}
    found = (await call(f"{KV}/Range", asked)).structured_content
    assert [row["key"] for row in found["kvs"]] == [encode(b"r/3"), encode(b"r/2")]
    assert (found["more"], found["count"]) == (True, "3")
    assert all("value" not in row for row in found["kvs"])


async def test_a_transaction_of_nested_oneofs_takes_its_branch(call: Callable[..., Any]) -> None:
    key = encode(b"t/1")
    compare = {"key": key, "target": "VERSION", "result": "EQUAL", "version": "0"}
    put, read = {"requestPut": {"key": key, "value": encode(b"x")}}, {"requestRange": {"key": key}}
    first = (await call(f"{KV}/Txn", {"compare": [compare], "success": [put], "failure": [read]})).structured_content
    assert first["succeeded"] is True
    assert "responsePut" in first["responses"][0]
    again = (await call(f"{KV}/Txn", {"compare": [compare], "success": [put], "failure": [read]})).structured_content
    assert again.get("succeeded", False) is False
    assert again["responses"][0]["responseRange"]["kvs"][0]["value"] == encode(b"x")


async def test_what_etcd_refuses_is_a_tool_error(call: Callable[..., Any]) -> None:
    refused = await call(f"{KV}/Put", {"value": encode(b"x")})
    assert refused.is_error
    assert refused.content[0].text.splitlines()[0] == "INVALID_ARGUMENT: etcdserver: key is not provided"


async def test_bytes_that_are_no_base64_never_reach_etcd(call: Callable[..., Any]) -> None:
    refused = await call(f"{KV}/Put", {"key": "not base64!"})
    assert refused.is_error
    assert "/key" in refused.content[0].text
    assert "etcdserver" not in refused.content[0].text
