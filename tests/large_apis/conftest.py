"""What the suite of large APIs measures is printed at its end."""

import pytest

from tests.large_apis.report import Row, format_rows

ROWS = pytest.StashKey[list[Row]]()
LINES = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ROWS] = []
    config.stash[LINES] = []


@pytest.fixture
def rows(request: pytest.FixtureRequest) -> list[Row]:
    """The rows of the table so far."""
    return request.config.stash[ROWS]


@pytest.fixture
def lines(request: pytest.FixtureRequest) -> list[str]:
    """Lines that are printed below the table."""
    return request.config.stash[LINES]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    terminalreporter.section("large APIs")
    for line in (*format_rows(config.stash[ROWS]), *config.stash[LINES]):
        terminalreporter.write_line(line)
