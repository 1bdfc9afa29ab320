import json
import logging
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.telemetry.log_lines import JsonFormatter, TextFormatter, escape


def make_record(message: str, *args: object, **fields: object) -> logging.LogRecord:
    record = logging.LogRecord("propylon.test", logging.WARNING, __file__, 1, message, args, None)
    record.created, record.msecs = 1767323045.678, 678.0
    vars(record).update(fields)
    return record


def test_a_text_line_holds_time_level_logger_message_and_fields() -> None:
    record = make_record("backend %s discovered", "eu", tools=12, reason="all is well")
    assert TextFormatter().format(record) == (
        '2026-01-02T03:04:05.678Z WARNING propylon.test: backend eu discovered tools=12 reason="all is well"'
    )


def test_a_json_line_holds_the_same() -> None:
    record = make_record("backend %s discovered", "eu", tools=12, ready=True, skipped=["a", "b"])
    assert json.loads(JsonFormatter().format(record)) == {
        "time": "2026-01-02T03:04:05.678Z",
        "level": "warning",
        "logger": "propylon.test",
        "message": "backend eu discovered",
        "tools": 12,
        "ready": True,
        "skipped": ["a", "b"],
    }


def test_an_event_cannot_start_a_second_line_or_paint_the_terminal() -> None:
    line = TextFormatter().format(make_record("name %s", "a\nINFO forged\x1b[31m\u202e\u200b", path="b\r\nc"))
    assert line == (
        "2026-01-02T03:04:05.678Z WARNING propylon.test: name a\\nINFO forged\\x1b[31m\\u202e\\u200b path=b\\r\\nc"
    )


@given(st.text())
@settings(max_examples=60)
def test_whatever_is_logged_stays_one_printable_line(text: str) -> None:
    assert escape(text).isprintable()
    assert TextFormatter().format(make_record("%s", text, field=text)).isprintable()
    assert "\n" not in JsonFormatter().format(make_record("%s", text, field=text))


def test_a_traceback_is_part_of_the_one_line() -> None:
    record = make_record("failed")
    try:
        raise ValueError("bad\nvalue")
    except ValueError:
        record.exc_info = sys.exc_info()
    line = TextFormatter().format(record)
    assert "\n" not in line
    assert "error=" in line
    assert "ValueError: bad\\nvalue" in line
    assert "ValueError: bad\nvalue" in json.loads(JsonFormatter().format(record))["error"]


def test_fields_named_like_secrets_and_known_secret_values_are_hidden() -> None:
    record = make_record("refused: s3cret-value", authorization="Bearer abc", x_disco="has s3cret-value in it")
    for formatter in (TextFormatter(secrets=["s3cret-value"]), JsonFormatter(secrets=["s3cret-value"])):
        line = formatter.format(record)
        assert "s3cret" not in line
        assert "Bearer" not in line
        assert line.count("***") == 3


def test_a_secret_does_not_blot_out_the_words_that_hold_it() -> None:
    line = TextFormatter(secrets=["agents", "prod"]).format(make_record("agents, reagents and prod"))
    assert line.endswith("***, reagents and prod")


def test_a_message_is_bounded_and_a_wrong_format_does_not_raise() -> None:
    assert len(TextFormatter().format(make_record("x" * 1_000_000))) < 8200
    assert TextFormatter().format(make_record("%d items", "no number")).endswith("%d items")
