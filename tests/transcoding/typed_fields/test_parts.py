"""What replies say beside their values, and what requests are told, without any gateway around."""

import json
from typing import Any

import pytest

from gateway.contract.distilled import Problem
from gateway.descriptors.api import Api
from gateway.descriptors.typed_fields import FILLED_IN, TAKEN_OUT
from gateway.transcoding.call_context import CallContext, CompletionQuery
from gateway.transcoding.codec import Codec
from gateway.transcoding.converters.type_index import get_class
from gateway.transcoding.errors import BadReply
from gateway.transcoding.reply_parts import CompletionPart, InputKind, InputPart, InputQuestion, LogPart, Parts
from gateway.transcoding.rpc_transcoder import RpcTranscoder
from gateway.transcoding.typed_fields.splitter import READERS
from tests.laws.compiled import compile_api

FILES = ("content", "events", "input", "logging")
HEAD = 'syntax = "proto3"; package t;' + "".join(f'import "gateway/v1/{name}.proto";' for name in FILES)
API = compile_api(
    t=HEAD
    + """
message Q { string text = 1; gateway.v1.CallContext context = 2; gateway.v1.CompletionQuery query = 500; }
message R {
  string text = 1;
  gateway.v1.InputRequired asks = 2;
  repeated gateway.v1.PromptMessage messages = 3;
  repeated gateway.v1.ResourceContents contents = 4;
  gateway.v1.CompletionValues completion = 5;
  gateway.v1.LogMessage log = 6;
  gateway.v1.LogMessage other_log = 7;
  Inner inner = 8;
  repeated gateway.v1.ContentBlock blocks = 9;
}
message Inner { gateway.v1.ContentBlock block = 1; }
service S { rpc Get(Q) returns (R); }
"""
)
PLAIN = compile_api(
    t='syntax = "proto3"; package t; message M { string text = 1; } service S { rpc Get(M) returns (M); }'
)


def get_transcoder(api: Api = API) -> RpcTranscoder:
    return RpcTranscoder(Codec(api), api.rpcs[0])


def make(name: str, /, api: Api = API, **fields: Any) -> Any:
    return get_class(api.pool.FindMessageTypeByName(name))(**fields)


def read(**fields: Any) -> Any:
    return get_transcoder().read_reply(make("t.R", **fields).SerializeToString())


def read_parts(**fields: Any) -> Parts:
    parts: Parts = read(**fields).parts
    return parts


def test_every_type_that_is_taken_out_has_a_reader() -> None:
    assert set(READERS) == TAKEN_OUT
    assert not TAKEN_OUT & FILLED_IN


def test_a_reply_without_such_fields_has_no_parts_and_costs_nothing_more() -> None:
    transcoder = get_transcoder(PLAIN)
    assert transcoder.read_reply(make("t.M", PLAIN, text="a").SerializeToString()).parts is None
    assert not transcoder.takes_context
    # No wrapper stands around the printer of such a type.
    assert transcoder._print_noting.__qualname__ == "Codec.noting_printer_for.<locals>.print_noting"


def test_a_field_deeper_down_is_a_message_like_any_other() -> None:
    printed = read(inner={"block": {"text": {"text": "a"}}})
    assert (printed.value, printed.parts) == ({"inner": {"block": {"text": {"text": "a"}}}}, None)


