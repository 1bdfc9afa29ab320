from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.mcp.sealing import Sealer
from gateway.mcp.tasks.handles import TaskHandle, open_handle, seal_handle

HANDLE = TaskHandle(
    backend="shop", tool="scan", operation="operations/1", created_at_ms=1_700_000_000_123, ttl_ms=60_000
)
KEY = b"k" * 32


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@settings(max_examples=50)
@given(
    operation=st.text(st.characters(exclude_categories=["Cs"])),
    principal=st.text(st.characters(exclude_categories=["Cs"])),
)
def test_a_handle_comes_back_whole(operation: str, principal: str) -> None:
    sealer, handle = Sealer([KEY]), replace(HANDLE, operation=operation)
    task_id = seal_handle(sealer, handle, principal)
    assert task_id.isascii()
    assert task_id.isprintable()
    assert open_handle(sealer, task_id, principal) == handle


def test_an_id_tells_nothing_and_is_never_the_same() -> None:
    sealer = Sealer([KEY])
    first, second = (seal_handle(sealer, HANDLE, "") for _ in range(2))
    assert first != second
    assert "operations" not in first


def test_an_id_opens_for_its_principal_key_and_kind_alone() -> None:
    sealer = Sealer([KEY])
    task_id = seal_handle(sealer, HANDLE, "ada")
    assert open_handle(sealer, task_id, "bob") is None
    assert open_handle(Sealer([b"x" * 32]), task_id, "ada") is None
    assert open_handle(sealer, sealer.seal("round", b"[]", bound_to=b"ada", ttl_seconds=60), "ada") is None


def test_an_id_expires_with_its_task() -> None:
    clock = Clock()
    sealer = Sealer([KEY], clock=clock)
    task_id = seal_handle(sealer, HANDLE, "")
    clock.now += 59
    assert open_handle(sealer, task_id, "") == HANDLE
    clock.now += 2
    assert open_handle(sealer, task_id, "") is None
