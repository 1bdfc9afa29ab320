from typing import Any

import pytest

from gateway.mcp.tasks.descriptions import TaskStatus, describe_task
from gateway.mcp.tasks.handles import TaskHandle
from gateway.transcoding.operations import OperationState
from gateway.transcoding.reply_parts import ProgressPart

HANDLE = TaskHandle(backend="b", tool="t", operation="o", created_at_ms=1_700_000_000_123, ttl_ms=60_000)


def describe(poll_seconds: float = 1.0, **state: Any) -> dict[str, Any]:
    shown = OperationState(name="o", **state)
    return describe_task("id", HANDLE, TaskStatus.WORKING, shown, poll_seconds=poll_seconds, now=1_700_000_005.5)


def test_a_task_is_flat_and_its_times_are_of_rfc_3339() -> None:
    assert describe() == {
        "taskId": "id",
        "status": "working",
        "createdAt": "2023-11-14T22:13:20.123Z",
        "lastUpdatedAt": "2023-11-14T22:13:25.500Z",
        "ttlMs": 60_000,
        "pollIntervalMs": 1000,
    }


def test_a_poll_interval_is_never_nothing() -> None:
    assert describe(poll_seconds=0.0001)["pollIntervalMs"] == 1


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"status_message": "Scanning\nall"}, r"Scanning\nall"),
        ({"status_message": "Scanning", "progress": ProgressPart(progress=1)}, "Scanning"),
        ({"progress": ProgressPart(progress=3, total=10, message="page 3")}, "page 3"),
        ({"progress": ProgressPart(progress=3, total=10)}, "3 of 10"),
        ({"progress": ProgressPart(progress=0.5)}, "0.5"),
    ],
)
def test_the_status_message_is_what_the_backend_says_of_the_work(state: dict[str, Any], message: str) -> None:
    assert describe(**state)["statusMessage"] in (message, message.replace(r"\n", " "))
