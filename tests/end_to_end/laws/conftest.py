"""One gateway over every construct that protobuf has, open for all the laws of this folder."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from tests.end_to_end.stage import Stage, open_stage
from tests.laws.kitchen_sinks import EDITION, LEGACY, MODERN, WELL_KNOWN, WELL_KNOWN_IMPORTS

PLAIN = "message M {} service S { rpc Do(M) returns (M); }"
# Requests and replies that are no object of fields.
WHOLE = f"""
syntax = "proto3"; package whole; {WELL_KNOWN_IMPORTS} import "google/api/httpbody.proto";
service S {{
  {" ".join(f"rpc Do{name}(google.protobuf.{name}) returns (google.protobuf.{name});" for name in WELL_KNOWN)}
  rpc DoHttpBody(google.api.HttpBody) returns (google.api.HttpBody);
}}
"""
PROTOS = {"modern": MODERN, "legacy": LEGACY, "edition": EDITION, "whole": WHOLE}


class _Tracebacks(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.seen.append(f"{record.getMessage()}: {record.exc_info[1]!r}")


class Kitchen:
    """The stage, how to run a coroutine on its event loop, and the tracebacks that were logged."""

    def __init__(self, stage: Stage, run: Callable[[Coroutine[Any, Any, Any]], Any], handler: _Tracebacks) -> None:
        self.stage = stage
        self.run = run
        self.handler = handler

    @property
    def tracebacks(self) -> list[str]:
        return self.handler.seen


@pytest.fixture(scope="session")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kitchen]:
    with asyncio.Runner() as runner:
        folder = tmp_path_factory.mktemp("kitchen")
        opening = open_stage(folder, PLAIN, **PROTOS)
        stage = runner.run(opening.__aenter__())
        yield Kitchen(stage, runner.run, _Tracebacks())
        assert runner.run(stage.is_well())
        runner.run(opening.__aexit__(None, None, None))


@pytest.fixture(autouse=True)
def _no_traceback(kitchen: Kitchen) -> Iterator[None]:
    """Listens to the log while a test of this folder runs, and to no other's."""
    log, handler = logging.getLogger("propylon"), kitchen.handler
    log.addHandler(handler)
    yield
    log.removeHandler(handler)
    assert handler.seen == []
