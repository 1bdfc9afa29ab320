"""Prompts, resources, templates and completions of a backend, over a whole gateway."""

from typing import Any

import grpc
import pytest

from tests.end_to_end.typed_fields.conftest import HEAD

PROTO = (
    HEAD
    + """
import "google/api/resource.proto";
enum Tone { TONE_UNSPECIFIED = 0; FORMAL = 1; FRIENDLY = 2; }
message Letter { string name = 1; Tone tone = 2; }
message Messages { repeated gateway.v1.PromptMessage messages = 1; }
message Nothing {}
message Id { string id = 1; gateway.v1.CallContext context = 2; }
message Contents { repeated gateway.v1.ResourceContents contents = 1; gateway.v1.InputRequired asks = 2; }
message Ask { gateway.v1.CompletionQuery query = 1; }
message Found { gateway.v1.CompletionValues found = 1; }
message Book {
  option (google.api.resource) = { type: "library.example.com/Book" pattern: "shelves/{shelf}/books/{book}" };
  string name = 1; string title = 2;
}
message GetBookRequest { string name = 1; }
message Shelf {
  option (google.api.resource) = { type: "library.example.com/Shelf" pattern: "shelves/{shelf}" };
  string name = 1;
}
message ListShelvesRequest { int32 page_size = 1; }
message ListShelvesResponse { repeated Shelf shelves = 1; string next_page_token = 2; }
message ListBooksRequest { string parent = 1; }
message ListBooksResponse { repeated Book books = 1; }
service S {
  // Writes a letter to somebody.
  rpc Write(Letter) returns (Messages) { option (gateway.v1.method).prompt = { name: "letter" title: "Letter" }; }
  rpc Logo(Nothing) returns (Contents) { option (gateway.v1.method).resource = { uri: "test://logo" name: "logo" }; }
  rpc Item(Id) returns (Contents) {
    option (gateway.v1.method).resource = {
      uri_template: "test://items/{id}/data" name: "item" mime_type: "text/plain"
    };
  }
  rpc Names(Ask) returns (Found) { option (gateway.v1.method).completion = { prompt: "letter" argument: "name" }; }
  rpc ListShelves(ListShelvesRequest) returns (ListShelvesResponse);
  rpc ListBooks(ListBooksRequest) returns (ListBooksResponse);
  // Gets a book.
  rpc GetBook(GetBookRequest) returns (Book);
}
"""
)


@pytest.fixture
async def stage(make_stage: Any) -> Any:
    return await make_stage(PROTO)


async def ask(stage: Any, method: str, **params: Any) -> Any:
    """The result, or the error with its code and data."""
    message = stage.make_request(method, params)
    header = params.get("name") or params.get("uri")
    envelope = (await stage.post(message, {"mcp-name": header} if header else None)).json
    if "error" in envelope:
        return envelope["error"]
    return {key: value for key, value in envelope["result"].items() if key not in ("_meta", "ttlMs", "cacheScope")}


async def test_a_prompt_is_listed_with_its_arguments_and_answered_by_its_rpc(stage: Any) -> None:
    listed = await ask(stage, "prompts/list")
    assert listed["prompts"] == [
        {
            "name": "letter",
            "title": "Letter",
            "description": "Writes a letter to somebody.",
            "arguments": [{"name": "name"}, {"name": "tone"}],
        }
    ]
    stage.backend.answers["t.S/Write"] = stage.make(
        "t.Messages",
        messages=[
            {"role": "ROLE_USER", "content": {"text": {"text": "Dear Ada"}}},
            {"role": "ROLE_ASSISTANT", "content": {"image": {"data": b"x", "mime_type": "image/png"}}},
        ],
    )
    got = await ask(stage, "prompts/get", name="letter", arguments={"name": "Ada", "tone": "FORMAL"})
    assert got == {
        "resultType": "complete",
        "description": "Writes a letter to somebody.",
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "Dear Ada"}},
            {"role": "assistant", "content": {"type": "image", "data": "eA==", "mimeType": "image/png"}},
        ],
    }
    assert stage.received("t.S/Write", "t.Letter") == stage.make("t.Letter", name="Ada", tone="FORMAL")


async def test_a_prompt_that_is_asked_for_wrongly_says_what_would_be_right(stage: Any) -> None:
    unknown = await ask(stage, "prompts/get", name="leter")
    assert (unknown["code"], unknown["message"]) == (-32602, 'Unknown prompt: "leter"; did you mean "letter"?')
    strange = await ask(stage, "prompts/get", name="letter", arguments={"nam": "Ada"})
    assert strange["message"] == (
        'request: /params/arguments "nam" is no argument of this prompt; did you mean "name"?'
    )
    refused = await ask(stage, "prompts/get", name="letter", arguments={"tone": "ROUGH"})
    assert (refused["code"], refused["data"]["errors"][0]["at"]) == (-32602, "/tone")
    assert stage.requests("t.S/Write") == []


