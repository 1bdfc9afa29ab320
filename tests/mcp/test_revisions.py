import pytest

from gateway.contract.conditions import Condition
from gateway.mcp.revisions import (
    HANDSHAKE_SERVED,
    PER_REQUEST_SERVED,
    REVISIONS,
    Era,
    find_served,
    judge_era,
    negotiate,
    refuse_revision,
)


def test_what_is_offered_is_what_is_found() -> None:
    assert HANDSHAKE_SERVED == ("2025-11-25", "2025-06-18", "2025-03-26")
    assert [find_served(name, Era.HANDSHAKE) for name in HANDSHAKE_SERVED] == [
        REVISIONS[name] for name in HANDSHAKE_SERVED
    ]
    assert PER_REQUEST_SERVED == ("2026-07-28",)
    assert [find_served(name) for name in PER_REQUEST_SERVED] == [REVISIONS["2026-07-28"]]
    assert find_served("2025-11-25") is None
    assert find_served("2027-01-01") is None


@pytest.mark.parametrize(
    ("body", "header", "era"),
    [
        ("2026-07-28", None, Era.PER_REQUEST),
        ("2026-07-28", "2025-11-25", Era.PER_REQUEST),
        ("x", None, Era.PER_REQUEST),
        (None, "2026-07-28", Era.PER_REQUEST),
        (None, "v999", Era.PER_REQUEST),
        (None, "", Era.PER_REQUEST),
        (None, "2025-06-18", Era.HANDSHAKE),
        (None, "2024-11-05", Era.HANDSHAKE),
        (None, None, Era.HANDSHAKE),
    ],
)
def test_the_body_decides_the_era_and_then_the_header(body: str | None, header: str | None, era: Era) -> None:
    assert judge_era(body, header) is era


def test_a_refused_revision_is_told_what_is_served() -> None:
    refusal = refuse_revision("v999.0.0")
    assert refusal.condition is Condition.UNSUPPORTED_PROTOCOL_VERSION
    assert refusal.message == 'protocol version "v999.0.0" is not served here; served is 2026-07-28'
    assert refusal.data == {"supported": ["2026-07-28"], "requested": "v999.0.0"}


def test_a_client_of_the_handshake_era_is_told_what_it_may_settle_on() -> None:
    refusal = refuse_revision("2024-11-05", Era.HANDSHAKE)
    assert refusal.message is not None
    assert refusal.message.endswith("is 2026-07-28, and after initialize 2025-11-25, 2025-06-18, 2025-03-26")
    assert len(refusal.message) <= 200


def test_a_hostile_revision_is_bounded() -> None:
    refusal = refuse_revision("\n" * 10 + "x" * 100_000)
    assert refusal.data is not None
    assert len(refusal.data["requested"]) <= 64
    assert "\n" not in refusal.data["requested"]


@pytest.mark.parametrize(
    ("requested", "settled"),
    [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("x", "2025-11-25"),
        (5, "2025-11-25"),
        (None, "2025-11-25"),
    ],
)
def test_a_handshake_settles_on_what_is_asked_for_or_on_the_newest(requested: object, settled: str) -> None:
    assert negotiate(requested).name == settled
