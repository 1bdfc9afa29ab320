"""Stages over a backend that speaks proto/gateway/v1, and calls whose answers are read with their notifications."""

from typing import Any

import orjson

from tests.end_to_end.stage import META, HttpAnswer, Stage

HEAD = """
syntax = "proto3"; package t;
import "gateway/v1/annotations.proto";
import "gateway/v1/content.proto";
import "gateway/v1/events.proto";
import "gateway/v1/input.proto";
import "gateway/v1/logging.proto";
import "google/protobuf/wrappers.proto";
"""


async def call(stage: Stage, rpc: str, arguments: Any = None, **meta: Any) -> HttpAnswer:
    """The whole answer of a tools/call whose `_meta` has these members too."""
    message = stage.make_call(rpc, arguments)
    message["params"]["_meta"] = {**META, **meta}
    return await stage.post(message)


def read_messages(answer: HttpAnswer) -> list[Any]:
    """All messages of an answer, its result last."""
    if answer.headers["content-type"].startswith("application/json"):
        return [answer.json]
    return [orjson.loads(line[6:]) for line in answer.body.split(b"\n") if line.startswith(b"data: ")]
