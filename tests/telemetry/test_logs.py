import io
import logging
import warnings
from collections.abc import Iterator

import pytest

from gateway.telemetry.logs import LogFormat, LogLevel, set_up_logging


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    root, own = logging.getLogger(), logging.getLogger("propylon")
    names = ("uvicorn", "uvicorn.access")
    before = (root.handlers[:], root.level, own.level, [logging.getLogger(name).level for name in names])
    yield
    root.handlers[:], root.level, own.level = before[:3]
    for name, level in zip(names, before[3], strict=True):
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(capture=False)


def test_own_events_follow_the_level_and_libraries_stay_quiet_below_warning() -> None:
    stream = io.StringIO()
    set_up_logging(level=LogLevel.INFO, stream=stream)
    logging.getLogger("propylon.app").info("shown")
    logging.getLogger("propylon.app").debug("not shown")
    logging.getLogger("uvicorn.error").info("not shown")
    logging.getLogger("uvicorn.access").error("not shown")
    logging.getLogger("grpc").warning("shown too")
    assert [line.split(" ", 1)[1] for line in stream.getvalue().splitlines()] == [
        "INFO propylon.app: shown",
        "WARNING grpc: shown too",
    ]


def test_setting_up_again_replaces_what_stood_before() -> None:
    first, second = io.StringIO(), io.StringIO()
    set_up_logging(stream=first)
    set_up_logging(level=LogLevel.ERROR, line_format=LogFormat.JSON, stream=second, secrets=["hush-hush"])
    logging.getLogger("propylon").warning("not shown")
    logging.getLogger("propylon").error("hush-hush")
    assert first.getvalue() == ""
    assert '"message":"***"' in second.getvalue()


def test_a_python_warning_is_one_line() -> None:
    stream = io.StringIO()
    set_up_logging(stream=stream)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=True)
        warnings.warn("old\nways", DeprecationWarning, stacklevel=1)
        logging.captureWarnings(capture=False)
    assert stream.getvalue().count("\n") == 1
    assert "DeprecationWarning: old\\nways" in stream.getvalue()


def test_a_stream_that_is_gone_does_not_stop_the_caller() -> None:
    stream = io.StringIO()
    set_up_logging(stream=stream)
    stream.close()
    logging.getLogger("propylon").error("nobody reads this")
