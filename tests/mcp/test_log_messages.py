"""Lines for a client's log."""

from typing import Any

import orjson
import pytest

from gateway.contract.envelopes import Envelope, encode_envelope
from gateway.mcp.exchange import Exchange
from gateway.mcp.log_messages import LOG_LEVEL_KEY, find_log_level, open_log


class Outlet:
    """Keeps what it is given, as it would stand on the wire."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    async def notify(self, envelope: Envelope) -> None:
        self.sent.append(orjson.loads(encode_envelope(envelope)))


@pytest.mark.parametrize(
    ("session", "meta", "level"),
    [
        (None, {}, ""),
        (None, {LOG_LEVEL_KEY: "warning"}, "warning"),
        ("info", {}, "info"),
        ("info", {LOG_LEVEL_KEY: "error"}, "error"),
        (None, {LOG_LEVEL_KEY: "loud"}, ""),
        (None, {LOG_LEVEL_KEY: 5}, ""),
    ],
)
def test_the_level_is_the_request_s_and_else_its_session_s(session: str | None, meta: Any, level: str) -> None:
    assert find_log_level(Exchange(front="test", log_level=session), meta) == level


async def test_lines_of_the_level_and_above_are_told_and_bounded() -> None:
    outlet = Outlet()
    log = open_log(Exchange(front="test", outlet=outlet), {LOG_LEVEL_KEY: "notice"})
    assert log is not None
    await log.tell("info", "quiet")
    await log.tell("notice", {"a": [1]}, logger="db\nx" * 100)
    await log.tell("emergency", "x" * 20_000)
    first, second = outlet.sent
    assert first == {
        "jsonrpc": "2.0",
        "method": "notifications/message",
        "params": {"level": "notice", "data": {"a": [1]}, "logger": first["params"]["logger"]},
    }
    assert len(first["params"]["logger"]) <= 200
    assert "\n" not in first["params"]["logger"]
    assert len(second["params"]["data"]) <= 1_000


def test_there_is_no_log_without_a_level_or_a_way() -> None:
    assert open_log(Exchange(front="test", outlet=Outlet()), {}) is None
    assert open_log(Exchange(front="test"), {LOG_LEVEL_KEY: "debug"}) is None
