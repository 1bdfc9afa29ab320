import jsonschema_rs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.conditions import CONDITIONS, Condition
from gateway.contract.envelopes import Refusal, encode_envelope, refusal_response, success_response
from gateway.contract.status_report import StatusReport
from gateway.contract.statuses import STATUSES
from gateway.contract.tool_results import status_refusal, tool_error, tool_success, tool_success_json
from gateway.contract.validation import load_protocol_schema

RESULT = jsonschema_rs.Draft202012Validator(
    load_protocol_schema("2026-07-28") | {"$ref": "#/$defs/CallToolResult"}, offline=True
)
JAVA = "java.lang.IllegalStateException: no connection\n" + "".join(
    f"\tat com.shop.Db.open(Db.java:{line})\n" for line in range(200)
)
DEBUG_INFO = {"@type": "type.googleapis.com/google.rpc.DebugInfo", "stackEntries": ["at com.shop.Db"]}


def tell(report, **options):
    """The text and the status of a tool error, after a trip over the wire."""
    result = orjson.loads(encode_envelope(success_response(1, tool_error(report, **options))))["result"]
    assert RESULT.is_valid(result)
    assert (result["isError"], result["resultType"], result.keys() & {"structuredContent"}) == (True, "complete", set())
    [content] = result["content"]
    return content["text"], result["_meta"]["dev.propylon/status"]


def test_a_success_carries_text_and_structure():
    assert tool_success({"a": 1}, '{"a":1}') == {
        "content": [{"type": "text", "text": '{"a":1}'}],
        "structuredContent": {"a": 1},
        "resultType": "complete",
    }
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    assert tool_success(None, "hello", extra_content=[image]) == {
        "content": [{"type": "text", "text": "hello"}, image],
        "resultType": "complete",
    }


def test_encoded_json_becomes_the_same_result_as_the_value_itself():
    value = {"name": "é\n", "items": [1, 2.5, None], "nested": {"a": '"'}}
    encoded = orjson.dumps(value)
    for is_structured in (True, False):
        fast = encode_envelope(success_response(1, tool_success_json(encoded, is_structured=is_structured)))
        slow = encode_envelope(success_response(1, tool_success(value if is_structured else None, encoded.decode())))
        assert fast == slow
        assert RESULT.is_valid(orjson.loads(fast)["result"])


@pytest.mark.parametrize(
    ("message", "at", "problems", "lines"),
    [
        ("arguments: /email must be an address", "/email", ["must be an address"], []),
        ("takes only one of `a` and `b`", "", ["takes only one of `a` and `b`"], []),
        ("arguments: /n is odd", "/n", ["is odd", "is old"], ["/n: is odd; is old"]),
        ("arguments: /n is odd (and 1 more)", "/n", ["is odd"], ["/n: is odd"]),
        ("/n is older than it should be", "/n", ["is old"], ["/n: is old"]),
        ("/a/n is odd", "/n", ["is old"], ["/n: is old"]),
        ("bad order", "/n", ["is odd"], ["/n: is odd"]),
    ],
)
def test_a_place_that_the_message_tells_whole_has_no_line_of_its_own(message, at, problems, lines):
    report = StatusReport(code=3, message=message, errors=({"at": at, "problems": problems},))
    text, status = tell(report)
    assert text.split("\n") == [f"INVALID_ARGUMENT: {message}", *lines]
    assert status["errors"] == [{"at": at, "problems": problems}]


@pytest.mark.parametrize(("code", "name"), [(13, "INTERNAL"), (15, "DATA_LOSS")])
def test_what_the_gateway_itself_says_is_withheld_from_nobody(code, name):
    report = StatusReport(code=code, message="the call was not sent: at x(y:1)", is_own_wording=True)
    assert status_refusal(report).message == f"{name}: the call was not sent: at x(y:1)"
    text, status = tell(report)
    assert text == f"{name}: the call was not sent: at x(y:1)"
    assert status["message"] == report.message


