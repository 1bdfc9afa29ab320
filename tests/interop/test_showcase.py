"""gapic-showcase, Google's server for testing generated clients, by reflection."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent

PACKAGE = "google.showcase.v1beta1"
STATUS = "dev.propylon/status"
RPC = "type.googleapis.com/google.rpc."

UNARY = {
    "Compliance": (
        *("GetEnum", "RepeatDataBody", "RepeatDataBodyInfo", "RepeatDataBodyPatch", "RepeatDataBodyPut"),
        *("RepeatDataPathResource", "RepeatDataPathTrailingResource", "RepeatDataQuery", "RepeatDataSimplePath"),
        "VerifyEnum",
    ),
    "Echo": (
        *("Block", "Echo", "EchoErrorDetails", "FailEchoWithDetails", "PagedExpand", "PagedExpandLegacy"),
        *("PagedExpandLegacyMapped", "Wait"),
    ),
    "Identity": ("CreateUser", "DeleteUser", "GetUser", "ListUsers", "UpdateUser"),
    "Messaging": (
        *("CreateBlurb", "CreateRoom", "DeleteBlurb", "DeleteRoom", "GetBlurb", "GetRoom", "ListBlurbs", "ListRooms"),
        *("SearchBlurbs", "UpdateBlurb", "UpdateRoom"),
    ),
}

Call = Callable[..., Any]


@pytest.fixture(scope="session")
def url(serve: Callable[..., str], showcase: str) -> str:
    return serve(showcase)


@pytest.fixture
def call(url: str, find_tool: Callable[..., Any]) -> Call:
    """Calls the tool of an RPC, such as "Echo/Echo", and gives the result."""

    async def call_rpc(rpc: str, arguments: dict[str, Any]) -> CallToolResult:
        async with Client(url) as client:
            tool = await find_tool(client, f"{PACKAGE}.{rpc}")
            return await client.call_tool(tool.name, arguments)

    return call_rpc


def read(result: CallToolResult) -> dict[str, Any]:
    """The structured content of a result that is no error, which its text must say too."""
    assert not result.is_error, result.content
    assert isinstance(result.content[0], TextContent)
    assert json.loads(result.content[0].text) == result.structured_content
    structured = result.structured_content
    assert isinstance(structured, dict)
    return structured


def read_status(result: CallToolResult) -> dict[str, Any]:
    """The status of a result that is an error, which its first line must name too."""
    assert result.is_error
    assert result.structured_content is None
    assert isinstance(result.content[0], TextContent)
    assert result.meta is not None
    status = result.meta[STATUS]
    assert isinstance(status, dict)
    assert result.content[0].text.startswith(f"{status['status']}: {status['message']}")
    return status


async def test_every_unary_rpc_is_a_tool(url: str) -> None:
    async with Client(url) as client:
        tools = (await client.list_tools()).tools
    rpcs = {(tool.meta or {})["dev.propylon/rpc"] for tool in tools}
    expected = {f"{PACKAGE}.{service}/{method}" for service, methods in UNARY.items() for method in methods}
    assert expected <= rpcs
    assert not any("ServerReflection" in rpc for rpc in rpcs)
    assert all(tool.description for tool in tools)


async def test_an_echo_comes_back(call: Call) -> None:
    sent = {"content": "héllo\n☺", "severity": "URGENT", "requestId": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"}
    answer = read(await call("Echo/Echo", sent))
    assert {name: value for name, value in answer.items() if value} == sent


async def test_an_error_that_was_asked_for_comes_back_as_a_tool_error(call: Call) -> None:
    detail = {"@type": f"{RPC}ErrorInfo", "reason": "WORN_OUT", "domain": "example.com", "metadata": {"part": "bolt"}}
    error = {"code": 5, "message": "no bolt here", "details": [detail]}
    status = read_status(await call("Echo/Echo", {"error": error}))
    assert (status["code"], status["status"], status["message"]) == (5, "NOT_FOUND", "no bolt here")
    assert (status["reason"], status["domain"]) == ("WORN_OUT", "example.com")
    assert status["details"] == [detail]


async def test_both_members_of_a_oneof_never_reach_the_server(call: Call) -> None:
    status = read_status(await call("Echo/Echo", {"content": "x", "error": {"code": 5}}))
    assert status["status"] == "INVALID_ARGUMENT"
    told = json.dumps(status)
    assert "content" in told
    assert "error" in told


async def test_every_standard_detail_and_the_servers_own_is_decoded(call: Call) -> None:
    status = read_status(await call("Echo/FailEchoWithDetails", {"message": "violets are blue"}))
    assert (status["code"], status["status"]) == (10, "ABORTED")
    assert status["reason"] == "some ErrorInfo reason"
    assert status["retryAfterMs"] == 11_000
    problems = [problem for error in status["errors"] for problem in error["problems"]]
    assert problems == ["First BadRequest description", "Second BadRequest description"]
    details = {detail["@type"].rpartition("/")[2]: detail for detail in status["details"]}
    assert set(details) == {
        f"{PACKAGE}.PoetryError",
        *(
            f"google.rpc.{name}"
            for name in (
                *("BadRequest", "ErrorInfo", "Help", "LocalizedMessage", "PreconditionFailure", "QuotaFailure"),
                *("RequestInfo", "ResourceInfo", "RetryInfo"),
            )
        ),
    }  # and no DebugInfo: it holds what is meant for the server's developers
    assert details[f"{PACKAGE}.PoetryError"]["poem"] == "violets are blue"
    assert details["google.rpc.RetryInfo"]["retryDelay"] == "11s"
    assert details["google.rpc.LocalizedMessage"]["locale"] == "fr-CH"


async def test_any_fields_of_a_reply_are_decoded(call: Call) -> None:
    answer = read(await call("Echo/EchoErrorDetails", {"singleDetailText": "one", "multiDetailText": ["two", "three"]}))
    assert answer["singleDetail"]["error"]["details"]["reason"] == "one"
    assert [detail["reason"] for detail in answer["multipleDetails"]["error"]["details"]] == ["two", "three"]


async def test_a_map_of_lists_comes_in_pages(call: Call) -> None:
    sent = {"content": "apple avocado beet", "pageSize": 2}
    answer = read(await call("Echo/PagedExpandLegacyMapped", sent))
    assert answer["alphabetized"] == {"a": {"words": ["apple", "avocado"]}, "b": {}}
    rest = read(await call("Echo/PagedExpandLegacyMapped", {**sent, "pageToken": answer["nextPageToken"]}))
    assert rest["alphabetized"] == {"a": {}, "b": {"words": ["beet"]}}


async def test_a_server_that_takes_its_time_is_waited_for(call: Call) -> None:
    assert read(await call("Echo/Block", {"responseDelay": "0.2s", "success": {"content": "slow"}})) == {
        "content": "slow"
    }


async def test_an_operation_is_waited_for_and_answered_with_its_end(call: Call) -> None:
    assert read(await call("Echo/Wait", {"ttl": "0.5s", "success": {"content": "later"}})) == {"content": "later"}


async def test_an_operation_that_fails_is_a_call_that_fails(call: Call) -> None:
    failure = {"code": 5, "message": "there is none"}
    status = read_status(await call("Echo/Wait", {"ttl": "0.2s", "error": failure}))
    assert (status["status"], status["message"]) == ("NOT_FOUND", "there is none")


async def test_users_are_made_read_changed_listed_and_deleted(call: Call) -> None:
    user = {"displayName": "Ada", "email": "ada@example.com", "age": 36, "heightFeet": 5.5, "nickname": ""}
    made = read(await call("Identity/CreateUser", {"user": user}))
    assert made.items() >= user.items()
    assert "enableNotifications" not in made
    name = made["name"]
    assert read(await call("Identity/GetUser", {"name": name})) == made
    change = {"user": {**user, "name": name, "age": 37, "nickname": "x"}, "updateMask": "age"}
    changed = read(await call("Identity/UpdateUser", change))
    assert {**changed, "updateTime": made["updateTime"]} == {**made, "age": 37}
    assert read(await call("Identity/ListUsers", {"pageSize": 10}))["users"] == [changed]
    again = read_status(await call("Identity/CreateUser", {"user": user}))
    assert again["status"] == "ALREADY_EXISTS"
    assert read(await call("Identity/DeleteUser", {"name": name})) == {}
    gone = read_status(await call("Identity/GetUser", {"name": name}))
    assert (gone["status"], gone["message"]) == ("NOT_FOUND", f"A user with name {name} not found.")


async def test_a_user_without_what_is_required_is_refused(call: Call) -> None:
    status = read_status(await call("Identity/CreateUser", {"user": {"displayName": "Ada"}}))
    assert status["status"] == "INVALID_ARGUMENT"
    assert "email" in json.dumps(status)


async def test_rooms_hold_blurbs_with_bytes(call: Call) -> None:
    room = read(await call("Messaging/CreateRoom", {"room": {"displayName": "Lobby", "description": "d"}}))
    image = base64.b64encode(bytes(range(256))).decode()
    sent = {"parent": room["name"], "blurb": {"user": "users/0", "image": image}}
    author = {"displayName": "Eve", "email": "eve@example.com"}
    sent["blurb"]["user"] = read(await call("Identity/CreateUser", {"user": author}))["name"]
    blurb = read(await call("Messaging/CreateBlurb", sent))
    assert (blurb["user"], blurb["image"]) == (sent["blurb"]["user"], image)
    assert read(await call("Messaging/GetBlurb", {"name": blurb["name"]})) == blurb
    change = {"blurb": {"name": blurb["name"], "user": blurb["user"], "text": "hello"}, "updateMask": "text"}
    changed = read(await call("Messaging/UpdateBlurb", change))
    assert changed["text"] == "hello"
    assert "image" not in changed
    listed = read(await call("Messaging/ListBlurbs", {"parent": room["name"], "pageSize": 5}))
    assert listed["blurbs"] == [changed]
    search = read(await call("Messaging/SearchBlurbs", {"query": "hello", "parent": room["name"]}))
    assert search["blurbs"] == [changed]
    assert read(await call("Messaging/DeleteRoom", {"name": room["name"]})) == {}
    assert read_status(await call("Messaging/GetRoom", {"name": room["name"]}))["status"] == "NOT_FOUND"


async def test_the_servers_own_suite_of_values_arrives_as_it_should(url: str, built: Path, find_tool: Any) -> None:
    suite = json.loads((built / "showcase" / "compliance_suite.json").read_text(encoding="utf-8"))
    sent = 0
    async with Client(url) as client:
        for group in suite["group"]:
            for rpc in group["rpcs"]:
                if "Path" in rpc:
                    continue
                tool = await find_tool(client, f"{PACKAGE}.{rpc.replace('.', '/')}")
                for request in group["requests"]:
                    answer = read(await client.call_tool(tool.name, request))
                    assert answer["request"]["name"] == request["name"]
                    assert_says(answer["request"], request)
                    sent += 1
    assert sent == 9 * 4 + 7


def assert_says(answer: Any, sent: Any) -> None:
    """Holds an answer to what was sent; its 64-bit numbers are strings, and defaults may be absent."""
    if isinstance(sent, dict):
        for name, value in sent.items():
            if name in answer:
                assert_says(answer[name], value)
            else:
                assert value in (0, False, "", "LIFE_KINGDOM_UNSPECIFIED"), f"{name} of {sent} was lost"
    elif isinstance(sent, (int, float)) and isinstance(answer, str):
        assert int(answer) == sent
    elif isinstance(sent, float):
        assert answer == pytest.approx(sent, rel=1e-6)
    else:
        assert answer == sent


async def test_a_value_sent_wrong_is_told_apart_by_the_server(call: Call) -> None:
    wrong = {"name": "Basic data types", "serverVerify": True, "info": {"fString": "Goodbye"}}
    status = read_status(await call("Compliance/RepeatDataBody", wrong))
    assert status["status"] == "UNKNOWN"
    assert status["message"].startswith("(ComplianceSuiteRequestMismatchError)")


async def test_an_enum_number_that_no_name_stands_for_is_answered_as_a_number(call: Call) -> None:
    known = read(await call("Compliance/GetEnum", {}))
    assert isinstance(known["continent"], str)
    unknown = read(await call("Compliance/GetEnum", {"unknownEnum": True}))
    assert isinstance(unknown["continent"], int)
    assert read(await call("Compliance/VerifyEnum", unknown)) == unknown


async def test_values_that_json_numbers_cannot_hold_stay_exact(call: Call) -> None:
    info = {
        "fInt64": "-9223372036854775808",
        "fUint64": "18446744073709551615",
        "fDouble": "NaN",
        "pDouble": "-Infinity",
        "fFloat": 1.1,
        "fBytes": base64.b64encode(b"\x00\xfb\xff").decode(),
        "pString": "",
        "pInt32": 0,
        "fChild": {"fContinent": "EUROPE", "pChild": {"fDouble": 5e-324}},
    }
    assert read(await call("Compliance/RepeatDataBody", {"info": info}))["request"]["info"] == info
