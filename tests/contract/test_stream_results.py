import pytest

from gateway.contract.status_report import StatusReport
from gateway.contract.stream_results import Cut, CutReason, broken_stream_result, stream_result
from gateway.contract.tool_results import tool_error, tool_success_json

WHOLE = b'{"messages":[1],"truncated":false}'


def test_a_whole_stream_is_an_ordinary_success() -> None:
    assert {key: str(value) for key, value in stream_result(WHOLE, None).items()}.keys() == {
        "content",
        "structuredContent",
        "resultType",
    }
    assert stream_result(WHOLE, None)["content"] == tool_success_json(WHOLE)["content"]


@pytest.mark.parametrize(
    ("cut", "text"),
    [
        (
            Cut(reason=CutReason.MESSAGES, count=1000, limit=1000),
            "stream cut after 1000 messages: that is this gateway's limit; more may follow",
        ),
        (
            Cut(reason=CutReason.BYTES, count=0, limit=500_000),
            "stream cut after 0 messages: the next would be over this gateway's limit of 500000 bytes; more may follow",
        ),
        (
            Cut(reason=CutReason.SECONDS, count=1, limit=0.25),
            "stream cut after 1 message: its time of 0.25 s was up; more may follow",
        ),
    ],
)
def test_a_cut_stream_is_a_success_that_says_so(cut: Cut, text: str) -> None:
    result = stream_result(WHOLE, cut)
    assert "isError" not in result
    assert result["content"][1:] == [{"type": "text", "text": text}]
    assert result["_meta"] == {
        "dev.propylon/truncated": {"messages": cut.count, "reason": cut.reason.value, "limit": cut.limit}
    }


def test_a_broken_stream_is_an_error_with_what_came_before() -> None:
    report = StatusReport(code=9, message="gone")
    result = broken_stream_result(report, WHOLE, 1)
    alone = tool_error(report)
    assert result == {
        **alone,
        "content": [
            *alone["content"],
            {"type": "text", "text": "1 message came before the failure:"},
            {"type": "text", "text": WHOLE.decode()},
        ],
    }


BLOCK = {"type": "image", "data": "", "mimeType": "image/png"}


def test_content_of_a_stream_stands_behind_its_structure_or_alone() -> None:
    assert stream_result(WHOLE, None, content=[BLOCK])["content"][1:] == [BLOCK]
    assert stream_result(None, None, content=[BLOCK]) == {"content": [BLOCK], "resultType": "complete"}
    cut = stream_result(None, Cut(reason=CutReason.MESSAGES, count=1, limit=1), content=[BLOCK])
    assert [block["type"] for block in cut["content"]] == ["image", "text"]
    assert "structuredContent" not in cut


def test_a_broken_stream_of_content_keeps_its_content() -> None:
    result = broken_stream_result(StatusReport(code=10, message="no"), None, 1, content=[BLOCK])
    assert [block["type"] for block in result["content"]] == ["text", "text", "image"]
    assert result["isError"]