@pytest.mark.parametrize(
    ("code", "message", "told"),
    [
        (4, "too slow", "DEADLINE_EXCEEDED: too slow (from the backend)"),
        (1, "stopped", "CANCELLED: stopped (from the backend)"),
        (4, "", "DEADLINE_EXCEEDED: the backend gave no message"),
        (5, "no such order", "NOT_FOUND: no such order"),
        (42, "odd", "UNKNOWN: odd (status 42)"),
    ],
)
def test_where_either_side_could_have_ended_the_call_it_is_said_who_did(code, message, told):
    assert tell(StatusReport(code=code, message=message))[0] == told
    own = StatusReport(code=code, message=message or "x", is_own_wording=True)
    assert " (from the backend)" not in tell(own)[0]


def test_a_failure_is_told_in_lines_and_carried_for_programs():
    detail = {"@type": "type.googleapis.com/shop.v1.Hint", "text": "try later"}
    report = StatusReport(
        code=3,
        message="bad order",
        errors=({"at": "/email", "problems": ["must be an address"]}, {"at": "/n", "problems": ["is odd", "is old"]}),
        reason="BAD_ORDER",
        domain="shop.example",
        retry_after_ms=1500,
        details=(detail,),
        reference="4bf92f35",
    )
    assert tell(report) == (
        (
            "INVALID_ARGUMENT: bad order\n"
            "/email: must be an address\n"
            "/n: is odd; is old\n"
            "retry after 1.5 s\n"
            "reference: 4bf92f35"
        ),
        {
            "code": 3,
            "status": "INVALID_ARGUMENT",
            "message": "bad order",
            "errors": [
                {"at": "/email", "problems": ["must be an address"]},
                {"at": "/n", "problems": ["is odd", "is old"]},
            ],
            "reason": "BAD_ORDER",
            "domain": "shop.example",
            "retryAfterMs": 1500,
            "details": [detail],
        },
    )


@pytest.mark.parametrize("row", STATUSES[1:], ids=lambda row: row.name)
def test_a_failure_without_a_message_still_says_something(row):
    text, status = tell(StatusReport(code=row.number, message=""))
    is_withheld = row.name in {"INTERNAL", "DATA_LOSS"}
    sentence = (
        "the backend failed inside; its own message is withheld" if is_withheld else "the backend gave no message"
    )
    assert text == f"{row.name}: {sentence}"
    assert status == {"code": row.number, "status": row.name, "message": sentence if is_withheld else ""}
    refusal = status_refusal(StatusReport(code=row.number, message=""))
    assert refusal == Refusal(condition=row.condition, message=text, data={"status": row.name}, rejection=False)


@pytest.mark.parametrize("number", [0, 17, 42, 999, -1])
def test_a_number_that_names_no_failure_is_unknown_and_stays_visible(number):
    assert tell(StatusReport(code=number, message="odd")) == (
        f"UNKNOWN: odd (status {number})",
        {"code": number, "status": "UNKNOWN", "message": "odd"},
    )
    refusal = status_refusal(StatusReport(code=number, message="x" * 500, reference="r1"))
    assert refusal.condition is Condition.UNKNOWN
    assert len(refusal.message) == 200
    assert refusal.message.endswith(f"… (status {number}) (reference r1)")


