import time
from typing import Any

import pytest

from gateway.mcp.trace_context import find_trace_id, read_trace_metadata

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


def test_a_whole_trace_context_becomes_metadata() -> None:
    meta = {
        "traceparent": PARENT,
        "tracestate": "rojo=00f067aa0ba902b7, congo@acme=t61rcWkgMzE,",
        "baggage": "user=alice%20b;level=2;sampled, region = eu",
        "progressToken": 1,
    }
    assert list(read_trace_metadata(meta)) == [
        ("traceparent", PARENT),
        ("tracestate", meta["tracestate"]),
        ("baggage", meta["baggage"]),
    ]
    assert find_trace_id(meta) == TRACE


@pytest.mark.parametrize(
    "parent",
    [
        "",
        PARENT.upper(),
        PARENT[:-1],
        PARENT + "-more",
        PARENT + "\n",
        f"ff-{TRACE}-00f067aa0ba902b7-01",
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"01-{TRACE}-00f067aa0ba902b7-01-" + "x" * 200,
        5,
        None,
        {"a": 1},
    ],
)
def test_a_malformed_traceparent_is_left_out_and_tracestate_with_it(parent: Any) -> None:
    meta = {"traceparent": parent, "tracestate": "rojo=1"}
    assert list(read_trace_metadata(meta)) == []
    assert find_trace_id(meta) is None


def test_a_later_version_may_go_on_behind_the_flags() -> None:
    parent = f"01-{TRACE}-00f067aa0ba902b7-01-what-comes"
    assert list(read_trace_metadata({"traceparent": parent})) == [("traceparent", parent)]


@pytest.mark.parametrize("state", ["A=1", "a=b=c", "a", "a=\x01", "a=é", ",".join(["a=1"] * 33), "a=" + "x" * 3000, 7])
def test_a_malformed_tracestate_is_left_out_alone(state: Any) -> None:
    assert list(read_trace_metadata({"traceparent": PARENT, "tracestate": state})) == [("traceparent", PARENT)]


@pytest.mark.parametrize(
    "baggage", ["", "a", "=b", 'a="b"', "a=b\r\nx: y", "a=é", "a=b,", ",".join(["a=1"] * 65), 7, []]
)
def test_malformed_baggage_is_left_out(baggage: Any) -> None:
    assert list(read_trace_metadata({"baggage": baggage})) == []


@pytest.mark.parametrize("filler", [" ", "\t", "a", "a=", ";", "a;", "=", "a=;"])
def test_hostile_lists_are_judged_in_no_time(filler: str) -> None:
    begun = time.process_time()
    read_trace_metadata(
        {"traceparent": PARENT, "tracestate": (filler * 2048)[:2048], "baggage": (filler * 8192)[:8192]}
    )
    read_trace_metadata({"baggage": "a=" + (filler * 8192)[:8190]})
    assert time.process_time() - begun < 0.1
