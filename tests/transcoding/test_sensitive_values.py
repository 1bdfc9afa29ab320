"""Refusals tell nothing of sensitive values, and everything else."""

from typing import Any

import pytest

from gateway.contract.distilled import Distilled
from gateway.descriptors.rpc_facts import RpcFacts
from gateway.transcoding.codec import Codec
from gateway.transcoding.rpc_transcoder import RpcTranscoder
from tests.laws.compiled import compile_api

API = compile_api(
    t="""
syntax = "proto3"; package t;
import "buf/validate/validate.proto";
message Card { string number = 1; int32 month = 2; Kind kind = 3; map<string, Card> others = 4; }
enum Kind { KIND_UNSPECIFIED = 0; KIND_DEBIT = 1; }
message Q {
  option (buf.validate.message).cel = {
    id: "told", message: ""
    expression: "this.note == '' ? '' : 'the note ' + this.note + ' and card ' + this.card.number"
  };
  Card card = 1;
  string note = 2;
  repeated Card cards = 3;
  string word = 4 [(buf.validate.field).cel = {
    id: "weak", message: "", expression: "this == '' ? '' : 'the word ' + this + ' is weak'"
  }];
  int32 plain = 5;
}
service S { rpc Get(Q) returns (Q); rpc Send(stream Q) returns (Q); }
"""
)


def refuse(arguments: Any, *sensitive: str, rpc: int = 0) -> dict[str, list[str]]:
    facts = RpcFacts(sensitive=frozenset(f"t.{name}" for name in sensitive))
    transcoder = RpcTranscoder(Codec(API), API.rpcs[rpc], facts)
    refusal = transcoder.encode_requests(arguments)
    assert isinstance(refusal, Distilled)
    return {location["at"]: location["problems"] for location in refusal.errors}


def test_without_sensitive_fields_all_is_told() -> None:
    assert refuse({"card": {"number": 4111}}) == {"/card/number": ["must be a string, got 4111"]}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"card": {"number": 4111}}, {"/card/number": ["must be a string"]}),
        ({"cards": [{}, {"number": [4111]}]}, {"/cards/1/number": ["must be a string"]}),
        ({"card": {"others": {"ann": {"number": 4111}}}}, {"/card/others/ann/number": ["must be a string"]}),
        (
            {"card": {"number": 4111}, "plain": "x"},
            {"/card/number": ["must be a string"], "/plain": ['must be an integer, got "x"']},
        ),
    ],
)
def test_of_a_sensitive_field_only_what_would_be_right_is_told(arguments: Any, told: dict[str, list[str]]) -> None:
    assert refuse(arguments, "Card.number") == told


def test_everything_in_a_sensitive_message_is_sensitive_but_the_names_of_its_fields() -> None:
    arguments = {"card": {"month": "hush1", "nope": "hush2", "others": {"hush3": {"kind": "hush4"}}}}
    assert refuse(arguments, "Q.card") == {
        "/card": ["is not a field of this message; it has `number`, `month`, `kind`, `others`"],
        "/card/month": ["must be an integer"],
        "/card/others": ['must be one of "KIND_DEBIT"'],
    }


def test_a_message_of_a_rule_that_repeats_a_sensitive_value_is_not_told() -> None:
    untold = ["is not valid; what was given is not shown"]
    assert refuse({"word": "ab"}, "Q.word") == {"/word": untold}
    assert refuse({"note": "n", "card": {"number": "4111"}}, "Card.number") == {"": untold}
    assert refuse({"note": "n", "card": {"number": "4111"}}) == {"": ["the note n and card 4111"]}


def test_in_a_stream_of_requests_the_same_holds() -> None:
    arguments = {"messages": [{}, {"card": {"number": 4111}}]}
    assert refuse(arguments, "Card.number", rpc=1) == {"/messages/1/card/number": ["must be a string"]}