def test_questions_are_requests_of_the_protocol() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string", "enumNames": ["x"]}}}
    asks = {
        "requests": {
            "name": make(
                "gateway.v1.InputRequest", elicitation={"message": "Who?", "requested_schema_json": json.dumps(schema)}
            ),
            "pay": make(
                "gateway.v1.InputRequest",
                elicitation={"message": "Pay", "url": "https://a.example/", "elicitation_id": "7"},
            ),
            "think": make(
                "gateway.v1.InputRequest",
                sampling={
                    "messages": [{"role": "ROLE_ASSISTANT", "content": {"text": {"text": "hm"}}}],
                    "system_prompt": "Be brief.",
                    "max_tokens": 9,
                    "params_json": '{"temperature": 0.5, "maxTokens": 3}',
                },
            ),
            "where": make("gateway.v1.InputRequest", roots={}),
        },
        "state": b"\x00s",
    }
    assert read_parts(text="so far", asks=make("gateway.v1.InputRequired", **asks)) == Parts(
        input_required=InputPart(
            state=b"\x00s",
            questions={
                "name": InputQuestion(
                    kind=InputKind.FORM,
                    method="elicitation/create",
                    params={"mode": "form", "message": "Who?", "requestedSchema": schema},
                ),
                "pay": InputQuestion(
                    kind=InputKind.URL,
                    method="elicitation/create",
                    params={"mode": "url", "message": "Pay", "url": "https://a.example/", "elicitationId": "7"},
                ),
                "think": InputQuestion(
                    kind=InputKind.SAMPLING,
                    method="sampling/createMessage",
                    params={
                        "messages": [{"role": "assistant", "content": {"type": "text", "text": "hm"}}],
                        "maxTokens": 9,
                        "systemPrompt": "Be brief.",
                        "temperature": 0.5,
                    },
                ),
                "where": InputQuestion(kind=InputKind.ROOTS, method="roots/list", params={}),
            },
        )
    )


def test_what_a_question_leaves_out_gets_what_is_legal() -> None:
    requests = {"a": make("gateway.v1.InputRequest", elicitation={}), "b": make("gateway.v1.InputRequest", sampling={})}
    part = read_parts(asks=make("gateway.v1.InputRequired", requests=requests)).input_required
    assert part is not None
    assert [question.params for question in part.questions.values()] == [
        {"mode": "form", "message": "", "requestedSchema": {"type": "object", "properties": {}}},
        {"messages": [], "maxTokens": 1024},
    ]


@pytest.mark.parametrize(
    ("request_fields", "reason"),
    [
        ({}, 'the reply asks "k" for nothing that is known here'),
        (
            {"elicitation": {"requested_schema_json": "{"}},
            'requested_schema_json of the question "k" is no JSON: unexpected end of data',
        ),
        ({"sampling": {"params_json": "[]"}}, 'params_json of the question "k" must be a JSON object, got []'),
    ],
)
def test_questions_that_cannot_be_put_are_bad_replies(request_fields: Any, reason: str) -> None:
    requests = {"k": make("gateway.v1.InputRequest", **request_fields)}
    with pytest.raises(BadReply) as refusal:
        read(asks=make("gateway.v1.InputRequired", requests=requests))
    assert refusal.value.reason == reason


def test_prompts_resources_and_completions_are_parts() -> None:
    printed = read(
        messages=[{"role": "ROLE_ASSISTANT", "content": {"text": {"text": "a"}}}, {"content": {"image": {}}}, {}],
        contents=[{"text": "t"}, {"uri": "file:///b", "mime_type": "a/b", "blob": b"\x00"}],
        completion={"values": [str(n) for n in range(101)]},
    )
    assert printed.value == {}
    assert printed.notes == (Problem(at="/messages/2", text="is of a kind that this gateway does not know; left out"),)
    assert printed.parts == Parts(
        prompt_messages=(
            {"role": "assistant", "content": {"type": "text", "text": "a"}},
            {"role": "user", "content": {"type": "image", "data": "", "mimeType": "application/octet-stream"}},
        ),
        resource_contents=({"text": "t"}, {"uri": "file:///b", "mimeType": "a/b", "blob": "AA=="}),
        completion=CompletionPart(values=tuple(str(n) for n in range(100)), total=101, has_more=True),
        is_everything=True,
    )


def test_several_fields_of_one_kind_add_up() -> None:
    logs = read_parts(log={"level": 8}, other_log={"level": 99, "data": {"null_value": 0}}).logs
    assert logs == (LogPart(level="emergency", data=None), LogPart(level="info", data=None))


