import orjson
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

from gateway.contract.distilled import Problem
from gateway.contract.stream_results import Cut, CutReason
from gateway.mcp.catalogue import Whole
from gateway.mcp.tool_calls.collector import Collector, StreamLimits


def test_nothing_collected_is_an_empty_list() -> None:
    collector = Collector(StreamLimits())
    assert (collector.count, collector.encode(is_truncated=False)) == (0, b'{"messages":[],"truncated":false}')


def test_a_message_beyond_the_count_is_not_kept() -> None:
    collector = Collector(StreamLimits(messages=2))
    assert [collector.add(b"1"), collector.add(b'{"a":2}')] == [None, None]
    assert collector.add(b"3") == Cut(reason=CutReason.MESSAGES, count=2, limit=2)
    assert collector.encode(is_truncated=True) == b'{"messages":[1,{"a":2}],"truncated":true}'


def test_a_message_that_would_make_it_too_large_is_not_kept() -> None:
    whole = len(b'{"messages":["a","b"],"truncated":false}')
    collector = Collector(StreamLimits(bytes=whole))
    assert [collector.add(b'"a"'), collector.add(b'"b"')] == [None, None]
    assert collector.add(b"1") == Cut(reason=CutReason.BYTES, count=2, limit=whole)
    short = Collector(StreamLimits(bytes=whole - 1))
    assert short.add(b'"a"') is None
    assert short.add(b'"b"') == Cut(reason=CutReason.BYTES, count=1, limit=whole - 1)


def test_notes_on_values_lead_to_their_message() -> None:
    collector = Collector(StreamLimits())
    collector.add(b"{}")
    collector.add(b'{"a":null}', [Problem(at="/a", text="is not a number")])
    assert list(collector.notes) == [Problem(at="/messages/1/a", text="is not a number")]


@given(st.lists(st.integers() | st.text(), max_size=20), st.integers(0, 12), st.integers(33, 300))
@profile(max_examples=60)
def test_what_is_kept_is_the_beginning_and_never_over_a_limit(
    values: list[int | str], messages: int, size: int
) -> None:
    collector = Collector(StreamLimits(messages=messages, bytes=size))
    encoded = [orjson.dumps(str(value)) for value in values]
    cut = next((cut for one in encoded if (cut := collector.add(one)) is not None), None)
    whole = collector.encode(is_truncated=False)
    kept = orjson.loads(whole)["messages"]
    assert len(whole) <= size
    assert kept == [str(value) for value in values][: len(kept)]
    assert (len(kept), len(kept) <= messages) == (collector.count, True)
    assert (cut is None) == (len(kept) == len(values))


BLOCK = {"type": "text", "text": "a"}


def test_content_stands_beside_the_messages_and_counts_once() -> None:
    collector = Collector(StreamLimits(messages=3, bytes=200))
    note = Problem(at="/a", text="odd")
    assert collector.add(None, (note,), (BLOCK,), 40) is None
    assert collector.place == "/messages/0"
    assert collector.add(b"1", (note,), (BLOCK,), 40) is None
    assert (collector.count, list(collector.blocks), collector.place) == (2, [BLOCK, BLOCK], "/messages/1")
    assert [one.at for one in collector.notes] == ["/a", "/messages/0/a"]
    assert collector.encode(is_truncated=False) == b'{"messages":[1],"truncated":false}'
    assert collector.add(None, (), (BLOCK,), 400) == Cut(reason=CutReason.BYTES, count=2, limit=200)
    assert collector.add(None, (), (BLOCK,), 40) is None
    assert collector.add(None, (), (BLOCK,), 40) == Cut(reason=CutReason.MESSAGES, count=3, limit=3)
    assert len(collector.blocks) == 3


def test_where_the_last_value_is_the_result_only_that_is_kept() -> None:
    room = len(b'{"messages":[123456],"truncated":false}')
    collector = Collector(StreamLimits(bytes=room), Whole.LAST)
    assert collector.encode(is_truncated=False) is None
    assert [collector.add(b"123456") for _ in range(10)] == [None] * 10
    assert collector.add(b"1") is None
    assert collector.add(b"1234567") == Cut(reason=CutReason.BYTES, count=11, limit=room)
    assert (collector.encode(is_truncated=True), collector.place) == (b"1", "")


def test_content_alone_has_no_structure() -> None:
    collector = Collector(StreamLimits(), Whole.NOTHING)
    collector.add(None, (), (BLOCK,), 20)
    assert (collector.encode(is_truncated=False), list(collector.blocks)) == (None, [BLOCK])
