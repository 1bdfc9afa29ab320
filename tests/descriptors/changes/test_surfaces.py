import pytest

from gateway.descriptors.changes.kinds import Kind
from gateway.descriptors.changes.surfaces import SurfaceTool, compare_surfaces

SAFE = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}


def tool(rpc="t.S/A", *aliases, **listing):
    entry = {"title": "A", "description": "d", "inputSchema": {"type": "object"}, "annotations": SAFE, **listing}
    return SurfaceTool(rpc=rpc, aliases=aliases, listing={key: one for key, one in entry.items() if one is not None})


RESULT = {"type": "object", "properties": {"x": {"type": "string"}}}


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ({"a": tool()}, {"a": tool()}, []),
        ({"a": tool()}, {}, [("a", Kind.TOOL_GONE, "t.S/A", True)]),
        ({}, {"a": tool()}, [("a", Kind.TOOL_NEW, "t.S/A", False)]),
        ({"a": tool()}, {"a": tool("t.S/B")}, [("a", Kind.OTHER_RPC, "was t.S/A, is t.S/B", True)]),
        ({"a": tool()}, {"b": tool("t.S/A", "a")}, []),
        (
            {"a": tool()},
            {"b": tool("t.S/A")},
            [("a", Kind.TOOL_GONE, "t.S/A", True), ("b", Kind.TOOL_NEW, "t.S/A", False)],
        ),
        ({"a": tool("t.S/A", "x")}, {"a": tool()}, [("a", Kind.ALIAS_GONE, '"x"', True)]),
        ({"a": tool("t.S/A", "x")}, {"x": tool("t.S/A", "a")}, []),
        ({"a": tool()}, {"a": tool("t.S/A", "x")}, [("a", Kind.ALIAS_NEW, '"x"', False)]),
        (
            {"a": tool()},
            {"a": tool(annotations={**SAFE, "readOnlyHint": False})},
            [("a", Kind.HINT_BOLDER, "readOnlyHint was true, is false", True)],
        ),
        (
            {"a": tool(annotations={})},
            {"a": tool(annotations={"destructiveHint": False})},
            [("a", Kind.HINT_SAFER, "destructiveHint was true, is false", False)],
        ),
        (
            {"a": tool()},
            {"a": tool(title="B", description="e")},
            [("a", Kind.TEXT_CHANGED, "title", False), ("a", Kind.TEXT_CHANGED, "description", False)],
        ),
        ({"a": tool(outputSchema=RESULT)}, {"a": tool()}, [("a", Kind.RESULT_GONE, "", True)]),
        ({"a": tool()}, {"a": tool(outputSchema=RESULT)}, [("a", Kind.RESULT_NEW, "", False)]),
        (
            {"a": tool(outputSchema=RESULT)},
            {"a": tool(outputSchema={"type": "object", "properties": {}})},
            [("a", Kind.PROPERTY_GONE, "", True)],
        ),
    ],
)  # fmt: skip
def test_a_change_of_a_surface_is_told_by_its_tool(old, new, changes):
    found = compare_surfaces(old, new)
    assert [(one.tool, one.kind, one.detail, one.breaks) for one in found] == changes


def test_of_a_surface_that_is_not_whole_nothing_is_gone():
    assert compare_surfaces({"a": tool(), "b": tool("t.S/B")}, {"b": tool("t.S/B")}, is_whole=False) == ()