def test_annotations_that_make_no_sense_are_left_out_or_brought_into_range() -> None:
    odd = {"priority": 7.0, "audience": [0, 2, 9], "last_modified": {"seconds": 1 << 60}}
    (block,) = read_parts(blocks=[{"text": {"text": "a"}, "annotations": odd}]).content
    assert block["annotations"] == {"priority": 1.0, "audience": ["assistant"]}
    nan = {"priority": float("nan")}
    (block,) = read_parts(blocks=[{"text": {"text": "a"}, "annotations": nan}]).content
    assert "annotations" not in block


def test_another_version_of_the_types_is_read_as_far_as_it_is_known() -> None:
    other = compile_api(
        t="""
syntax = "proto3"; package gateway.v1;
message ContentBlock { oneof block { TextContent text = 1; New novelty = 77; } }
message TextContent { string text = 1; int32 weight = 9; }
message New { string a = 1; }
message Reply { repeated ContentBlock parts = 4; }
service S { rpc Get(Reply) returns (Reply); }
"""
    )
    message = make("gateway.v1.Reply", other, parts=[{"text": {"text": "a", "weight": 2}}, {"novelty": {"a": "b"}}])
    printed = get_transcoder(other).read_reply(message.SerializeToString())
    assert printed.parts == Parts(content=({"type": "text", "text": "a"},), is_everything=True)
    assert printed.notes == (Problem(at="/parts/1", text="is of a kind that this gateway does not know; left out"),)


ANSWERS = {
    "form": {"action": "accept", "content": {"name": "Ann", "age": 5, "tags": ["a"]}},
    "no": {"action": "decline"},
    "model": {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "t"},
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
            {"type": "x"},
        ],
        "model": "m",
        "stopReason": "endTurn",
    },
    "roots": {"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}, {}]},
    "odd": {"half": "\ud800"},
}


def test_answers_are_told_typed_and_as_they_came() -> None:
    transcoder = get_transcoder()
    request = transcoder.encode_arguments({"text": "a"})
    assert isinstance(request, bytes)
    filled = transcoder.fill_in(
        request,
        CallContext(answers=ANSWERS, state=b"s", principal="ann", log_level="error", wants_progress=True),
        CompletionQuery(argument="city", value="Be", resolved={"land": "ch"}),
    )
    message: Any = get_class(API.pool.FindMessageTypeByName("t.Q")).FromString(filled)
    context, answers = message.context, message.context.answers
    assert (message.text, context.state, context.principal, context.log_level) == ("a", b"s", "ann", 5)
    assert context.wants_progress
    assert (message.query.argument, message.query.value, dict(message.query.resolved)) == ("city", "Be", {"land": "ch"})
    assert answers["form"].elicitation.action == 1
    assert dict(answers["form"].elicitation.content)["name"] == "Ann"
    assert json.loads(answers["form"].result_json) == ANSWERS["form"]
    assert answers["no"].elicitation == make("gateway.v1.ElicitationAnswer", action="ELICITATION_ACTION_DECLINE")
    assert answers["model"].sampling == make(
        "gateway.v1.SamplingAnswer",
        role="ROLE_ASSISTANT",
        content=[{"text": {"text": "t"}}, {"image": {"data": b"\x00", "mime_type": "image/png"}}],
        model="m",
        stop_reason="endTurn",
    )
    assert answers["roots"].roots == make(
        "gateway.v1.RootsAnswer", roots=[{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]
    )
    assert answers["odd"].WhichOneof("answer") is None
    assert json.loads(answers["odd"].result_json) == {"half": "\N{REPLACEMENT CHARACTER}"}


def test_a_context_in_a_delimited_field_is_filled_in_as_a_group() -> None:
    api = compile_api(
        t="""
edition = "2023"; package t;
import "gateway/v1/input.proto";
message Q { gateway.v1.CallContext context = 3 [features.message_encoding = DELIMITED]; }
service S { rpc Get(Q) returns (Q); }
"""
    )
    filled = get_transcoder(api).fill_in(b"", CallContext(principal="ann"))
    message: Any = get_class(api.pool.FindMessageTypeByName("t.Q")).FromString(filled)
    assert message.context.principal == "ann"
