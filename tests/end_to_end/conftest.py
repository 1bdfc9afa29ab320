"""Stages for end-to-end tests; each ends with the silent half of every recipe."""

import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.stage import Stage, open_stage

MakeStage = Callable[..., Awaitable[Stage]]


@pytest.fixture
async def make_stage(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[MakeStage]:
    """Opens a stage over the services of a proto text.

    When the test is over, an ordinary call must still work on it, unless its backend is another one, and the log must
    hold no traceback; a test that means one to be there clears the log.
    """
    caplog.set_level(logging.DEBUG, logger="propylon")
    opened: list[tuple[Stage, bool]] = []
    async with contextlib.AsyncExitStack() as stack:

        async def make(proto: str, **options: Any) -> Stage:
            folder = tmp_path / str(len(opened))
            folder.mkdir()
            stage = await stack.enter_async_context(open_stage(folder, proto, **options))
            opened.append((stage, options.get("target") is None))
            return stage

        yield make
        for stage, is_whole in opened:
            if is_whole:
                assert await stage.is_well()
    # The mock backend's own server logs too, over clients that leave it; that is no fault of the gateway's.
    ours = (record for record in caplog.records if record.name.startswith("propylon"))
    assert [record.getMessage() for record in ours if record.exc_info] == []
