"""What a client hears while a stream goes on, and the bytes in which it hears it."""

import asyncio
import os
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import grpc
import pytest

from gateway.app.settings.model import Settings
from gateway.app.wiring import Gateway
from gateway.fronts.http import HttpSettings, build_http_app
from gateway.fronts.http.health import Readiness
from tests.end_to_end.stage import Stage
from tests.end_to_end.streaming.conftest import PROTO

Context = grpc.aio.ServicerContext
Requests = AsyncIterator[bytes]
MakeStage = Callable[..., Awaitable[Stage]]

# 100,000 in the gate; a tenth of it shows the same on a developer's machine.
COUNT = int(os.environ.get("PROPYLON_STREAM_MESSAGES", "10000"))


def stream(stage: Stage, *, pause: float | None = None) -> None:
    """Has `Watch` send as many messages as it is asked for."""
    ask = stage.messages("t.Ask")

    async def watch(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        asked: Any = ask.FromString(await anext(requests))
        for n in range(asked.count):
            yield stage.make("t.Tick", n=n + 1, text=asked.text).SerializeToString()
            if pause is not None:
                await asyncio.sleep(pause)

    stage.backend.streams["t.S/Watch"] = watch


def values(messages: list[dict[str, Any]]) -> list[float]:
    return [message["params"]["progress"] for message in messages if "method" in message]


async def test_calls_side_by_side_hear_of_themselves_alone(stage: Stage, client: Any) -> None:
    stream(stage)

    async def listen(**meta: Any) -> list[dict[str, Any]]:
        async with client.post("t.S/Watch", {"count": 5}, **meta) as answer:
            messages: list[dict[str, Any]] = await answer.read()
        return messages

    one, other, silent = await asyncio.gather(listen(progressToken="a"), listen(progressToken=1), listen())
    assert [message["params"]["progressToken"] for message in one[:-1]] == ["a"] * 5
    assert [message["params"]["progressToken"] for message in other[:-1]] == [1] * 5
    assert len(silent) == 1
    assert all("result" in messages[-1] for messages in (one, other, silent))


async def test_a_message_is_heard_of_when_it_comes(stage: Stage, client: Any) -> None:
    stream(stage, pause=0.2)
    async with client.post("t.S/Watch", {"count": 4}, progressToken="p") as answer:
        messages = await answer.read()
        times = [when for when, _ in answer.chunks]
    assert values(messages) == [1, 2, 3, 4]
    assert len(times) >= 5
    assert all(later - earlier > 0.1 for earlier, later in pairwise(times[:4]))


@pytest.mark.parametrize("failing", [False, True])
async def test_an_answer_is_written_in_lines_that_any_reader_takes(stage: Stage, client: Any, failing: bool) -> None:
    async def watch(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        yield stage.make("t.Tick", n=1, text="line\nfeed, return\r\n, \u2028 and \x00").SerializeToString()
        if failing:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "two\r\nlines")

    stage.backend.streams["t.S/Watch"] = watch
    async with client.post("t.S/Watch", {}, progressToken="p") as answer:
        assert answer.is_stream
        headers = answer.response.headers
        assert (headers["cache-control"], headers["x-accel-buffering"]) == ("no-cache, no-transform", "no")
        messages = await answer.read()
    assert (values(messages), messages[-1]["result"].get("isError", False)) == ([1], failing)


async def test_a_large_result_is_one_event_or_one_object(make_stage: MakeStage, connect: Any) -> None:
    def allow(settings: Settings) -> Settings:
        return replace(settings, limits=replace(settings.limits, stream_bytes=3_000_000))

    stage = await make_stage(PROTO, settings=allow)
    stream(stage)
    client = await connect(stage)
    for meta in ({}, {"progressToken": "p"}):
        async with client.post("t.S/Watch", {"count": 10, "text": "x" * 100_000}, **meta) as answer:
            messages = await answer.read()
            assert answer.is_stream is bool(meta)
        assert len(messages[-1]["result"]["structuredContent"]["messages"]) == 10


class Healthy:
    def get_readiness(self) -> Readiness:
        return Readiness(is_ready=True)


def serve_quickly(gateway: Gateway) -> Any:
    """The HTTP front over a gateway, with little patience with silence."""
    return build_http_app(gateway.dispatcher, HttpSettings(keep_alive_seconds=0.05), Healthy())


async def test_a_long_silence_is_filled_where_the_client_takes_a_stream(stage: Stage, connect: Any) -> None:
    async def answer_late(request: bytes, context: Context) -> bytes:
        await asyncio.sleep(0.4)
        return bytes(stage.make("t.Tick", n=1).SerializeToString())

    stage.backend.answers["t.S/Get"] = answer_late
    client = await connect(replace(stage, serve=serve_quickly(stage.gateway)))
    async with client.post("t.S/Get") as answer:
        (message,) = await answer.read()
        assert answer.is_stream
        assert b"".join(chunk for _, chunk in answer.chunks).count(b": keep-alive\n\n") >= 3
    assert message["result"]["structuredContent"] == {"n": 1}
    async with client.post("t.S/Get", headers={"accept": "application/json"}) as answer:
        (message,) = await answer.read()
        assert not answer.is_stream
    assert message["result"]["structuredContent"] == {"n": 1}


async def test_a_stream_of_very_many_messages_holds_memory_flat(make_stage: MakeStage, connect: Any) -> None:
    def allow(settings: Settings) -> Settings:
        return replace(
            settings, limits=replace(settings.limits, stream_messages=1_000_000, stream_bytes=2**30, stream_seconds=600)
        )

    stage = await make_stage(PROTO, settings=allow)
    heights: list[int] = []

    async def watch(requests: Requests, context: Context) -> AsyncIterator[bytes]:
        for n in range(COUNT):
            if n % (COUNT // 10) == 0:
                heights.append(tracemalloc.get_traced_memory()[0])
            yield b"\x08\x01"

    stage.backend.streams["t.S/Watch"] = watch
    client = await connect(stage)
    await client.call("t.S/Watch", progressToken="p")
    heights.clear()
    tracemalloc.start()
    began = time.monotonic()
    try:
        async with client.post("t.S/Watch", {}, progressToken="p") as answer:
            messages = await answer.read()
    finally:
        tracemalloc.stop()
    seconds = time.monotonic() - began
    assert len(messages[-1]["result"]["structuredContent"]["messages"]) == COUNT
    # What is kept is the result as it will be sent, eight bytes a message, and nothing beside it.
    assert heights[-1] - heights[1] < 12 * COUNT + 200_000
    told = values(messages)
    assert len(told) <= 10 * (seconds + 1)
    assert all(later > earlier for earlier, later in pairwise(told))
