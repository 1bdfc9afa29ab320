from typing import Any

import pytest

from gateway.mcp.revisions import REVISIONS
from gateway.mcp.sealing import Sealer
from gateway.mcp.sessions.sessions import TTL_SECONDS, Sessions

KEY = b"k" * 32
NEWEST = REVISIONS["2025-11-25"]
DECLARED: dict[str, Any] = {"elicitation": {"form": {}, "url": {}, "x": 5}, "roots": {"listChanged": True}, "x": {}}


def make_sessions(key: bytes = KEY, **options: Any) -> Sessions:
    return Sessions(Sealer([key]), **options)


def test_any_replica_understands_an_id() -> None:
    opened = make_sessions().open(NEWEST, DECLARED)
    found = make_sessions().find(opened.id)
    assert found is not None
    assert (found.id, found.revision) == (opened.id, NEWEST)
    assert (
        found.client_capabilities == opened.client_capabilities == {"elicitation": {"form": {}, "url": {}}, "roots": {}}
    )


@pytest.mark.parametrize("session_id", ["", "x", "ä", "x" * 100_000])
def test_an_id_that_is_none_of_ours_names_no_session(session_id: str) -> None:
    assert make_sessions().find(session_id) is None
    assert not make_sessions().has_ended(session_id)


def test_an_id_of_other_keys_or_another_principal_names_no_session() -> None:
    sessions = make_sessions()
    opened = sessions.open(NEWEST, {}, "ada")
    assert sessions.find(opened.id, "ada") is opened
    for principal in ("", "eve"):
        assert sessions.find(opened.id, principal) is None
        assert make_sessions().find(opened.id, principal) is None
    assert make_sessions(b"o" * 32).find(opened.id, "ada") is None


def test_an_id_expires() -> None:
    now = [1000.0]
    sealer = Sealer([KEY], clock=lambda: now[0])
    opened = Sessions(sealer).open(NEWEST, {})
    now[0] += TTL_SECONDS + 1
    assert Sessions(sealer).find(opened.id) is None


def test_an_ended_session_is_over_here() -> None:
    sessions = make_sessions()
    opened = sessions.open(NEWEST, {})
    sessions.end(opened)
    assert sessions.find(opened.id) is None
    assert sessions.has_ended(opened.id)


def test_what_is_kept_is_bounded_and_busy_sessions_are_kept_longest() -> None:
    sessions = make_sessions(limit_live=2, limit_ended=1)
    first = sessions.open(NEWEST, {})
    with first.run(1, lambda: None):
        second = sessions.open(NEWEST, {})
        second.log_level = "info"
        third = sessions.open(NEWEST, {})
        assert sessions.find(first.id) is first
        assert sessions.find(third.id) is third
    again = sessions.find(second.id)
    assert again is not None
    assert (again is second, again.log_level) == (False, None)
    for session in (first, third):
        sessions.end(session)
    assert (sessions.has_ended(first.id), sessions.has_ended(third.id)) == (False, True)
