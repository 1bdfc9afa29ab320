"""What every test over a fleet goes through: backends that are stopped at its end, and a log without tracebacks."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from tests.end_to_end.fleet.kit import Backend


class Log:
    """What was logged from INFO up."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self._caplog = caplog

    @property
    def text(self) -> str:
        """Everything, with all fields, as one text to look for words in."""
        return "\n".join(f"{record.getMessage()} {vars(record)}" for record in self._caplog.records)

    def fields(self, message: str) -> list[dict[str, Any]]:
        """The fields of the events with this message."""
        return [vars(record) for record in self._caplog.records if record.getMessage() == message]

    @property
    def warnings(self) -> list[str]:
        """What was warned of over descriptors."""
        return [one["warning"] for one in self.fields("descriptors")]

    @property
    def skipped(self) -> dict[str, str]:
        """The skipped services and RPCs with their reasons."""
        return {one["what"]: one["reason"] for one in self.fields("skipped")}

    def clear(self) -> None:
        self._caplog.clear()


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture) -> Iterator[Log]:
    """What was logged; no test may leave a traceback in it."""
    caplog.set_level(logging.INFO, "propylon")
    yield Log(caplog)
    for phase in ("setup", "call"):
        records = caplog.get_records(phase)  # type: ignore[arg-type]
        assert [record.getMessage() for record in records if record.exc_info] == []


@pytest.fixture
async def start() -> AsyncIterator[Callable[..., Awaitable[Backend]]]:
    """Starts a backend; it is stopped at the end of the test."""
    started: list[Backend] = []

    async def start_it(backend: Backend, address: str = "127.0.0.1:0") -> Backend:
        started.append(backend)
        await backend.start(address)
        return backend

    yield start_it
    for backend in started:
        await backend.stop()
