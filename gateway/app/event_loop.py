"""The event loop that everything runs on: uvloop, or asyncio's own where there is none (Windows)."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

# gRPC's core writes lines of its own to standard error; what they say comes through the gateway's log in one form.
_QUIET_GRPC = {"GRPC_VERBOSITY": "NONE"}


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """Runs the coroutine to its end on a fresh loop; whatever gRPC would print itself is turned off first."""
    for name, value in _QUIET_GRPC.items():
        os.environ.setdefault(name, value)
    with asyncio.Runner(loop_factory=_find_loop_factory()) as runner:
        return runner.run(main)


def _find_loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
