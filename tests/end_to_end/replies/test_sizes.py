"""Replies that are too large, for the connection or for the result."""

from dataclasses import replace

import orjson

PROTO = """
message Q { int32 page_size = 1; string page_token = 2; }
message R { repeated string rows = 1; string next_page_token = 2; string blob = 3; }
service S { rpc List(Q) returns (R); }
"""
RPC = "t.S/List"
LIMIT = 4 * 1024 * 1024


def raise_limit(settings):
    return replace(settings, backends=(replace(settings.backends[0], receive_limit_bytes=64 * 1024 * 1024),))


async def answer_with_rows(stage, count):
    rows = [f"{number:06}" + "x" * 194 for number in range(count)]
    stage.backend.answers[RPC] = stage.make("t.R", rows=rows, next_page_token="p2")
    return rows


async def test_a_page_is_told_whole(make_stage):
    stage = await make_stage(PROTO)
    rows = await answer_with_rows(stage, 10)
    assert await stage.structured(RPC, {"pageSize": 10}) == {"rows": rows, "nextPageToken": "p2"}


async def test_a_reply_over_the_receive_limit_is_told_with_the_limit_and_what_to_do(make_stage):
    stage = await make_stage(PROTO)
    await answer_with_rows(stage, 50_000)
    assert await stage.refusal(RPC, {}) == (
        "RESOURCE_EXHAUSTED: the reply of 10150004 bytes is larger than the 4194304 bytes that this gateway takes from "
        'backend "mock": ask for less of it, for example by a smaller page'
    )


async def test_a_result_over_its_limit_is_cut_says_so_and_still_fits_its_schema(make_stage):
    stage = await make_stage(PROTO, settings=raise_limit)
    rows = await answer_with_rows(stage, 50_000)
    result = await stage.call(RPC, {})  # holds the result to the output schema
    structured = result["structuredContent"]
    kept = len(structured["rows"])
    assert structured == {"rows": rows[:kept], "nextPageToken": "p2"}
    assert LIMIT - 210 < len(orjson.dumps(structured)) <= LIMIT
    assert orjson.loads(result["content"][0]["text"]) == structured
    assert result["content"][1]["text"].startswith(
        f"truncated to keep to the gateway's limit of {LIMIT} bytes: /rows shows the first {kept} of 50000 items"
    )
    assert result["_meta"]["dev.propylon/truncated"] == {
        "reason": "bytes",
        "limit": LIMIT,
        "lists": [{"at": "/rows", "kept": kept, "total": 50_000}],
    }
    assert "isError" not in result


async def test_a_result_that_no_cut_makes_fit_is_refused(make_stage):
    stage = await make_stage(PROTO, settings=raise_limit)
    stage.backend.answers[RPC] = stage.make("t.R", blob="x" * 5_000_000)
    assert await stage.refusal(RPC, {}) == (
        "RESOURCE_EXHAUSTED: the backend has answered, but the result of 5000011 bytes is over the gateway's limit of "
        "4194304 bytes; ask for less: a smaller page size, a narrower filter or fewer fields"
    )
