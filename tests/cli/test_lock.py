"""The surface on the command line: locked, compared, and held to while serving."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Start = Callable[..., Any]

FEWER = ("--exclude", "*/Delete*", "--exclude", "*/Crash")


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that locks the demo's tools."""
    from gateway.app.locking.lock_file import make_surface, write_surface
    from gateway.app.one_shot import look_once
    from gateway.app.settings.loader import default_settings

    path = tmp_path_factory.mktemp("lock") / "propylon.lock.json"
    write_surface(path, make_surface(look_once(default_settings(), demo=True).catalogue))
    return path


def test_a_lock_is_written_once_and_then_found_to_be_the_same(run: Run, tmp_path: Path, locked: Path) -> None:
    path = tmp_path / "lock.json"
    done = run("lock", "--demo", "-o", str(path))
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"{path} locks 23 tools.\n")
    assert path.read_bytes() == locked.read_bytes()
    done = run("lock", "--demo", "-o", str(path))
    assert (done.returncode, done.stdout) == (0, f"{path} locks 23 tools, as before.\n")


def test_a_surface_that_is_the_same_has_no_difference(run: Run, locked: Path) -> None:
    done = run("diff", "--demo", "--lock", str(locked))
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"Nothing has changed since {locked}.\n")


def test_a_tool_that_is_gone_breaks_callers_and_ends_with_status_1(run: Run, locked: Path) -> None:
    done = run("diff", "--demo", *FEWER, "--lock", str(locked))
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[1].split() == [
        "yes", "demo_shop_v1_CustomerService_DeleteCustomer", "tool", "tool", "gone:",
        "demo.shop.v1.CustomerService/DeleteCustomer",
    ]  # fmt: skip
    assert lines[-1] == f"2 changes since {locked}; 2 of them break callers."


def test_a_change_that_breaks_nothing_ends_with_status_0(run: Run, tmp_path: Path, locked: Path) -> None:
    config = tmp_path / "propylon.yaml"
    config.write_text("rpcs:\n  - {match: '*/GetOrder', title: Read an order, aliases: [get_order]}\n")
    done = run("diff", "--demo", "-c", str(config), "--lock", str(locked), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert [(one["breaks"], one["kind"], one["detail"]) for one in json.loads(done.stdout)] == [
        (False, "alias new", '"get_order"'),
        (False, "text changed", "title"),
    ]


def test_a_tool_that_takes_less_or_gives_less_breaks_callers(run: Run, tmp_path: Path, locked: Path) -> None:
    config = tmp_path / "propylon.yaml"
    config.write_text(
        "rpcs:\n  - match: '*/GetOrder'\n    arguments: {id: {constant: o-1}}\n    output_mask: [order.id]\n"
    )
    done = run("diff", "--demo", "-c", str(config), "--lock", str(locked), "--json")
    assert done.returncode == 1
    changes = json.loads(done.stdout)
    assert {"breaks": True, "kind": "property gone", "side": "input", "at": "/id"}.items() <= changes[0].items()
    assert {(one["side"], one["kind"]) for one in changes[1:]} == {("output", "property gone")}


@pytest.mark.parametrize("command", [("diff", "--lock"), ("serve", "--listen", "127.0.0.1:0", "--locked")])
def test_a_file_that_locks_nothing_is_refused_before_anything_is_begun(
    run: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    path = tmp_path / "nowhere.json"
    done = run(*command, str(path), "--demo")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"propylon: cannot read {path}: No such file or directory; write it anew with propylon lock\n"


def test_with_a_backend_missing_nothing_is_compared_and_nothing_locked(
    run: Run, shop: str, closed_port: int, tmp_path: Path, locked: Path
) -> None:
    path = tmp_path / "lock.json"
    for command in (("lock", "-o", str(path)), ("diff", "--lock", str(locked))):
        done = run(*command, shop, f"127.0.0.1:{closed_port}")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"propylon: backend 127.0.0.1:{closed_port} is missing: ")
    assert not path.exists()


def test_a_surface_that_is_as_it_was_locked_is_served(start: Start, locked: Path) -> None:
    gateway = start("serve", "--demo", "--listen", "127.0.0.1:0", "--locked", str(locked))
    gateway.wait_for(r"Propylon serves 23 tools of 1 backend at (http\S+)")


def test_a_surface_that_breaks_callers_is_not_served(run: Run, locked: Path) -> None:
    done = run("serve", "--demo", *FEWER, "--listen", "127.0.0.1:0", "--locked", str(locked))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"propylon: it breaks what {locked} locks: demo_shop_v1_CustomerService_DeleteCustomer: tool gone: "
        "demo.shop.v1.CustomerService/DeleteCustomer, and 1 more; propylon diff names every change\n"
    )
