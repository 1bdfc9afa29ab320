"""What a call leaves behind: nothing that only the garbage collector finds, which would cost more than the call."""

import gc
from collections.abc import Callable
from typing import Any


async def test_a_call_leaves_no_reference_cycles(client: Any, make_request: Callable[..., dict[str, Any]]) -> None:
    message = make_request("tools/call", {"name": "echo", "arguments": {"a": 1}})
    for _ in range(3):
        assert (await client.post(message)).status == 200
    gc.collect()
    gc.disable()
    try:
        gc.set_debug(gc.DEBUG_SAVEALL)
        for _ in range(20):
            await client.post(message)
        gc.collect()
        left = {type(one).__name__ for one in gc.garbage if type(one).__module__.startswith("gateway.")}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert left == set()
