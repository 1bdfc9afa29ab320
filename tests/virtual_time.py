"""A loop whose clock jumps to what is waited for next, so that tests of minutes take no time."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise AssertionError("everybody waits, and for nothing")
        self.now += max(timeout, 0)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)
        # What is due within the clock's resolution is run without its time having come.
        self._clock_resolution = 1e-9

    def time(self) -> float:
        return self._jumping.now


def run_virtually(work: Coroutine[Any, Any, Result]) -> Result:
    """What the coroutine gives, in no time; the loop's clock starts at 0."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)