@pytest.mark.parametrize("number", [13, 15])
def test_an_internal_failure_is_told_without_its_message_unless_wanted(number):
    name = STATUSES[number].name
    report = StatusReport(code=number, message="psql: secret", details=(DEBUG_INFO,), reference="r1")
    told = "the backend failed inside; its own message is withheld"
    assert tell(report) == (f"{name}: {told}\nreference: r1", {"code": number, "status": name, "message": told})
    assert status_refusal(report).message == f"{name}: {told} (reference r1)"
    assert tell(report, forward_internal=True) == (
        f"{name}: psql: secret\nreference: r1",
        {"code": number, "status": name, "message": "psql: secret", "details": [DEBUG_INFO]},
    )
    assert status_refusal(report, forward_internal=True).message == f"{name}: psql: secret (reference r1)"


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (JAVA, "java.lang.IllegalStateException: no connection"),
        (JAVA.replace("\n", " "), "java.lang.IllegalStateException: no connection"),
        ("boom\nsecond line\n" + JAVA, "boom"),
        ('Traceback (most recent call last):\n  File "/srv/a.py", line 5, in f\nKeyError: 1', None),
        ('bad key\n  File "/srv/a.py", line 5, in f', "bad key"),
        ("panic: nil map\n\ngoroutine 7 [running]:\nmain.f()\n\t/srv/main.go:12 +0x1d", "panic: nil map"),
        ("TypeError: x is undefined\n    at run (/srv/a.js:1:2)\n    at /srv/b.js:3:4", "TypeError: x is undefined"),
        ("System.Exception: no\n   at Shop.Db.Open(String s) in /src/Db.cs:line 12", "System.Exception: no"),
        ("no method\n\tfrom /srv/app.rb:10:in `call'", "no method"),
        ("oops\nstack backtrace:\n   0: std::panicking::begin", "oops"),
        ("oops\nCaused by: x: db-prod-7.internal:5432", "oops"),
    ],
)
def test_a_stack_trace_is_cut_off_where_it_begins(message, told):
    text, status = tell(StatusReport(code=2, message=message, details=(DEBUG_INFO,)))
    told = told or "the backend answered with a stack trace; it is withheld"
    assert text == f"UNKNOWN: {told}"
    assert status == {"code": 2, "status": "UNKNOWN", "message": told}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("café\nline2", "café line2"),
        ("all of:\nat least one item\nat most: 3 (three)", "all of: at least one item at most: 3 (three)"),
        ("syntax error at position(3)", "syntax error at position(3)"),
        ("  \x1b[31mred\x1b[0m\u202e  ", "[31mred [0m"),
        ("x\ud800", "x\ufffd"),
    ],
)
def test_an_ordinary_message_is_folded_and_kept_whole(message, told):
    text, status = tell(StatusReport(code=9, message=message))
    assert text == f"FAILED_PRECONDITION: {told}"
    assert status["message"] == message.replace("\ud800", "\ufffd")


@pytest.mark.parametrize(
    ("milliseconds", "line"),
    [
        (0, "retry after 0 s"),
        (5000, "retry after 5 s"),
        (250, "retry after 0.25 s"),
        (10**10, "retry after 10000000 s"),
    ],
)
def test_the_time_to_wait_is_told_in_seconds(milliseconds, line):
    text, status = tell(StatusReport(code=14, message="down", retry_after_ms=milliseconds))
    assert text == f"UNAVAILABLE: down\n{line}"
    assert status["retryAfterMs"] == milliseconds


def test_a_text_is_bounded_and_keeps_its_last_lines():
    errors = tuple({"at": f"/{i}", "problems": ["x" * 300]} for i in range(20))
    report = StatusReport(code=3, message="m" * 20_000, errors=errors, retry_after_ms=1000, reference="r" * 200)
    text, status = tell(report)
    assert len(text) <= 4096
    assert text.splitlines()[0] == "INVALID_ARGUMENT: " + "m" * 999 + "…"
    assert text.splitlines()[-3:] == ["… and 11 more locations", "retry after 1 s", "reference: " + "r" * 63 + "…"]
    assert len(status["message"]) == 8192


def test_a_failure_of_the_protocol_dialect_names_what_programs_need():
    report = StatusReport(
        code=16,
        message="token\nexpired",
        reason="EXPIRED",
        domain="auth.example",
        retry_after_ms=0,
        details=(DEBUG_INFO,),
    )
    envelope = refusal_response(status_refusal(report), "a")
    assert orjson.loads(encode_envelope(envelope)) == {
        "jsonrpc": "2.0",
        "id": "a",
        "error": {
            "code": CONDITIONS[Condition.UNAUTHENTICATED].code,
            "message": "UNAUTHENTICATED: token expired",
            "data": {"status": "UNAUTHENTICATED", "reason": "EXPIRED", "domain": "auth.example", "retryAfterMs": 0},
        },
    }
    assert envelope.http_status == 200


@given(
    st.builds(
        StatusReport,
        code=st.integers(-(2**40), 2**40) | st.integers(0, 16),
        message=st.text(st.characters(codec=None)) | st.just(JAVA),
        reason=st.none() | st.text(st.characters(codec=None)),
        domain=st.none() | st.text(),
        retry_after_ms=st.none() | st.integers(0, 2**63),
        reference=st.none() | st.text(),
    ),
    st.booleans(),
)
def test_any_failure_can_be_told_in_both_dialects(report, forward_internal):
    text, _ = tell(report, forward_internal=forward_internal)
    assert all(line.isprintable() for line in text.split("\n"))
    encode_envelope(refusal_response(status_refusal(report, forward_internal=forward_internal), 1))
