"""A surface in a file: the same bytes for the same tools, and no file that somebody changed by hand."""

import json
from pathlib import Path

import orjson
import pytest

from gateway.app.locking.lock_file import encode_surface, read_surface, write_surface
from gateway.app.operator_error import OperatorError
from gateway.descriptors.changes.surfaces import Surface, SurfaceTool

SURFACE: Surface = {
    "b_tool": SurfaceTool(
        rpc="t.S/B", aliases=("old",), listing={"title": "B", "inputSchema": {"type": "object", "properties": {}}}
    ),
    "a_tool": SurfaceTool(
        rpc="t.S/A",
        aliases=(),
        listing={"title": "Größe", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}},
    ),
}


def test_a_surface_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "lock.json"
    assert write_surface(path, SURFACE) is True
    assert read_surface(path) == SURFACE
    assert write_surface(path, read_surface(path)) is False


def test_the_file_is_the_same_in_whatever_order_tools_come() -> None:
    content = encode_surface(SURFACE)
    assert content == encode_surface(dict(reversed(SURFACE.items())))
    read = orjson.loads(content)
    assert list(read["tools"]) == ["a_tool", "b_tool"]
    assert content.count(b"\n") > 15
    assert content.endswith(b"}\n")
    assert "Größe" in content.decode()


def test_a_change_of_one_tool_changes_its_lines_and_the_hash_of_the_whole_alone() -> None:
    changed = {**SURFACE, "a_tool": SurfaceTool(rpc="t.S/A", aliases=(), listing={"inputSchema": {"type": "object"}})}
    before, after = orjson.loads(encode_surface(SURFACE)), orjson.loads(encode_surface(changed))
    assert before["hash"] != after["hash"]
    assert before["tools"]["b_tool"] == after["tools"]["b_tool"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", "{} is no JSON; write it anew with propylon lock"),
        ("[]", "{} locks no tools; is it the right file?"),
        ('{"tools": {}}', "{} is of another version of propylon (null); write it anew with propylon lock"),
        (
            '{"lockVersion": 9, "tools": {}}',
            "{} is of another version of propylon (9); write it anew with propylon lock",
        ),
        (
            '{"lockVersion": 1, "tools": {"a": {"rpc": 5}}}',
            '{} has no sound entry for the tool "a"; write it anew with propylon lock',
        ),
    ],
)  # fmt: skip
def test_what_is_no_lock_file_is_refused_in_one_line(tmp_path: Path, content: str, line: str) -> None:
    path = tmp_path / "lock.json"
    path.write_text(content)
    with pytest.raises(OperatorError) as refusal:
        read_surface(path)
    assert refusal.value.line == line.format(path)


def test_a_file_that_was_changed_by_hand_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lock.json"
    read = json.loads(encode_surface(SURFACE))
    read["tools"]["a_tool"]["title"] = "Other"
    path.write_text(json.dumps(read))
    with pytest.raises(OperatorError, match='was changed by hand at the tool "a_tool"'):
        read_surface(path)


def test_a_file_that_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="cannot read"):
        read_surface(tmp_path / "nowhere.json")
    with pytest.raises(OperatorError, match="cannot write"):
        write_surface(tmp_path / "no" / "folder.json", {})