async def test_resources_and_templates_are_listed_and_read(stage: Any) -> None:
    assert [one["uri"] for one in (await ask(stage, "resources/list"))["resources"]] == ["test://logo"]
    templates = (await ask(stage, "resources/templates/list"))["resourceTemplates"]
    assert [(one["uriTemplate"], one["name"]) for one in templates] == [
        ("grpc://library.example.com/shelves/{shelf}/books/{book}", "Book"),
        ("test://items/{id}/data", "item"),
    ]
    logo = {"mime_type": "image/png", "blob": b"png"}
    stage.backend.answers["t.S/Logo"] = stage.make("t.Contents", contents=[logo])
    assert (await ask(stage, "resources/read", uri="test://logo"))["contents"] == [
        {"uri": "test://logo", "mimeType": "image/png", "blob": "cG5n"}
    ]
    stage.backend.answers["t.S/Item"] = stage.make("t.Contents", contents=[{"text": "123"}])
    assert (await ask(stage, "resources/read", uri="test://items/a%2Fb/data"))["contents"] == [
        {"uri": "test://items/a%2Fb/data", "mimeType": "text/plain", "text": "123"}
    ]
    assert stage.received("t.S/Item", "t.Id").id == "a/b"


async def test_a_standard_get_is_a_template_of_the_names_of_its_resource(stage: Any) -> None:
    stage.backend.answers["t.S/GetBook"] = stage.make("t.Book", name="shelves/1/books/2", title="Emma")
    uri = "grpc://library.example.com/shelves/1/books/2"
    assert (await ask(stage, "resources/read", uri=uri))["contents"] == [
        {"uri": uri, "mimeType": "application/json", "text": '{"name":"shelves/1/books/2","title":"Emma"}'}
    ]
    assert stage.received("t.S/GetBook", "t.GetBookRequest").name == "shelves/1/books/2"


async def test_what_is_not_there_is_told_with_its_uri(stage: Any) -> None:
    async def find_nothing(_: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await context.abort(grpc.StatusCode.NOT_FOUND, "no such item")
        raise AssertionError("unreachable")

    stage.backend.answers["t.S/Item"] = find_nothing
    for uri, message in (
        ("test://nonexistent", 'Resource not found: "test://nonexistent"'),
        ("test://items/9/data", "NOT_FOUND: no such item"),
    ):
        error = await ask(stage, "resources/read", uri=uri)
        assert (error["code"], error["message"], error["data"]["uri"]) == (-32602, message, uri)


async def test_other_failures_keep_their_code(stage: Any) -> None:
    async def deny(_: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await context.abort(grpc.StatusCode.PERMISSION_DENIED, "not yours")
        raise AssertionError("unreachable")

    stage.backend.answers["t.S/Logo"] = deny
    error = await ask(stage, "resources/read", uri="test://logo")
    assert (error["code"], error["message"]) == (-31007, "PERMISSION_DENIED: not yours")


async def test_arguments_complete_by_rpc_or_by_the_values_they_can_take(stage: Any) -> None:
    letter = {"type": "ref/prompt", "name": "letter"}
    tone = await ask(stage, "completion/complete", ref=letter, argument={"name": "tone", "value": "f"})
    assert tone == {"resultType": "complete", "completion": {"values": ["FORMAL", "FRIENDLY"]}}
    stage.backend.answers["t.S/Names"] = stage.make("t.Found", found={"values": ["Ada", "Alan"], "total": 7})
    context = {"arguments": {"tone": "FORMAL"}}
    names = await ask(
        stage, "completion/complete", ref=letter, argument={"name": "name", "value": "A"}, context=context
    )
    assert names["completion"] == {"values": ["Ada", "Alan"], "total": 7}
    query = stage.received("t.S/Names", "t.Ask").query
    assert (query.argument, query.value, dict(query.resolved)) == ("name", "A", {"tone": "FORMAL"})
    template = {"type": "ref/resource", "uri": "test://items/{id}/data"}
    empty = await ask(stage, "completion/complete", ref=template, argument={"name": "id", "value": ""})
    assert empty["completion"] == {"values": []}
    unknown = await ask(
        stage, "completion/complete", ref={"type": "ref/prompt", "name": "x"}, argument={"name": "a", "value": ""}
    )
    assert (unknown["code"], unknown["message"]) == (-32602, 'Unknown prompt: "x"')


async def test_what_is_no_tool_is_not_among_the_tools(stage: Any) -> None:
    assert [one["name"] for one in await stage.list_tools()] == [
        "plain_Plain_Say",
        "t_S_GetBook",
        "t_S_ListBooks",
        "t_S_ListShelves",
    ]


async def test_the_ids_of_resources_complete_by_what_their_list_rpcs_list(stage: Any) -> None:
    template = {"type": "ref/resource", "uri": "grpc://library.example.com/shelves/{shelf}/books/{book}"}

    async def complete(variable: str, typed: str, **resolved: str) -> Any:
        argument = {"name": variable, "value": typed}
        params = {"ref": template, "argument": argument, "context": {"arguments": resolved}}
        return (await ask(stage, "completion/complete", **params))["completion"]

    shelves = [{"name": "shelves/crime"}, {"name": "shelves/comedy"}, {"name": "shelves/poems"}]
    stage.backend.answers["t.S/ListShelves"] = stage.make("t.ListShelvesResponse", shelves=shelves, next_page_token="x")
    assert await complete("shelf", "C") == {"values": ["crime", "comedy"], "hasMore": True}
    books = [{"name": "shelves/crime/books/1"}, {"name": "odd"}]
    stage.backend.answers["t.S/ListBooks"] = stage.make("t.ListBooksResponse", books=books)
    assert await complete("book", "", shelf="crime") == {"values": ["1"]}
    assert stage.received("t.S/ListBooks", "t.ListBooksRequest").parent == "shelves/crime"
    assert await complete("book", "") == {"values": []}
    assert stage.requests("t.S/ListBooks") == []
