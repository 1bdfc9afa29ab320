"""The event loop that everything runs on: uvloop, or asyncio's own where there is none (Windows)."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """Runs the coroutine to its end on a fresh loop."""
    with asyncio.Runner(loop_factory=_find_loop_factory()) as runner:
        return runner.run(main)


def _find_loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
